"""What is read out: which lines of the folder the model hears.

The folder only grows. A memory may read out less than all of it; it never changes what
was said. The system prompt is not in here: the desk reads it out first, each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol, overload

from mingraph_lite.endings import ending_of
from mingraph_lite.errors import Interrupted
from mingraph_lite.llm import LLM, ask_once
from mingraph_lite.mending import checked, mended
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.handed_in import must_be, must_offer

__all__: Final = ["KeepAll", "LastN", "Memory", "Reading", "Summarise"]

_REQUEST: Final = (
    "Summarise this conversation for whoever goes on with it. Keep names, numbers, "
    "wishes and what is still open. Answer with the summary alone."
)
_SUMMARY: Final = "Summary of what was said before: "


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


class _Shorter(KeepAll):
    """A memory that knows its newest question and where its last groups begin.

    A group is a message, or a reply and the answers to its slips.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        asked = [at for at, message in enumerate(self._said) if _is_user(message)]
        self._newest_question = asked[-1] if asked else -1

    def add(self, message: Message) -> None:
        """Put one more message into the folder."""
        super().add(message)
        # Kept, since to look for it would take longer each round of a long run.
        if _is_user(message):
            self._newest_question = len(self._said) - 1

    def _start_of_last(self, n: int) -> int:
        """Where the last groups begin that fit into n, at least the newest."""
        start = end = len(self._said)
        while start:
            group = start - 1
            while group and isinstance(self._said[group], ToolMessage):
                group -= 1
            if start < end and end - group > n:
                break
            start = group
        return start


class LastN(_Shorter):
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

    def __repr__(self) -> str:
        return f"LastN({self._n} of {len(self._said)} messages)"

    def messages(self) -> Sequence[Message]:
        """A user message, and the last groups of messages that fit into n."""
        start, newest = self._start_of_last(self._n), self._newest_question
        if newest < 0:
            return self._said[start:]
        if newest < start:
            return [self._said[newest], *self._said[start:]]
        while not _is_user(self._said[start]):
            start += 1
        return self._said[start:]


class Summarise(_Shorter):
    """A memory that reads out a summary, then the newest messages.

    While no more than `over` messages are not in the summary, nothing is done. Beyond
    that `llm` is asked for a new one, of the last summary and all that is older than
    the last `keep` messages; so it is asked once for many rounds. A call and its
    answers are never parted, and the newest question is always read out.

    Where no summary comes, or an empty, cut-off or refused one, a warning says so, and
    the last good summary and all messages after it are read out; the next try is
    `keep` messages later. The folder holds everything, and no summary.

    Its model calls are its own: the limits of an Agent do not count them. Why not a
    shorter folder with the summary in it? What a summary left out could never be
    looked up again.
    """

    def __init__(
        self,
        llm: LLM,
        messages: Iterable[Message] = (),
        *,
        keep: int = 6,
        over: int = 20,
    ) -> None:
        must_offer(
            llm,
            "The llm of Summarise",
            "generate",
            "Hand in the model first, then the messages: Summarise(llm, messages).",
        )
        for name, value in (("keep", keep), ("over", over)):
            must_be(value, int, f"{name} of Summarise", "It is a number of messages.")
        if not 1 <= keep <= over:
            raise ValueError(
                f"Summarise got keep={keep} and over={over}. keep is at least 1, and "
                "over at least keep: Summarise(llm, keep=6, over=20)."
            )
        super().__init__(messages)
        self._llm, self._keep, self._over = llm, keep, over
        self._summary = ""
        self._covered = 0  # so many messages are in the summary
        self._next_try = 0  # not before the folder has so many

    def __repr__(self) -> str:
        return f"Summarise({self._covered} of {len(self._said)} messages)"

    @property
    def summary(self) -> str:
        """The last good summary; empty where there is none yet."""
        return self._summary

    def messages(self) -> Sequence[Message]:
        """The summary and what is not in it, the newest question at least."""
        said = len(self._said)
        if said - self._covered > self._over and said >= self._next_try:
            self._summarise(self._start_of_last(self._keep))
        if not self._covered:
            return Reading(self._said)
        head: list[Message] = [UserMessage(_SUMMARY + self._summary)]
        if 0 <= self._newest_question < self._covered:
            head.append(self._said[self._newest_question])
        return [*head, *self._said[self._covered :]]

    def _summarise(self, end: int) -> None:
        """Put the messages before `end` into the summary, if there are any new ones."""
        if end <= self._covered:
            return
        lines = [line for m in self._said[self._covered : end] for line in _lines(m)]
        before = [_SUMMARY + self._summary] if self._summary else []
        request = UserMessage("\n".join([_REQUEST, "", *before, *lines]))
        try:
            summary = _summary_of(self._llm, request)
        except Interrupted:
            raise  # somebody stopped the run, and not only this call
        except Exception as error:
            # Whatever a model raises: the conversation goes on without a new summary.
            self._next_try = len(self._said) + self._keep
            _warn(
                f"No new summary ({type(error).__name__}: {error}). What it would "
                "have left out is read out."
            )
            return
        self._summary, self._covered = summary, end


def _summary_of(llm: LLM, request: Message) -> str:
    """What the model makes of it; raises ValueError for what is no whole text."""
    response = ask_once(llm, [request], ())
    text = response.message.content.strip()
    if response.message.tool_calls:
        raise ValueError("the model passed slips and gave no summary.")
    if response.refusal:
        raise ValueError(f"the model refused: {response.refusal}")
    if ending_of(response.finish_reason) not in ("end", "slips"):
        raise ValueError(f"it is not whole (finish reason {response.finish_reason}).")
    if not text:
        raise ValueError("the model said nothing.")
    return text


def _lines(message: Message) -> Iterator[str]:
    """A message as lines of a conversation that a model reads."""
    match message:
        case AssistantMessage(content, calls):
            if content.strip() or not calls:
                yield f"assistant: {content}"
            yield from (f"assistant calls {call}" for call in calls)
        case ToolMessage(content, _, name):
            yield f"{name} answers: {content}"
        case _:
            yield f"user: {message.content}"


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
