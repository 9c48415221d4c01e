"""What a text itself tells to be secret: names, schemes, addresses.

    {"github_token": "…"}, DB_PASSWORD=…, --api-key …, <password>…</password>
    Authorization: Digest …, and Bearer or Basic with a key behind, wherever it stands
    https://user:…@host/, ?key=…, &X-Amz-Signature=…
    API key: …, Incorrect API key provided: …, ["token", "…"], api_key%3D…

What follows a name goes to its closing quote or bracket, else to the next space. In
prose, behind a single word with a colon ("Password: at least 12") or a bare scheme
("token New-York"), it has to be more than words and dates: `key_looks.is_no_word`.

Each masks its place. Known from then on, wherever it comes again, is only what looks
like a key: `key_looks.looks_like_a_key`. Nothing is a secret for its looks alone: a
hash and the number of a slip look like keys.

Not read are sentences ("the password is …"), a name on a line of its own with its value
below, and the columns of a table. Such a secret is handed in: `secrets=[…]`.
"""

from __future__ import annotations

import base64
import re
from typing import Final

from mingraph_lite.schema.hiding import STARS, Span, spelt_out
from mingraph_lite.schema.key_looks import is_no_word
from mingraph_lite.schema.secret_names import (
    NAME_HINTS,
    is_secret_name,
    is_secret_under,
)

__all__: Final = [
    "SCHEME_HINTS",
    "password_in",
    "told",
    "without_scheme",
]

_BARE_SCHEMES: Final = "api-?key|basic|bearer|digest|negotiate|oauth|token"
_SCHEME: Final = re.compile(
    rf"((?:{_BARE_SCHEMES}|aws4-hmac-sha256|dpop|genie-?key|googlelogin|hawk|hoba|jwt"
    r"|key|mac|ntlm|private-?token|scram-sha-\d+|sharedkey|signature|splunk|ssws"
    r"|vapid)\s+)",
    re.IGNORECASE,
)
"""What stands before the secret in a header, and is none."""

_HINTS: Final = "|".join(("token", "pass", *NAME_HINTS))
_NAMED: Final = re.compile(
    rf"""(?<![\w-])(?=[\w-]*?(?:{_HINTS}))(?P<name>[\w-]++)"""
    r"""(?P<quote>\\*["'`]?\]?)"""
    r"""(?P<sign>[^\S\n]*(?::=|=>|=(?!=)|[:>,])|(?=[^\S\n]))[^\S\n]*""",
    re.IGNORECASE,
)
_OF_WORDS: Final = re.compile(
    r"""(?<![\w-])(?P<words>[\w-]{1,40}(?:[ ][\w-]{1,40}){1,2}+)\\*["'`]?"""
    r"""[^\S\n]*(?::=|=>|=(?!=)|:)[^\S\n]*(?:\\*["'`])?(?P<value>[^\s"'`\\&,;}>)\]<]++)"""
)
"""A name of two words, or a name and a word such as "provided", and what follows."""

_LAST_TWO: Final = re.compile(r"(?<![\w-])[\w-]+ [\w-]+\Z")
_SAID_OF_IT: Final = {"found", "given", "provided", "received", "sent", "used"}
_OPENING: Final = re.compile(r"""[bfru]{0,2}(\\*["'`])""")
_BRACKET: Final = re.compile(r"[\[({]")
_BRACKETS: Final = re.compile(r"[\[({\])}]")
_UNQUOTED: Final = re.compile(r"""[^\s"'`\\&,;}>)\]<]+""")
_PARAMETERS: Final = re.compile(
    r"""[\w-]+=(?:\\*"[^"\n]*"|[^\s,"'`\\]+)(?:\s*,\s*[\w-]+=(?:\\*"[^"\n]*"|[^\s,"'`\\]+))*"""
)
_PAIRS: Final = re.compile(r"""[^\s"'`\\;]+(?:;\s*[^\s"'`\\;=]+=[^\s"'`\\;]*)*""")
_REST_OF_LINE: Final = re.compile(r"""[^\n"'`\\]+""")
_NEAR: Final = 200
"""How far behind a scheme that nobody knows a key is looked for in prose."""
_NOTHING: Final = {"None", "null", "True", "true", "False", "false", STARS}
_ONE_WORD: Final = re.compile(r"[^\W\d_]+")
"""Such a name stands before a colon in any text, too: "Password: at least 12"."""

_BARE: Final = re.compile(
    rf"""(?<![\w-])(?P<scheme>(?:{_BARE_SCHEMES})\s+)"""
    r"""(?:(?P<parameters>[\w-]+=\\*")|(?P<key>[\w.~+/-]{7,}[\w~+/-]=*))""",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"[^\W\d_]+-?\d{1,2}")
"""A word with its number, such as oauth2: behind a bare scheme a word like others."""

_USER: Final = re.compile(
    r"""(?<=://)(?:[^/\s"']+|[^/\s"':@]*:(?!\d+/)[^\s"'@]{1,100})(?=@)"""
)
_QUERY: Final = re.compile(
    r"""(?<=[?&;])(?:key|sig|[\w-]*signature)=([^\s"'`\\&#]+)""", re.IGNORECASE
)
SCHEME_HINTS: Final = ("bearer", "basic ", "digest", "negotiate")
"""One of these, or of those of names, is in a text with a scheme."""


def without_scheme(value: str) -> str:
    """What of a header's value is the secret."""
    value = value.strip()
    return value[found.end() :] if (found := _SCHEME.match(value)) else value


