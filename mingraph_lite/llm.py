"""Who speaks: any model, or one that follows a script.

`ScriptedLLM` is no test helper. Every lesson runs on it, it can fail on purpose, and a
recorded run is replayed through it. It answers at once, without network or key, and
always the same: what a lesson shows, every reader sees.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Protocol

from mingraph_lite.errors import ScriptExhausted
from mingraph_lite.messages import AssistantMessage, Message, ToolCall
from mingraph_lite.schema.handed_in import in_words

__all__: Final = [
    "LLM",
    "LLMResponse",
    "Menu",
    "Reply",
    "ScriptedLLM",
    "TextListener",
    "TextRelay",
    "Usage",
    "about_llm",
    "ask_once",
    "secrets_inside",
]

type Menu = Sequence[Mapping[str, Any]]
"""The tools on offer, each in the shape OpenAI's chat API gave the field."""

type TextListener = Callable[[str], object]
"""Is handed each piece of text while the reply is still coming.

Where it also has a method `new_attempt()`, it hears that what came so far is void: the
model is asked again.
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as the server counted them.

    None is unknown. `input_tokens` includes `cached_tokens`, `output_tokens` includes
    `reasoning_tokens`: the latter two say how much of it was cached or reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """The envelope: a message for the folder, and what only listeners read.

    Reasoning, token counts and finish reason never go into the folder, since all that
    is in the folder is read out, and paid for, again on every call.
    """

    message: AssistantMessage
    reasoning: str | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    refusal: str | None = None
    notes: tuple[str, ...] = ()


_DEEPEST: Final = 4
_WIDEST: Final = 50  # a folder is no place for adapters, and may be long
_MOST_LOOKED_AT: Final = 1_000
_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cached_tokens",
)


class LLM(Protocol):
    """Anything that can be asked: messages and menu in, one response out.

    A `generate` that can pass text on while it comes also takes `on_text_delta`. It is
    handed over only where somebody listens.
    """

    def generate(self, messages: Sequence[Message], menu: Menu, /) -> LLMResponse:
        """Ask once. Raises ModelError where there is no usable reply."""
        ...


class TextRelay:
    """Passes text on as it comes, and says where it is void."""

    def __init__(self, listener: TextListener) -> None:
        self._listener = listener
        self._heard = False

    def __call__(self, text: str) -> None:
        """Pass on one piece."""
        self._heard = True
        self._listener(text)

    def whole(self, text: str) -> None:
        """Pass on a text that came in no pieces."""
        if text and not self._heard:
            self(text)

    def new_attempt(self) -> None:
        """Say that what was passed on is void, to a listener that wants to know."""
        told, self._heard = self._heard, False
        if told and (tell := getattr(self._listener, "new_attempt", None)):
            tell()


def about_llm(llm: object) -> dict[str, object]:
    """What a trace says of a model: its name, its class, and what it tells of itself.

    An adapter tells its settings with `about()`.
    """
    name, tell = getattr(llm, "model", None), getattr(llm, "about", None)
    known: dict[str, object] = {
        "name": name if isinstance(name, str) else None,
        "adapter": type(llm).__name__,
    }
    try:
        told = tell() if callable(tell) else {}
        return {**known, **told} if isinstance(told, Mapping) else known
    except Exception:  # a model of one's own may mean something else by it
        return known


def secrets_inside(*things: object) -> list[Any]:
    """What adapters hold that is to be shown nowhere, however deep they are held.

    A model of one's own may hold another, and a memory one that summarises. An adapter
    hands its secrets out with `known_secrets()`, each an object with `reveal()`.
    """
    found: list[Any] = []
    seen: set[int] = set()
    waiting: list[tuple[object, int]] = [(thing, 0) for thing in things]
    while waiting and len(seen) < _MOST_LOOKED_AT:
        thing, depth = waiting.pop()
        if id(thing) in seen or isinstance(thing, str | bytes | int | float):
            continue
        seen.add(id(thing))
        try:
            hand_out = getattr(thing, "known_secrets", None)
            if callable(hand_out) and not isinstance(thing, type):
                found += hand_out()
            elif depth < _DEEPEST:
                waiting += [(part, depth + 1) for part in _parts(thing)]
        except Exception:  # whatever it is, it is no adapter of ours
            continue
    return found


def _parts(thing: object) -> Iterable[object]:
    if isinstance(thing, list | tuple):
        return thing[:_WIDEST]
    held = thing if isinstance(thing, Mapping) else getattr(thing, "__dict__", {})
    return islice(held.values(), _WIDEST)


def ask_once(
    llm: LLM, messages: Sequence[Message], menu: Menu, relay: TextRelay | None = None
) -> LLMResponse:
    """What a model replies, its kind checked; raises TypeError for another kind.

    A model that cannot pass text on as it comes has its whole text passed on.
    """
    generate: Any = llm.generate
    if relay is None:
        response = generate(messages, menu)
    elif _takes_a_listener(generate):
        response = generate(messages, menu, on_text_delta=relay)
    else:
        response = generate(messages, menu)
    # Asked in short first: what it would be told of is seldom there.
    if (
        type(response) is not LLMResponse
        or type(response.message) is not AssistantMessage
        or type(response.message.content) is not str
        or not _are_slips(response.message.tool_calls)
        or response.usage is not None
        or response.refusal is not None
        or response.reasoning is not None
    ):
        _check_response(response, f"{type(llm).__name__}.generate gave back")
    if relay is not None:
        relay.whole(response.message.content)
    return response  # type: ignore[no-any-return]


def _are_slips(calls: tuple[ToolCall, ...]) -> bool:
    """Whether nothing has to be said about the slips of a reply."""
    if type(calls) is not tuple:
        return False
    for call in calls:
        if type(call) is not ToolCall:
            return False
        if type(call.id) is not str or type(call.name) is not str:
            return False
    return True


def _takes_a_listener(generate: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(generate).parameters
    except (TypeError, ValueError):
        return True
    kinds = {parameter.kind for parameter in parameters.values()}
    return "on_text_delta" in parameters or inspect.Parameter.VAR_KEYWORD in kinds


def _check_response(response: object, gave: str) -> None:
    """Refuse what the loop could not file, in a sentence that names the model."""
    if not isinstance(response, LLMResponse):
        raise TypeError(
            f"{gave} {in_words(response)}. "
            "It must give an LLMResponse: LLMResponse(AssistantMessage(text))."
        )
    message = response.message
    if not isinstance(message, AssistantMessage):
        raise TypeError(
            f"{gave} an LLMResponse whose message is {in_words(message)}. "
            "It must be an AssistantMessage: LLMResponse(AssistantMessage(text))."
        )
    if not isinstance(message.content, str):
        raise TypeError(
            f"{gave} an AssistantMessage whose content is {in_words(message.content)}. "
            'It must be a text; a reply of slips alone has the text "".'
        )
    calls = message.tool_calls
    if not (isinstance(calls, tuple) and all(isinstance(c, ToolCall) for c in calls)):
        raise TypeError(
            f"{gave} an AssistantMessage whose tool_calls are {in_words(calls)}. "
            'They must be a tuple of slips: (ToolCall("name", {…}),).'
        )
    for call in calls:
        if not (isinstance(call.name, str) and isinstance(call.id, str)):
            raise TypeError(
                f"{gave} a ToolCall with the name {in_words(call.name)} and the id "
                f"{in_words(call.id)}. Both must be texts; the id may be empty."
            )
    _check_envelope(response, gave)


def _check_envelope(response: LLMResponse, gave: str) -> None:
    """Refuse what only listeners and limits read, and could not."""
    for name in ("reasoning", "refusal"):
        value = getattr(response, name)
        if not (value is None or isinstance(value, str)):
            raise TypeError(
                f"{gave} an LLMResponse whose {name} is {in_words(value)}. "
                "It must be a text, or None."
            )
    usage = response.usage
    counts = [] if usage is None else [getattr(usage, name, "") for name in _COUNTS]
    if not all(n is None or (isinstance(n, int) and n >= 0) for n in counts):
        raise TypeError(
            f"{gave} an LLMResponse whose usage is {in_words(usage)}. "
            "It must be Usage(input_tokens, output_tokens), each a number or None."
        )


type Reply = (
    str
    | ToolCall
    | list[ToolCall]
    | LLMResponse
    | Exception
    | Callable[[Sequence[Message], Menu], "Reply"]
)

_KINDS: Final = (
    "a text, a ToolCall, a list of ToolCalls, an LLMResponse, "
    "an Exception to raise, or a function of (messages, menu) that gives one of these"
)


class ScriptedLLM:
    """A model that gives its replies in order, whatever it is asked.

    `calls` counts how often it was asked. Raises ScriptExhausted when it has no reply
    left, and TypeError at once for a reply of another kind.
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        if isinstance(replies, str) or not isinstance(replies, Iterable):
            # A text is a row of letters too: each would become a reply.
            raise TypeError(
                f"The script is {replies!r}; it is a list of replies. "
                "For a single reply write ScriptedLLM([reply])."
            )
        self._replies = tuple(replies)
        self.calls: int = 0
        for number, reply in enumerate(self._replies, start=1):
            _check(reply, f"reply {number}")

    def __repr__(self) -> str:
        return f"ScriptedLLM({self.calls} of {len(self._replies)} replies given)"

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Give the next reply of the script."""
        if self.calls == len(self._replies):
            raise ScriptExhausted(
                f"The script has {len(self._replies)} replies and was asked for one "
                "more. Add a reply, or make a fresh script for each run."
            )
        reply = self._replies[self.calls]
        self.calls += 1
        while callable(reply):
            reply = reply(messages, menu)
            _check(reply, f"what the function at reply {self.calls} gave")
        if isinstance(reply, Exception):
            raise reply
        response = _as_response(reply)
        if on_text_delta is not None:
            for piece in re.findall(r"\s+|\S+\s*", response.message.content):
                on_text_delta(piece)
        return response


def _check(reply: object, what: str) -> None:
    plain = isinstance(reply, str | ToolCall | LLMResponse | Exception)
    calls = isinstance(reply, list) and all(isinstance(c, ToolCall) for c in reply)
    function = callable(reply) and not isinstance(reply, type)
    if not (plain or calls or function):
        raise TypeError(f"{what} is {reply!r}; a scripted reply is {_KINDS}.")


def _as_response(reply: str | ToolCall | list[ToolCall] | LLMResponse) -> LLMResponse:
    match reply:
        case LLMResponse():
            return reply
        case str():
            return LLMResponse(AssistantMessage(reply))
        case ToolCall():
            return LLMResponse(AssistantMessage("", (reply,)))
        case _:
            return LLMResponse(AssistantMessage("", tuple(reply)))
