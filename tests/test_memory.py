import logging

import pytest

from mingraph_lite.memory import KeepAll, LastN, Reading
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

HELLO = UserMessage("hello")
HI = AssistantMessage("hi")
BYE = UserMessage("bye")
PROMPT = SystemMessage("Be brief.")
ASKS = AssistantMessage("", (ToolCall("now", {}, "c1"), ToolCall("now", {}, "c2")))
ONE, TWO = ToolMessage("noon", "c1", "now"), ToolMessage("noon", "c2", "now")
DONE = AssistantMessage("done")
AGAIN = UserMessage("again")


def filled(memory: KeepAll, *messages: Message) -> KeepAll:
    for message in messages:
        memory.add(message)
    return memory


def test_a_new_memory_has_an_empty_folder():
    memory = KeepAll()
    assert (list(memory.folder), list(memory.messages())) == ([], [])


def test_keep_all_reads_out_all_that_was_said_in_order():
    memory = filled(KeepAll(), HELLO, HI, HELLO)
    assert list(memory.messages()) == [HELLO, HI, HELLO]
    assert list(memory.folder) == [HELLO, HI, HELLO]


def test_two_memories_share_nothing():
    first, second = KeepAll(), KeepAll()
    first.add(HELLO)
    assert (list(first.folder), list(second.folder)) == ([HELLO], [])


def test_a_memory_says_how_much_it_holds():
    assert repr(filled(KeepAll(), HELLO)) == "KeepAll(1 messages)"


# An old folder


MEMORIES = [KeepAll, lambda messages=(): LastN(9, messages)]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize(
    "folder", [[], [HELLO, HI], [HELLO, ASKS, ONE, TWO, DONE], [HELLO, ASKS, TWO]]
)
def test_a_memory_goes_on_with_an_old_folder(memory, folder, caplog):
    before = list(folder)
    old = memory(iter(folder))
    old.add(AGAIN)
    assert list(old.folder) == [*before, AGAIN]
    assert folder == before
    assert caplog.messages == []


def test_a_memory_goes_on_with_the_folder_of_another():
    first = KeepAll([HELLO])
    second = KeepAll(first.folder)
    first.add(HI)
    assert list(second.folder) == [HELLO]


# H22. Right: the answer slip goes behind its call, with one warning.
@pytest.mark.parametrize("memory", MEMORIES)
def test_H22_a_broken_folder_is_mended_with_one_warning(memory, caplog):
    broken = [PROMPT, HELLO, ASKS, ONE, BYE, TWO, TWO, HI]
    copy = list(broken)
    assert list(memory(broken).folder) == [HELLO, ASKS, ONE, TWO, BYE, HI]
    assert broken == copy
    assert caplog.record_tuples == [
        (
            "mingraph_lite.memory",
            logging.WARNING,
            "An old folder was mended. folder[0]: a system message dropped: an Agent "
            "reads out its own; folder[5]: an answer of now moved behind its call; "
            "folder[6]: an answer of now dropped: no slip waits for it.",
        )
    ]


@pytest.mark.parametrize("wrong", [7, "hello", {"role": "user"}, HELLO, KeepAll()])
@pytest.mark.parametrize("memory", [KeepAll, lambda messages: LastN(3, messages)])
def test_what_is_no_folder_is_refused_where_it_is_handed_in(memory, wrong):
    with pytest.raises(TypeError, match=r"^(KeepAll|LastN) takes a list of messages"):
        memory(wrong)


@pytest.mark.parametrize("n", [[HELLO], None, "3", 2.5, True])
def test_an_n_that_is_no_number_is_refused(n):
    with pytest.raises(TypeError) as raised:
        LastN(n)
    assert str(raised.value) == (
        f"LastN got {n!r} for n. It takes a number, then the messages: "
        "LastN(20, messages)."
    )


# The last n


