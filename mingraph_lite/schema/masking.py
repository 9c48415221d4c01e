"""What is secret, kept out of whatever is written down.

By value: the texts that are known to be secret, in each form in which they may come
back; `hiding` lists them. By what is told: what stands under a name such as `api_key`
or behind a scheme such as Bearer; `secret_names` and `told_secrets` have the rules.
What stood there once is known from then on, if it looks like a key.

Why ask twice, `suspects` and then `masked`? Nearly every line is free of both, and to
find that out must cost next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, Final

from mingraph_lite.schema.hiding import Pieces, Wholes, is_known_as_secret, starred
from mingraph_lite.schema.key_looks import looks_like_a_key
from mingraph_lite.schema.sealed import Sealed
from mingraph_lite.schema.secret_names import NAME_HINTS
from mingraph_lite.schema.told_secrets import SCHEME_HINTS, told

__all__: Final = ["Mask", "checked_secrets", "names_on"]

_HINTS: Final = (*NAME_HINTS, *SCHEME_HINTS)
"""What a line has in it, in small letters, if anything in it is told as a secret."""

_A_TOKEN: Final = re.compile(
    r"token(?:(?!s)|s(?<!input_tokens)(?<!output_tokens)(?<!reasoning_tokens)"
    r"(?<!cached_tokens)(?<!total_tokens)(?<!max_tokens))"
)
"""Counts of tokens stand in every reply, and are no secret."""

_A_PASS: Final = re.compile(r"pass(?:[wpc]|[^a-z\s])")
"""Slips are passed in every run, too."""

_MOST_LEARNED: Final = 100


class Mask:
    """Knows what is secret, and shows it nowhere itself."""

    __slots__ = (
        "_known",
        "_learned",
        "_lock",
        "_pieces",
        "_short",
        "_spared",
        "_wholes",
    )

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: frozenset[str] = frozenset()
        self._short: frozenset[str] = frozenset()
        self._learned: tuple[str, ...] = ()
        self._spared: frozenset[str] = frozenset()
        self._pieces = Pieces(())
        self._wholes = Wholes((), ())
        self._lock = Lock()  # one listener may hear several threads
        self.add(secrets, even_short=True)

    def __repr__(self) -> str:
        return f"Mask({len(self._known) + len(self._short)} secrets)"

    def __copy__(self) -> Mask:
        return self

    def __deepcopy__(self, memo: object) -> Mask:
        return self

    def __reduce__(self) -> tuple[type[Mask], tuple[()]]:
        if self._known or self._short or self._learned:
            raise TypeError(
                "What knows secrets is not pickled: a file is no place for them. Make "
                "it anew where it is needed."
            )
        return Mask, ()

    def add(self, secrets: Iterable[str], *, even_short: bool = False) -> None:
        """Know more texts; short ones count where somebody says that they do.

        A key such as "x" or "none" is given where none is needed.
        """
        given = frozenset(filter(None, secrets))
        if given <= self._known:
            return
        with self._lock:
            known = self._known.union(filter(is_known_as_secret, given))
            if known != self._known:
                self._known, self._pieces = known, Pieces(known)
            if even_short and not given - known <= self._short:
                self._short |= given - known
                self._wholes = Wholes(self._short, self._learned)

    def keep(self, secrets: Iterable[Sealed]) -> None:
        """Know what somebody says is secret, short as it may be."""
        self.add((secret.reveal() for secret in secrets), even_short=True)

    def learn(self, secrets: Iterable[str]) -> None:
        """Know what was told as a secret, wherever it comes again as a whole.

        Only what looks like a key is learned, or a `token="bitcoin-cash"` would blank
        that coin in all that follows. Of these the newest hundred are known.
        """
        keys = {*filter(looks_like_a_key, secrets)} - self._known - self._spared
        if keys <= {*self._learned}:
            return
        with self._lock:
            new = sorted(keys - {*self._learned})
            self._learned = (*self._learned, *new)[-_MOST_LEARNED:]
            self._wholes = Wholes(self._short, self._learned)

    def spare(self, names: Iterable[str]) -> None:
        """Show these, whatever is told of them; what was handed in stays hidden.

        They are the names on the menu: a slip without one cannot be read.
        """
        spared = self._spared.union(names)
        if spared == self._spared:
            return
        with self._lock:
            self._spared = spared
            self._learned = tuple(key for key in self._learned if key not in spared)
            self._wholes = Wholes(self._short, self._learned)

    def knowing(self, secrets: Iterable[str]) -> Mask:
        """One for the line that has these under a secret's name.

        In there a word of six letters is hidden too. What is shorter, such as 18 and
        true, may well be something else.
        """
        new = Mask()
        new._known, new._pieces = self._known, self._pieces
        new._short, new._learned = self._short, self._learned
        new._spared = self._spared
        told = {*filter(is_known_as_secret, secrets)} - self._spared
        words = told.union(self._learned)
        new._wholes = Wholes(self._short, words)
        return new

    def suspects(self, line: str) -> bool:
        """Whether a line of JSON may hold something to be masked."""
        small = line.lower()
        if any(map(small.__contains__, _HINTS)):
            return True
        if "token" in small and _A_TOKEN.search(small):
            return True
        if "pass" in small and _A_PASS.search(small):
            return True
        if "sig" in small or ("://" in small and "@" in small):
            return True
        return self._pieces.may_be_in(small) or self._wholes.may_be_in(small)

    def knows_one_in(self, text: str) -> bool:
        """Whether what was handed in or learned may stand in a text, found out fast."""
        small = text.lower()
        return self._pieces.may_be_in(small) or self._wholes.may_be_in(small)

    def hidden(self, text: str) -> str:
        """The text with *** for what was handed in or learned, whatever it tells."""
        return starred(text, [*self._pieces.covered(text), *self._wholes.covered(text)])

    def masked(self, text: str) -> str:
        """The text with *** for what is secret in it."""
        return self.masked_and_told(text)[0]

    def masked_throughout(self, text: str) -> tuple[str, list[str]]:
        """The same as below, and what is told in one place hidden in all the others."""
        shown, told = self.masked_and_told(text)
        if keys := [*filter(looks_like_a_key, told)]:
            shown = self.knowing(keys).masked(text)
        return shown, told

    def masked_and_told(self, text: str) -> tuple[str, list[str]]:
        """The same, and what the text itself tells to be secret."""
        said = told(text)
        spans = [*said, *self._pieces.covered(text), *self._wholes.covered(text)]
        return starred(text, spans), [text[start:end] for start, end in said]


def names_on(menu: object) -> Iterator[str]:
    """The names of the tools on a menu and of their parameters."""
    for entry in menu if isinstance(menu, list | tuple) else ():
        tool = _under(entry, "function")
        if isinstance(name := _under(tool, "name"), str):
            yield name
        parameters = _under(_under(tool, "parameters"), "properties")
        if isinstance(parameters, Mapping):
            yield from (name for name in parameters if isinstance(name, str))


def _under(held: object, key: str) -> Any:
    return held.get(key) if isinstance(held, Mapping) else None


def checked_secrets(given: object) -> list[str]:
    """The texts that somebody hands in as secrets; TypeError for anything else."""
    if isinstance(given, str):
        raise TypeError("secrets is one text. Hand in a list: secrets=[…].")
    if not isinstance(given, Iterable):
        kind = type(given).__name__
        raise TypeError(f"secrets is of the kind {kind}. Hand in a list: secrets=[…].")
    secrets = list(given)
    for each in secrets:
        if not isinstance(each, str):
            raise TypeError(
                f"One of secrets is of the kind {type(each).__name__}. Each is a text."
            )
    return secrets
