"""A card that was kept is the same card again, and what cannot be kept is named."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite import errors
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.checkpoints import card_from_dict, card_to_dict
from mingraph_lite.errors import LimitReached, ModelError, StepLimitReached
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.properties import cases


@dataclass(frozen=True)
class Asking(Card):
    """A card of one's own; it may hold anything."""

    about: Any
    asked: int = field(default=0, init=False)

    def run(self, desk):
        return self.about


@dataclass(frozen=True)
class Ended(Finished):
    """An end of one's own."""


@dataclass
class Bare:
    """A card that is no Card."""

    said: list[str]

    def run(self, desk):
        return CallingModel(1)


OWN = (Asking, Ended, Bare)
READ = ToolCall("get_weather", {"city": "Paris"}, "c1")
UNREAD = ToolCall("now", {}, "c2", raw='{"a": ', problem="is no JSON.")
RUNNING = RunningTools((READ, UNREAD), 2, because="the reply passed 2 slips")


def kept(card: Card, *own: type) -> Card:
    """The card as another process finds it."""
    return card_from_dict(json.loads(json.dumps(card_to_dict(card))), *own)


def asking(about: Any) -> Any:
    return Asking(about)


def test_a_card_becomes_json_in_which_each_object_says_what_it_was():
    assert card_to_dict(RUNNING) == {
        "RunningTools": {
            "because": "the reply passed 2 slips",
            "calls": {
                "tuple": [
                    {
                        "ToolCall": {
                            "name": "get_weather",
                            "arguments": {"dict": {"city": "Paris"}},
                            "id": "c1",
                            "raw": None,
                            "problem": None,
                        }
                    },
                    {
                        "ToolCall": {
                            "name": "now",
                            "arguments": {"dict": {}},
                            "id": "c2",
                            "raw": '{"a": ',
                            "problem": "is no JSON.",
                        }
                    },
                ]
            },
            "step": 2,
        }
    }


@pytest.mark.parametrize(
    "card",
    [
        CallingModel(3, because="every slip has its answer"),
        RUNNING,
        Finished("It is 18.", "answered", because="the reply passed no slip"),
        Ended("It is 18.", "answered"),
        Asking(RUNNING, because="a human is asked first"),
        Asking(Asking((1, [2.5, "x", None], True, {"dict": {"tuple": ()}}))),
        Asking([SystemMessage("a"), UserMessage("b"), AssistantMessage("c", (READ,))]),
        Asking({"answer": ToolMessage("18", "c1", "get_weather")}),
        Bare(["a"]),
    ],
)
def test_a_card_that_was_kept_is_the_same_card_again(card):
    again = kept(card, *OWN)
    assert (type(again), again) == (type(card), card)
    assert (repr(again), getattr(again, "because", "")) == (
        repr(card),
        getattr(card, "because", ""),
    )


def test_what_a_card_found_out_by_itself_is_kept_too():
    card = Asking("Shall I?")
    object.__setattr__(card, "asked", 2)
    assert kept(card, Asking).asked == 2


def test_the_arguments_of_a_kept_slip_cannot_be_changed():
    card = kept(RUNNING)
    assert isinstance(card, RunningTools)
    with pytest.raises(TypeError, match="cannot be changed"):
        card.calls[0].arguments["city"] = "Rome"  # type: ignore[index]


def test_a_card_shares_nothing_with_what_it_was_kept_as():
    card = Asking({"cities": ["Paris"]})
    saved = card_to_dict(card)
    again = card_from_dict(saved, Asking)
    saved["Asking"]["about"]["dict"]["cities"].append("Rome")
    assert card == again == Asking({"cities": ["Paris"]})


@pytest.mark.parametrize(
    "kind",
    [k for n in errors.__all__ if isinstance(k := getattr(errors, n), type)],
)
def test_each_error_of_ours_is_kept_with_the_card_that_raises_it(kind):
    error = kind("It was too much.")
    card = kept(Finished(None, "failed", error))
    assert isinstance(card, Finished)
    assert type(card.error) is kind
    assert (card.error.args, vars(card.error)) == (error.args, vars(error))


