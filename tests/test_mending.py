"""Each way in which an old folder can be broken, alone."""

import pytest

from mingraph_lite.mending import mended
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)

HELLO, BYE = UserMessage("hello"), UserMessage("bye")
DONE = AssistantMessage("done")
EMPTY = AssistantMessage(" \n")
PROMPT = SystemMessage("Be brief.")


def asks(*ids: str) -> AssistantMessage:
    return AssistantMessage("", tuple(ToolCall("now", {}, id) for id in ids))


def says(id: str, content: str = "noon") -> ToolMessage:
    return ToolMessage(content, id, "now")


def stopped(id: str) -> ToolMessage:
    return says(id, "not run: stopped")


def moved(place: int, id: str) -> str:
    return f"folder[{place}]: an answer to {id!r} moved behind its call"


def dropped(place: int, id: str) -> str:
    return f"folder[{place}]: an answer to {id!r} dropped: no slip waits for it"


def not_run(place: int, id: str) -> str:
    return f"folder[{place}]: the slip {id!r} answered 'not run: stopped'"


def renumbered(place: int, old: str, new: str) -> str:
    return f"folder[{place}]: the slip {old!r} renumbered {new!r}"


def no_prompt(place: int) -> str:
    return f"folder[{place}]: a system message dropped: an Agent reads out its own"


def no_reply(place: int) -> str:
    return f"folder[{place}]: a reply dropped that has no text and no slip"


@pytest.mark.parametrize(
    "folder",
    [
        [],
        [HELLO, DONE],
        [DONE, HELLO],
        [HELLO, asks("a"), says("a"), asks("b", "c"), says("b"), says("c"), DONE],
        [HELLO, asks("a", "b"), says("b"), says("a")],
        # The end of a run that was paused: its slips wait for their answers.
        [HELLO, asks("a")],
        [HELLO, asks("a", "b", "c"), says("b")],
    ],
)
def test_a_folder_in_order_stays_as_it_is(folder):
    assert mended(folder) == (folder, [])


# H22. Right: the answer slip goes behind its call.
def test_H22_a_call_that_was_left_is_answered_right_behind_itself():
    assert mended([HELLO, asks("c1"), BYE, DONE]) == (
        [HELLO, asks("c1"), stopped("c1"), BYE, DONE],
        [not_run(1, "c1")],
    )


@pytest.mark.parametrize(
    ("folder", "right", "done"),
    [
        (
            [HELLO, asks("a"), BYE, says("a"), DONE],
            [HELLO, asks("a"), says("a"), BYE, DONE],
            [moved(3, "a")],
        ),
        (
            [says("a"), HELLO, asks("a"), DONE],
            [HELLO, asks("a"), says("a"), DONE],
            [moved(0, "a")],
        ),
        (
            [asks("a"), asks("b"), says("b"), says("a")],
            [asks("a"), says("a"), asks("b"), says("b")],
            [moved(3, "a")],
        ),
        # Behind the last reply, whose slips wait, nothing is answered in their stead.
        (
            [says("a"), HELLO, asks("a", "b")],
            [HELLO, asks("a", "b"), says("a")],
            [moved(0, "a")],
        ),
    ],
)
def test_an_answer_that_stands_elsewhere_goes_behind_its_call(folder, right, done):
    assert mended(folder) == (right, done)


def test_what_is_missing_in_the_middle_comes_behind_what_is_there():
    assert mended([asks("a", "b", "c"), says("c"), HELLO]) == (
        [asks("a", "b", "c"), says("c"), stopped("a"), stopped("b"), HELLO],
        [not_run(0, "a"), not_run(0, "b")],
    )


@pytest.mark.parametrize(
    ("folder", "right", "done"),
    [
        ([HELLO, says("a"), DONE], [HELLO, DONE], [dropped(1, "a")]),
        ([says("")], [], [dropped(0, "")]),
        ([asks("a"), says("b")], [asks("a")], [dropped(1, "b")]),
        (
            [asks("a"), says("a", "first"), says("a", "second"), DONE, says("a")],
            [asks("a"), says("a", "first"), DONE],
            [dropped(2, "a"), dropped(4, "a")],
        ),
    ],
)
def test_an_answer_that_no_slip_waits_for_is_dropped(folder, right, done):
    assert mended(folder) == (right, done)


def test_system_messages_are_dropped_wherever_they_stand():
    assert mended([PROMPT, HELLO, PROMPT, DONE]) == (
        [HELLO, DONE],
        [no_prompt(0), no_prompt(2)],
    )


