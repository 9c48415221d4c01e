"""What a habit is: a request that shows it, and what comes.

Habits are data: each stands in a table with the public report or page in which it was
seen, and a test walks through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import MingraphError
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.llm import LLMResponse, Reply
from mingraph_lite.messages import AssistantMessage

__all__: Final = [
    "OLLAMA_CHAT",
    "Asked",
    "Condition",
    "ErrorShape",
    "Habit",
    "Server",
    "any_request",
    "ended",
    "fails_once",
    "history",
    "named",
]

OLLAMA_CHAT: Final = "/api/chat"
"""The path of Ollama's own API, which has shapes of its own."""


@dataclass(frozen=True)
class Asked:
    """One request for a reply, as a played server sees it.

    The names of `headers` are in lower case; `query` is what stands behind the
    question mark.
    """

    body: Body
    path: str = "/v1/chat/completions"
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def model(self) -> object:
        """The name of the model that is asked."""
        return self.body.get("model")

    @property
    def messages(self) -> list[Body]:
        """The messages, where they are objects in a list."""
        sent = self.body.get("messages")
        listed = sent if isinstance(sent, list) else []
        return [message for message in listed if isinstance(message, dict)]

    @property
    def offers_tools(self) -> bool:
        """Whether the request has a menu."""
        return bool(self.body.get("tools"))

    @property
    def is_native(self) -> bool:
        """Whether Ollama's own API was asked."""
        return self.path == OLLAMA_CHAT

    @property
    def streamed(self) -> bool:
        """Whether the reply is wanted as a stream; Ollama's own API does unasked."""
        return self.body.get("stream", self.is_native) is True


type Condition = Callable[[Asked], bool]
"""Whether a request makes a habit show."""


def any_request(_: Asked) -> bool:
    """Hold for each request."""
    return True


def named(*models: str) -> Condition:
    """Hold where one of these models is asked."""
    return lambda asked: asked.model in models


@dataclass(frozen=True, kw_only=True)
class Habit:
    """One habit of one server.

    `shows` and `sends` say in words which request makes it show and what comes then;
    `source` is where that was seen. Of the parts below them, one or more are there:

    - `refuses` sends something else in the place of the reply;
    - `script` is a script of its own, for the model that has the habit's name;
    - `whole`, `chunks` and `sent` change the completion, the chunks of its stream, and
      the bytes.

    `when` holds for the requests that show it; with `is_model` the habit's name is a
    model of the server, and without `when` only that model has the habit. `example` is
    such a request beside question and menu, and `sign` a piece of what comes then.

    `ends` is how a run of the agent in this package ends on it: with None in the right
    answer. `ends_as_json` is the same for `tools_as="json"`, where it differs;
    `helped_by` are options of the adapter with which it ends in the answer.
    """

    name: str
    source: str
    shows: str
    sends: str
    sign: str
    when: Condition | None = None
    is_model: bool = False
    refuses: Callable[[Asked], ServerReply] | None = None
    script: Callable[[], Sequence[Reply]] | None = None
    whole: Callable[[Body], Body] | None = None
    chunks: Callable[[list[Body], Body], list[Body]] | None = None
    sent: Callable[[ServerReply, Asked], ServerReply] | None = None
    example: Mapping[str, object] = field(default_factory=dict)
    path: str = ""
    ends: type[MingraphError] | None = None
    ends_as_json: type[MingraphError] | str | None = "the same"
    helped_by: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Habit({self.name!r})"

    @property
    def model(self) -> str:
        """The model that the example asks."""
        asked = self.example.get("model")
        if isinstance(asked, str):
            return asked
        return self.name if self.is_model else "paris_and_tokyo"

    def shows_in(self, asked: Asked) -> bool:
        """Whether a request makes it show."""
        return (named(self.name) if self.when is None else self.when)(asked)


type ErrorShape = Callable[[int, str], ServerReply]
"""Makes a server's error of a status and a sentence."""


@dataclass(frozen=True)
class Server:
    """A server that can be played: its address, its errors, its habits.

    `base` is the path before `/chat/completions`; `/v1` is taken too. `error` shapes
    what this lab itself has to tell, such as that a script is over.
    """

    name: str
    title: str
    base: str
    error: ErrorShape
    habits: tuple[Habit, ...]

    def __repr__(self) -> str:
        return f"Server({self.name!r})"


def fails_once(reply: ServerReply) -> Sequence[Reply]:
    """The script of a request that fails the first time and then goes well."""
    return [reply, *paris_and_tokyo.script()]


def ended(reason: str) -> Sequence[Reply]:
    """The script of a reply that ends in its middle, for this reason."""
    return [LLMResponse(AssistantMessage("Paris: 64°F, To"), finish_reason=reason)]


def history(id: str = "call00001", **message: object) -> dict[str, object]:
    """A request in whose history the model passed a call, with this beside it."""
    call = {
        "id": id,
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
    }
    asked = {"role": "user", "content": paris_and_tokyo.question}
    said = {"role": "assistant", "content": None, "tool_calls": [call], **message}
    result = {"role": "tool", "tool_call_id": id, "content": "18"}
    return {"messages": [asked, said, result]}
