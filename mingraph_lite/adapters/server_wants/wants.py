"""What a server wants: what one refuses, and what is done then.

A new server that refuses something of ours is a row in `WANTS`; `learning` reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from mingraph_lite.adapters.server_wants import rewriting

__all__: Final = [
    "BESIDE",
    "EMPTY_REASONING",
    "KEYWORDS",
    "LAST_RESORT",
    "NAMES_NOTHING",
    "WANTS",
    "Want",
]


def _unknown(field: str) -> str:
    """A field that a server does not know, and not one whose value it does not like."""
    no = (
        "(?:not (?:yet )?(?:support|allow|permit|recogni|a valid)|unsupport|unknown|"
        "unrecogni|unexpected|extra|deprecated|additional propert)"
    )
    name = rf"(?<![\w-]){field}(?![\w-])"
    return rf"(?i){name}[^.]{{0,80}}?{no}|{no}[^.]{{0,80}}?{name}"


_NAME_OF_A_RESULT: Final = "(?i)" + "|".join(
    [
        r"messages\S{0,60}[.\]/]name\b",  # a path
        r"messages['\", \w]{0,40}['\"]name['\"]",  # a path as Python writes it
        r"['\"`]name['\"`][^.]{0,60}(?:unsupport|not |unknown|unexpected|extra)",
        r"(?:unsupport|unknown|unexpected|unrecogni|extra)[^.]{0,60}['\"`]name['\"`]",
        r"(?:field|property|key|parameter|argument)s?[:\s]+['\"`]?name\b",
        r"(?<!model )(?<!function )(?<!tool )\bname(?: is|:)? (?:not (?:allow|support|"
        r"permit|accept)|unsupport|unexpect|extra)",
        r"(?:permitted|allowed|unsupported|unexpected|unrecognized|unknown)[: ]+"
        r"name\W*$",
        r"role ['\"`]?user['\"`]? can have a name|tool messages?[^.]{0,60}\bname\b",
        r"^\W*name\W*$",
    ]
)
"""The word means much else, such as the name of a model or of a function."""


@dataclass(frozen=True, slots=True)
class Want:
    """Something a server refuses, and the change that makes up for it.

    `says` is searched for in the words; without it, the name of `field` is, whole, in
    words that refuse. `done` says the change in words. `same` is for a change that
    keeps what the caller means even where he set the field, `missed` for one that helps
    where something is missed, `faults` for what some servers answer with status 500.
    """

    field: str
    source: str
    done: str
    change: rewriting.Change
    says: str | None = None
    same: bool = False
    missed: bool = False
    faults: bool = False


_NO_STREAM_OPTIONS: Final = Want(
    "stream_options",
    "openai/openai-agents-python#442",
    "stream_options is left out",
    rewriting.dropping("stream_options"),
    r"(?i)\bstream[_ ]?options\b",
)
_NO_FORMAT: Final = Want(
    "response_format",
    "BerriAI/litellm#6610",
    "response_format is left out, since the prompt says the form",
    rewriting.dropping("response_format"),
    "(?i)response[_ ]format|json[_ ](?:schema|object|mode)|structured output|grammar",
    faults=True,
    missed=True,
)
_NO_NAMES: Final = Want(
    "name",
    "BerriAI/litellm#9720",
    "results of tools are sent without the tool's name",
    rewriting.nameless_results,
    _NAME_OF_A_RESULT,
)

WANTS: Final = (
    _NO_STREAM_OPTIONS,
    Want(
        "stream",
        "lobehub/lobehub#9385",
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
        _unknown("max_tokens") + r"|instead of\W{0,3}max_tokens(?![\w-])",
        same=True,
    ),
    Want(
        "max_completion_tokens",
        "editor-code-assistant/eca#231",
        "max_completion_tokens is sent as max_tokens",
        rewriting.renaming("max_completion_tokens", "max_tokens"),
        _unknown("max_completion_tokens")
        + r"|instead of\W{0,3}max_completion_tokens(?![\w-])",
        same=True,
    ),
    Want(
        "response_format",
        "BerriAI/litellm#31466",
        'the form is asked for as {"type": "json_object"}',
        rewriting.any_object,
        "(?i)response[_ ]format|json[_ ]schema|structured output|guided|grammar",
        faults=True,
        missed=True,
    ),
    _NO_FORMAT,
    _NO_NAMES,
    Want(
        "tool_name",
        "awaescher/OllamaSharp#284",
        "results of tools are sent without the tool's name",
        rewriting.nameless_results,
    ),
    Want(
        "content",
        "SAIL-Research-Lab/cheetahclaws#72",
        "an empty text is sent beside calls where there was null",
        rewriting.empty_text,
        r"(?i)\bcontent\b[^.]{0,120}?(?:string|null|none\b|nil\b|required|missing|empty)|"
        r"(?:null|none|nil|missing|empty)\b[^.]{0,80}?\bcontent\b",
        faults=True,
        missed=True,
    ),
    Want(
        "content",
        "vercel/ai#13538",
        "no text is sent beside calls where there is none",
        rewriting.no_null_text,
        r"(?i)\bcontent\b[^.]{0,120}?(?:non-empty|null|none\b|nil\b|empty)",
        missed=True,
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
        "ggml-org/llama.cpp#11866",
        "questions that follow one another are sent as one",
        rewriting.joined_questions,
        r"(?i)must (?:\w+ )?alternat|consecutive (?:user|messages)|"
        r"multiple (?:consecutive )?user",
        missed=True,
        faults=True,
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
        r"roles must alternate|only user and assistant|valid role: user|"
        r"(?:unknown|invalid|unsupported|unexpected) (?:message )?role\W{0,4}"
        r"(?:system|developer)\b|\brole\b[^.\n]{0,60}(?:should|must) be (?:one of )?"
        r"\W{0,3}user\b(?![^\n]{0,80}\bsystem\b)",
        faults=True,
    ),
    Want(
        "thought_signature",
        "pydantic/pydantic-ai#3881, Gemini API docs: thought signatures",
        "calls of other models are marked as such",
        rewriting.unsigned_calls,
        r"(?i)missing[^.]{0,60}thought_?signature|thought_?signature[^.]{0,60}missing",
        missed=True,
    ),
)
"""Rows of one field stand in the order in which they are tried, one at a time."""

BESIDE: Final = Want(
    "extra_content",
    "Gitlawb/openclaude#67",
    "what came beside calls is not sent back",
    rewriting.nothing_beside,
)
"""Found by the names of what was sent back, whichever they are."""

EMPTY_REASONING: Final = Want(
    "reasoning_content",
    "SillyTavern/SillyTavern#5545",
    "an empty reasoning_content is sent beside calls that came without one",
    rewriting.empty_reasoning,
    missed=True,
)
"""For who asked for reasoning to go back, and has calls of another model, or none."""

LAST_RESORT: Final = (
    *(replace(w, says=None) for w in (_NO_STREAM_OPTIONS, _NO_FORMAT, _NO_NAMES)),
    replace(BESIDE, field="whatever came beside"),
)
"""What may be left out where a server refuses something and does not say what.