# B01. Right: a call and its answers are read out together or not at all.
@pytest.mark.parametrize(
    ("n", "heard"),
    [
        (1, [AGAIN]),
        (2, [AGAIN]),
        (3, [AGAIN]),
        (4, [AGAIN]),
        (5, [AGAIN]),
        (6, [HELLO, ASKS, ONE, TWO, DONE, AGAIN]),
        (7, [HELLO, ASKS, ONE, TWO, DONE, AGAIN]),
    ],
)
def test_B01_a_call_and_its_answers_are_read_out_together_or_not_at_all(n, heard):
    folder = [HELLO, ASKS, ONE, TWO, DONE, AGAIN]
    memory = filled(LastN(n), *folder)
    assert list(memory.messages()) == heard
    assert list(memory.folder) == folder


@pytest.mark.parametrize("n", [1, 2, 3])
def test_B01_the_newest_group_is_read_out_whatever_its_size(n):
    memory = filled(LastN(n), HELLO, ASKS, ONE, TWO)
    assert list(memory.messages()) == [HELLO, ASKS, ONE, TWO]


@pytest.mark.parametrize(
    ("n", "heard"),
    [
        (1, [AGAIN, ASKS]),
        (2, [AGAIN, DONE, ASKS]),
        (3, [AGAIN, DONE, ASKS]),
        (4, [HELLO, AGAIN, DONE, ASKS]),
    ],
)
def test_B01_a_call_that_waits_for_its_answers_is_the_newest_group(n, heard):
    memory = filled(LastN(n), HELLO, AGAIN, DONE, ASKS)
    assert list(memory.messages()) == heard


def test_B01_a_group_that_does_not_fit_hides_what_is_older():
    memory = filled(LastN(2), HELLO, ASKS, ONE, TWO, DONE)
    assert list(memory.messages()) == [HELLO, DONE]


ROUNDS = [ASKS, ONE, TWO] * 3


# H22. Right: what is read out begins with a user message, the newest that fits or not.
@pytest.mark.parametrize(
    ("folder", "heard"),
    [
        # In the middle of a run its question is the newest one.
        ([HELLO, HI, AGAIN, *ROUNDS], [AGAIN, ASKS, ONE, TWO]),
        # What stands before the first question that fits is left out.
        ([HELLO, HI, BYE, HI, AGAIN, DONE], [BYE, HI, AGAIN, DONE]),
        ([HELLO, HI, DONE, BYE, AGAIN], [BYE, AGAIN]),
        ([HELLO, HI, AGAIN], [HELLO, HI, AGAIN]),
        # Without any question it is as it is.
        ([HI, *ROUNDS, DONE], [ASKS, ONE, TWO, DONE]),
    ],
)
def test_H22_what_is_read_out_begins_with_a_user_message(folder, heard):
    memory = filled(LastN(4), *folder)
    assert list(memory.messages()) == heard
    assert list(memory.folder) == folder


def test_H22_an_old_folder_is_read_out_from_its_newest_question():
    memory = LastN(2, [HELLO, HI, BYE, ASKS, ONE, TWO])
    assert list(memory.messages()) == [BYE, ASKS, ONE, TWO]


def test_a_question_asked_long_ago_is_not_looked_for_in_each_round():
    class Watched(AssistantMessage):
        looks = 0

        def __getattribute__(self, name):
            Watched.looks += 1  # isinstance asks for the class
            return super().__getattribute__(name)

    memory = filled(LastN(1), HELLO, *[Watched("hm")] * 100, DONE)
    assert Watched.looks >= 100
    Watched.looks = 0
    assert list(memory.messages()) == [HELLO, DONE]
    assert Watched.looks <= 2


def test_what_was_read_out_stays_as_it_was_when_more_is_said():
    memory = filled(LastN(2), HELLO, HI)
    before = memory.messages()
    memory.add(BYE)
    assert (list(before), list(memory.messages())) == ([HELLO, HI], [BYE])


def test_a_new_memory_of_the_last_n_reads_out_nothing():
    memory = LastN(3)
    assert (list(memory.messages()), list(memory.folder)) == ([], [])


