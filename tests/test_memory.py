import pytest

from mingraph_lite.memory import KeepAll, LastN, Reading
from mingraph_lite.messages import (
    NOT_RUN,
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


KINDS = [KeepAll, lambda messages: LastN(9, messages)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_goes_on_with_an_old_folder(kind, caplog):
    old = [HELLO, ASKS, ONE, TWO, DONE]
    memory = kind(iter(old))
    memory.add(AGAIN)
    assert list(memory.folder) == list(memory.messages()) == [*old, AGAIN]
    assert caplog.messages == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_folder_is_copied(kind):
    old = [HELLO, HI]
    memory = kind(old)
    memory.add(BYE)
    assert old == [HELLO, HI]
    old.clear()
    assert list(memory.folder) == [HELLO, HI, BYE]


@pytest.mark.parametrize("kind", KINDS)
def test_a_reading_may_be_handed_in(kind):
    assert list(kind(filled(KeepAll(), HELLO, HI).folder).folder) == [HELLO, HI]


# H22. Right: it is mended where it is handed in, with one warning.
@pytest.mark.parametrize("kind", KINDS)
def test_H22_an_old_folder_is_mended_with_one_warning(kind, caplog):
    old = [PROMPT, HELLO, ASKS, AGAIN, ONE, DONE]
    memory = kind(old)
    assert list(memory.folder) == [
        HELLO,
        ASKS,
        ONE,
        ToolMessage(NOT_RUN, "c2", "now"),
        AGAIN,
        DONE,
    ]
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        (
            "mingraph_lite.memory",
            "WARNING",
            "An old folder was mended. folder[0]: a system message dropped: an Agent "
            "reads out its own; folder[2]: the slip 'c2' answered 'not run: stopped'; "
            "folder[4]: an answer to 'c1' moved behind its call.",
        )
    ]
    assert old == [PROMPT, HELLO, ASKS, AGAIN, ONE, DONE]


@pytest.mark.parametrize("kind", KINDS)
def test_slips_at_the_end_of_an_old_folder_stay_open_without_a_warning(kind, caplog):
    memory = kind([HELLO, ASKS, TWO])
    assert list(memory.messages()) == [HELLO, ASKS, TWO]
    assert caplog.messages == []


STORED = (
    "What was stored is read by from_openai of mingraph_lite.adapters: "
    "from_openai(dicts), from_openai(json.loads(text))."
)
MADE = 'A message is made like UserMessage("…") or AssistantMessage("…", (call,)).'


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("[]", f"takes a list of messages and got '[]'. {STORED}"),
        (b"[]", f"takes a list of messages and got b'[]'. {STORED}"),
        (
            {"messages": []},
            f"takes a list of messages and got {{'messages': []}}. {STORED}",
        ),
        (
            HELLO,
            f"takes a list of messages and got {HELLO!r}. "
            "Put it into a list: [message].",
        ),
        (
            KeepAll(),
            "takes a list of messages and got KeepAll(0 messages). "
            "Hand in what a memory holds: memory.folder.",
        ),
        (None, f"takes a list of messages and got None. {MADE}"),
        (3, f"takes a list of messages and got 3. {MADE}"),
        (
            [HELLO, {"role": "user"}],
            f"takes messages; messages[1]: a dict is no message. {STORED}",
        ),
        (["hello"], f"takes messages; messages[0]: a str is no message. {STORED}"),
        (
            [HELLO, None],
            f"takes messages; messages[1]: a NoneType is no message. {MADE}",
        ),
        (
            [UserMessage(None)],
            "takes messages; messages[0]: its content is None, which is no text. "
            f"{MADE}",
        ),
        (
            [AssistantMessage("", ({"id": "c1"},))],
            "takes messages; messages[0]: its tool_calls are ({'id': 'c1'},), which "
            f"are no ToolCalls. {MADE}",
        ),
    ],
)
def test_what_is_no_list_of_messages_is_refused_by_name(wrong, sentence):
    for name, kind in zip(["KeepAll", "LastN"], KINDS, strict=True):
        with pytest.raises(TypeError) as raised:
            kind(wrong)
        assert str(raised.value) == f"{name} {sentence}"