Rows of their own, since they are taken back where that did not help.
"""

_THING: Final = (
    "(?:field|propert(?:y|ies)|(?<!api )key|param(?:eter)?|argument|attribute|input|"
    "member|element|option)s?"
)
_NO: Final = (
    "(?:unknown|unexpected|unrecogni[sz]ed|unsupported|extra(?:neous)?|additional|"
    "undefined|disallowed|forbidden|illegal|not (?:allowed|permitted|supported|"
    "recogni[sz]ed|expected))"
)
NAMES_NOTHING: Final = (
    rf"(?i)\b{_NO}(?: \w+)? {_THING}\b|\b{_THING}\b[^.\n]{{0,40}}\b{_NO}\b|"
    r"extra_forbidden|unrecognized_keys|"
    r"\b(?:invalid|malformed|wrong|bad) (?:messages?|requests?|json|payload|body|"
    r"input) (?:format|schema|structure|shape|body|payload|object)\b|"
    r"\bmalformed (?:messages?|request|input|body)\b|\bschema validation\b|"
    r"\bdo(?:es)? not (?:match|conform to) (?:the )?(?:\w+ )?schema\b"
)
"""How it is said that something is not known, without a name that we sent."""

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

KEYWORDS: Final = {
    keyword: Want(
        f"menu: {keyword}",
        "BerriAI/litellm#14330 and zed-industries/zed#52670",
        f"the menu is sent without {keyword}",
        rewriting.menu_without(keyword),
        rf"['\"`]{re.escape(keyword)}['\"`]|[.\]]{re.escape(keyword)}(?![\w-])|"
        rf"^'?{re.escape(keyword)}'?:",
    )
    for keyword in _KEYWORDS
}
"""What a menu may hold and some servers refuse; found where it is quoted or ends a
path, since many are ordinary words."""
