"""What is read out: which lines of the folder the model hears.

The folder only grows. A memory may read out less than all of it; it never changes what
was said. The system prompt is not in here: the desk reads it out first, each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol, overload

from mingraph_lite.mending import checked, mended
from mingraph_lite.messages import Message, ToolMessage, UserMessage

__all__: Final = ["KeepAll", "LastN", "Memory", "Reading"]


class Memory(Protocol):
    """Anything that keeps what was said and decides what is read out."""

    @property
    def folder(self) -> Sequence[Message]:
        """All that was said, first line first."""
        ...

    def add(self, message: Message) -> None:
        """Put one more message into the folder."""
        ...

    def messages(self) -> Sequence[Message]:
        """The messages that are read out now.

        A call and its answers come together or not at all: providers refuse one
        without the other.
        """
        ...


class KeepAll:
    """A memory that reads out everything.

    `messages` is an old folder to go on with. It is copied; where it is not in order,
    the copy is mended, and one warning says what was done.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        old = checked(messages, type(self).__name__)
        self._said, done = mended(old)
        if done:
            _warn(f"An old folder was mended. {'; '.join(done)}.")

    def __repr__(self) -> str:
        return f"KeepAll({len(self._said)} messages)"

    @property
    def folder(self) -> Sequence[Message]:
        """All that was said, first line first."""
        return Reading(self._said)

    def add(self, message: Message) -> None:
        """Put one more message into the folder."""
        self._said.append(message)

    def messages(self) -> Sequence[Message]:
        """Every message so far."""
        return Reading(self._said)


class LastN(KeepAll):
    """A memory that keeps everything and reads out the last n messages.

    What is read out begins with a user message, as providers want it: the first of the
    last n. Where they hold none, the newest question before them goes in front, and is
    one message more than n.

    A call and its answers are never parted: a group that does not fit is left out
    whole. Only the newest group is read out whatever its size, since without it the
    model would not know what has just happened.
    """

    def __init__(self, n: int, messages: Iterable[Message] = ()) -> None:
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(
                f"LastN got {n!r} for n. It takes a number, then the messages: "
                "LastN(20, messages)."
            )
        if n < 1:
            raise ValueError(f"LastN({n}) would read out nothing; n is at least 1.")
        super().__init__(messages)
        self._n = n
        asked = [at for at, message in enumerate(self._said) if _is_user(message)]
        self._newest_question = asked[-1] if asked else -1

    def __repr__(self) -> str:
        return f"LastN({self._n} of {len(self._said)} messages)"

    def add(self, message: Message) -> None:
        """Put one more message into the folder."""
        super().add(message)
        # Kept, since to look for it would take longer each round of a long run.
        if _is_user(message):
            self._newest_question = len(self._said) - 1

    def messages(self) -> Sequence[Message]:
        """A user message, and the last groups of messages that fit into n."""
        start, newest = self._start(), self._newest_question
        if newest < 0:
            return self._said[start:]
        if newest < start:
            return [self._said[newest], *self._said[start:]]
        while not _is_user(self._said[start]):
            start += 1
        return self._said[start:]

    def _start(self) -> int:
        """Where the last groups begin that fit into n, at least the newest."""
        start = end = len(self._said)
        while start:
            group = start - 1
            while group and isinstance(self._said[group], ToolMessage):
                group -= 1
            if start < end and end - group > self._n:
                break
            start = group
        return start


def _is_user(message: Message) -> bool:
    return isinstance(message, UserMessage)


def _warn(text: str) -> None:
    import logging  # here, since it takes long to load

    logging.getLogger(__name__).warning(text)


class Reading(Sequence[Message]):
    """The first lines of a growing list, as they are now.

    Why not simply a copy of the list? One is made for every model call and kept by
    every recorder: after 10,000 messages that would be 50 million references.
    """

    __slots__ = ("_count", "_head", "_lines")

    _lines: Sequence[Message]
    _count: int
    _head: tuple[Message, ...]

    def __init__(self, lines: Sequence[Message], head: tuple[Message, ...] = ()):
        if isinstance(lines, Reading) and not lines._head:
            # Behind another head, but the same lines: no need to go through both.
            self._lines, self._count = lines._lines, lines._count
        else:
            self._lines, self._count = lines, len(lines)
        self._head = head

    def goes_on(self, earlier: object) -> bool:
        """Whether it begins with all of an earlier reading of the same list."""
        return (
            isinstance(earlier, Reading)
            and self._lines is earlier._lines
            and self._head == earlier._head
            and self._count >= earlier._count
        )

    def __len__(self) -> int:
        return len(self._head) + self._count

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        ahead = len(self._head)
        return self._head[place] if place < ahead else self._lines[place - ahead]

    def __iter__(self) -> Iterator[Message]:
        yield from self._head
        for place in range(self._count):
            yield self._lines[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))
