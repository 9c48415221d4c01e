"""What was read aloud at each model call, in frames and as text."""

import json
from dataclasses import replace

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.cards import CallingModel, Card, Finished
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.memory import KeepAll, LastN
from mingraph_lite.messages import ToolCall, UserMessage
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import as_text, frames


def ok() -> str:
    return "fine"


OK = ToolCall("ok", {})


class Copies(KeepAll):
    """A memory that hands out copies, as one that stores its lines does."""

    def messages(self):
        return [replace(message) for message in super().messages()]


class Summing(KeepAll):
    """A memory that reads out a summary in front of the last lines."""

    def messages(self):
        said = super().messages()
        if len(said) < 3:
            return said
        return [UserMessage("So far: little."), *said[-2:]]


def drawn(script, prompt="Be brief.", **options) -> list[Frame]:
    return list(frames(Agent(ScriptedLLM(script), [ok], prompt, **options), "Go"))


def spans(recorded) -> list[list[tuple[str, int, int]]]:
    """The spans of each call, as triples."""
    return [
        [(span["of"], span["start"], span["end"]) for span in reading["spans"]]
        for frame in recorded
        for reading in frame["readings"]
    ]


def test_each_call_is_read_the_prompt_and_all_that_was_said():
    recorded = drawn([OK, OK, "Done."])
    assert spans(recorded) == [
        [("folder", 0, 2)],
        [("folder", 0, 4)],
        [("folder", 0, 6)],
    ]


def test_a_reading_stands_in_the_first_frame_after_its_call():
    recorded = drawn([OK, "Done."])
    assert [len(frame["readings"]) for frame in recorded] == [0, 1, 0, 1, 0]
    assert recorded[3]["readings"] == [
        {
            "step": 2,
            "spans": [{"of": "folder", "start": 0, "end": 4}],
            "folder": 4,
            "menu": None,
        }
    ]


def test_what_a_memory_holds_back_is_in_no_span():
    recorded = drawn([OK, OK, "Done."], memory=LastN(2))
    assert spans(recorded)[2] == [("folder", 0, 2), ("folder", 4, 6)]


def test_copies_of_lines_are_known_by_their_looks():
    recorded = drawn([OK, OK, "Done."], memory=Copies())
    assert spans(recorded) == spans(drawn([OK, OK, "Done."]))


def test_of_two_lines_that_look_alike_the_next_one_is_meant():
    a = Agent(ScriptedLLM(["Yes.", "Yes.", "Yes."]), [], "", memory=Copies())
    for _ in range(2):
        a.run("Go")
    assert spans(frames(a, "Go")) == [[("folder", 0, 5)]]


def test_a_summary_is_an_aside_and_is_drawn_once():
    recorded = drawn([OK, OK, OK, "Done."], memory=Summing())
    asides = [line["text"] for frame in recorded for line in frame["asides"]]
    assert asides == ["So far: little."]
    assert spans(recorded)[2:] == [
        [("folder", 0, 1), ("aside", 0, 1), ("folder", 4, 6)],
        [("folder", 0, 1), ("aside", 0, 1), ("folder", 6, 8)],
    ]


@pytest.mark.parametrize("memory", [KeepAll, Copies, Summing, lambda: LastN(6)])
def test_a_long_run_repeats_no_line_in_its_readings(memory):
    def length(rounds):
        script = [*[OK] * (rounds - 1), "Done."]
        recorded = drawn(script, memory=memory(), max_steps=rounds)
        assert len(spans(recorded)) == rounds
        parts = [[f["readings"], f["asides"]] for f in recorded]
        return len(json.dumps(parts))

    assert length(200) < 2.2 * length(100)


class Twice(Card):
    """Ask for a second opinion."""

    def run(self, desk):
        desk.ask([UserMessage("Is it so?")])
        response = desk.ask(desk.read_out(), desk.tools.menu(), 1)
        return Finished(response.message.content, "answered")


