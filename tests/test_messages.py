import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    no_message,
    open_slips,
    problems,
    transcript,
)


def weather(city: str, id: str = "") -> ToolCall:
    return ToolCall("get_weather", {"city": city}, id)


def asked(*ids: str) -> list[SystemMessage | AssistantMessage | ToolMessage]:
    """A folder with one call for each id, answered in the same order."""
    calls = tuple(weather("Paris", id) for id in ids)
    answers = [ToolMessage("18", id, "get_weather") for id in ids]
    return [SystemMessage("Be brief."), AssistantMessage("", calls), *answers]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (weather("Paris"), 'get_weather(city="Paris")'),
        (ToolCall("now", {}), "now()"),
        (ToolCall("add", {"a": 2, "b": 3.5}), "add(a=2, b=3.5)"),
        (ToolCall("say", {"text": 'é "hi"'}), 'say(text="é \\"hi\\"")'),
        (
            ToolCall("find", {"tags": ["a"], "deep": None}),
            'find(tags=["a"], deep=null)',
        ),
        (ToolCall("odd", {"what": {1}}), "odd(what=[1])"),
    ],
)
def test_a_slip_reads_like_a_call(call, text):
    assert str(call) == text


def test_a_slip_shows_what_it_asks_for_and_not_how_it_was_sent():
    call = ToolCall("now", {}, "c1", raw="", problem="is empty")
    assert repr(call) == "ToolCall(name='now', arguments={}, id='c1')"


def test_two_slips_are_equal_when_all_of_them_is():
    assert weather("Paris", "c1") == weather("Paris", "c1")
    assert weather("Paris", "c1") != weather("Tokyo", "c1")
    assert weather("Paris", "c1") != weather("Paris", "c2")
    assert weather("Paris", "c1") != replace(weather("Paris", "c1"), problem="no")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"city": "Paris", "days": [1, {"n": None}]},
        {"odd": {1, 2}},
        {"raw": bytearray(b"a")},
    ],
)
def test_equal_slips_hash_alike_whatever_their_arguments_hold(arguments):
    one, two = ToolCall("f", arguments, "c1"), ToolCall("f", {**arguments}, "c1")
    assert one == two
    assert hash(one) == hash(two)
    assert {one, two} == {two}


def test_slips_that_differ_in_their_arguments_alone_are_two_in_a_set():
    assert len({weather("Paris"), weather("Tokyo"), weather("Paris")}) == 2
    assert {weather("Paris"): 18}[weather("Paris")] == 18


def test_each_kind_of_message_can_stand_in_a_set():
    def folder():
        return [*asked("a", "b"), UserMessage("hello"), AssistantMessage("18")]

    assert {*folder(), *folder()} == {*folder()}
    assert len({*folder()}) == len(folder())


def test_equal_numbers_of_another_type_hash_alike_too():
    one, two = ToolCall("f", {"x": 1}), ToolCall("f", {"x": 1.0})
    assert one == two
    assert hash(one) == hash(two)


def test_a_message_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        UserMessage("hello").content = "bye"  # type: ignore[misc]


def test_the_arguments_of_a_slip_cannot_be_changed_at_any_depth():
    sent = {"filter": {"tags": ["a"]}}
    call = ToolCall("search", sent)
    with pytest.raises(TypeError, match="cannot be changed"):
        call.arguments["filter"]["tags"].append("b")
    sent["filter"]["tags"].clear()
    sent["city"] = "Rome"
    assert call.arguments == {"filter": {"tags": ["a"]}}


def test_read_only_arguments_are_a_dict_in_every_other_way():
    arguments = weather("Paris").arguments
    assert arguments == {"city": "Paris"}
    assert repr(arguments) == "{'city': 'Paris'}"
    assert json.dumps(arguments) == '{"city": "Paris"}'
    assert {**arguments} == {"city": "Paris"}


def test_a_whole_slip_can_be_copied_and_stored():
    call = weather("Paris", "c1")
    assert copy.deepcopy(call) == call
    assert pickle.loads(pickle.dumps(call)) == call


@pytest.mark.parametrize("wrong", ["Paris", None, ["Paris"]])
def test_a_slip_names_its_arguments(wrong):
    with pytest.raises(TypeError) as raised:
        ToolCall("get_weather", wrong)
    assert str(raised.value) == (
        f"The arguments of get_weather are {wrong!r}. "
        'A slip names them: ToolCall("get_weather", {"city": "Paris"}).'
    )


def test_a_transcript_numbers_the_slips_in_the_order_they_appear():
    assert transcript(asked("call_9", "call_3")) == asked("#1", "#2")


def test_two_runs_with_other_ids_have_the_same_transcript():
    assert asked("a", "b") != asked("c", "d")
    assert transcript(asked("a", "b")) == transcript(asked("c", "d"))


def test_answers_in_another_order_are_another_transcript():
    *first, one, two = asked("a", "b")
    assert transcript([*first, two, one]) != transcript([*first, one, two])


def test_a_transcript_leaves_the_folder_and_all_but_the_ids_alone():
    call = ToolCall("now", {}, "c7", raw="[]", problem="is no object")
    folder = [
        SystemMessage("Be brief."),
        UserMessage("What time is it?"),
        AssistantMessage("I'll look.", (call,)),
        ToolMessage("noon", "c7", "now"),
        AssistantMessage("Noon."),
    ]
    before = list(folder)
    assert transcript(folder) == [
        SystemMessage("Be brief."),
        UserMessage("What time is it?"),
        AssistantMessage("I'll look.", (replace(call, id="#1"),)),
        ToolMessage("noon", "#1", "now"),
        AssistantMessage("Noon."),
    ]
    assert folder == before


