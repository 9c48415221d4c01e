"""A line for each question, to see which took unusually many rounds.

Why not look into the traces? A trace tells one run, line by line. Whoever has asked two
hundred questions looks first for the few that went another way:

    agent = Agent(llm, tools, prompt, observers=[Transcript("weather.jsonl")])
    ...
    print(unusual(read_transcript("weather.jsonl")))

From a terminal: python -m mingraph_lite.transcripts weather.jsonl

One round where others took three is a lookup that was skipped, ten are a model that
went round in circles, and no answer gives either of them away. The trace of the run
has the rest. (`messages.transcript` is one folder, renumbered to be compared.)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from mingraph_lite.observation import plain_text
from mingraph_lite.observers import Event, Observer
from mingraph_lite.schema.appending import append
from mingraph_lite.schema.line_file import FileListener, LineFile, iso
from mingraph_lite.schema.lines import Problem, read_line
from mingraph_lite.schema.opening import opened
from mingraph_lite.schema.run_id import key_of
from mingraph_lite.schema.unusual import Unusual, unusual

__all__: Final = [
    "QuestionLine",
    "Transcribed",
    "Transcript",
    "Unusual",
    "read_transcript",
    "unusual",
]


@dataclass(frozen=True)
class QuestionLine:
    """What one question came to.

    `reason` is how it ended, "answered" or what kept it from an answer, and `error`
    what broke it, where something did. `rounds` are calls of the model, `errands` the
    slips that were run. `tokens` are those read and written together; None is unknown.
    `started` is when, in UTC.
    """

    started: str | None
    question: str
    prompt: str
    answer: str | None
    reason: str
    error: str | None
    rounds: int
    errands: int
    tokens: int | None


class Transcript(FileListener["_Tally"], Observer):
    """Writes a line for each question, when it is over.

    The file is only ever appended to, by several threads and processes if need be. What
    models keep secret is masked, and so are `secrets` and what a run tells to be secret
    anywhere, as in its trace. A text longer than `longest` characters is cut. `now`
    gives seconds since 1970. With `strict=True` an answer whose line cannot be written
    is not handed over.

    A run that is killed leaves no line here: that is what a trace is for.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        now: Callable[[], float] = time.time,
        secrets: Iterable[str] = (),
        longest: int = 10_000,
        strict: bool = False,
    ) -> None:
        self._file = LineFile(path, secrets, longest, "transcript", self._note)
        self.path: str = self._file.path
        self.strict = strict
        if not callable(now):
            raise TypeError("now is a function that gives seconds since 1970.")
        self._now = now
        self._runs: dict[object, _Tally] = {}

    def _note(self, event: Event) -> None:
        key, said = key_of(event.run_id), event.payload
        if event.name == "run_start":
            self._runs[key] = _begun(event, iso(self._now()))
        if (tally := self._runs.get(key)) is None:
            return  # a run that this listener did not hear begin
        if told := _told(event.name, said, tally):
            self._file.line(told)  # not written: to know what is secret in it
        match event.name:
            case "step_start":
                tally.rounds += 1
            case "tool_call":
                tally.errands += 1
            case "model_reply":
                tally.count(said.get("response"))
            case "finish":
                try:
                    append(self.path, self._file.line(asdict(tally.line(said))))
                except Exception:
                    del self._runs[key]
                    raise
                del self._runs[key]  # not before: a Ctrl-C has its end told again


@dataclass(slots=True)
class _Tally:
    """A question that is being asked; `announced` keeps its name from being reused."""

    announced: str
    started: str
    question: str
    prompt: str
    rounds: int = 0
    errands: int = 0
    tokens: int | None = None
    error: str | None = None
    menu: object = None

    def count(self, response: Any) -> None:
        """Add what a reply cost, as far as its server counted."""
        usage = getattr(response, "usage", None)
        for name in ("input_tokens", "output_tokens"):
            if (tokens := getattr(usage, name, None)) is not None:
                self.tokens = (self.tokens or 0) + tokens

    def line(self, end: Any) -> QuestionLine:
        """What it came to."""
        answer = end["answer"]
        return QuestionLine(
            self.started,
            self.question,
            self.prompt,
            None if answer is None else plain_text(answer),
            str(end["reason"]),
            self.error,
            self.rounds,
            self.errands,
            self.tokens,
        )


def _told(name: str, said: Any, tally: _Tally) -> dict[str, object]:
    """What tells a listener of secrets: texts that do not stand in its own line."""
    match name:
        case "model_call" if said.get("menu") is not tally.menu:
            tally.menu = said["menu"]
            return {"menu": tally.menu}
        case "model_reply":
            response = said.get("response")
            message = getattr(response, "message", None)
            calls = getattr(message, "tool_calls", ())
            return {
                "content": getattr(message, "content", None),
                "reasoning": getattr(response, "reasoning", None),
                "arguments": [call.arguments for call in calls],
                "raw": [call.raw for call in calls],
            }
        case "tool_return" | "tool_error":
            content = getattr(said.get("message"), "content", None)
            return {"content": content, "value": said.get("value")}
    return {}


def _begun(event: Event, started: str) -> _Tally:
    said: Any = event.payload
    prompt = said.get("settings", {}).get("system_prompt", "")
    question = plain_text(said["question"])
    return _Tally(event.run_id, started, question, plain_text(prompt))


@dataclass(frozen=True)
class Transcribed:
    """The questions of a file; what cannot be read stands in `problems`."""

    lines: tuple[QuestionLine, ...]
    problems: tuple[Problem, ...] = field(default=())

    def __iter__(self) -> Iterator[QuestionLine]:
        """The lines, one by one."""
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


def read_transcript(path: str | os.PathLike[str]) -> Transcribed:
    """The lines that a Transcript has written, in their order."""
    name = os.fspath(path)
    lines: list[QuestionLine] = []
    problems: list[Problem] = []
    missing = (
        f"There is no transcript {name!r}. One is written where an agent has "
        f"observers=[Transcript({name!r})]."
    )
    with opened(name, missing) as file:
        for number, raw in enumerate(file, 1):
            objects, wrong = read_line(raw)
            for said in objects:
                try:
                    lines.append(_line_of(said))
                except _Odd as odd:
                    wrong = str(odd)
            if wrong:
                problems.append(Problem(number, wrong))
    return Transcribed(tuple(lines), tuple(problems))


class _Odd(Exception):
    """Why an object is no line of a transcript."""


_KINDS: Final[dict[str, Any]] = {
    "started": str | None,
    "question": str,
    "prompt": str,
    "answer": str | None,
    "reason": str,
    "error": str | None,
    "rounds": int,
    "errands": int,
    "tokens": int | None,
}


def _line_of(said: dict[str, Any]) -> QuestionLine:
    for key, kind in _KINDS.items():
        value = said.get(key)
        if key not in said or not isinstance(value, kind) or isinstance(value, bool):
            what = f"is {value!r:.60}" if key in said else "is missing"
            raise _Odd(f"is no line of a transcript: its {key!r} {what}")
    return QuestionLine(**{key: said[key] for key in _KINDS})


if __name__ == "__main__":
    from mingraph_lite.traces.question_list import main

    raise SystemExit(main())
