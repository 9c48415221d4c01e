"""What a run left in its folder, and answers that only promise."""

from mingraph_lite.classroom.checks.left_behind import GONE, wrong_left
from mingraph_lite.classroom.judging import judged
from mingraph_lite.classroom.loading import load
from mingraph_lite.classroom.plain import no_function, not_plain
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

START = [UserMessage("How warm is it in Paris?")]
ASKED = AssistantMessage("", (ToolCall("get_weather", {"city": "Paris"}, "call_1"),))
TOLD = ToolMessage("18", "call_1", "get_weather")


def test_what_model_and_tools_gave_may_stay():
    assert wrong_left(START, [*START, ASKED, TOLD], 1) is None


def test_a_reply_that_no_model_gave_is_named():
    assert wrong_left(START, [*START, ASKED, TOLD, AssistantMessage("Stopped")], 1) == (
        "At its end the folder says 'Stopped', and nobody said that: no model, no "
        "tool. File only what they gave."
    )


def test_what_was_there_before_may_not_go():
    assert wrong_left(START, [ASKED, TOLD], 1) == GONE


def test_a_reply_that_was_taken_away_is_missed():
    assert wrong_left(START, START, 1) == (
        "After 1 call of the model, 0 of its replies lie in the folder. It only grows: "
        "append."
    )


def test_a_class_in_place_of_a_function_is_named():
    assert no_function(dict) == "dict is a class. Hand in the function that you wrote."


def test_a_yield_is_named_wherever_it_stands():
    class Later:
        def run(self, desk):
            yield desk

    assert not_plain(Later) == (
        "Later.run has a yield in it, so a call of it does nothing yet. Hand back with "
        "return."
    )


def test_a_human_is_asked_about_the_third_slip_too():
    human = load("04_cards").exercises[3]

    class AskingHuman:
        def __init__(self, card, otherwise, ask):
            self.card, self.otherwise, self.ask = card, otherwise, ask

        def run(self, desk):
            if all(self.ask(call) for call in self.card.calls[:2]):
                return self.card
            for call in self.card.calls:
                desk.answer(call, "declined")
            return self.otherwise

    assert judged(human, AskingHuman) == (
        "The human said no to a slip, and a tool ran all the same."
    )
