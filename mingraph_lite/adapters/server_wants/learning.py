"""What is learned from a refusal, for the requests that follow.

One request is made for each question put to an adapter. Where it is refused in words
that name something we set ourselves, and the same can be said without it, the adapter
remembers that and says so in a retryable error: whoever asked tries again. What the
caller set, and means something, is not taken away: the error says which argument to
leave out. Where the words name nothing, all that need not be sent is left out at one
go, and that is undone if it does not help.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.adapters.server_wants import rewriting
from mingraph_lite.adapters.server_wants.beside import REASONING_KEYS
from mingraph_lite.adapters.server_wants.wants import (
    BESIDE,
    EMPTY_REASONING,
    KEYWORDS,
    LAST_RESORT,
    NAMES_NOTHING,
    WANTS,
    Want,
)
from mingraph_lite.adapters.server_wants.wire_ids import IdRule, id_rule_in
from mingraph_lite.adapters.strict_json import Body, NotJSON, as_object, read_json

__all__: Final = ["Lesson", "Wants"]

_STATUSES: Final = {None, 400, 404, 405, 406, 415, 422, 501}
"""None is for an error that came with status 200 and names no other."""
_VAGUE: Final = {None, 400, 422}
_ALSO_CALLED: Final = {"think": ("thinking",), "num_predict": ("max_tokens",)}
"""Ollama's words for fields that it has under another name."""
_TOO_LONG_TO_READ: Final = 20_000

_UNKNOWN: Final = re.compile(
    "(?i)unsupport|not (?:yet )?support|unrecogni|unknown|unexpected|extra|"
    "unavailable|permitted|allowed|invalid|cannot|can't|forbidden|"
    "not (?:enabled|implemented|valid)|additional propert|only messages|"
    r"no such|deprecated|\bonly\b"
)
_MISSING: Final = re.compile(
    r"(?i)\bmissing|\brequired|\bexpected|must be (?:passed|provided|sent|included)|"
    r"must (?:include|contain|start with|have)|must not be empty|not provided"
)