def two_calls() -> list[Frame]:
    a = Agent(
        ScriptedLLM(["No.", "Yes."]),
        [ok],
        "Be brief.",
        before={CallingModel: lambda card: Twice()},
    )
    return list(frames(a, "Go"))


def test_a_card_may_call_the_model_twice_with_words_of_its_own():
    recorded = two_calls()
    assert spans(recorded) == [[("aside", 0, 1)], [("folder", 0, 2)]]
    menus = [reading["menu"] for reading in recorded[1]["readings"]]
    assert [[tool["name"] for tool in menu] for menu in menus] == [[], ["ok"]]


# As text


def aloud(recorded, at) -> str:
    return as_text(recorded[at], recorded[:at], panels=("aloud",))


def test_before_the_first_call_nothing_was_read_aloud():
    assert aloud(drawn(["Hi."]), 0) == (
        "Read aloud\n  nothing yet: no model call was heard\nfolder has 2 messages"
    )


def test_as_text_the_call_is_compared_with_the_one_before():
    recorded = drawn([OK, OK, "Done."], memory=LastN(2))
    assert aloud(recorded, 3) == (
        "Read aloud, call 2\n"
        "  system  Be brief.\n"
        "  user    Go\n"
        "+ model   #1 ok()\n"
        "+ tool    #1  fine\n"
        "  menu    ok\n"
        "folder has 5 messages"
    )
    assert aloud(recorded, 5) == (
        "Read aloud, call 3\n"
        "  system  Be brief.\n"
        "  user    Go\n"
        "+ model   #2 ok()\n"
        "+ tool    #2  fine\n"
        "  menu    ok\n"
        "Not read aloud\n"
        "- model   #1 ok()\n"
        "- tool    #1  fine\n"
        "folder has 7 messages"
    )


def test_between_two_calls_the_last_one_is_shown():
    recorded = drawn([OK, "Done."])
    assert aloud(recorded, 2) == aloud(recorded, 1).replace("3 messages", "4 messages")


def test_as_text_two_calls_of_one_card_stand_below_each_other():
    assert aloud(two_calls(), 1) == (
        "Read aloud, call 1\n"
        "  user    Is it so? (not in the folder)\n"
        "  menu    (no tools)\n"
        "Not read aloud\n"
        "  system  Be brief.\n"
        "  user    Go\n"
        "Read aloud, call 2\n"
        "+ system  Be brief.\n"
        "+ user    Go\n"
        "  menu    ok (new: ok)\n"
        "Not read aloud\n"
        "- user    Is it so? (not in the folder)\n"
        "folder has 2 messages"
    )


def test_the_text_has_the_panels_that_are_asked_for_in_their_order():
    recorded = list(frames(paris_and_tokyo.agent(), paris_and_tokyo.question))
    heads = [
        text
        for text in as_text(
            recorded[1], recorded[:1], panels=("folder", "aloud", "card")
        ).splitlines()
        if not text.startswith((" ", "+", "-"))
    ]
    assert heads == [
        "The folder",
        "Read aloud, call 1",
        "The card",
        "holding: RunningTools | folder has 3 messages",
    ]


def test_without_the_card_the_text_says_nothing_of_cards():
    recorded = list(frames(paris_and_tokyo.agent(), paris_and_tokyo.question))
    assert as_text(recorded[0], panels=("folder",)) == (
        "The folder\n"
        "  system  Use the tools. Never do the arithmetic yourself.\n"
        "  user    What's the temperature in Paris and in Tokyo, in Fahrenheit?\n"
        "folder has 2 messages"
    )
    assert as_text(recorded[6], recorded[:6], panels=("folder",)).endswith(
        "\nrun over: answered | folder has 9 messages"
    )


def test_a_panel_that_does_not_exist_is_refused_as_text_too():
    first, *_ = drawn(["Hi."])
    with pytest.raises(ValueError, match="There is no panel 'trace'"):
        as_text(first, panels=("trace",))
