"""Whatever was said, the last n messages are a folder that a provider takes."""

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st

from mingraph_lite.memory import LastN
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


def begins_with_a_question(messages: Sequence[Message]) -> bool:
    return isinstance(messages[0], UserMessage)


# B01. Right: a call and its answers are read out together or not at all.
@cases(folders, pending, st.integers(1, 20))
def test_B01_only_whole_groups_are_read_out_and_the_folder_stays(groups, waiting, n):
    groups = told(groups, waiting)
    heard, folder = remembered(groups, n)
    assert folder == [message for messages in groups for message in messages]
    ends = [groups[start:] for start in range(len(groups) + 1)]
    whole = [[m for messages in end for m in messages] for end in ends]
    assert heard in whole or heard[1:] in whole


# H22. Right: it begins with a user message, the newest question if no other fits.
@cases(folders, pending, st.integers(1, 20))
def test_H22_what_is_read_out_begins_with_a_user_message(groups, waiting, n):
    groups = told(groups, waiting)
    heard, folder = remembered(groups, n)
    questions = [m for m in folder if isinstance(m, UserMessage)]
    if questions:
        assert begins_with_a_question(heard)
        assert questions[-1] in heard
    rest = heard[1:] if questions else heard
    assert rest == folder[len(folder) - len(rest) :]


@cases(folders, st.integers(1, 20))
def test_H22_a_folder_that_is_handed_in_is_read_out_like_one_that_grew(groups, n):
    heard, folder = remembered(groups, n)
    assert list(LastN(n, folder).messages()) == heard


@cases(folders, pending, st.integers(1, 20))
def test_B01_every_answer_has_its_call_and_every_call_its_answers(groups, waiting, n):
    heard, _ = remembered(told(groups, waiting), n)
    open = [call.id for call in open_slips(heard)]
    assert open == (sent(heard[-1]) if waiting else [])
    assert len(problems(heard)) == len(open)


@cases(folders, pending, st.integers(1, 20))
def test_B01_no_more_than_n_unless_the_newest_group_is_larger(groups, waiting, n):
    groups = told(groups, waiting)
    heard, _ = remembered(groups, n)
    within = max(n, *map(len, groups[-1:]), 0)
    assert len(heard) <= within + 1
    if len(heard) > within:
        # The question in front is one more, and only where no other was left.
        assert not any(isinstance(m, UserMessage) for m in heard[1:])


@cases(folders, pending, st.integers(1, 20))
def test_B01_one_group_more_would_not_fit(groups, waiting, n):
    groups = told(groups, waiting)
    heard, folder = remembered(groups, n)
    questions = [group for group in groups if begins_with_a_question(group)]
    if not questions:
        left = len(folder) - len(heard)
        older = [messages for messages in groups if messages[0] in folder[:left]]
        assert not older or len(heard) + len(older[-1]) > n
    for question in questions:
        # Whatever question is not heard, all from it on would not fit.
        since = folder[folder.index(question[0]) :]
        assert question[0] in heard or len(since) > n


@cases(folders, st.integers(1, 20))
def test_B01_it_holds_after_every_single_message(groups, n):
    memory = LastN(n)
    for messages in groups:
        for message in messages:
            memory.add(message)
            heard = list(memory.messages())
            assert not isinstance(heard[0], ToolMessage)
            assert heard[-1] == message
