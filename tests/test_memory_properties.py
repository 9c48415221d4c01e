"""Whatever was said, the last n messages are a folder that a provider takes."""

import pytest
from hypothesis import strategies as st

from mingraph_lite.llm import LLMResponse
from mingraph_lite.memory import LastN, Summarise
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    open_slips,
    problems,
)
from tests.properties import cases

pytestmark = pytest.mark.properties

Group = list[Message]


def group(number: int, size: int) -> Group:
    """A question (-1), a text (0), or a reply with so many slips and its answers."""
    if size < 0:
        return [UserMessage(f"question {number}")]
    ids = [f"{number}.{place}" for place in range(size)]
    calls = tuple(ToolCall("now", {}, id) for id in ids)
    answers = [ToolMessage("noon", id, "now") for id in ids]
    return [AssistantMessage(f"reply {number}", calls), *answers]


sizes = st.lists(st.integers(-1, 5), max_size=12)
folders = sizes.map(lambda all: [group(*place) for place in enumerate(all)])
pending = st.none() | st.integers(1, 3)


def told(groups: list[Group], waiting: int | None) -> list[Group]:
    """The groups, and at the end a reply whose slips have no answers yet."""
    return groups if waiting is None else [*groups, group(99, waiting)[:1]]


def remembered(groups: list[Group], n: int) -> tuple[list[Message], list[Message]]:
    """What is read out of these groups, and what the folder holds then."""
    memory = LastN(n)
    for messages in groups:
        for message in messages:
            memory.add(message)
    return list(memory.messages()), list(memory.folder)


def sent(message: Message) -> list[str]:
    return [call.id for call in getattr(message, "tool_calls", ())]


def flat(groups: list[Group]) -> list[Message]:
    return [message for messages in groups for message in messages]


def is_question(message: Message) -> bool:
    return isinstance(message, UserMessage)


def last_that_fit(groups: list[Group], n: int) -> list[Group]:
    """The last groups that fit into n messages, at least the newest."""
    start = len(groups) - 1
    while start > 0 and len(flat(groups[start - 1 :])) <= n:
        start -= 1
    return groups[max(start, 0) :]


# B01. Right: a call and its answers are read out together or not at all.
# H22. Right: a user message begins it, the newest question if no other fits.
@cases(folders, pending, st.integers(1, 20))
def test_B01_H22_the_last_groups_that_fit_are_read_out_behind_a_question(
    groups, waiting, n
):
    groups = told(groups, waiting)
    heard, folder = remembered(groups, n)
    last = flat(last_that_fit(groups, n))
    first = next((at for at, line in enumerate(last) if is_question(line)), None)
    newest = [line for line in folder if is_question(line)][-1:]
    assert folder == flat(groups)
    assert heard == (newest + last if first is None else last[first:])


@cases(folders, pending, st.integers(1, 20))
def test_H22_a_question_comes_first_where_there_is_any(groups, waiting, n):
    heard, folder = remembered(told(groups, waiting), n)
    assert [is_question(line) for line in heard[:1]] in (
        [[True]] if any(map(is_question, folder)) else [[False], []]
    )


@cases(folders, pending, st.integers(1, 20))
def test_B01_every_answer_has_its_call_and_every_call_its_answers(groups, waiting, n):
    heard, _ = remembered(told(groups, waiting), n)
    open = [call.id for call in open_slips(heard)]
    assert open == (sent(heard[-1]) if waiting else [])
    assert len(problems(heard)) == len(open)


@cases(folders, pending, st.integers(1, 20))
def test_B01_one_more_than_n_at_most_unless_the_newest_group_is_larger(
    groups, waiting, n
):
    groups = told(groups, waiting)
    heard, _ = remembered(groups, n)
    assert len(heard) <= max(n, *map(len, groups[-1:]), 0) + 1


@cases(folders, st.integers(1, 20))
def test_B01_it_holds_after_every_single_message(groups, n):
    memory = LastN(n)
    for messages in groups:
        for message in messages:
            memory.add(message)
            heard = list(memory.messages())
            assert not isinstance(heard[0], ToolMessage)
            assert heard[-1] == message


class Digest:
    """A model that says how much it was asked to summarise, or nothing at times."""

    def __init__(self, silent: frozenset[int]) -> None:
        self.silent, self.calls = silent, 0

    def generate(self, messages, menu=()):
        self.calls += 1
        lines = "" if self.calls in self.silent else f"{len(messages[0].content)}"
        return LLMResponse(AssistantMessage(lines))


silent = st.frozensets(st.integers(1, 8))
limits = st.tuples(st.integers(1, 8), st.integers(0, 12))


def summarised(
    groups: list[Group], bounds: tuple[int, int], silent: frozenset[int]
) -> list[tuple[list[Message], list[Message]]]:
    """What is read out after each message, and what the folder holds then."""
    keep, more = bounds
    memory = Summarise(Digest(silent), keep=keep, over=keep + more)
    told = []
    for message in flat(groups):
        memory.add(message)
        told.append((list(memory.messages()), list(memory.folder)))
    return told


def is_summary(message: Message) -> bool:
    return is_question(message) and str(message.content).startswith("Summary of")


def behind_the_head(heard: list[Message], folder: list[Message]) -> list[Message]:
    """What is read out as it was said, the question put in front left aside."""
    rest = heard[1:] if is_summary(heard[0]) else heard
    out_of_place = rest != folder[len(folder) - len(rest) :]
    return rest[1:] if out_of_place else rest


# Right: nothing is lost, and what is not in the summary is read out as it was said.
@cases(folders, limits, silent)
def test_a_summary_stands_before_the_end_of_the_folder_as_it_is(groups, bounds, silent):
    for place, (heard, folder) in enumerate(summarised(groups, bounds, silent)):
        rest = behind_the_head(heard, folder)
        assert folder == flat(groups)[: place + 1]
        assert rest == folder[len(folder) - len(rest) :]
        assert is_summary(heard[0]) or heard == folder


# B01, H22. Right: calls keep their answers, and the newest question is there.
@cases(folders, limits, silent)
def test_B01_H22_with_a_summary_calls_keep_answers_and_the_question_is_heard(
    groups, bounds, silent
):
    for heard, folder in summarised(groups, bounds, silent):
        newest = [line for line in folder if is_question(line)][-1:]
        assert all(question in heard for question in newest)
        open = [call.id for call in open_slips(heard)]
        assert open == [call.id for call in open_slips(folder)]
        assert len(problems(heard)) == len(open)


@cases(folders, limits)
def test_what_is_read_out_with_a_summary_stays_within_its_bounds(groups, bounds):
    largest = max(map(len, groups), default=0)
    for heard, _ in summarised(groups, bounds, frozenset()):
        assert len(heard) <= max(sum(bounds), largest) + 2


@cases(folders, limits, silent)
def test_the_same_conversation_is_summarised_in_the_same_way(groups, bounds, silent):
    assert summarised(groups, bounds, silent) == summarised(groups, bounds, silent)


@cases(folders, limits, silent)
def test_reading_out_twice_asks_no_model_again(groups, bounds, silent):
    keep, more = bounds
    llm = Digest(silent)
    memory = Summarise(llm, keep=keep, over=keep + more)
    for message in flat(groups):
        memory.add(message)
        first = list(memory.messages())
        calls = llm.calls
        assert (list(memory.messages()), llm.calls) == (first, calls)
