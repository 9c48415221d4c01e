"""Cards made by hand, drawn as they are played."""

import inspect
import linecache
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from mingraph_lite.cards import Finished
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    transcript,
)
from mingraph_lite.views.frames import as_text, frames, frames_by_hand

QUESTION = UserMessage(paris_and_tokyo.question)


class Waiting:
    """Wait for the manager."""

    def run(self, desk):
        reply = desk.llm.generate(desk.folder, desk.tools.menu()).message
        desk.folder.append(reply)
        return Errands(reply.tool_calls) if reply.tool_calls else HungUp()


@dataclass
class Errands:
    calls: tuple

    def run(self, desk):
        for call in self.calls:
            value = str(desk.tools.run(call))
            desk.folder.append(ToolMessage(value, call.id, call.name))
        return Waiting()


class HungUp:
    def run(self, desk):
        return None


def laid_out(**more):
    return SimpleNamespace(
        llm=paris_and_tokyo.llm(),
        tools=paris_and_tokyo.registry(),
        folder=[QUESTION],
        **more,
    )


def ending(card, desk, **options):
    """How it ended: reason, answer, error, and the cards that were played."""
    recorded = list(frames_by_hand(card, desk, **options))
    names = [frame["card"]["name"] for frame in recorded if frame["card"]]
    return (*recorded[-1]["outcome"].values(), names)


def test_a_run_of_cards_by_hand_is_a_frame_for_each_and_one_for_its_end():
    sentences = [f["sentence"] for f in frames_by_hand(Waiting(), laid_out())]
    assert sentences == [
        "holding: Waiting | folder has 1 message",
        "holding: Errands | folder has 2 messages",
        "holding: Waiting | folder has 4 messages",
        "holding: Errands | folder has 5 messages",
        "holding: Waiting | folder has 7 messages",
        "holding: HungUp | folder has 8 messages",
        "run over: answered | folder has 8 messages",
    ]


def test_the_cards_by_hand_leave_the_folder_that_the_packages_cards_leave():
    desk, agent = laid_out(), paris_and_tokyo.agent()
    list(frames_by_hand(Waiting(), desk))
    agent.run(paris_and_tokyo.question)
    assert transcript(desk.folder) == transcript(agent.memory.folder)


def test_the_lines_and_slips_are_those_of_a_run_by_an_agent():
    def lines(recorded):
        return [
            {**line, "added_by": None}
            for frame in recorded
            for line in frame["lines"]
            if line["who"] != "system"
        ]

    ours = frames(paris_and_tokyo.agent(), paris_and_tokyo.question)
    assert lines(frames_by_hand(Waiting(), laid_out())) == lines(ours)


def test_a_card_by_hand_has_fields_rule_source_and_who_picked_it():
    waiting, errands, *_ = frames_by_hand(Waiting(), laid_out())
    assert waiting["card"] == {
        "name": "Waiting",
        "kind": "other",
        "rule": "Wait for the manager.",
        "fields": {},
        "source": inspect.getsource(Waiting),
        "round": None,
    }
    assert errands["card"] == {
        "name": "Errands",
        "kind": "other",
        "rule": "",
        "fields": {"calls": "#1, #2"},
        "source": inspect.getsource(Errands),
        "round": None,
    }
    assert [waiting["picked_by"], errands["picked_by"]] == [None, "Waiting"]


def test_as_text_a_card_by_hand_looks_like_any_other():
    first, second, *_ = frames_by_hand(Waiting(), laid_out())
    assert as_text(second, [first]) == (
        "The folder\n"
        "  user    What's the temperature in Paris and in Tokyo, in Fahrenheit?\n"
        '+ model   #1 get_weather(city="Paris")  #2 get_weather(city="Tokyo")\n'
        "The card\n"
        "  Errands\n"
        "  calls = #1, #2\n"
        "  picked by Waiting\n"
        "holding: Errands | folder has 2 messages"
    )


class Forgetful(Errands):
    def run(self, desk):
        if not self.calls:
            return Waiting()
        desk.folder.append(ToolMessage("18", "1", "get_weather"))


class NoReturn(Errands):
    def run(self, desk):
        desk.folder.append(ToolMessage("18", "1", "get_weather"))


@pytest.mark.parametrize("card", [Forgetful((1,)), NoReturn(())])
def test_a_card_that_forgets_its_return_is_named(card):
    name = type(card).__name__
    assert ending(card, SimpleNamespace(folder=[])) == (
        "failed",
        None,
        f"TypeError: {name} handed back nothing, so no card comes after it. Each way "
        "out of its run returns the next card; only a card that is an end returns "
        "None.",
        [name],
    )


class Silent:
    def run(self, desk): ...


class Bye:
    def run(self, desk):
        """Say it."""
        desk.said = "bye"


class Bare:
    def run(self, desk):
        desk.said = "bye"
        return


@pytest.mark.parametrize("card", [HungUp(), Silent(), Bare()])
def test_an_end_says_so_in_its_code_whatever_the_folder_holds(card):
    desk = SimpleNamespace(folder=[ToolMessage("18", "1", "get_weather")])
    name = type(card).__name__
    assert ending(card, desk) == (f"ended by {name}", None, None, [name])


def test_where_the_code_is_silent_an_answer_in_the_folder_makes_it_an_end():
    desk = SimpleNamespace(folder=[AssistantMessage("18.")])
    assert ending(Bye(), desk) == ("answered", "18.", None, ["Bye"])


def test_a_card_without_source_is_judged_by_the_folder():
    names: dict[str, type] = {}
    exec("class Gone:\n    def run(self, desk):\n        return None", names)
    desk = SimpleNamespace(folder=[AssistantMessage("18.")])
    assert ending(names["Gone"](), desk)[:3] == ("answered", "18.", None)


