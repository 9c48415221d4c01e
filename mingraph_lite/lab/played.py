"""A server played after another: our scripts with its habits.

    played = PlayedServer("groq")
    OpenAIChat("paris_and_tokyo", played.base_url, transport=played.transport)

needs no socket, and so runs in a page too; `FakeServer(like="groq")` is the same on a
real one.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    as_object,
    read_json,
)
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.lab.faults import ALL_SCENARIOS, Fault
from mingraph_lite.lab.habit import OLLAMA_CHAT, Asked, Habit, Server
from mingraph_lite.lab.habits import server_named
from mingraph_lite.lab.ollama_wire import as_native, native_models
from mingraph_lite.lab.reply_source import ReplySource, Scripts
from mingraph_lite.lab.scenarios import Scenario, paris_and_tokyo
from mingraph_lite.lab.shapes import text_error, with_headers
from mingraph_lite.lab.wire import HOST, PORT, ServerReply, as_chunks
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["PlayedServer", "scenarios_of"]

_DEPLOYMENT: Final = re.compile("/openai/deployments/([^/]+)/chat/completions")
_CHAT: Final = "/chat/completions"


class PlayedServer:
    """Scripts that are sent as another server would send them.

    `source` knows the replies; without one they are the scenarios, the faults, and a
    model for each habit that has to be asked for by its name. `habits` are those of
    the server unless others are given.
    """

    def __init__(
        self,
        like: str,
        source: ReplySource | None = None,
        *,
        habits: Sequence[Habit] | None = None,
    ) -> None:
        self.server = server_named(like)
        self.habits = self.server.habits if habits is None else tuple(habits)
        self.source: ReplySource = (
            Scripts(scenarios_of(self.server)) if source is None else source
        )

    def __repr__(self) -> str:
        return f"PlayedServer({self.server.name!r})"

    @property
    def base_url(self) -> str:
        """An address for adapters that are handed `transport`."""
        return f"http://{HOST}:{PORT}{self.server.base}"

    def serves(self, path: str) -> bool:
        """Whether a reply can be asked for at this path.

        Where a habit says what comes at a path that is not there, it is answered here
        too.
        """
        known = {f"{self.server.base}{_CHAT}", f"/v1{_CHAT}"}
        paths = {habit.path.partition("?")[0] for habit in self.habits}
        return (
            path in known | paths
            or (self.server.name == "ollama" and path == OLLAMA_CHAT)
            or (self.server.name == "azure" and _DEPLOYMENT.fullmatch(path) is not None)
        )

    def transport(self, request: Request) -> Response:
        """Carry a request to this server, and its reply back."""
        parts = urlsplit(request.url)
        return self.reply(
            request.body, parts.path, parts.query, dict(request.headers)
        ).transport(request)

    def reply(
        self,
        body: bytes,
        path: str = f"/v1{_CHAT}",
        query: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> ServerReply:
        """What is sent back for the body of a request."""
        named = {name.lower(): value for name, value in (headers or {}).items()}
        try:
            asked = Asked(as_object(read_json(body.decode())), path, query, named)
        except (NotJSON, UnicodeDecodeError):
            return self._told(self.source.reply(body), Asked({}, path))
        if deployment := _DEPLOYMENT.fullmatch(path):
            # The address names the model, and the body may leave it out.
            body_with_it = {**asked.body, "model": deployment[1]}
            asked = dataclasses.replace(asked, body=body_with_it)
        showing = [habit for habit in self.habits if habit.shows_in(asked)]
        for habit in showing:
            if habit.refuses is not None:
                return self._changed(habit.refuses(asked), asked, showing)
        return self._changed(self._reply(asked, showing), asked, showing)

    def _reply(self, asked: Asked, showing: Sequence[Habit]) -> ServerReply:
        key = asked.headers.get("authorization", "") or asked.headers.get("api-key", "")
        plain = {**asked.body, "stream": False}
        if asked.is_native and isinstance(asked.body.get("format"), dict):
            # A form is asked for in other words there; the only one here is an action.
            plain["response_format"] = {"json_schema": {"name": "action"}}
        sent = self.source.reply(write_json(plain).encode(), key)
        whole = sent.completion()
        if whole is None:
            own = any(habit.script is not None for habit in showing)
            return sent if own else self._told(sent, asked)
        for habit in showing:
            if habit.whole is not None:
                whole = habit.whole(whole)
        if asked.is_native:
            return as_native(whole, streamed=asked.streamed)
        if not asked.streamed:
            return ServerReply.json(whole)
        return ServerReply.stream(_chunks(whole, asked, showing))

    def _told(self, sent: ServerReply, asked: Asked) -> ServerReply:
        """An error of the lab in the shape of this server; all else as it is."""
        if sent.status < 400 or not sent.content_type.endswith("json"):
            return sent
        told = as_object(as_object(read_json(sent.body().decode())).get("error"))
        words = str(told.get("message") or told)
        shape = text_error if asked.is_native else self.server.error
        return with_headers(shape(sent.status, words), sent.headers)

    def _changed(
        self, reply: ServerReply, asked: Asked, showing: Sequence[Habit]
    ) -> ServerReply:
        for habit in showing:
            if habit.sent is not None:
                reply = habit.sent(reply, asked)
        return reply

    def error(self, status: int, words: str, path: str = "") -> ServerReply:
        """An error of the lab, as this server would tell it."""
        shape = text_error if path.startswith("/api/") else self.server.error
        return shape(status, words)

    def model_list(self) -> ServerReply:
        """The models, as Ollama's own API lists them."""
        return native_models(list(self.source.models))


def _chunks(whole: Body, asked: Asked, showing: Sequence[Habit]) -> list[Body]:
    options = as_object(asked.body.get("stream_options"))
    in_words = whole
    (choice,) = whole["choices"]
    if isinstance(choice["message"]["content"], list):
        message = {**choice["message"], "content": None}
        in_words = {**whole, "choices": [{**choice, "message": message}]}
    with_usage = options.get("include_usage") is True
    chunks = list(as_chunks(in_words, with_usage=with_usage))
    for habit in showing:
        if habit.chunks is not None:
            chunks = habit.chunks(chunks, whole)
    return chunks


def scenarios_of(server: Server) -> list[Scenario]:
    """The scenarios and faults, and one for each habit that is a model."""
    return [*ALL_SCENARIOS.values(), *_by_habit(server)]


def _by_habit(server: Server) -> Iterator[Fault]:
    for habit in server.habits:
        if habit.is_model:
            yield Fault(
                habit.name,
                habit.name.replace("_", " ").capitalize(),
                paris_and_tokyo.question,
                paris_and_tokyo.system_prompt,
                paris_and_tokyo.tools,
                habit.script or paris_and_tokyo.script,
                f"{habit.shows} {habit.sends}",
            )
