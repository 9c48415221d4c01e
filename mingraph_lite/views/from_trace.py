"""A run in a trace, drawn as it was live.

The lines become cards, messages and announcements again, and what draws a live run
draws them. Where a line was cut or masked the picture has what is left of it, and the
announcement a note that says so.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import Reading
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import Event, Recorder
from mingraph_lite.schema.jsonable import valid_text
from mingraph_lite.schema.retelling import Mark, marks_of, told_at
from mingraph_lite.trace import TracedRun
from mingraph_lite.views.drawing import Drawing
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.told_cards import ToldCard, ToldCards

__all__: Final = ["frames_of"]

type _Line = Mapping[str, Any]


def frames_of(run: TracedRun | Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
    """The frames of a run of a trace, of `read_trace(path).run(id)` or its lines.

    A run that was cut off gives those up to there. A line that says not what it should
    is drawn as an announcement without a meaning.
    """
    lines = run.lines if isinstance(run, TracedRun) else tuple(run)
    retold = _Retelling(lines)
    heard = Recorder()
    drawing = Drawing(retold.earlier, retold.most_steps)
    marks = {line["seq"]: found for line in lines if (found := [*marks_of(line)])}
    for line in lines:
        event = retold.event(line)
        heard.on_event(event)
        card = event.payload.get("card")
        if event.name == "card_start" and isinstance(card, ToldCard):
            yield _with_marks(drawing.stop(card, heard), marks)
        elif event.name == "finish":
            error = retold.error(line)
            yield _with_marks(drawing.closing(heard, error), marks)
            return


def _with_marks(frame: Frame, marks: Mapping[Any, list[Mark]]) -> Frame:
    """The frame, with a note beside each announcement of which something is gone.

    A stand-in is drawn as the thing it stands for.
    """
    for happening in frame["events"] if marks else ():
        for mark in marks.get(happening["seq"], ()):
            if mark.what in {"cut", "masked"}:
                happening["notes"].append(f"{mark.at}: {mark}")
    return frame


class _Other:
    """A message of an unknown kind."""

    def __init__(self, content: str) -> None:
        self.content = content


class _Retelling:
    """The things that the lines of a run tell of, made again in their order."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._lines = {line["seq"]: line for line in lines}
        self._said: dict[int, Any] = {}  # the message that a line announced
        self._asides: list[Any] = []
        self._menu: Any = ()
        self._cards = ToldCards()
        self._last_card: _Line = {}
        starts = [line for line in lines if line["event"] == "run_start"]
        self.most_steps: int | None = None
        self._folder: list[Any] = []
        if starts:
            self._begin(starts[0])
        self.earlier: tuple[Any, ...] = tuple(self._folder)

    def _begin(self, line: _Line) -> None:
        settings = _mapping(line.get("settings"))
        steps, prompt = settings.get("max_steps"), settings.get("system_prompt")
        self.most_steps = steps if isinstance(steps, int) else None
        if isinstance(prompt, str) and prompt:
            self._folder.append(SystemMessage(prompt))
        folder = line.get("folder")
        for message in folder if isinstance(folder, list) else ():
            try:
                self._folder.append(self._message(message))
            except _ODD:
                self._folder.append(_Other("(a message that cannot be read)"))

    def event(self, line: _Line) -> Event:
        """The announcement of a line, its payload as it was."""
        name, head = line["event"], (line["run"], line["seq"], line["step"])
        agent = str(line.get("agent", ""))
        retell = _RETOLD.get(name)
        if retell is None:
            payload = {**_mapping(line.get("payload")), **_mapping(line.get("shown"))}
            return Event(*head, agent, name, payload)
        try:
            return Event(*head, agent, name, retell(self, line))
        except _ODD as problem:
            if name == "message_added":
                self._folder.append(_Other("(a message that cannot be read)"))
                return Event(*head, agent, name, {"message": self._folder[-1]})
            why = {"unreadable": f"{type(problem).__name__}: {problem}"}
            return Event(*head, agent, f"{name} (not as it should be)", why)

    def error(self, end: _Line) -> BaseException | None:
        """What ended the run, as far as the lines say."""
        text, card = end.get("error"), self._last_card
        fields = _mapping(card.get("fields"))
        if text is None and fields.get("reason", end) == end.get("reason"):
            text = card.get("error")
        if not isinstance(text, str):
            return None
        name, _, words = text.partition(": ")
        try:
            kind: Any = type(name, (Exception,), {})
        except ValueError:  # a name that no class can have
            return Exception(valid_text(text))
        problem: BaseException = kind(*filter(None, [words]))
        return problem

    def _text(self, value: Any) -> str:
        found = told_at(self._lines, value)
        if isinstance(found, Mapping):
            found = found["shown"]  # it was no text, and is drawn in short
        if not isinstance(found, str):
            raise TypeError(f"{found!r:.80} is no text")
        return found

    def _or_none(self, value: Any) -> str | None:
        return None if value is None else self._text(value)

    def _call(self, told: _Line) -> ToolCall:
        arguments = told["arguments"]
        if arguments is None and "same_as" in told:
            arguments = told_at(self._lines, told["same_as"])
        if not isinstance(arguments, Mapping):  # cut: its beginning is left
            arguments = {"…": arguments}
        return ToolCall(
            _str(told["name"]),
            arguments,
            _str(told["id"]),
            raw=self._or_none(told.get("raw")),
            problem=self._or_none(told.get("problem")),
        )

    def _calls(self, told: Iterable[_Line]) -> tuple[ToolCall, ...]:
        return tuple(map(self._call, told))

    def _message(self, told: _Line) -> Any:
        text = self._text(told["content"])
        match told["role"]:
            case "system":
                return SystemMessage(text)
            case "user":
                return UserMessage(text)
            case "assistant":
                return AssistantMessage(text, self._calls(told.get("tool_calls", ())))
            case "tool":
                ticket, name = _str(told["tool_call_id"]), _str(told["name"])
                return ToolMessage(text, ticket, name)
        return _Other(text)

    def _run_start(self, line: _Line) -> dict[str, Any]:
        return {"question": self._text(line["question"])}

    def _card_start(self, line: _Line) -> dict[str, Any]:
        self._last_card = line
        return {"card": self._cards.card(line)}

    def _step_start(self, line: _Line) -> dict[str, Any]:
        return {"step": line["step"]}

    def _model_call(self, line: _Line) -> dict[str, Any]:
        self._asides += map(self._message, _list(line.get("asides", [])))
        if "menu" in line:
            self._menu = _list(line["menu"])
        return {"messages": self._read(line["reads"]), "menu": self._menu}

    def _read(self, reads: list[list[Any]]) -> Sequence[Any]:
        if reads == [["folder", 0, len(self._folder)]]:
            return Reading(self._folder)  # which is not gone through again
        messages: list[Any] = []
        for of, start, end in reads:
            side = self._asides if of == "asides" else self._folder
            part = side[start:end]
            # A memory hands out copies of lines; as such they are drawn.
            messages += map(copy.copy, part) if of == "copies" else part
        return messages

    def _model_reply(self, line: _Line) -> dict[str, Any]:
        calls = self._calls(line["tool_calls"])
        message = AssistantMessage(self._text(line["content"]), calls)
        self._said[line["seq"]] = message
        counts = [line.get(f"{name}_tokens") for name in _COUNTED]
        response = LLMResponse(
            message,
            self._or_none(line.get("reasoning")),
            Usage(*counts),
            line.get("finish_reason"),
            line.get("model"),
            self._or_none(line.get("refusal")),
            tuple(map(str, line.get("notes", ()))),
        )
        return {"response": response}

    def _retry(self, line: _Line) -> dict[str, Any]:
        error = Exception(line["error"]["text"])
        return {"error": error, "tries": line["tries"], "wait": float(line["wait"])}

    def _message_added(self, line: _Line) -> dict[str, Any]:
        if "of" not in line:
            message = self._message(line)
        elif (said := self._lines[line["of"]])["event"] == "run_start":
            message = UserMessage(self._text(said["question"]))
        else:
            message = self._said[line["of"]]
            if "calls" in line:
                calls = zip(message.tool_calls, line["calls"], strict=True)
                filed = tuple(_renumbered(call, new) for call, new in calls)
                message = AssistantMessage(message.content, filed)
        self._folder.append(message)
        return {"message": message}

    def _tool_call(self, line: _Line) -> dict[str, Any]:
        return {"call": self._call(line)}

    def _tool_return(self, line: _Line) -> dict[str, Any]:
        message = self._answer(line)
        value = line["value"]
        if "value_in" in line:
            is_json = line["value_in"] != "content"
            value = _read_json(line, message) if is_json else message.content
        return {"value": value, "message": message}

    def _answer(self, line: _Line) -> ToolMessage:
        text = self._text(line["content"])
        message = ToolMessage(text, _str(line["tool_call_id"]), _str(line["name"]))
        self._said[line["seq"]] = message
        return message

    def _tool_error(self, line: _Line) -> dict[str, Any]:
        return {"message": self._answer(line)}

    def _warning(self, line: _Line) -> dict[str, Any]:
        return {"text": self._text(line["text"])}

    def _finish(self, line: _Line) -> dict[str, Any]:
        answer = self._or_none(line["answer"])
        return {"answer": answer, "reason": line["reason"]}


_COUNTED: Final = ("input", "output", "reasoning", "cached")
_ODD: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_RETOLD: Final[Mapping[str, Callable[[_Retelling, _Line], dict[str, Any]]]] = {
    "run_start": _Retelling._run_start,
    "card_start": _Retelling._card_start,
    "step_start": _Retelling._step_start,
    "model_call": _Retelling._model_call,
    "model_reply": _Retelling._model_reply,
    "retry": _Retelling._retry,
    "message_added": _Retelling._message_added,
    "tool_call": _Retelling._tool_call,
    "tool_return": _Retelling._tool_return,
    "tool_error": _Retelling._tool_error,
    "warning": _Retelling._warning,
    "finish": _Retelling._finish,
}


def _renumbered(call: ToolCall, told: _Line) -> ToolCall:
    return replace(call, name=_str(told["name"]), id=_str(told["id"]))


def _read_json(line: _Line, message: ToolMessage) -> Any:
    """A value from its JSON; where that was cut or masked, what is left of its text."""
    try:
        return json.loads(message.content)
    except ValueError:
        if any(mark.at == "content" for mark in marks_of(line)):
            return message.content
        raise


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.80} is no list")
    return value


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is no text")
    return value


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
