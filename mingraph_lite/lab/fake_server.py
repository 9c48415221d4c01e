"""A chat API with nobody behind it: scripted models on this machine.

    python -m mingraph_lite.lab.fake_server

It speaks OpenAI's chat completions API, so that any client can be tried on a model that
fails on purpose: the name of a scenario or of a fault is the name of the model. A page
in a browser may call it too. It never listens beyond this machine.

In Python it is `with FakeServer() as server:`, at `server.url`. A test that wants
replies of its own, and to see what it was asked, hands them in:

    seen: list[ClientRequest] = []
    with FakeServer(ReplyQueue("Mild."), on_request=seen.append) as server:
        ...

It can be played after another server: `--like groq`, or `FakeServer(like="groq")`, has
the habits of that one (see `habits`), at `server.url`; Ollama's own API is at
`server.host`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from threading import TIMEOUT_MAX, Event, Thread
from types import TracebackType
from typing import Final, Self

from mingraph_lite.lab.faults import ALL_SCENARIOS
from mingraph_lite.lab.habits import SERVERS, in_words, server_named
from mingraph_lite.lab.listener import (
    CORS_HEADERS,
    ClientRequest,
    Listener,
    RequestListener,
)
from mingraph_lite.lab.played import PlayedServer, scenarios_of
from mingraph_lite.lab.reply_source import ReplySource, Scripts
from mingraph_lite.lab.wire import HOST, PORT

__all__: Final = [
    "CORS_HEADERS",
    "ClientRequest",
    "FakeServer",
    "RequestListener",
    "main",
]


class FakeServer:
    """Scripted models at `url`, until `close` or the end of a `with`.

    `source` knows the replies: `Scripts` of all scenarios, other `Scripts`, or a
    `ReplyQueue`. `like` names a server whose habits are played. Port 0 takes a free
    one. With a `key`, requests without it are refused. `delay` is the wait in seconds
    between the pieces of a stream.
    `on_request` is handed each request before it is answered, in the thread of its
    client; preflights are the browser's own affair and are not handed on.
    """

    def __init__(
        self,
        source: ReplySource | None = None,
        *,
        port: int = 0,
        key: str | None = None,
        delay: float = 0.0,
        on_request: RequestListener | None = None,
        like: str | None = None,
    ) -> None:
        if not 0 <= delay <= TIMEOUT_MAX:
            raise ValueError(f"The delay is {delay}. Give seconds, 0 or more.")
        played = None if like is None else PlayedServer(like, source)
        if source is None:
            source = Scripts() if played is None else played.source
        self._listener = Listener(source, played, port, key, delay, on_request)
        self.host = f"http://{HOST}:{self._listener.server_port}"
        self.url = f"{self.host}{self._listener.base}"
        self._thread = Thread(
            target=self._listener.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    def __repr__(self) -> str:
        return f"FakeServer({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on every client and free the port."""
        self._listener.hang_up()
        self._thread.join()


def _source(like: str | None, default: str) -> ReplySource:
    if like is None:
        return Scripts(default=default)
    return Scripts(scenarios_of(server_named(like)), default)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until Ctrl-C or a polite request to end."""
    options = argparse.ArgumentParser(
        prog="python -m mingraph_lite.lab.fake_server",
        description="Scripted models behind OpenAI's chat API, on this machine only.",
    )
    options.add_argument("--port", type=int, default=PORT, help="0 takes a free one")
    options.add_argument(
        "--scenario",
        default="paris_and_tokyo",
        choices=ALL_SCENARIOS,
        metavar="NAME",
        help=f"for requests that name no model; one of {', '.join(ALL_SCENARIOS)}",
    )
    options.add_argument(
        "--like",
        metavar="SERVER",
        help=f"play one of {', '.join(SERVERS)}; list tells their habits",
    )
    options.add_argument("--key", help="refuse requests without this key")
    options.add_argument(
        "--delay", type=float, default=0.0, help="seconds between pieces of a stream"
    )
    chosen = options.parse_args(arguments)
    if chosen.like == "list":
        _print_all(in_words())
        return
    stopped = Event()
    for polite in (signal.SIGINT, signal.SIGTERM):
        signal.signal(polite, lambda *_: stopped.set())
    try:
        server = FakeServer(
            _source(chosen.like, chosen.scenario),
            port=chosen.port,
            key=chosen.key,
            delay=chosen.delay,
            like=chosen.like,
        )
    except ValueError as problem:
        raise SystemExit(str(problem)) from None
    except (OSError, OverflowError) as problem:
        reason = str(problem).removesuffix(".")
        raise SystemExit(
            f"Port {chosen.port} cannot be used: {reason}. "
            "Give another with --port; --port 0 takes a free one."
        ) from None
    with server:
        print(f"Scripted models at {server.url} (Ctrl-C stops it)", flush=True)
        # A signal may come to another thread, and wakes this one only when it looks.
        while not stopped.wait(0.5):
            pass


def _print_all(text: str) -> None:
    """Print as much as is read: `| head` reads the beginning and goes away."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python flushes once more at its end, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
