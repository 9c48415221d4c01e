import pytest

from mingraph_lite.memory import KeepAll, Reading
from mingraph_lite.messages import AssistantMessage, SystemMessage, UserMessage

HELLO = UserMessage("hello")
HI = AssistantMessage("hi")
BYE = UserMessage("bye")
PROMPT = SystemMessage("Be brief.")


def test_a_new_memory_has_an_empty_folder():
    memory = KeepAll()
    assert (list(memory.folder), list(memory.messages())) == ([], [])


def test_keep_all_reads_out_all_that_was_said_in_order():
    memory = KeepAll()
    for message in (HELLO, HI, HELLO):
        memory.add(message)
    assert list(memory.messages()) == [HELLO, HI, HELLO]
    assert list(memory.folder) == [HELLO, HI, HELLO]


def test_two_memories_share_nothing():
    first, second = KeepAll(), KeepAll()
    first.add(HELLO)
    assert (list(first.folder), list(second.folder)) == ([HELLO], [])


def test_a_memory_says_how_much_it_holds():
    memory = KeepAll()
    memory.add(HELLO)
    assert repr(memory) == "KeepAll(1 messages)"


def test_a_reading_stays_as_it_was_when_the_folder_grows():
    memory = KeepAll()
    memory.add(HELLO)
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