def test_a_transcript_of_a_transcript_is_the_same():
    once = transcript(asked("a", "b"))
    assert transcript(once) == once


# What is wrong with a folder

HELLO = UserMessage("hello")


def passed(*ids: str) -> AssistantMessage:
    return AssistantMessage("", tuple(weather("Paris", id) for id in ids))


def answers(*ids: str) -> list[ToolMessage]:
    return [ToolMessage("18", id, "get_weather") for id in ids]


@pytest.mark.parametrize(
    "folder",
    [
        [],
        [HELLO],
        [SystemMessage("Be brief."), HELLO, AssistantMessage("hi")],
        [HELLO, passed("a", "b"), *answers("a", "b"), passed("c"), *answers("c")],
        # Providers go by the number, and take answers in any order.
        [HELLO, passed("a", "b"), *answers("b", "a"), AssistantMessage("18")],
    ],
)
def test_a_folder_in_order_has_no_problems(folder):
    assert problems(folder) == []


NO_ANSWER = "folder[{}]: the slip {!r} has no answer."


@pytest.mark.parametrize(
    ("folder", "sentences"),
    [
        ([HELLO, passed("a", "b"), *answers("b")], [NO_ANSWER.format(1, "a")]),
        (
            [passed("a", "b"), HELLO, passed("c"), *answers("c")],
            [NO_ANSWER.format(0, "a"), NO_ANSWER.format(0, "b")],
        ),
        (
            [passed("a"), HELLO, *answers("a")],
            [
                NO_ANSWER.format(0, "a"),
                "folder[2]: no slip just before has the number 'a'.",
            ],
        ),
        (answers("a"), ["folder[0]: no slip just before has the number 'a'."]),
        (
            [passed("a"), *answers("a", "a"), HELLO, *answers("a")],
            [
                "folder[2]: the slip 'a' is answered a second time.",
                "folder[4]: the slip 'a' is answered a second time.",
            ],
        ),
        (
            [
                passed("a", "a"),
                *answers("a", "a"),
                passed("b", "a"),
                *answers("a", "b"),
            ],
            [
                "folder[0]: the number 'a' is used a second time.",
                "folder[3]: the number 'a' is used a second time.",
            ],
        ),
        (
            [passed("", "a", ""), *answers("a", "", "")],
            ["folder[0]: a slip has no number."] * 2,
        ),
        (
            [HELLO, SystemMessage("Be brief."), SystemMessage("Be kind.")],
            [
                "folder[1]: a system message stands first or nowhere.",
                "folder[2]: a system message stands first or nowhere.",
            ],
        ),
        (
            [HELLO, AssistantMessage(" \n"), HELLO],
            ["folder[1]: the reply says nothing: it has no text and no slip."],
        ),
        (
            [passed("a"), SystemMessage("Be brief."), AssistantMessage("")],
            [
                NO_ANSWER.format(0, "a"),
                "folder[1]: a system message stands first or nowhere.",
                "folder[2]: the reply says nothing: it has no text and no slip.",
            ],
        ),
    ],
)
def test_each_problem_of_a_folder_is_a_sentence_with_its_place(folder, sentences):
    assert problems(folder) == sentences
    assert problems(iter(folder)) == sentences


def test_the_slips_without_an_answer_are_found_in_order():
    folder = [passed("a", "b", "c"), *answers("b"), HELLO, passed("d"), *answers("a")]
    assert open_slips(folder) == [weather("Paris", "c"), weather("Paris", "d")]


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        ({"role": "user", "content": "hi"}, "a dict is no message"),
        (None, "a NoneType is no message"),
        (weather("Paris"), "a ToolCall is no message"),
        (UserMessage(None), "its content is None, which is no text"),
        (ToolMessage(18, "a", "now"), "its content is 18, which is no text"),
        (ToolMessage("18", None, "now"), "its tool_call_id is None, which is no text"),
        (ToolMessage("18", "a", None), "its name is None, which is no text"),
        (
            AssistantMessage("", None),
            "its tool_calls are None, which are no ToolCalls",
        ),
        (
            AssistantMessage("", ({"id": "a"},)),
            "its tool_calls are ({'id': 'a'},), which are no ToolCalls",
        ),
        (passed("a", None), "of a call the id is None, which is no text"),
        (
            AssistantMessage("", (ToolCall(3, {}, "a"),)),
            "of a call the name is 3, which is no text",
        ),
    ],
)
def test_what_cannot_stand_in_a_folder_is_a_problem_of_it(thing, why):
    assert no_message(thing) == why
    assert problems([HELLO, thing, HELLO])[0] == f"folder[1]: {why}."


@pytest.mark.parametrize(
    "message",
    [SystemMessage(""), HELLO, passed("a", ""), *answers("a"), AssistantMessage("")],
)
def test_each_kind_of_message_can_stand_in_a_folder(message):
    assert no_message(message) is None


@pytest.mark.parametrize(
    "answer", [ToolMessage(18, "a", "f"), ToolMessage("", [], "f")]
)
def test_an_answer_that_cannot_stand_in_a_folder_answers_nothing(answer):
    found = problems([passed("a"), answer])
    assert found[1:] == [NO_ANSWER.format(0, "a")]


def test_what_is_wrong_with_one_line_hides_no_other():
    folder = [passed("a"), None, *answers("a"), AssistantMessage("")]
    assert problems(folder) == [
        "folder[1]: a NoneType is no message.",
        NO_ANSWER.format(0, "a"),
        "folder[2]: no slip just before has the number 'a'.",
        "folder[3]: the reply says nothing: it has no text and no slip.",
    ]