def test_the_packages_own_end_ends_cards_by_hand_too():
    class Desk(SimpleNamespace):
        def finish(self, answer, reason):
            self.folder.append(AssistantMessage(answer))

    assert ending(Finished("Yes.", "answered"), Desk(folder=[])) == (
        "answered",
        "Yes.",
        None,
        ["Finished"],
    )


class Wrong:
    def __init__(self, following):
        self.following = following

    def run(self, desk):
        return self.following


@pytest.mark.parametrize(
    ("following", "error"),
    [
        (
            "Waiting",
            "Wrong handed back 'Waiting', which is no card. A card is an object with "
            "run(desk); an end returns None.",
        ),
        (
            HungUp,
            "Wrong handed back the class HungUp and not a card of it. "
            "Write return HungUp(…).",
        ),
    ],
)
def test_what_is_no_card_is_named_with_the_card_that_handed_it_back(following, error):
    assert ending(Wrong(following), SimpleNamespace())[:3] == (
        "failed",
        None,
        f"TypeError: {error}",
    )


class Looping:
    def run(self, desk):
        return Looping()


def test_cards_that_never_end_are_stopped_with_what_to_do():
    assert ending(Looping(), SimpleNamespace(), most_cards=3) == (
        "card limit",
        None,
        "LimitReached: After 3 cards the next would be Looping, and no end is in "
        "sight. Does each round come nearer to it? Longer runs: "
        "frames_by_hand(card, desk, most_cards=30).",
        ["Looping"] * 3,
    )


def test_without_a_word_the_limit_is_two_hundred_cards():
    assert len(ending(Looping(), SimpleNamespace())[3]) == 200


class Breaking:
    def run(self, desk):
        desk.folder.append(UserMessage("So far so good."))
        raise desk.error


def test_the_error_of_a_card_is_the_end_and_what_it_said_before_is_drawn():
    desk = SimpleNamespace(folder=[], error=ValueError("no line"))
    *_, last = frames_by_hand(Breaking(), desk)
    assert [line["text"] for line in last["lines"]] == ["So far so good."]
    assert last["outcome"] == {
        "reason": "failed",
        "answer": None,
        "error": "ValueError: no line",
    }


def test_ctrl_c_in_a_card_is_drawn_and_raised_again():
    desk = SimpleNamespace(folder=[], error=KeyboardInterrupt())
    playing = frames_by_hand(Breaking(), desk)
    next(playing)
    assert next(playing)["outcome"]["reason"] == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        next(playing)


class Cutting:
    def run(self, desk):
        desk.folder = [desk.folder[0], UserMessage("Anew.")]
        return HungUp()


def test_a_folder_that_lost_lines_is_told_and_the_picture_keeps_them():
    desk = SimpleNamespace(folder=[UserMessage("One"), UserMessage("Two")])
    first, second, _ = frames_by_hand(Cutting(), desk)
    assert [line["text"] for line in second["lines"]] == ["Anew."]
    assert as_text(second, [first]).splitlines()[-2:] == [
        "  warning: 1 message no longer in the folder as before. A folder only grows; "
        "the picture keeps what it has drawn.",
        "holding: HungUp | folder has 3 messages",
    ]


def test_a_memory_may_stand_where_the_folder_is():
    memory = SimpleNamespace(folder=[UserMessage("One")])
    first = next(frames_by_hand(HungUp(), SimpleNamespace(folder=memory)))
    assert first["sentence"] == "holding: HungUp | folder has 1 message"


def test_one_next_runs_one_card():
    desk = laid_out()
    counts = [len(desk.folder) for _ in frames_by_hand(Waiting(), desk)]
    assert counts == [1, 2, 4, 5, 7, 8, 8]


@pytest.mark.parametrize(
    ("card", "desk", "refusal"),
    [
        (
            Waiting,
            SimpleNamespace(),
            "frames_by_hand was given the class Waiting as its first card. A card is "
            "an object whose run(desk) gives the next one: "
            "frames_by_hand(Waiting(), desk).",
        ),
        (
            Waiting(),
            SimpleNamespace(folder="Hello"),
            "desk.folder is 'Hello'. It must be a list of messages.",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_before_the_first_frame(card, desk, refusal):
    with pytest.raises(TypeError) as error:
        frames_by_hand(card, desk)
    assert str(error.value) == refusal


def test_no_card_at_all_is_refused():
    with pytest.raises(ValueError, match="most_cards is 0; at least one card"):
        frames_by_hand(Waiting(), SimpleNamespace(), most_cards=0)


def test_slips_keep_their_numbers_through_the_cards():
    slips = (ToolCall("a", {}, "x"), ToolCall("b", {}, "y"))
    desk = SimpleNamespace(folder=[AssistantMessage("", slips)])
    first = next(frames_by_hand(Errands(slips[1:]), desk))
    assert first["card"]["fields"] == {"calls": "#2"}


CELL = """
from dataclasses import dataclass

@dataclass
class Errand:
    calls: tuple

    def run(self, desk):
        return None


class Errands(Errand):
    def run(self, desk):
        return Errand(())
"""


def test_a_card_defined_in_a_cell_is_drawn_with_its_source():
    # A notebook's classes say that they are of __main__, which has no file there; what
    # a cell holds is kept under a name that no file has.
    name = "/nowhere/cell_1.py"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(True), name)
    names: dict[str, object] = {"__name__": "nowhere_at_all"}
    exec(compile(CELL, name, "exec"), names)
    recorded = list(frames_by_hand(names["Errands"](()), SimpleNamespace()))
    sources = [frame["card"]["source"] for frame in recorded if frame["card"]]
    first, second = CELL.split("\n\n\n")
    assert sources == [second, first[first.index("@") :] + "\n"]