def password_in(key: str) -> str | None:
    """The password in what stands behind Basic: a base64 of `user:password`."""
    try:
        decoded = base64.b64decode(key + "=" * (-len(key) % 4), validate=True).decode()
    except ValueError:  # no base64, or no text
        return None
    _, colon, password = decoded.partition(":")
    return password if colon else None


def told(text: str) -> list[Span]:
    """Where a text tells of secrets: their beginnings and ends."""
    spans = _told(text)
    if spelt := spelt_out(text):
        plain, places = spelt
        spans += [(places[start], places[end]) for start, end in _told(plain)]
    return spans


def _told(text: str) -> list[Span]:
    spans = [found.span() for found in _USER.finditer(text)]
    spans += [found.span(1) for found in _QUERY.finditer(text)]
    spans += [span for found in _BARE.finditer(text) if (span := _bare(found))]
    spans += [m.span("value") for m in _OF_WORDS.finditer(text) if _is_of_secret(m)]
    at = 0
    while found := _NAMED.search(text, at):
        at = found.end()
        if span := _behind(found):
            spans.append(span)
            at = max(at, span[1])
    return [(start, end) for start, end in spans if end > start]


def _is_named_so(text: str) -> bool:
    """Whether the name that ends a text is a secret's with the word before it, too."""
    found = _LAST_TWO.search(text)
    return found is None or is_secret_name(found[0].replace(" ", "_"))


def _is_of_secret(found: re.Match[str]) -> bool:
    """Whether words such as "API key provided" name a secret that follows."""
    words = found["words"].split(" ")
    if words[-1].lower() in _SAID_OF_IT:
        words.pop()
    return is_secret_name("_".join(words[-2:])) and is_no_word(found["value"])


def _behind(name: re.Match[str]) -> Span | None:
    """What a name has behind it, where that is a secret."""
    text, start, said = name.string, name.end(), name["name"]
    sign = name["sign"].strip()
    before = text[max(0, name.start() - 6) : name.start()].rstrip("\\\"'`")
    is_pair = sign == "," and bool(name["quote"]) and before.endswith(("[", "("))
    if sign in {"", ","} and not (is_pair or said.startswith("--")):
        return None
    if sign == ">" and text[name.start() - 1 : name.start()] != "<":
        return None
    small = said.lower().strip("-_")
    if not (is_secret_name(said) or small.endswith("authorization")):
        return None
    is_prose = sign == ":" and not name["quote"] and _ONE_WORD.fullmatch(said)
    if is_prose and not _is_named_so(
        text[max(0, name.start() - 40) : name.end("name")]
    ):
        return None
    if opening := _OPENING.match(text, start):
        start, end = opening.end(), _closing(text, opening)
    elif is_pair:
        return None
    elif _BRACKET.match(text, start):
        end = _balanced(text, start)
    elif small.endswith("authorization"):
        return _credentials(text, start, bool(is_prose))
    elif small == "cookie":
        end = _end(_PAIRS.match(text, start), start)
        if is_prose and "=" not in (pairs := text[start:end]) and not is_no_word(pairs):
            return None
    else:
        end = _end(_UNQUOTED.match(text, start), start)
        if is_prose and not is_no_word(text[start:end]):
            return None
    if text[start:end] in _NOTHING or (is_pair and not is_no_word(text[start:end])):
        return None
    if not is_secret_under(said, text[start:end]):
        return None
    if scheme := _SCHEME.match(text, start, end):
        start = scheme.end()
    return start, end


def _credentials(text: str, start: int, is_prose: bool) -> Span | None:
    """What stands in an `Authorization:` header, without its scheme."""
    if scheme := _SCHEME.match(text, start):
        start = scheme.end()
        found = _PARAMETERS.match(text, start) or _UNQUOTED.match(text, start)
        return start, _end(found, start)
    end = _end(_UNQUOTED.match(text, start), start)
    if text[start:end] in _NOTHING:
        return None
    if not is_no_word(text[start:end]):
        # A scheme that nobody knows: what belongs to it, nobody knows either.
        near = _REST_OF_LINE.match(text, start, start + _NEAR)
        words = near[0].split() if near else ()
        if is_prose and not any(map(is_no_word, words)):
            return None
        end = _end(_REST_OF_LINE.match(text, start), end)
    return start, end


def _bare(found: re.Match[str]) -> Span | None:
    """What follows a scheme without its header, where it is no word of a sentence."""
    start = found.end("scheme")
    if found["parameters"]:
        return start, _end(_PARAMETERS.match(found.string, start), found.end())
    scheme, key = found["scheme"].strip().lower(), found["key"]
    if scheme == "basic":
        return (start, found.end()) if password_in(key) is not None else None
    is_key = is_no_word(key) and not _COUNTED.fullmatch(key)
    return (start, found.end()) if is_key else None


def _closing(text: str, opening: re.Match[str]) -> int:
    """Where a quoted text ends; one that was cut, at the end of its line."""
    start, quote = opening.end(), opening[1]
    at = text.find(quote, start)
    while at > start and text[at - 1] == "\\":
        at = text.find(quote, at + 1)
    if at >= 0:
        return at
    line = text.find("\n", start)
    return len(text) if line < 0 else line


def _balanced(text: str, start: int) -> int:
    """Where what begins with a bracket ends."""
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        depth += 1 if found[0] in "[({" else -1
        if not depth:
            return found.end()
    return len(text)


def _end(found: re.Match[str] | None, start: int) -> int:
    return found.end() if found else start
