"""A port that is free, or a sentence that says why not."""

import contextlib
import errno
import os
import socket
from collections.abc import Callable, Iterable

from start import Trouble

__all__ = ["HOST", "LESSONS", "PAGE", "ask_for", "free_port", "next_free"]

HOST = "127.0.0.1"
LAST = 65535
LESSONS, PAGE = 8888, 8889

type Bind = Callable[[int], None]


def try_to_listen(port: int) -> None:
    """Raise what the system answers to whoever would listen there."""
    with contextlib.closing(socket.socket()) as door:
        if os.name != "nt":  # a port that was only just left counts as free
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((HOST, port))


def ask_for(port: int, bind: Bind = try_to_listen) -> int:
    """Return this very port, or say why it cannot be had."""
    if not 1 <= port <= LAST:
        raise Trouble(f"There is no port {port}: choose one from 1024 to {LAST}.")
    try:
        bind(port)
    except OSError as error:
        if error.errno == errno.EACCES:
            raise Trouble(
                f"Port {port} is not allowed to you, as those below 1024 rarely are: "
                f"choose one from 1024 to {LAST}."
            ) from None
        raise Trouble(
            f"Port {port} is not free: choose another one with --port."
        ) from None
    return port


def next_free(first: int, bind: Bind = try_to_listen) -> int:
    """Return the first free port from here on, then from ours."""
    near = range(first, min(first + 50, LAST + 1))
    return free_port([*near, *range(PAGE, PAGE + 100)], bind)


def free_port(ports: Iterable[int], bind: Bind = try_to_listen) -> int:
    """Return the first of these ports that is free."""
    for port in ports:
        with contextlib.suppress(OSError):
            bind(port)
            return port
    raise Trouble("No port is free: choose one with --port.")
