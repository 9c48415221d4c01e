"""How bytes travel: one request out, one response in, whatever carries them.

An adapter builds a `Request` and reads a `Response`; a transport is any function from
one to the other. A script hands it to urllib3, the page in the browser to `fetch`, a
test to three lines of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mingraph_lite.errors import ModelError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

__all__: Final = ["Request", "Response", "Transport", "urllib3_transport"]

_CONNECT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent.

    `timeout` is the longest silence in seconds, not the whole time. The headers are
    kept out of `repr`, since one of them may be the key.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float


@dataclass(frozen=True, slots=True)
class Response:
    """What comes back.

    Header names are in lower case, and the body comes piece by piece. An error while
    the body still travels is raised by `chunks`, as ModelError.
    """

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


type Transport = Callable[[Request], Response]
"""Carries one request; raises ModelError where no response can be had."""


def urllib3_transport(request: Request) -> Response:
    """Carry one request with urllib3: no retry, no redirect.

    Whoever asks decides on retries, and announces them; a redirect would take the key
    to a host that nobody chose. Why import urllib3 in here? In a browser there are no
    sockets, and there this module is imported too.
    """
    import urllib3

    # A pool of its own for each call leaves no open socket behind. A new connection
    # takes milliseconds, a model's reply seconds.
    pool = urllib3.PoolManager()
    seconds = urllib3.Timeout(
        connect=min(request.timeout, _CONNECT_SECONDS), read=request.timeout
    )
    try:
        reply = pool.request(
            request.method,
            request.url,
            body=request.body,
            headers=dict(request.headers),
            timeout=seconds,
            retries=False,
            redirect=False,
            preload_content=False,
        )
    except urllib3.exceptions.HTTPError as error:
        pool.clear()
        raise _as_model_error(error, request) from error
    headers = {name.lower(): value for name, value in reply.headers.items()}
    return Response(reply.status, headers, _read_pieces(reply, pool, request))


def _read_pieces(
    reply: BaseHTTPResponse, pool: PoolManager, request: Request
) -> Iterator[bytes]:
    """The body as it arrives: each read hands out what is there and waits no longer."""
    import urllib3

    try:
        while piece := reply.read1(65536):
            yield piece
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise _as_model_error(error, request) from error
    finally:
        reply.close()
        pool.clear()


def _as_model_error(error: Exception, request: Request) -> ModelError:
    """What went wrong on the way, in words that name the address and the next step."""
    from urllib3 import exceptions

    match error:
        case exceptions.ConnectTimeoutError() | exceptions.NewConnectionError():
            what = "cannot be reached. Is the server running, and the address right?"
        case exceptions.TimeoutError() | TimeoutError():
            what = (
                f"sent nothing for {request.timeout:g} seconds. "
                "A slow model needs a larger timeout=…."
            )
        case exceptions.SSLError() | exceptions.LocationValueError():
            return ModelError(f"{request.url} cannot be used: {error}")
        case _:
            what = "closed the connection before the reply was complete."
    return ModelError(f"{request.url} {what}", retryable=True)
