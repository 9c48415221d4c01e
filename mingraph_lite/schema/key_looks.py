"""Keys told by their looks from words, names, dates and counts.

Why ask? What a text tells to be secret is blanked in all that follows, and most of what
stands behind the word token is no key: a coin, a tool's name, the day of a digest.
"""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.schema.hiding import is_known_as_secret

__all__: Final = ["is_no_word", "looks_like_a_key"]

_ISSUED: Final = re.compile(
    r"(?:sk|pk|rk)[-_]|gsk_|gh[oprsu]_|github_pat_|glpat-|hf_|npm_|pypi-|xox[a-z]-"
    r"|AKIA|ASIA|AIza|eyJ"
)
"""How keys begin that are issued by the services a learner meets."""

_OF_A_DATE: Final = re.compile(r"(?<=\d)[TZ](?=\d|\b)")
_CHANGE: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_LETTER: Final = re.compile(r"[^\W\d_]")
_LONG_NUMBER: Final = re.compile(r"\d{9}")
_UNBROKEN: Final = re.compile(r"[^\W_A-Z]{24}|[^\W_a-z]{24}")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z](?![a-z])")
_NO_LETTER: Final = re.compile(r"[\d#$%^*+=@~]")
_NUMBER: Final = re.compile(r"\d{8,}")


def looks_like_a_key(text: str) -> bool:
    """Whether a text is made as keys are made, and as no word, name, date or count is.

    One without a space in it that begins as an issued key does (`sk-`, `ghp_`) and has
    twelve characters. Or one of eight and more in which letters and digits change
    three times within words (`tok_a1b2c3`), of sixteen and more in which they change
    twice; one of letters and a number of nine digits; one of twelve letters of which
    every third begins a new hump (`aBcDeFgHiJkL`); one of twenty-four small or capital
    letters and digits in a row.

    A password made of words is none. It is masked where it stands under its name, and
    not blanked in all that follows: it may be a word like any other.
    """
    return is_known_as_secret(text) and any(map(_is_key, text.split()))


def is_no_word(text: str) -> bool:
    """Whether a text is more than words and dates: letters with digits or signs."""
    if not is_known_as_secret(text):
        return False
    undated = _OF_A_DATE.sub("-", text)
    if _NUMBER.fullmatch(text) or looks_like_a_key(text):
        return True
    return bool(_LETTER.search(undated) and _NO_LETTER.search(undated))


def _is_key(word: str) -> bool:
    word = _OF_A_DATE.sub("-", word)
    if len(word) < 8:
        return False
    if len(word) >= 12 and _ISSUED.match(word):
        return True
    changes = len(_CHANGE.findall(word))
    if changes >= 3 or (changes == 2 and len(word) >= 16):
        return True
    if _LONG_NUMBER.search(word) and _LETTER.search(word):
        return True
    if word.isalpha() and len(word) >= 12 and len(word) <= 3 * len(_HUMP.findall(word)):
        return not (word.islower() or word.isupper())
    return _UNBROKEN.search(word) is not None and _LETTER.search(word) is not None