def test_what_an_error_knows_is_kept():
    limit = StepLimitReached("10 calls.", because="10 of 10 were made")
    broken = ModelError("Down.", retryable=True, retry_after=2.5)
    broken.tries = 3
    card = kept(Asking([limit, broken]), Asking)
    assert [(str(error), vars(error)) for error in card.about] == [
        ("10 calls.", {"because": "10 of 10 were made"}),
        (
            "Down. (Tried 3 times.)",
            {"retryable": True, "retry_after": 2.5, "tries": 3},
        ),
    ]


# What cannot be kept


def act() -> None:
    """A function, which no JSON holds."""


class OwnLimit(LimitReached):
    pass


HOLDS = (
    "What a card holds can be kept where it is a text, a number, True, False, None, a "
    "list, a tuple, a dict, a call, a message, an error of this package or a dataclass "
    "card under a name of its own."
)


@pytest.mark.parametrize(
    ("about", "place", "what"),
    [
        (act, "Asking.about", "act"),
        (math.nan, "Asking.about", "nan"),
        (math.inf, "Asking.about", "inf"),
        (b"x", "Asking.about", "b'x'"),
        ({1}, "Asking.about", "{1}"),
        ([1, {"a": (act,)}], "Asking.about[1]['a'][0]", "act"),
        ({1: "a"}, "Asking.about", "a dict with the key 1"),
        (CallingModel, "Asking.about", "<class 'mingraph_lite.cards.CallingModel'>"),
        (OwnLimit("no"), "Asking.about", "OwnLimit('no')"),
        (Asking(b"x"), "Asking.about.about", "b'x'"),
        (
            RunningTools((ToolCall("f", {"x": b"y"}),), 1),
            "Asking.about.calls[0].arguments['x']",
            "b'y'",
        ),
    ],
)
def test_what_json_cannot_hold_is_named_with_its_place(about, place, what):
    with pytest.raises(TypeError) as raised:
        card_to_dict(Asking(about))
    what = f"{act!r:.80}" if what == "act" else what  # its address differs in each run
    assert str(raised.value) == f"{place} cannot be kept: it is {what}. {HOLDS}"


def test_a_card_that_holds_itself_is_refused():
    around: list[Any] = []
    around.append(around)
    with pytest.raises(TypeError, match="it is more than 200 levels deep"):
        card_to_dict(Asking(around))


def test_a_card_with_more_than_its_fields_is_refused():
    class Undecorated(Card):
        def __init__(self, note):
            object.__setattr__(self, "note", note)

    with pytest.raises(TypeError) as raised:
        card_to_dict(Undecorated("x"))
    assert str(raised.value) == (
        "Undecorated cannot be kept: it is a card with 'note', which is no field. "
        + HOLDS
    )


def named_like_ours() -> type:
    own = dataclass(frozen=True)(type("Finished", (Card,), {"run": Asking.run}))
    assert own is not Finished
    return own


def test_a_card_under_a_name_of_ours_is_not_kept():
    with pytest.raises(TypeError, match="Finished cannot be kept: it is "):
        card_to_dict(named_like_ours()())


class Unkept:
    def run(self, desk):
        return None


@pytest.mark.parametrize("wrong", [Unkept(), CallingModel, READ, None, {"a": 1}])
def test_what_is_no_dataclass_card_is_not_kept(wrong):
    with pytest.raises(TypeError) as raised:
        card_to_dict(wrong)
    assert str(raised.value) == (
        f"{wrong!r} cannot be kept: a card is an object of a dataclass that has a run. "
        "Write @dataclass(frozen=True) above its class."
    )


# What was not kept

CALLING = {"because": "", "step": 1}
KEPT = "Hand in what card_to_dict gave."


