"""Names that mean a secret, told by their words.

    github_token, X-Api-Key, clientSecret, db_pwd, session_cookie     a secret
    input_tokens, next_token, token_count, password_length, key       none

Words, and not a list of names: nobody knows how a tool will call it. A name is what its
last word says, as in English: a token count is a count. So `token` is a secret where no
word before it speaks of text or pages, and `tokens`, which every reply counts, only
where a word before it says who is let in. `key` alone is none: to look something up by
its key is what many tools do. The words are English, as those of most programs are.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__: Final = ["NAME_HINTS", "is_secret_name", "is_secret_under"]

_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS: Final = re.compile(r"[^\W\d_]+")


def _these(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ALWAYS: Final = _these(
    "apikey auth authorization cookie credential cred jwt otp passcode "
    "passphrase passwd password pwd secret"
)
"""What is called so is a secret."""

_IN_FRONT_OF_ANY: Final = _these("passcode passphrase passwd password pwd")
"""Whatever is called so with a word behind, such as `password_confirmation`, is one."""

_ABOUT_IT: Final = _these(
    "at age attempt change changed count created date days enabled endpoint error "
    "expired expires expiry field file format header hint id kind label length level "
    "limit max min name path policy prompt required reset rule size source status "
    "strength text time type updated uri url use used valid version"
)
"""What a word behind says that the name is about a secret and holds none."""

_NO_MATTER: Final = _these(
    "backup base current default dev live main new old plain prod production raw "
    "staging string test value"
)
"""Words behind that change nothing: `github_token_prod`."""

_LETS_IN: Final = _these(
    "access account admin api app auth authorization azure aws bearer bot client csrf "
    "db deploy device encryption github gitlab google groq hf host jwt license login "
    "master npm oauth openai personal private pypi refresh root sas secret server "
    "service session shared signing slack ssh ssl storage stripe subscription tls "
    "vault webhook xsrf"
)
"""Before `key`, `keys` and `tokens`, and before `pass`: who is let in by it."""

_OF_TEXT: Final = _these(
    "begin bos cached cls completion continuation control cursor draft end eos first "
    "image input last mask max min next output pad page per predicted prev previous "
    "prompt reasoning sampled sep special start stop sub sync text total unk "
    "word"
)
"""Before `token`: a piece of a text, or a place in a list of pages."""

_WELDED: Final = _these(
    "apikey passphrase passwd password secret token accesskey privatekey secretkey"
)
"""The ends of words written as one, such as PGPASSWORD and `authtoken`."""

NAME_HINTS: Final = (*("key", "secret", "pwd", "auth", "cookie", "cred", "jwt", "otp"),)
"""One of these is in a name that means a secret, or else `token` or `pass`."""


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a name says that what stands under it is a secret."""
    if len(name) > 200:
        return False
    words = [word.lower() for word in _WORDS.findall(_HUMPS.sub(" ", name))]
    while len(words) > 1 and words[-1] in _NO_MATTER:
        words.pop()
    if not words:
        return False
    before, last = set(words[:-1]), words[-1]
    one = _one(last)
    if one == "token":
        lets_in = bool(before & _LETS_IN) or words[0] == "x"
        return lets_in or (last == one and not before & _OF_TEXT)
    if one == "key":
        return bool(before & _LETS_IN) or words[0] == "x"
    if one == "pass":
        return bool(before & _LETS_IN)
    if one in _ALWAYS or one.endswith(tuple(_WELDED)):
        return True
    return bool(set(map(_one, before)) & _IN_FRONT_OF_ANY) and one not in _ABOUT_IT


def is_secret_under(name: str, value: object) -> bool:
    """Whether this value under this name is a secret.

    True and False are none, and a number under a plural is a count: `api_keys: 3`.
    """
    if value is None or isinstance(value, bool) or not is_secret_name(name):
        return False
    is_number = isinstance(value, int | float) or (
        isinstance(value, str) and value.isdecimal()
    )
    return not (is_number and name.rstrip("_-").lower().endswith("s"))


def _one(word: str) -> str:
    """The word for one of them."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
