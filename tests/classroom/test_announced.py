"""What a loop announces is compared with a right one, and told apart."""

import inspect

import pytest

from mingraph_lite.classroom import STILL_THE_STUB, load
from mingraph_lite.classroom.checks.announced import (
    SITUATIONS,
    said_in,
    wrong_announcements,
)
from mingraph_lite.classroom.written import function_of, replaced
from mingraph_lite.messages import ToolMessage

RIGHT = load("06_observers").exercises[0].solution


def silent(llm, tools, folder, announce, limit=10):
    return "nobody was asked"


def other(*events):
    """Our loop, but each of these events is announced as something else."""

    def loop(llm, tools, folder, announce, limit=10):
        told = dict(events)

        def say(event, detail):
            announce(*told.get(event, (event, detail)))

        return RIGHT(llm, tools, folder, say, limit)

    return loop


def test_what_is_said_is_noted_with_the_folder_of_that_moment():
    said = said_in(RIGHT, SITUATIONS[0])
    assert said.events == [
        *["model_reply", *["tool_call", "tool_return"] * 2] * 2,
        "model_reply",
        "finish",
    ]
    assert [told[2] for told in said.told][:4] == [2, 2, 2, 3]
    assert said.told[-1][1] == said.answer == "Paris: 18 = 64°F, Tokyo: 24 = 75°F"


@pytest.mark.parametrize(
    ("place", "kind", "end"),
    [(3, "TimeoutError", None), (4, "NoAnswer", None), (5, "ConnectionError", None)],
)
def test_a_run_without_an_answer_is_announced_to_its_end(place, kind, end):
    said = said_in(RIGHT, SITUATIONS[place])
    assert (type(said.raised).__name__, said.told[-1][:2]) == (kind, ("finish", end))


def test_a_loop_that_announces_as_ours_is_right():
    assert wrong_announcements(RIGHT, RIGHT) is None


def test_a_loop_that_says_nothing_is_still_the_stub():
    wrong = wrong_announcements(silent, RIGHT)
    assert wrong == (
        f"{STILL_THE_STUB}: of its replies and its end the loop says nothing."
    )


@pytest.mark.parametrize(
    ("loop", "sentence"),
    [
        (
            other(("tool_call", ("tool_return", 1)), ("tool_return", ("tool_call", 1))),
            "With an answer: announced was model_reply, tool_return, tool_call, "
            "tool_return, … finish. It went model_reply, tool_call, tool_return, "
            "tool_call, … finish.",
        ),
        (
            other(("finish", ("finish", ToolMessage("18", "call_1", "x")))),
            "With an answer: the answer is 'Paris: 18 = 64°F, Tokyo: 24 = 75°F', and "
            "the detail of 'finish' is ToolMessage(content='18', tool_call_id=': hand "
            "over the answer.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_situation(loop, sentence):
    assert wrong_announcements(loop, RIGHT) == sentence


def test_an_end_that_is_not_the_last_thing_is_named():
    def early(llm, tools, folder, announce, limit=10):
        before = []
        RIGHT(llm, tools, folder, lambda *said: before.append(said), limit)
        for said in [before[-1], *before[:-1]]:
            announce(*said)

    wrong = wrong_announcements(early, RIGHT)
    assert wrong == (
        "With an answer: 'finish' is announced, and then 'model_reply': it comes last."
    )


def test_another_error_than_the_runs_own_is_named():
    seen = {
        name: RIGHT.__globals__[name]
        for name in ("Announced", "NoAnswer", "safe_errands")
    }
    code = replaced(
        inspect.getsource(RIGHT),
        "    finally:\n",
        "    except TimeoutError:\n        raise ValueError('late') from None\n"
        "    finally:\n",
    )
    wrong = wrong_announcements(function_of(code, "announcing_loop", **seen), RIGHT)
    assert wrong == (
        "With a tool that fails: the run raises TimeoutError, and its caller gets "
        "ValueError: late."
    )


def test_an_error_of_the_loops_own_comes_out():
    def broken(llm, tools, folder, announce, limit=10):
        raise NameError("name 'answr' is not defined")

    with pytest.raises(NameError, match="answr"):
        wrong_announcements(broken, RIGHT)