@pytest.mark.parametrize(
    ("saved", "kind", "sentence"),
    [
        (
            '{"CallingModel": {}}',
            TypeError,
            "card_from_dict reads a dict of card_to_dict and got "
            "'{\"CallingModel\": {}}'. If it is a JSON text, hand in json.loads(text).",
        ),
        (
            {},
            ValueError,
            "This is no card that was kept: an object has the keys [] and not one "
            f"alone, its tag. {KEPT}",
        ),
        (
            {"CallingModel": CALLING, "b": 1},
            ValueError,
            "This is no card that was kept: an object has the keys "
            f"['CallingModel', 'b'] and not one alone, its tag. {KEPT}",
        ),
        (
            {"CallingModel": [1]},
            ValueError,
            f"This is no card that was kept: 'CallingModel' stands above [1]. {KEPT}",
        ),
        (
            {"tuple": {"a": 1}},
            ValueError,
            "This is no card that was kept: 'tuple' stands above {'a': 1}. " + KEPT,
        ),
        (
            {"CallingModel": {"step": 1, "round": 2}},
            ValueError,
            "CallingModel was kept with step, round, and now has because, step: its "
            "class has changed since. Change what was kept, or start the run anew.",
        ),
        (
            {"Waiting": {}},
            ValueError,
            "'Waiting' was kept, which is not known. Known cards: CallingModel, "
            "RunningTools, Finished, Asking. "
            "Hand in its class: card_from_dict(saved, Waiting).",
        ),
        (
            {"UserMessage": {"content": "hello"}},
            ValueError,
            "A UserMessage was kept here, which is no card.",
        ),
        ({"dict": {}}, ValueError, "A dict was kept here, which is no card."),
        (
            {
                "Asking": {
                    "because": "",
                    "asked": 0,
                    "about": {
                        "ToolCall": {
                            "name": "f",
                            "arguments": [],
                            "id": "",
                            "raw": None,
                            "problem": None,
                        }
                    },
                }
            },
            ValueError,
            "ToolCall was kept and cannot be made again: The arguments of f are []. "
            'A slip names them: ToolCall("get_weather", {"city": "Paris"}).',
        ),
    ],
)
def test_what_was_not_kept_is_refused_in_one_sentence(saved, kind, sentence):
    with pytest.raises(kind) as raised:
        card_from_dict(saved, Asking)
    assert str(raised.value) == sentence


def test_two_cards_with_one_name_are_refused():
    with pytest.raises(ValueError, match="Two classes are named Finished, of ") as ours:
        card_from_dict({"CallingModel": CALLING}, named_like_ours())
    assert str(ours.value).endswith(
        "of mingraph_lite.cards. Give one of them another name."
    )
    other = dataclass(type("Asking", (Card,), {}), frozen=True)
    with pytest.raises(ValueError, match="Two classes are named Asking, of "):
        card_from_dict({"CallingModel": CALLING}, Asking, other)
    assert card_from_dict({"CallingModel": CALLING}, Asking, Asking) == CallingModel(1)


@pytest.mark.parametrize("wrong", [Asking("x"), Unkept, "Asking", [Asking]])
def test_what_is_no_class_of_a_card_is_refused(wrong):
    with pytest.raises(TypeError) as raised:
        card_from_dict({"CallingModel": CALLING}, wrong)
    assert str(raised.value) == (
        f"card_from_dict got {wrong!r} among the classes of your own cards. "
        "Each is a dataclass that has a run."
    )


# Whatever a card holds

texts = st.text(max_size=6)
plain = st.none() | st.booleans() | st.integers() | texts | st.floats(allow_nan=False)
plain = plain.filter(lambda value: value not in (math.inf, -math.inf))
tags = st.sampled_from(["tuple", "dict", "ToolCall", "a"]) | texts
json_values = st.recursive(
    plain, lambda i: st.lists(i, max_size=3) | st.dictionaries(tags, i, max_size=3)
)
slips = st.builds(
    ToolCall,
    texts,
    st.dictionaries(texts, json_values, max_size=3),
    texts,
    raw=st.none() | texts,
    problem=st.none() | texts,
)
some_slips = st.lists(slips, max_size=3).map(tuple)
messages = st.one_of(
    st.builds(UserMessage, texts),
    st.builds(AssistantMessage, texts, some_slips),
    st.builds(ToolMessage, texts, texts, texts),
)
cards = st.one_of(
    st.builds(CallingModel, st.integers(), because=texts),
    st.builds(RunningTools, some_slips, st.integers(), because=texts),
    st.builds(Finished, st.none() | texts, st.just("answered"), because=texts),
)
held = st.recursive(
    plain | slips | messages | cards,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(tags, inner, max_size=3),
        st.builds(Asking, inner, because=texts),
    ),
    max_leaves=6,
)


@pytest.mark.properties
@cases(cards | st.builds(asking, held))
def test_any_card_is_the_same_again_after_it_was_kept(card):
    saved = card_to_dict(card)
    assert kept(card, Asking) == card
    assert repr(kept(card, Asking)) == repr(card)
    assert card_to_dict(kept(card, Asking)) == saved
