"""A port that cannot be had says why, in three different sentences."""

import errno
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from launcher.ports import ask_for, next_free
from start import Trouble
from tests.launcher.folder import start_in


@pytest.fixture
def taken() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


def refusing(*ports: int, number: int = errno.EADDRINUSE):
    """Refuse these ports as the system would."""

    def bind(port: int) -> None:
        if port in ports:
            raise OSError(number, "refused")

    return bind


def test_a_port_that_is_taken_is_refused_before_anything_is_done(place, taken):
    sentence = f"start.py: Port {taken} is not free: choose another one with --port."

    assert start_in(place.root, "--port", str(taken)) == (1, [sentence])


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999999999"])
def test_a_port_that_does_not_exist_is_named(place, port):
    sentence = f"start.py: There is no port {port}: choose one from 1024 to 65535."

    assert start_in(place.root, f"--port={port}") == (1, [sentence])


def test_a_port_that_is_not_allowed_is_named():
    with pytest.raises(Trouble) as trouble:
        ask_for(80, refusing(80, number=errno.EACCES))

    assert str(trouble.value) == (
        "Port 80 is not allowed to you, as those below 1024 rarely are: choose one "
        "from 1024 to 65535."
    )


def test_a_port_nobody_asked_for_is_looked_for_until_one_is_free(taken):
    assert next_free(taken) > taken


def test_there_is_room_for_the_second_beside_any_port_that_is_given():
    assert next_free(9001, refusing(9001, 9002)) == 9003
    assert next_free(65535, refusing(65535)) == 8889
    assert next_free(65536, refusing()) == 8889

    with pytest.raises(Trouble, match="No port is free"):
        next_free(9001, refusing(*range(65536)))
