"""Refuse every address but this machine's, and write down who asked.

With this folder on PYTHONPATH each Python process that a test starts imports the file
by itself: kernels too. Why an audit hook and not a replaced socket? It also sees
sockets opened by compiled code, and nothing can take it off again.
"""

import os
import socket
import sys

__all__ = ["LOG", "OutsideNetwork", "refuse_outside"]

LOG = "MINGRAPH_NETWORK_LOG"
"""The environment variable that names the file of refused attempts."""

_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_SENDS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


class OutsideNetwork(RuntimeError):
    """A look-up or connection beyond loopback was refused."""


def _is_here(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode(errors="replace")
    if host is None or not isinstance(host, str):
        return host is None
    # The machine's own name is asked for by Jupyter and answered without a network.
    here = {"", "localhost", "::1", "0.0.0.0", "::", socket.gethostname()}
    return host in here or host.startswith("127.")


def refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    """Stop an audited socket call that leaves this machine."""
    if event in _LOOKUPS:
        host = arguments[0]
    elif event in _SENDS and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:  # any other event, or a Unix socket, whose address is a path
        return
    if _is_here(host):
        return
    attempt = f"{event} {host!r}"
    if log := os.environ.get(LOG):
        with open(log, "a", encoding="utf-8") as file:
            file.write(attempt + "\n")
    raise OutsideNetwork(
        f"{attempt} was refused. Tests reach this machine only; serve what you need "
        f"on 127.0.0.1."
    )


sys.addaudithook(refuse_outside)

# Not there, as far as a test can see: whatever reads a notebook would import it, and
# build a grammar of all addresses for two seconds, to check none.
sys.modules.setdefault("rfc3987_syntax", None)
