"""What the lines of a run say, with every reference followed.

A long text stands in a trace once, and slips have the ids that a server gave them.
Here each line has its texts, and slips are numbered as a reader counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.jsonable import write_json
from mingraph_lite.schema.retelling import told_at
from mingraph_lite.trace import RunSummary, TracedRun
from mingraph_lite.traces.rules import Said, Slip

__all__: Final = ["Line", "Retold", "summary_of"]

type Line = Mapping[str, Any]

_ODD: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Retold:
    """A run, read once from the top.

    `said` is the folder as the run filled it, `numbers` the slips that a line is
    about, and `slips` has them by their numbers. `menu` has the schema of each tool
    that was offered, `described` what the menu says of it and in which line.
    """

    def __init__(self, run: TracedRun) -> None:
        self.run = run
        self.lines: tuple[Line, ...] = run.lines
        self.said: list[Said] = []
        self.numbers: dict[int, tuple[int, ...]] = {}
        self.slips: dict[int, Slip] = {}
        self.menu: dict[str, Mapping[str, Any]] = {}
        self.described: dict[str, tuple[int, str]] = {}
        self.question: str = ""
        self.prompt: str = ""
        self.earlier: list[str] = []
        self._by_seq = {line["seq"]: line for line in self.lines}
        self._tickets: dict[str, int] = {}
        self._passed: dict[int, tuple[Slip, ...]] = {}
        self._count = 0
        for line in self.lines:
            try:
                self._read(line)
            except _ODD:
                continue  # a line that says not what it should; it is shown as it is

    def at(self, seq: int) -> Line:
        """The line with this number."""
        return self._by_seq[seq]

    def text(self, value: Any) -> str:
        """A text of a line, wherever it stands."""
        try:
            found = told_at(self._by_seq, value)
        except _ODD:
            return "(in a line that is missing)"
        if isinstance(found, Mapping) and isinstance(found.get("shown"), str):
            return str(found["shown"])
        return found if isinstance(found, str) else write_json(found)

    def followed(self, value: Any) -> Any:
        """A value, and all inside it, with every reference followed."""
        if isinstance(value, list):
            return [self.followed(part) for part in value]
        if not isinstance(value, Mapping):
            return value
        if value.keys() == {"line", "at"}:
            return self.text(value)
        whole = {key: self.followed(part) for key, part in value.items()}
        if same_as := whole.pop("same_as", None):
            whole["arguments"] = self._arguments({**value, "same_as": same_as})
        return whole

    def call(self, told: Line) -> str:
        """A call as one writes it."""
        arguments = self._arguments(told)
        if not isinstance(arguments, Mapping):
            return f"{told.get('name')}({self.text(arguments)})"
        return str(ToolCall(str(told.get("name")), arguments))

    def _arguments(self, told: Line) -> Any:
        value = told.get("arguments")
        if value is None and "same_as" in told:
            try:
                return told_at(self._by_seq, told["same_as"])
            except _ODD:
                return "arguments in a line that is missing"
        return value if value is not None else {}

    def _read(self, line: Line) -> None:
        seq, event = line["seq"], line["event"]
        match event:
            case "run_start":
                self.question = self.text(line["question"])
                self.prompt = self.text(line["settings"].get("system_prompt") or "")
                self.earlier = [
                    self.text(message["content"])
                    for message in line.get("folder", ())
                    if message["role"] != "assistant"
                ]
            case "model_call":
                for entry in line.get("menu", ()):
                    tool = entry["function"]
                    self.menu[tool["name"]] = _schema(tool.get("parameters"))
                    about = str(tool.get("description", ""))
                    self.described[tool["name"]] = (seq, about)
            case "model_reply":
                self._number(seq, line["tool_calls"])
            case "tool_call":
                self.numbers[seq] = (self._ticket(line["id"]),)
            case "tool_return" | "tool_error":
                self.numbers[seq] = (self._ticket(line["tool_call_id"]),)
            case "message_added":
                self._file(line)

    def _number(self, seq: int, calls: Iterable[Line]) -> None:
        slips = []
        for told in calls:
            self._count += 1
            self._tickets[told["id"]] = self._count
            slips.append(
                Slip(
                    self._count,
                    str(told["name"]),
                    write_json(self._arguments(told)),
                    self.call(told),
                    told.get("problem"),
                )
            )
            self.slips[self._count] = slips[-1]
        self._passed[seq] = tuple(slips)
        self.numbers[seq] = tuple(slip.number for slip in slips)

    def _ticket(self, id: str) -> int:
        """The number of a slip; one that was passed before this run gets the next."""
        if id not in self._tickets:
            self._count += 1
            self._tickets[id] = self._count
        return self._tickets[id]

    def _file(self, line: Line) -> None:
        """A line of the folder, at the line of the trace that has its text."""
        place = line.get("of", line["seq"])
        if place not in self._by_seq:
            place = line["seq"]
        source = self._by_seq[place]
        if place == line["seq"] and line["role"] == "assistant":
            self._number(place, line.get("tool_calls", ()))
        slips = self._passed.get(place, ()) if line["role"] == "assistant" else ()
        for slip, told in zip(slips, line.get("calls", ()), strict=False):
            self._tickets[told["id"]] = slip.number  # the number it was filed under
        key = "question" if source["event"] == "run_start" else "content"
        answers = None
        if line["role"] == "tool":
            answers = self._ticket(source["tool_call_id"])
            self.numbers[line["seq"]] = (answers,)
        who = _WHO.get(line["role"], str(line["role"]))
        is_error = _IS_ERROR.get(source["event"])
        text = self.text(source[key])
        self.said.append(Said(place, who, text, slips, answers, is_error))


def summary_of(run: RunSummary) -> RunSummary:
    """What is listed of a run, without its lines."""
    return RunSummary(*(getattr(run, field.name) for field in fields(RunSummary)))


_IS_ERROR: Final = {"tool_return": False, "tool_error": True}
_WHO: Final[Mapping[str, str]] = {"assistant": "model", "user": "user", "tool": "tool"}


def _schema(parameters: Any) -> Mapping[str, Any]:
    """The parameters of a tool, as far as they are a schema."""
    if not isinstance(parameters, Mapping):
        return {}
    known = dict(parameters)
    if not isinstance(known.get("properties", {}), Mapping):
        del known["properties"]
    if not isinstance(known.get("required", []), list):
        del known["required"]
    return known