def test_a_memory_of_the_last_n_says_its_n_and_how_much_it_holds():
    assert repr(filled(LastN(2), HELLO, HI, BYE)) == "LastN(2 of 3 messages)"


@pytest.mark.parametrize("n", [0, -1])
def test_a_memory_that_would_read_out_nothing_is_refused(n):
    with pytest.raises(ValueError, match="LastN") as raised:
        LastN(n)
    assert str(raised.value) == (f"LastN({n}) would read out nothing; n is at least 1.")


# A reading


def test_a_reading_stays_as_it_was_when_the_folder_grows():
    memory = filled(KeepAll(), HELLO)
    before = memory.messages()
    memory.add(HI)
    assert (list(before), len(before)) == ([HELLO], 1)
    assert list(memory.messages()) == [HELLO, HI]


def test_a_reading_of_a_reading_stays_as_it_was_too():
    lines = [HELLO]
    reading = Reading(Reading(lines), (PROMPT,))
    lines.append(HI)
    assert list(reading) == [PROMPT, HELLO]


def test_a_reading_that_is_being_walked_through_does_not_grow():
    lines = [HELLO, HI]
    seen = []
    for message in Reading(lines):
        lines.append(BYE)
        seen.append(message)
    assert seen == [HELLO, HI]


def test_a_reading_begins_with_its_head():
    reading = Reading([HELLO, HI], (PROMPT,))
    assert list(reading) == [PROMPT, HELLO, HI]
    assert [reading[i] for i in range(3)] == [PROMPT, HELLO, HI]
    assert [reading[i] for i in (-1, -2, -3)] == [HI, HELLO, PROMPT]


@pytest.mark.parametrize("index", [2, -3, 10])
def test_there_is_nothing_beyond_a_reading(index):
    lines = [HELLO]
    reading = Reading(lines, (PROMPT,))
    lines.append(HI)
    with pytest.raises(IndexError):
        reading[index]


@pytest.mark.parametrize(
    "part",
    [
        slice(None),
        slice(1, None),
        slice(-2, None),
        slice(None, None, -1),
        slice(0, 99, 2),
        slice(2, 1),
    ],
)
def test_a_slice_of_a_reading_is_the_slice_of_its_list(part):
    lines = [HELLO, HI, BYE]
    reading = Reading(lines, (PROMPT,))
    assert reading[part] == [PROMPT, *lines][part]


def test_a_reading_equals_what_it_holds_and_nothing_else():
    reading = Reading([HELLO], (PROMPT,))
    assert reading == [PROMPT, HELLO]
    assert reading == (PROMPT, HELLO)
    assert reading == Reading([PROMPT, HELLO])
    assert reading != [HELLO]
    assert reading != [PROMPT, HELLO, HI]
    assert reading != 3


def test_a_reading_answers_as_a_list_would():
    reading = Reading([HELLO, HI], (PROMPT,))
    assert HI in reading
    assert BYE not in reading
    assert reading.index(HELLO) == 1
    assert reading.count(PROMPT) == 1
    assert list(reversed(reading)) == [HI, HELLO, PROMPT]
    assert repr(reading) == repr([PROMPT, HELLO, HI])
    assert bool(Reading([])) is False


def test_a_reading_cannot_be_changed():
    reading = Reading([HELLO])
    with pytest.raises(TypeError):
        reading[0] = HI  # type: ignore[index]
    assert not hasattr(reading, "append")
    with pytest.raises(TypeError, match="unhashable"):
        hash(reading)


def test_a_reading_looks_at_no_line_when_it_is_made():
    class Lines(list[UserMessage]):
        looks = 0

        def __getitem__(self, index):
            self.looks += 1
            return super().__getitem__(index)

        def __iter__(self):
            self.looks += 1
            return super().__iter__()

    lines = Lines([HELLO] * 1000)
    reading = Reading(lines)
    assert (len(reading), lines.looks) == (1000, 0)
    assert (reading[999], lines.looks) == (HELLO, 1)
