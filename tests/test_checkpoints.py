"""A card is kept as JSON, and what was kept is the same card again."""

import json
from dataclasses import InitVar, dataclass, field, make_dataclass, replace
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite import errors
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.checkpoints import card_from_dict, card_to_dict
from mingraph_lite.errors import MingraphError, ModelError, StepLimitReached
from mingraph_lite.messages import (
    AssistantMessage,
    Extra,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.properties import cases

PARIS = ToolCall("get_weather", {"city": "Paris", "days": [1, {"n": None}]}, "c1")
BROKEN = ToolCall("now", {}, "c2", raw="{", problem="is no JSON")
TOOLS = RunningTools((PARIS, BROKEN), 2, because="the reply passed two slips")


@dataclass(frozen=True)
class AskingHuman(Card):
    """A card of one's own that holds another, and more."""

    card: Card
    said: tuple[Any, ...] = ()
    notes: Any = None
    asked: int = field(default=0, init=False)

    def run(self, desk: object) -> Card:
        return self.card


def kept(card: Card, *own: type) -> Card:
    """The card after a way through the text of its JSON."""
    return card_from_dict(json.loads(json.dumps(card_to_dict(card))), *own)


@pytest.mark.parametrize(
    "card",
    [
        CallingModel(3),
        CallingModel(1, because="every slip has its answer"),
        TOOLS,
        RunningTools((), 1),
        Finished("18 °C", "answered"),
        Finished(None, "paused"),
    ],
)
def test_each_card_is_kept_and_read_again(card):
    again = kept(card)
    assert (type(again), again) == (type(card), card)


def test_what_is_kept_of_a_card_is_plain_json_with_tags():
    call = ToolCall("now", {"zone": ["utc"]}, "c1")
    assert card_to_dict(RunningTools((call,), 1)) == {
        "RunningTools": {
            "because": "",
            "calls": {
                "tuple": [
                    {
                        "ToolCall": {
                            "name": "now",
                            "arguments": {"dict": {"zone": ["utc"]}},
                            "id": "c1",
                            "raw": None,
                            "problem": None,
                        }
                    }
                ]
            },
            "step": 1,
        }
    }


# H03: what a server wants back is kept with its address, so that a run can go on there.
def test_H03_what_a_server_wants_back_is_kept_with_its_address():
    sent = {"extra_content": {"google": {"thought_signature": "A"}}}
    call = ToolCall("now", {}, "c1", extra=Extra("http://localhost/v1", sent))
    (again,) = kept(RunningTools((call,), 1)).calls
    assert again.extra == call.extra
    with pytest.raises(TypeError, match="cannot be changed"):
        again.extra.sent["extra_content"]["google"] = {}


@pytest.mark.parametrize(
    "extra",
    [
        "x",
        {"Extra": {"address": 1, "sent": {"dict": {}}}},
        {"Extra": {"address": "a", "sent": "x"}},
        {"dict": {}},
    ],
)
def test_H03_a_kept_extra_that_is_none_is_refused(extra):
    saved = card_to_dict(RunningTools((ToolCall("now", {}, "c1"),), 1))
    saved["RunningTools"]["calls"]["tuple"][0]["ToolCall"]["extra"] = extra
    with pytest.raises(ValueError, match="was kept and cannot be made again"):
        card_from_dict(saved)


def test_the_arguments_of_a_slip_are_read_only_again():
    (call, _) = kept(TOOLS).calls
    with pytest.raises(TypeError, match="cannot be changed"):
        call.arguments["days"].append(2)


def test_a_card_of_one_s_own_is_kept_with_the_card_and_the_rest_it_holds():
    card = AskingHuman(
        AskingHuman(TOOLS),
        (
            SystemMessage("Be brief."),
            UserMessage("hello"),
            AssistantMessage("I look.", (PARIS,)),
            ToolMessage("18", "c1", "get_weather"),
        ),
        {"tuple": [1.5, True, None, ("a", ["b"])], "ToolCall": {"name": "é"}, "": {}},
        because="a person is asked",
    )
    object.__setattr__(card, "asked", 2)
    assert kept(card, AskingHuman) == card


@pytest.mark.parametrize(
    "error",
    [
        StepLimitReached("No answer.", because="3 of 3 rounds"),
        ModelError("Busy.", retryable=True, retry_after=2.5),
        MingraphError(),
        *(
            getattr(errors, name)("It failed.")
            for name in errors.__all__
            if name not in ("FinishReason",)
        ),
    ],
)
def test_the_error_of_a_finished_run_is_kept_whole(error):
    again = kept(Finished(None, "failed", error)).error
    assert (type(again), str(again), vars(again)) == (
        type(error),
        str(error),
        vars(error),
    )


def test_how_often_a_model_was_tried_is_kept_once():
    error = ModelError("Busy.")
    error.tries = 3
    assert str(kept(Finished(None, "failed", error)).error) == str(error)


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_the_deepest_arguments_are_kept():
    card = RunningTools((ToolCall("f", {"x": deep(100)}),), 1)
    assert kept(card) == card


# What is not written


class Money:
    def __repr__(self) -> str:
        return "Money(3)"


class Odd(str):
    pass


@dataclass(frozen=True)
class NoCard:
    x: int = 1


ROUND: list[Any] = []
ROUND.append(ROUND)
KEEPABLE = (
    "What a card holds can be kept where it is a text, a number, True, False, None, "
    "a list, a tuple, a dict, a call, a message, an error of this package or a "
    "dataclass card under a name of its own."
)
OWN_LIMIT = type("OwnLimit", (errors.LimitReached,), {})("Enough.")


@pytest.mark.parametrize(
    ("notes", "place", "what"),
    [
        (Money(), "", "Money(3)"),
        ({"paid": [1, Money()]}, "['paid'][1]", "Money(3)"),
        ((Money(),), "[0]", "Money(3)"),
        (ToolCall("f", {"x": Money()}), ".arguments['x']", "Money(3)"),
        ({1: "a"}, "", "a dict with the key 1"),
        ({1, 2}, "", "{1, 2}"),
        (Odd("a"), "", "'a'"),
        (float("nan"), "", "nan"),
        (float("-inf"), "", "-inf"),
        (b"a", "", "b'a'"),
        (NoCard(), "", "NoCard(x=1)"),
        (ValueError("no"), "", "ValueError('no')"),
        (OWN_LIMIT, "", "OwnLimit('Enough.')"),
        (int, "", "<class 'int'>"),
        (ROUND, "[0]" * 199, "more than 200 levels deep"),
        (deep(300), "[0]" * 199, "more than 200 levels deep"),
    ],
)
def test_what_json_cannot_hold_is_refused_at_its_place(notes, place, what):
    with pytest.raises(TypeError) as raised:
        card_to_dict(AskingHuman(TOOLS, notes=notes))
    assert str(raised.value) == (
        f"AskingHuman.notes{place} cannot be kept: it is {what}. {KEEPABLE}"
    )


def test_what_is_no_field_of_a_card_is_refused():
    card = CallingModel(1)
    object.__setattr__(card, "found", 3)
    with pytest.raises(TypeError, match="a card with 'found', which is no field"):
        card_to_dict(card)


def test_a_card_of_one_s_own_under_the_name_of_ours_is_refused():
    other = make_dataclass("Finished", [("answer", str)], bases=(Card,), frozen=True)
    with pytest.raises(TypeError, match=r"^Finished cannot be kept"):
        card_to_dict(other("18"))
    with pytest.raises(ValueError, match=r"^Two classes are named Finished"):
        card_from_dict(card_to_dict(CallingModel(1)), other)


@pytest.mark.parametrize("wrong", [None, "CallingModel", PARIS, CallingModel, NoCard()])
def test_what_is_no_card_is_not_kept(wrong):
    with pytest.raises(TypeError) as raised:
        card_to_dict(wrong)
    assert str(raised.value) == (
        f"{wrong!r} cannot be kept: a card is an object of a dataclass that has a run. "
        "Write @dataclass(frozen=True) above its class."
    )


# What is not read


CARDS = "Known cards: CallingModel, RunningTools, Finished."
HAND_IN = "Hand in what card_to_dict gave."


def no_card(what: str) -> str:
    return f"This is no card that was kept: {what}. {HAND_IN}"


@pytest.mark.parametrize(
    ("saved", "sentence"),
    [
        ({}, no_card("an object has the keys [] and not one alone, its tag")),
        (
            {"a": {}, "b": {}},
            no_card("an object has the keys ['a', 'b'] and not one alone, its tag"),
        ),
        ({"CallingModel": 3}, no_card("'CallingModel' stands above 3")),
        ({"tuple": {}}, no_card("'tuple' stands above {}")),
        ({"dict": []}, no_card("'dict' stands above []")),
        ({"dict": {"a": deep(300)}}, no_card("it is more than 200 levels deep")),
        ({"dict": {}}, "A dict was kept here, which is no card."),
        ({"tuple": []}, "A tuple was kept here, which is no card."),
        (
            {"UserMessage": {"content": "hi"}},
            "A UserMessage was kept here, which is no card.",
        ),
        (
            card_to_dict(AskingHuman(TOOLS)),
            f"'AskingHuman' was kept, which is not known. {CARDS} "
            "Hand in its class: card_from_dict(saved, AskingHuman).",
        ),
        (
            {"CallingModel": {"round": 1, "because": ""}},
            "CallingModel was kept with round, because, and now has because, step: its "
            "class has changed since. Change what was kept, or start the run anew.",
        ),
        (
            {"CallingModel": {}},
            "CallingModel was kept with nothing, and now has because, step: its "
            "class has changed since. Change what was kept, or start the run anew.",
        ),
        (
            {
                "ToolCall": {
                    "name": "f",
                    "arguments": "x",
                    "id": "",
                    "raw": None,
                    "problem": None,
                }
            },
            "ToolCall was kept and cannot be made again: The arguments of f are 'x'. "
            'A slip names them: ToolCall("get_weather", {"city": "Paris"}).',
        ),
    ],
)
def test_what_was_not_kept_by_us_is_refused(saved, sentence):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 (the whole is compared)
        card_from_dict(saved)
    assert str(raised.value) == sentence


@pytest.mark.parametrize("wrong", ['{"CallingModel": {}}', None, [], CallingModel(1)])
def test_what_is_no_dict_is_not_read(wrong):
    with pytest.raises(TypeError) as raised:
        card_from_dict(wrong)
    assert str(raised.value) == (
        f"card_from_dict reads a dict of card_to_dict and got {wrong!r}. "
        "If it is a JSON text, hand in json.loads(text)."
    )


@pytest.mark.parametrize("wrong", [NoCard, int, "AskingHuman", AskingHuman(TOOLS)])
def test_the_classes_handed_in_are_classes_of_cards(wrong):
    with pytest.raises(TypeError) as raised:
        card_from_dict(card_to_dict(TOOLS), wrong)
    assert str(raised.value) == (
        f"card_from_dict got {wrong!r} among the classes of your own cards. "
        "Each is a dataclass that has a run."
    )


def test_a_class_handed_in_twice_is_one():
    assert kept(AskingHuman(TOOLS), AskingHuman, AskingHuman) == AskingHuman(TOOLS)


def test_a_card_that_cannot_be_made_of_its_fields_alone_says_so():
    @dataclass(frozen=True)
    class Waiting(Card):
        hint: InitVar[str]

    with pytest.raises(ValueError, match=r"^Waiting was kept and cannot be made again"):
        kept(Waiting("soon"), Waiting)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
        | st.builds(AskingHuman, st.builds(CallingModel, st.integers()), notes=inner)
    ),
    max_leaves=8,
)
slips = st.builds(
    ToolCall, st.text(), st.dictionaries(st.text(), values, max_size=2), st.text()
)


@pytest.mark.properties
@cases(values, st.lists(slips, max_size=3).map(tuple), st.text())
def test_whatever_a_card_holds_is_read_as_it_was(notes, calls, because):
    card = AskingHuman(RunningTools(calls, 1), (calls,), notes, because=because)
    again = kept(card, AskingHuman)
    assert again == card
    assert repr(again) == repr(card)
    assert replace(again) == card
