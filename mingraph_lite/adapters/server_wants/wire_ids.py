"""The ids of calls as a server takes them.

A folder that was begun on one server goes on at another, and each has its own rule for
ids; the folder keeps its own. What fits is sent as it is: some models are taught by the
form of their ids. What does not is made anew from the id alone, so that it is the same
in every request.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

from mingraph_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage

__all__: Final = ["ID_RULES", "IdRule", "id_rule_at", "id_rule_in", "with_wire_ids"]

_LETTERS: Final = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class IdRule:
    """How ids look at a server.

    `fits` is for a whole id, `length` for a new one. `host` ends the name of a server
    that is known for it, `says` is found in a refusal of one that is not; `source` is
    where it was seen.
    """

    fits: str
    length: int
    host: str
    says: str
    source: str


ID_RULES: Final = (
    IdRule(
        "[a-zA-Z0-9]{9}",
        9,
        host="mistral.ai",
        says=r"(?i)\bids?\b.{0,200}?(?:length (?:of )?9\b|\{9\}|"
        r"\b9 (?:alphanumeric )?(?:characters|letters))",
        source="jackmpcollins/magentic#276",
    ),
    IdRule(
        "[a-zA-Z0-9_-]{1,64}",
        24,
        host="anthropic.com",
        says=r"(?i)(?:\b|use)id\b.{0,200}?\^?\[a-zA-Z0-9_-\]",
        source="HKUDS/nanobot#4356",
    ),
    IdRule(
        "(?s).{1,40}",
        24,
        host="api.openai.com",
        says=r"(?i)(?:tool_call_id|tool_calls\S{0,40}\bid)\b.{0,200}?"
        r"(?:too long|maximum length|at most)|"
        r"too long.{0,80}?tool_calls\S{0,40}\bid\b",
        source="vercel/ai#8132",
    ),
)
"""The first that a refusal speaks of is meant."""


def id_rule_at(url: str) -> IdRule | None:
    """The rule of a server that is known by its name."""
    host = urlsplit(url).hostname or ""
    return next(
        (rule for rule in ID_RULES if f".{host}".endswith(f".{rule.host}")), None
    )


def id_rule_in(words: str) -> IdRule | None:
    """The rule that a refusal speaks of."""
    return next((rule for rule in ID_RULES if re.search(rule.says, words)), None)


def with_wire_ids(
    messages: Sequence[Message], rule: IdRule | None = None
) -> Sequence[Message]:
    """The messages with ids that fit, no two alike, each answer under its call's id.

    A call without an id gets one, and so does one whose id an earlier call has. Answers
    come in the order of their calls where ids do not tell them apart.
    """
    ids = [call.id for call in _calls(messages)]
    good = all(ids) and len({*ids}) == len(ids)
    if good and (rule is None or all(re.fullmatch(rule.fits, id) for id in ids)):
        return messages
    made = _Made(rule, ids)
    return [made.line(message) for message in messages]


def _calls(messages: Sequence[Message]) -> Iterator[ToolCall]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.tool_calls


@dataclass
class _Made:
    """The ids made so far, and which calls wait for their answers."""

    rule: IdRule | None
    ids: list[str]
    firsts: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    waiting: dict[str, list[ToolCall]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Those that fit are taken before one is made, whatever stands first.
        taken = {id for id in self.ids if id and self._fits(id)}
        for id in dict.fromkeys(filter(None, self.ids)):
            self.firsts[id] = id if id in taken else self._new(id, taken)
            taken.add(self.firsts[id])
        self.taken = taken

    def line(self, message: Message) -> Message:
        """A message under its new ids."""
        if isinstance(message, AssistantMessage) and message.tool_calls:
            return self._reply(message)
        if isinstance(message, ToolMessage):
            return replace(message, tool_call_id=self._answered(message))
        return message

    def _reply(self, message: AssistantMessage) -> Message:
        calls = []
        for id in {call.id for call in message.tool_calls}:
            self.waiting[id] = []
        for call in message.tool_calls:
            renamed = replace(call, id=self._id(call.id))
            self.waiting[call.id].append(renamed)
            calls.append(renamed)
        return replace(message, tool_calls=tuple(calls))

    def _answered(self, answer: ToolMessage) -> str:
        calls = self.waiting.get(answer.tool_call_id)
        if not calls:
            return self.firsts.get(answer.tool_call_id, answer.tool_call_id)
        named = (at for at, call in enumerate(calls) if call.name == answer.name)
        at = next(named, 0)
        return calls.pop(at).id if len(calls) > 1 else calls[0].id

    def _id(self, id: str) -> str:
        first = self.firsts.get(id)
        if first is not None and first not in self.used:
            self.used.add(first)
            return first
        made = self._new(f"{id} again", self.taken)
        self.taken.add(made)
        return made

    def _fits(self, id: str) -> bool:
        return self.rule is None or re.fullmatch(self.rule.fits, id) is not None

    def _new(self, id: str, taken: set[str]) -> str:
        length = self.rule.length if self.rule else 24
        count = 0
        while (made := _digest(f"{id}{count or ''}", length)) in taken:
            count += 1
        return made


def _digest(text: str, length: int) -> str:
    """Letters and digits that stand for a text, always the same."""
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest())
    letters = []
    for _ in range(length):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