_ABOUT_THE_MENU: Final = re.compile(
    "(?i)tools?\\b|function|schema|parameters|declaration|properties"
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is made of a refusal; `retry` where to ask again helps."""

    sentence: str
    retry: bool


@dataclass
class Wants:
    """What one server has been found to want.

    `given` holds the fields that the caller set, each with the argument that sets it.
    """

    given: Mapping[str, str]
    ids: IdRule | None = None
    sends_reasoning: bool = False
    learned: list[Want] = field(default_factory=list)

    def apply(self, body: Body) -> Body:
        """The body as this server wants it; it is changed in place."""
        for want in self.learned:
            want.change(body)
        return body

    def learn(self, status: int | None, text: str, body: Body) -> Lesson | None:
        """What a refusal of this body teaches; None for one that is about nothing here.

        `text` is all that the server sent: its words, or an object that holds them.
        """
        if status not in {*_STATUSES, 500}:
            return None
        words = _words(text[:_TOO_LONG_TO_READ])
        if self.apply(copy.deepcopy(body)) != body:
            return Lesson("Another request has just met the same refusal.", retry=True)
        if status == 500:
            return self._new_ids(words, body) or self._changed(
                words, body, [w for w in WANTS if w.faults]
            )
        return (
            self._about_reasoning(words, body)
            or self._new_ids(words, body)
            or self._changed(words, body, [*_menu_rows(words), BESIDE, *WANTS])
            or self._advice(words, body)
            or (self._last_resort(words, body) if status in _VAGUE else None)
        )

    def _about_reasoning(self, words: str, body: Body) -> Lesson | None:
        name = next((n for n in REASONING_KEYS if _names_exactly(words, n)), None)
        if name is None:
            return None
        # Whoever names a field of ours that was not sent can only miss it.
        missed = _MISSING.search(words) or ("_" in name and not _sends(body, name))
        if missed and not self.sends_reasoning:
            return Lesson(
                f"This server wants its {name} back within a round of tools: make the "
                "model with send_reasoning=True.",
                retry=False,
            )
        if missed and name == EMPTY_REASONING.field:
            return self._changed(words, body, [EMPTY_REASONING])
        if self.sends_reasoning and _refuses(words) and _sends(body, name):
            return Lesson(
                f"It takes no {name} back: leave out send_reasoning=True.", retry=False
            )
        return None

    def _new_ids(self, words: str, body: Body) -> Lesson | None:
        rule = id_rule_in(words)
        if rule is None or all(re.fullmatch(rule.fits, id) for id in _ids(body)):
            return None
        self.ids = rule
        return Lesson(
            "From now on the ids of calls are sent in the form it wants.", retry=True
        )

    def _changed(self, words: str, body: Body, rows: list[Want]) -> Lesson | None:
        """The changes that the words ask for, one for each field, all at once."""
        new: dict[str, Want] = {}
        for want in rows:
            if want in self.learned or want.field in new:
                continue
            if want.field in self.given and not want.same:
                continue
            if _is_about(words, want, body) and _changes(want, body):
                new[want.field] = want
        if "stream_options" in new:
            new.pop("stream", None)  # its words often name both
        if not new:
            return None
        self.learned += new.values()
        done = ", and ".join(want.done for want in new.values())
        return Lesson(f"From now on {done}.", retry=True)

    def _last_resort(self, words: str, body: Body) -> Lesson | None:
        """What need not be sent is left out at one go; undone where that was not it."""
        # What it does name is known: the menu cannot be spared, the rest was tried.
        named = _names(words, "tools") or any(_is_about(words, w, body) for w in WANTS)
        if named or not re.search(NAMES_NOTHING, words):
            return None
        guessed = [
            want
            for want in LAST_RESORT
            if want.field not in self.given
            and want not in self.learned
            and _changes(want, body)
        ]
        if guessed:
            self.learned += guessed
            done = ", and ".join(want.done for want in guessed)
            return Lesson(f"It does not say what. From now on {done}.", retry=True)
        self.learned = [want for want in self.learned if want not in LAST_RESORT]
        sent = {argument for name, argument in self.given.items() if _holds(body, name)}
        if not sent:
            return None
        return Lesson(
            f"It does not say what: try without {', '.join(sorted(sent))}.", retry=False
        )

    def _advice(self, words: str, body: Body) -> Lesson | None:
        for name, argument in self.given.items():
            called = (name, *_ALSO_CALLED.get(name, ()))
            if _holds(body, name) and any(_names(words, word) for word in called):
                return Lesson(f"Leave out {argument}.", retry=False)
        return None


def _holds(body: Body, name: str) -> bool:
    return name in body or name in as_object(body.get("options"))


def _beside(words: str, body: Body) -> bool:
    return any(_names(words, name) for name in rewriting.sent_beside(body))


def _is_about(words: str, want: Want, body: Body) -> bool:
    if want is BESIDE:
        return _refuses(words) and _beside(words, body)
    if not (want.missed or _refuses(words)):
        return False
    if want.says is not None:
        return re.search(want.says, words, re.MULTILINE) is not None
    return _names(words, want.field)


def _changes(want: Want, body: Body) -> bool:
    changed = copy.deepcopy(body)
    want.change(changed)
    return changed != body


def _refuses(words: str) -> bool:
    """Whether something is refused, and not missed."""
    return _UNKNOWN.search(words) is not None or not _MISSING.search(words)


def _names(words: str, name: str) -> bool:
    """Whether the words hold a name as a whole, alone or at the end of a path."""
    return re.search(rf"(?<![\w$-]){re.escape(name)}(?![\w-])", words) is not None


def _names_exactly(words: str, name: str) -> bool:
    """Whether the words mean a field by a name that is an ordinary word, too."""
    if "_" in name:
        return _names(words, name)
    return re.search(rf"['\"`.\]]{name}(?![\w-])", words) is not None


def _sends(body: Body, name: str) -> bool:
    return any(name in as_object(message) for message in body.get("messages") or ())


def _ids(body: Body) -> Iterator[str]:
    """The ids of the calls; an API that sends none has none to change."""
    for message in body.get("messages") or ():
        for call in as_object(message).get("tool_calls") or ():
            if isinstance(id := as_object(call).get("id"), str):
                yield id


def _menu_rows(words: str) -> list[Want]:
    """The rows for the keywords of a menu, where the words are about one."""
    if not (_ABOUT_THE_MENU.search(words) and _UNKNOWN.search(words)):
        return []
    return [*KEYWORDS.values()]


def _words(text: str) -> str:
    """All that a refusal says: its texts, a line each, and the paths it points at."""
    try:
        said = read_json(text)
    except NotJSON:
        return text.replace("\\", "")
    return "\n".join(_texts(said)).replace("\\", "")


def _texts(said: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif depth < 12 and isinstance(said, list):
        for part in said:
            yield from _texts(part, depth + 1)
    elif depth < 12 and isinstance(said, dict):
        place = said.get("loc")
        if isinstance(place, list):
            # pydantic's: what was sent stands beside it, and is not what it says.
            yield f"{'.'.join(map(str, place))}: {said.get('msg')} ({said.get('type')})"
            return
        if isinstance(param := said.get("param"), str) and param:
            yield f"{param}: at fault"
        for key, part in said.items():
            if key not in {"param", "input"}:
                yield from _texts(part, depth + 1)
