"""Where a listener puts its lines.

What a trace and a transcript have in common: things come one after the other, and no
line says what is secret or goes on for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from threading import RLock
from typing import Any, Final, NoReturn, Protocol, Self

from mingraph_lite.schema.forking import renewed_in_a_child
from mingraph_lite.schema.lines import as_line
from mingraph_lite.schema.masking import Mask, checked_secrets
from mingraph_lite.schema.run_id import key_of
from mingraph_lite.schema.sealed import Key, Sealed

__all__: Final = ["FileListener", "LineFile", "iso"]


class LineFile[T]:
    """A file of JSON lines, and what none may say.

    `write` puts down what is heard, one thing after the other. `what` is
    what the file is called where a path is refused, such as "trace".
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        secrets: Iterable[str],
        longest: int,
        what: str,
        write: Callable[[T], None],
    ) -> None:
        self.path = _checked_path(path, what)
        secrets = checked_secrets(secrets)
        self.secrets: tuple[Key, ...] = tuple(map(Key, secrets))
        if type(longest) is not int or longest < 1:
            raise ValueError(
                f"longest is {longest!r}; it counts characters, from 1 on."
            )
        self._mask = Mask(secrets)
        self._longest = longest
        self._write = write
        self.renew()
        renewed_in_a_child(self)

    def renew(self) -> None:
        """Begin with nothing half written: anew, or in a child that was forked.

        What waits there is written by the parent.
        """
        self._waiting: list[T] = []
        self._busy = False
        self.lock = RLock()
        self._mask = self._mask.knowing(())  # the same secrets, and a lock of its own

    def hear(self, thing: T) -> None:
        """Write it down, in its turn."""
        with self.lock:
            if self._busy:
                # A run that ended while this very line was written: it is next.
                self._waiting.append(thing)
                return
            self._busy = True
            try:
                self._write(thing)
                while self._waiting:
                    self._write(self._waiting.pop(0))
            except OSError as error:
                if error.errno is not None:  # to write to a full disk names no file
                    error.filename = self.path
                raise
            finally:
                self._busy = False

    def keep(self, secrets: Iterable[Sealed]) -> None:
        """Know more of what no line may say."""
        with self.lock:
            self._mask.keep(secrets)

    def line(self, thing: Mapping[str, Any]) -> bytes:
        """One line, as it may be written."""
        return as_line(thing, self._mask, self._longest)


class _Remembered(Protocol):
    """What a listener keeps of a run until its last line."""

    error: str | None


class FileListener[Run: _Remembered]:
    """A listener that writes what it hears into a file.

    It is never copied: one writes, under one lock. `_runs` has the runs that it hears.
    """

    path: str
    _file: LineFile[Any]
    _runs: dict[object, Run]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({os.path.basename(self.path)!r})"

    def __copy__(self) -> Self:
        """The same one: a copied agent writes where the first does."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(
            f"A {name} is not pickled: it knows what must not be written. Make it "
            f"anew where it is needed: {name}({self.path!r})."
        )

    def on_event(self, event: Any) -> None:
        """Hear it in its turn, and write what there is to write."""
        self._file.hear(event)

    def keep_secret(self, secrets: Sequence[Sealed]) -> None:
        """Know what must not be written."""
        self._file.keep(secrets)

    def known_secrets(self) -> Sequence[Sealed]:
        """What was handed in: no other listener of the run shows it either."""
        return self._file.secrets

    def keep_error(self, run_id: str, error: str) -> None:
        """Know what the last line of a run has to say."""
        with self._file.lock:
            if (run := self._runs.get(key_of(run_id))) is not None:
                run.error = error


def _checked_path(path: object, what: str) -> str:
    """The whole path of a file that can be one."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise TypeError(
            f"The path of a {what} is {path!r}. Give the name of a file, such as "
            f'"{what}s/weather.jsonl".'
        )
    if "\0" in str(os.fspath(path)):
        raise ValueError(
            f"The path of a {what} is {path!r}, and no name of a file has a \\0 in it. "
            f'Give one such as "{what}s/weather.jsonl".'
        )
    whole = os.path.abspath(os.fspath(path))
    if os.path.isdir(whole):
        raise IsADirectoryError(
            f"{os.fspath(path)} is a folder. Name a file in it, such as "
            f"{os.path.join(os.fspath(path), f'{what}.jsonl')}."
        )
    return str(whole)


def iso(now: float) -> str:
    """Seconds since 1970 as lines say them."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds")