@pytest.mark.parametrize("between", [PROMPT, EMPTY])
def test_slips_at_the_end_stay_open_behind_a_line_that_is_dropped(between):
    folder, done = mended([HELLO, asks("a"), between])
    assert folder == [HELLO, asks("a")]
    assert done == [(no_prompt if between is PROMPT else no_reply)(2)]


def test_an_empty_reply_is_dropped_and_parts_no_answer_from_its_call():
    assert mended([HELLO, EMPTY, asks("a"), EMPTY, says("a"), DONE]) == (
        [HELLO, asks("a"), says("a"), DONE],
        [no_reply(1), no_reply(3)],
    )


def test_a_number_used_twice_is_given_anew_with_its_answer():
    assert mended([asks("a"), says("a", "1"), asks("a"), says("a", "2"), HELLO]) == (
        [asks("a"), says("a", "1"), asks("call_1"), says("call_1", "2"), HELLO],
        [renumbered(2, "a", "call_1")],
    )


def test_a_number_used_twice_in_one_reply_is_answered_in_order():
    assert mended([asks("a", "a"), says("a", "1"), says("a", "2"), HELLO]) == (
        [asks("a", "call_1"), says("a", "1"), says("call_1", "2"), HELLO],
        [renumbered(0, "a", "call_1")],
    )


def test_a_slip_without_a_number_gets_one_that_no_other_has():
    folder = [asks(""), says("", "1"), asks("call_1", ""), says("", "2"), HELLO]
    assert mended(folder) == (
        [
            asks("call_2"),
            says("call_2", "1"),
            asks("call_1", "call_3"),
            says("call_3", "2"),
            stopped("call_1"),
            HELLO,
        ],
        [
            renumbered(0, "", "call_2"),
            not_run(2, "call_1"),
            renumbered(2, "", "call_3"),
        ],
    )


# Many programs count anew in each reply, and a crash leaves one of them unanswered.
def test_an_answer_belongs_to_the_nearest_call_before_it():
    folder = [asks("a"), HELLO, asks("a"), says("a"), BYE]
    assert mended(folder) == (
        [asks("a"), stopped("a"), HELLO, asks("call_1"), says("call_1"), BYE],
        [not_run(0, "a"), renumbered(2, "a", "call_1")],
    )


def test_a_second_answer_does_not_wait_for_a_later_call_of_its_number():
    folder = [asks("a"), says("a"), says("a", "again"), asks("a"), HELLO]
    assert mended(folder) == (
        [asks("a"), says("a"), asks("call_1"), stopped("call_1"), HELLO],
        [dropped(2, "a"), renumbered(3, "a", "call_1"), not_run(3, "call_1")],
    )


def test_an_answer_without_a_number_goes_to_no_later_call():
    assert mended([says(""), asks("")]) == (
        [asks("call_1")],
        [dropped(0, ""), renumbered(1, "", "call_1")],
    )


def test_answers_before_two_calls_of_one_number_go_to_them_in_order():
    assert mended([says("a", "1"), says("a", "2"), asks("a", "a")]) == (
        [asks("a", "call_1"), says("a", "1"), says("call_1", "2")],
        [moved(0, "a"), moved(1, "a"), renumbered(2, "a", "call_1")],
    )


def test_an_answer_without_a_name_gets_the_name_of_its_call():
    nameless = ToolMessage("noon", "a", "")
    assert mended([HELLO, nameless, asks("a")])[0] == [HELLO, asks("a"), says("a")]


def test_a_slip_keeps_all_but_its_number():
    call = ToolCall("now", {"zone": [1]}, "", raw="{", problem="is cut off")
    folder, _ = mended([AssistantMessage("I look.", (call,)), says("")])
    (again,) = folder[0].tool_calls
    assert (again.name, again.arguments, again.id) == ("now", {"zone": [1]}, "call_1")
    assert (again.raw, again.problem) == ("{", "is cut off")
    assert folder[0].content == "I look."


def test_many_breaks_at_once_are_told_in_their_order():
    broken: list[Message] = [
        PROMPT,
        says("a"),
        asks("a", "b"),
        HELLO,
        says("x"),
        EMPTY,
        asks("b"),
    ]
    before = list(broken)
    folder, done = mended(iter(broken))
    assert folder == [asks("a", "b"), says("a"), stopped("b"), HELLO, asks("call_1")]
    assert done == [
        no_prompt(0),
        moved(1, "a"),
        not_run(2, "b"),
        dropped(4, "x"),
        no_reply(5),
        renumbered(6, "b", "call_1"),
    ]
    assert problems(folder) == ["folder[4]: the slip 'call_1' has no answer."]
    assert broken == before
