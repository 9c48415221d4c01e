"""What a server wants: the table of what one refuses, and what is done about it.

One request is made for each question put to an adapter. Where it is refused in words
that name something we set ourselves, and the same can be said without it, the adapter
remembers that and says so in a retryable error: whoever asked tries again, and the next
request is made as the server wants it. What the caller set, and means something, is not
taken away: the error says which argument to leave out.

A new server that refuses something of ours is a row in `WANTS`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.adapters import rewriting
from mingraph_lite.adapters.beside import REASONING_KEYS
from mingraph_lite.adapters.strict_json import Body, NotJSON, as_object, read_json
from mingraph_lite.adapters.wire_ids import IdRule, id_rule_in

__all__: Final = ["WANTS", "Lesson", "Want", "Wants"]

_STATUSES: Final = {400, 404, 405, 406, 415, 422, 501}
_TOO_LONG_TO_READ: Final = 20_000

_UNKNOWN: Final = re.compile(
    "(?i)unsupport|not (?:yet )?support|unrecogni|unknown|unexpected|extra|"
    "unavailable|permitted|allowed|invalid|cannot|can't|forbidden|"
    "not (?:enabled|implemented|valid)|additional propert|only messages|no such|deprecated"
)
_MISSING: Final = re.compile(
    r"(?i)\bmissing|\brequired|\bexpected|must be (?:passed|provided|sent|included)|"
    r"must (?:include|contain|start with|have)|must not be empty|not provided"
)


def _unknown(field: str) -> str:
    """A field that a server does not know, and not one whose value it does not like."""
    no = (
        "(?:not (?:yet )?(?:support|allow|permit|recogni|a valid)|unsupport|unknown|"
        "unrecogni|unexpected|extra|deprecated|additional propert)"
    )
    name = rf"(?<![\w-]){field}(?![\w-])"
    return rf"(?i){name}[^.]{{0,80}}?{no}|{no}[^.]{{0,80}}?{name}"


@dataclass(frozen=True, slots=True)
class Want:
    """Something a server refuses: how it says so, and the change it is made up for by.

    `says` is searched for in the words; without it, the name of `field` is, whole, in
    words that refuse. `done` says the change in words. `same` is for a change that
    keeps what the caller means even where he set the field. `faults` is for what some
    servers answer with status 500.
    """

    field: str
    source: str
    done: str
    change: rewriting.Change
    says: str | None = None
    same: bool = False
    faults: bool = False


WANTS: Final = (
    Want(
        "stream_options",
        "openai/openai-agents-python#442",
        "stream_options is left out",
        rewriting.dropping("stream_options"),
    ),
    Want(
        "stream",
        "ollama/ollama#7750",
        "replies are asked for in one piece",
        rewriting.whole_reply,
        r"(?i)\bstream(?:ing|ed)?\b['\"`]?[^.{}]{0,60}?(?:not (?:yet )?(?:support|"
        r"allow|avail|implem|permit)|unsupport|must be false|disabled)|"
        r"unsupported[^.]{0,40}\bstream\b|not support (?:\w+ )?stream|"
        r"^(?:body\.)?stream: ",
    ),
    Want(
        "max_tokens",
        "koosoli/ESPHomeDesigner#379",
        "max_tokens is sent as max_completion_tokens",
        rewriting.renaming("max_tokens", "max_completion_tokens"),
        _unknown("max_tokens"),
        same=True,
    ),
    Want(
        "max_completion_tokens",
        "SilasMarvin/lsp-ai#95",
        "max_completion_tokens is sent as max_tokens",
        rewriting.renaming("max_completion_tokens", "max_tokens"),
        _unknown("max_completion_tokens"),
        same=True,
    ),
    Want(
        "response_format",
        "BerriAI/litellm#31466",
        'the form is asked for as {"type": "json_object"}',
        rewriting.any_object,
        "(?i)response[_ ]format|json[_ ]schema|structured output|guided|grammar",
        faults=True,
    ),
    Want(
        "response_format",
        "Portkey-AI/gateway#1204",
        "response_format is left out, since the prompt says the form",
        rewriting.dropping("response_format"),
        "(?i)response[_ ]format|json[_ ](?:schema|object|mode)|structured output|"
        "grammar",
        faults=True,
    ),
    Want(
        "name",
        "BerriAI/litellm#9720",
        "results of tools are sent without the tool's name",
        rewriting.nameless_results,
        r"(?i)messages\S{0,60}[.\]]name\b|property ['\"`]name['\"`]|"
        r"['\"`]name['\"`][^.]{0,60}(?:unsupport|not |unknown|unexpected|extra)|"
        r"(?:unsupport|unknown|unexpected|unrecogni|extra)\S*[^.]{0,60}['\"`]name['\"`]|"
        r"role ['\"`]?user['\"`]? can have a name|tool messages?[^.]{0,60}\bname\b",
    ),
    Want(
        "content",
        "cheetahclaws#72",
        "an empty text is sent beside calls where there was null",
        rewriting.empty_text,
        r"(?i)\bcontent\b[^.]{0,120}?(?:string|null|none\b|nil\b|required|missing|empty)|"
        r"(?:null|none|nil|missing|empty)\b[^.]{0,80}?\bcontent\b",
        faults=True,
    ),
    Want(
        "content",
        "vercel/ai#13538",
        "no text is sent beside calls where there is none",
        rewriting.no_null_text,
        r"(?i)\bcontent\b[^.]{0,120}?(?:non-empty|null|none\b|nil\b|empty)",
    ),
    Want(
        "system",
        "OpenAI's API reference, developer message",
        'the prompt is sent under the role "developer"',
        rewriting.developer_prompt,
        r"(?i)use\b[^.]{0,40}\bdeveloper\b|"
        r"(?:one of|expected|supported|allowed)[^.]{0,80}\bdeveloper\b",
    ),
    Want(
        "system",
        "0xPlaygrounds/rig#788",
        "the prompt is sent at the head of the first question",
        rewriting.prompt_in_question,
        r"(?i)developer instruction|system (?:role|messages?|prompts?|instructions?)\b"
        r"[^.]{0,60}(?:not|unsupport)|(?:not support|unsupport|unknown|invalid)"
        r"[^.]{0,60}['\"`](?:system|developer)['\"`]|"
        r"['\"`](?:system|developer)['\"`][^.]{0,40}not|"
        r"roles must alternate|only user and assistant|valid role: user",
        faults=True,
    ),
    Want(
        "thought_signature",
        "vercel/ai#15560 and Google's page on thought signatures",
        "calls of other models are marked as such",
        rewriting.unsigned_calls,
        r"(?i)missing[^.]{0,60}thought_?signature|thought_?signature[^.]{0,60}missing",
    ),
)
"""Rows of one field stand in the order in which they are tried, one at a time."""

_KEYWORDS: Final = (
    "additionalProperties",
    "strict",
    "$defs",
    "$ref",
    "$schema",
    "default",
    "format",
    "title",
    "const",
    "examples",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "prefixItems",
    "propertyNames",
    "patternProperties",
)
"""What a menu may hold and some servers refuse (BerriAI/litellm#14330, zed#44875)."""

_ABOUT_THE_MENU: Final = re.compile(
    "(?i)tools?\\b|function|schema|parameters|declaration|properties"
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is made of a refusal, in a sentence; `retry` where to ask again helps."""

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
        if status is not None and status not in {*_STATUSES, 500}:
            return None
        words = _words(text[:_TOO_LONG_TO_READ])
        if status == 500:
            return self._changed(words, body, [w for w in WANTS if w.faults])
        return (
            self._about_reasoning(words, body)
            or self._new_ids(words, body)
            or self._changed(words, body, [*_keywords_in(words), _BESIDE, *WANTS])
            or self._advice(words, body)
        )

    def _about_reasoning(self, words: str, body: Body) -> Lesson | None:
        name = next((n for n in REASONING_KEYS if _names_exactly(words, n)), None)
        if name is None:
            return None
        if _MISSING.search(words) and not self.sends_reasoning:
            return Lesson(
                f"This server wants its {name} back within a round of tools: make the "
                "model with send_reasoning=True.",
                retry=False,
            )
        if self.sends_reasoning and _refuses(words) and _sends(body, name):
            return Lesson(
                f"It takes no {name} back: leave out send_reasoning=True.", retry=False
            )
        return None

    def _new_ids(self, words: str, body: Body) -> Lesson | None:
        rule = id_rule_in(words)
        has_calls = any(as_object(m).get("tool_calls") for m in body["messages"])
        if rule is None or rule == self.ids or not has_calls:
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

    def _advice(self, words: str, body: Body) -> Lesson | None:
        for name, argument in self.given.items():
            sent = name in body or name in as_object(body.get("options"))
            if sent and _names(words, name):
                return Lesson(f"Leave out {argument}.", retry=False)
        return None


def _beside(words: str, body: Body) -> bool:
    return any(_names(words, name) for name in rewriting.sent_beside(body))


_BESIDE: Final = Want(
    "extra_content",
    "A14 and openclaude#67",
    "what came beside calls is not sent back",
    rewriting.nothing_beside,
)


def _is_about(words: str, want: Want, body: Body) -> bool:
    if want is _BESIDE:
        return _refuses(words) and _beside(words, body)
    if want.says is not None:
        return re.search(want.says, words, re.MULTILINE) is not None
    return _refuses(words) and _names(words, want.field)


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
    return any(name in as_object(message) for message in body["messages"])


def _keywords_in(words: str) -> list[Want]:
    """A row for each keyword of a menu that the words refuse."""
    if not (_ABOUT_THE_MENU.search(words) and _UNKNOWN.search(words)):
        return []
    return [
        Want(
            f"menu: {keyword}",
            "BerriAI/litellm#14330",
            f"the menu is sent without {keyword}",
            _MENU_WITHOUT[keyword],
        )
        for keyword in _KEYWORDS
        if _is_refused_in_a_menu(words, keyword)
    ]


_MENU_WITHOUT: Final = {key: rewriting.menu_without(key) for key in _KEYWORDS}


def _is_refused_in_a_menu(words: str, keyword: str) -> bool:
    """Whether a keyword is quoted, or ends a path: many are ordinary words."""
    key = re.escape(keyword)
    return (
        re.search(rf"['\"`]{key}['\"`]|[.\]]{key}(?![\w-])|'?{key}'?:", words)
        is not None
    )


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