def test_a_long_thing_that_is_no_list_of_messages_is_shown_in_brief():
    with pytest.raises(TypeError) as raised:
        KeepAll("x" * 1000)
    assert f"got '{'x' * 78}…. What" in str(raised.value)


# The last n


# B01. Right: a call and its answers are read out together or not at all.
# H22. Right: what is read out begins with a user message.
@pytest.mark.parametrize(
    ("n", "heard"),
    [
        (1, [HELLO, DONE]),
        (2, [HELLO, DONE]),
        (3, [HELLO, DONE]),
        (4, [HELLO, ASKS, ONE, TWO, DONE]),
        (5, [HELLO, ASKS, ONE, TWO, DONE]),
        (6, [HELLO, ASKS, ONE, TWO, DONE]),
    ],
)
def test_B01_H22_a_group_is_read_out_whole_or_not_behind_its_question(n, heard):
    folder = [HELLO, ASKS, ONE, TWO, DONE]
    memory = filled(LastN(n), *folder)
    assert list(memory.messages()) == heard
    assert list(memory.folder) == folder


# H22. Right: the first user message of the last n begins what is read out.
@pytest.mark.parametrize(
    ("n", "heard"),
    [
        (1, [AGAIN]),
        (2, [AGAIN]),
        (5, [AGAIN]),
        (6, [HELLO, ASKS, ONE, TWO, DONE, AGAIN]),
        (7, [HELLO, ASKS, ONE, TWO, DONE, AGAIN]),
    ],
)
def test_H22_the_first_user_message_of_the_last_n_comes_first(n, heard):
    memory = filled(LastN(n), HELLO, ASKS, ONE, TWO, DONE, AGAIN)
    assert list(memory.messages()) == heard


# H22. Right: the newest question, where no user message is among the last n.
def test_H22_a_run_of_three_rounds_keeps_its_question():
    rounds = [
        (
            AssistantMessage("", (ToolCall("now", {}, f"r{number}"),)),
            ToolMessage("noon", f"r{number}", "now"),
        )
        for number in range(3)
    ]
    memory = filled(LastN(2), HELLO, HI, AGAIN)
    for asks, answer in rounds:
        filled(memory, asks, answer)
        assert list(memory.messages()) == [AGAIN, asks, answer]


def test_H22_the_newest_question_of_an_old_folder_counts_too():
    assert list(LastN(1, [HELLO, HI, AGAIN, DONE]).messages()) == [AGAIN, DONE]
    assert list(LastN(1, [HI, DONE]).messages()) == [DONE]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_B01_the_newest_group_is_read_out_whatever_its_size(n):
    memory = filled(LastN(n), HELLO, HI, ASKS, ONE, TWO)
    assert list(memory.messages()) == [HELLO, ASKS, ONE, TWO]


@pytest.mark.parametrize(
    ("n", "heard"),
    [(1, [AGAIN, ASKS]), (2, [AGAIN, DONE, ASKS]), (3, [AGAIN, DONE, ASKS])],
)
def test_B01_a_call_that_waits_for_its_answers_is_the_newest_group(n, heard):
    memory = filled(LastN(n), HELLO, AGAIN, DONE, ASKS)
    assert list(memory.messages()) == heard


def test_a_folder_without_a_user_message_is_read_out_all_the_same():
    memory = filled(LastN(2), HI, ASKS, ONE, TWO, DONE)
    assert list(memory.messages()) == [DONE]


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


@pytest.mark.parametrize("wrong", [[], "3", 2.0, True, None])
def test_a_memory_of_the_last_n_takes_the_number_first(wrong):
    with pytest.raises(TypeError) as raised:
        LastN(wrong, [HELLO])
    assert str(raised.value) == (
        f"LastN got {wrong!r} for n. It takes a number, then the messages: "
        "LastN(20, messages)."
    )


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
