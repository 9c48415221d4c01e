import pytest

from mingraph_lite.memory import KeepAll
from mingraph_lite.mending import checked, mended
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
HI = AssistantMessage("hi")
PROMPT = SystemMessage("Be brief.")


def passed(*ids: str) -> AssistantMessage:
    return AssistantMessage("", tuple(ToolCall("now", {}, id) for id in ids))


def answer(id: str, text: str = "noon") -> ToolMessage:
    return ToolMessage(text, id, "now")


def not_run(id: str) -> ToolMessage:
    return answer(id, "not run: stopped")


@pytest.mark.parametrize(
    "folder",
    [
        [],
        [HELLO],
        [HI, HELLO],
        [HELLO, passed("b", "a"), answer("a"), answer("b"), HI, BYE],
        # A paused run goes on with what its last reply still waits for.
        [HELLO, passed("a", "b")],
        [HELLO, passed("a", "b", "c"), answer("b")],
    ],
)
def test_a_folder_in_order_stays_as_it_is(folder):
    assert mended(folder) == (folder, [])


# H22. Right: the answer slip goes behind its call; orphans and doubles are dropped.
@pytest.mark.parametrize(
    ("folder", "lines", "done"),
    [
        (
            [HELLO, passed("a"), BYE, HI],
            [HELLO, passed("a"), not_run("a"), BYE, HI],
            ["folder[1]: the slip 'a' answered 'not run: stopped'"],
        ),
        (
            [HELLO, passed("a", "b"), answer("b"), BYE, answer("a"), HI],
            [HELLO, passed("a", "b"), answer("b"), answer("a"), BYE, HI],
            ["folder[4]: an answer of now moved behind its call"],
        ),
        (
            [HELLO, answer("a"), passed("a"), BYE],
            [HELLO, passed("a"), answer("a"), BYE],
            ["folder[1]: an answer of now moved behind its call"],
        ),
        (
            [HELLO, answer("x"), HI, passed("a"), answer("a"), answer("a", "one")],
            [HELLO, HI, passed("a"), answer("a")],
            [
                "folder[1]: an answer of now dropped: no slip waits for it",
                "folder[5]: an answer of now dropped: no slip waits for it",
            ],
        ),
        (
            [PROMPT, HELLO, AssistantMessage(" "), passed("a"), PROMPT, answer("a")],
            [HELLO, passed("a"), answer("a")],
            [
                "folder[0]: a system message dropped: an Agent reads out its own",
                "folder[2]: a reply dropped that has no text and no slip",
                "folder[4]: a system message dropped: an Agent reads out its own",
            ],
        ),
        # Many programs count anew in each reply: the nearest slip is meant.
        (
            [passed("a"), answer("a", "1"), passed("a"), answer("a", "2"), BYE],
            [
                *(passed("a"), answer("a", "1")),
                *(passed("call_1"), answer("call_1", "2"), BYE),
            ],
            ["folder[2]: the slip 'a' renumbered 'call_1'"],
        ),
        # Without numbers the answers come in the order of the slips.
        (
            [passed("", "call_1", ""), *map(answer, ["", "call_1", ""], "123")],
            [
                passed("call_2", "call_1", "call_3"),
                *map(answer, ["call_2", "call_1", "call_3"], "123"),
            ],
            [
                "folder[0]: the slip '' renumbered 'call_2'",
                "folder[0]: the slip '' renumbered 'call_3'",
            ],
        ),
        # An answer without a number belongs to no slip that comes later.
        (
            [answer(""), passed("")],
            [passed("call_1")],
            [
                "folder[0]: an answer of now dropped: no slip waits for it",
                "folder[1]: the slip '' renumbered 'call_1'",
            ],
        ),
        # A doubled answer is none to a later slip with the same number.
        (
            [passed("a"), answer("a", "1"), answer("a", "2"), HI, passed("a")],
            [passed("a"), answer("a", "1"), HI, passed("call_1")],
            [
                "folder[2]: an answer of now dropped: no slip waits for it",
                "folder[4]: the slip 'a' renumbered 'call_1'",
            ],
        ),
        # The last reply waits also where something behind it is dropped or moved.
        (
            [passed("a"), HELLO, passed("b", "c"), answer("a"), PROMPT, answer("b")],
            [passed("a"), answer("a"), HELLO, passed("b", "c"), answer("b")],
            [
                "folder[3]: an answer of now moved behind its call",
                "folder[4]: a system message dropped: an Agent reads out its own",
            ],
        ),
    ],
)
def test_H22_a_broken_folder_is_mended_at_the_right_place(folder, lines, done):
    before = list(folder)
    assert mended(iter(folder)) == (lines, done)
    assert mended(lines) == (lines, [])
    assert folder == before


def test_H22_the_folder_that_was_seen_in_the_field_is_in_order_again():
    folder: list[Message] = [HELLO, passed("c1"), BYE, HI]
    assert problems(folder) != []
    assert problems(mended(folder)[0]) == []


# What is no folder

STORED = (
    "What was stored is read by from_openai of mingraph_lite.adapters: "
    "from_openai(dicts), from_openai(json.loads(text))."
)
MADE = 'A message is made like UserMessage("…") or AssistantMessage("…", (call,)).'


@pytest.mark.parametrize(
    ("wrong", "sentences"),
    [
        ("[]", f"KeepAll takes a list of messages and got '[]'. {STORED}"),
        (
            {"role": "user"},
            f"KeepAll takes a list of messages and got {{'role': 'user'}}. {STORED}",
        ),
        (
            HELLO,
            "KeepAll takes a list of messages and got UserMessage(content='hello'). "
            "Put it into a list: [message].",
        ),
        (
            KeepAll([HELLO]),
            "KeepAll takes a list of messages and got KeepAll(1 messages). "
            "Hand in what a memory holds: memory.folder.",
        ),
        (None, f"KeepAll takes a list of messages and got None. {MADE}"),
        (
            [HELLO, {"role": "user"}],
            f"KeepAll takes messages; messages[1]: a dict is no message. {STORED}",
        ),
        (
            [AssistantMessage(None)],  # type: ignore[arg-type]
            "KeepAll takes messages; messages[0]: its content is None, which is no "
            f"text. {MADE}",
        ),
    ],
)
def test_what_is_no_folder_is_refused_with_what_to_do(wrong, sentences):
    with pytest.raises(TypeError) as raised:
        checked(wrong, "KeepAll")
    assert str(raised.value) == sentences


def test_what_is_refused_is_not_shown_at_length():
    with pytest.raises(TypeError) as raised:
        checked("x" * 1000, "KeepAll")
    assert f"got '{'x' * 78}…. " in str(raised.value)


def test_any_iterable_of_messages_is_taken_and_copied():
    folder = [HELLO, HI]
    taken = [checked(kind(folder), "KeepAll") for kind in (list, tuple, iter)]
    assert taken == [folder] * 3
    assert taken[0] is not folder
