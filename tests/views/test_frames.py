import importlib.util
import inspect
import json
import re
import sys
import textwrap
from asyncio import CancelledError
from dataclasses import dataclass, field

import pytest
from pydantic import TypeAdapter

from mingraph_lite import Agent, ScriptedLLM, ToolRegistry
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.desk import Desk
from mingraph_lite.errors import Interrupted, ModelError
from mingraph_lite.lab.scenarios import SCENARIOS, paris_and_tokyo
from mingraph_lite.limits import Limits
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage
from mingraph_lite.observation import plain_text
from mingraph_lite.observers import Announcer, Observer
from mingraph_lite.recovery import Retries
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import as_text, broken, frames

QUESTION = paris_and_tokyo.question
PROMPT = paris_and_tokyo.system_prompt


def agent(*script, tools=(), prompt="", **options) -> Agent:
    registry = ToolRegistry()
    for function in tools:
        registry.add(function)
    return Agent(ScriptedLLM(script), registry, prompt, **options)


def raising(error: BaseException):
    """A tool that fails in just this way."""

    def boom() -> str:
        raise error

    return boom


def ok() -> str:
    return "fine"


OK, BOOM = ToolCall("ok", {}), ToolCall("boom", {})


def slip(number, call, raw=None, problem=None):
    """A slip as it is drawn; the call is given as a reader writes it."""
    name, _, pairs = call.rstrip(")").partition("(")
    named = re.sub(r"(\w+)=", r'"\1": ', pairs)
    return {
        "number": number,
        "name": name,
        "arguments": f"{{{named}}}",
        "call": call,
        "raw": raw,
        "problem": problem,
    }


def line(who, text="", slips=(), answers=None, added_by=None):
    return {
        "who": who,
        "text": text,
        "slips": [*slips],
        "answers": answers,
        "added_by": added_by,
    }


def event(seq, step, name, what, line=None, notes=(), **rest):
    """An announcement; `rest` are the fields that seldom hold anything."""
    seldom = ("whole", "value", "reasoning", "finish_reason", "model")
    tokens = ("tokens_in", "tokens_out", "tokens_reasoning", "tokens_cached")
    return {
        "seq": seq,
        "step": step,
        "name": name,
        "what": what,
        "line": line,
        "notes": [*notes],
        **dict.fromkeys((*seldom, *tokens)),
        **rest,
    }


def reading(step, *spans, folder, menu=None):
    """A call that was read lines of the folder, given as pairs."""
    return {
        "step": step,
        "spans": [{"of": "folder", "start": a, "end": b} for a, b in spans],
        "folder": folder,
        "menu": menu,
    }


MENU = [
    {
        "name": entry["function"]["name"],
        "description": entry["function"]["description"],
        "parameters": json.dumps(entry["function"]["parameters"]),
    }
    for entry in paris_and_tokyo.registry().menu()
]


def spoken(drawn) -> list[str]:
    return [frame["sentence"] for frame in drawn]


def all_lines(drawn) -> list[dict[str, object]]:
    return [line for frame in drawn for line in frame["lines"]]


# A whole run


def test_a_run_is_one_frame_for_each_card_and_one_for_its_end():
    assert spoken(frames(paris_and_tokyo.agent(), QUESTION)) == [
        "holding: CallingModel | folder has 2 messages",
        "holding: RunningTools | folder has 3 messages",
        "holding: CallingModel | folder has 5 messages",
        "holding: RunningTools | folder has 6 messages",
        "holding: CallingModel | folder has 8 messages",
        "holding: Finished | folder has 9 messages",
        "run over: answered | folder has 9 messages",
    ]


def test_the_first_frame_holds_the_first_card_and_the_question():
    assert next(frames(paris_and_tokyo.agent(), QUESTION)) == {
        "number": 1,
        "card": {
            "name": "CallingModel",
            "kind": "calling",
            "rule": "Read out the folder; the reply decides which card is next.",
            "fields": {"step": "1 of at most 10"},
            "source": inspect.getsource(CallingModel),
            "round": 1,
        },
        "picked_by": None,
        "because": "",
        "lines": [line("system", PROMPT), line("user", QUESTION)],
        "asides": [],
        "readings": [],
        "events": [
            event(1, 0, "run_start", QUESTION, 1),
            event(2, 0, "message_added", "user", 1),
            event(3, 0, "card_start", "CallingModel"),
        ],
        "outcome": None,
        "printed": "",
        "pointed": [],
        "sentence": "holding: CallingModel | folder has 2 messages",
    }


def test_the_second_frame_holds_only_what_the_first_card_added():
    _, frame, *_ = frames(paris_and_tokyo.agent(), QUESTION)
    assert frame == {
        "number": 2,
        "card": {
            "name": "RunningTools",
            "kind": "running",
            "rule": "Run each slip; file its answer under the same number.",
            "fields": {"calls": "#1, #2", "step": "1 of at most 10"},
            "source": inspect.getsource(RunningTools),
            "round": 1,
        },
        "picked_by": "CallingModel",
        "because": "the reply passed two slips",
        "lines": [
            line(
                "model",
                slips=[
                    slip(1, 'get_weather(city="Paris")'),
                    slip(2, 'get_weather(city="Tokyo")'),
                ],
                added_by="calling",
            )
        ],
        "asides": [],
        "readings": [reading(1, (0, 2), folder=2, menu=MENU)],
        "events": [
            event(4, 1, "step_start", "round 1"),
            event(5, 1, "model_call", "reads out 2 messages"),
            event(6, 1, "model_reply", "passes get_weather, get_weather", 2),
            event(7, 1, "message_added", "model", 2),
            event(8, 1, "card_start", "RunningTools"),
        ],
        "outcome": None,
        "printed": "",
        "pointed": [],
        "sentence": "holding: RunningTools | folder has 3 messages",
    }


def test_the_third_frame_holds_the_answers_under_their_numbers():
    _, _, frame, *_ = frames(paris_and_tokyo.agent(), QUESTION)
    assert frame["lines"] == [
        line("tool", "18", answers=1, added_by="running"),
        line("tool", "24", answers=2, added_by="running"),
    ]
    assert frame["events"] == [
        event(9, 1, "tool_call", '#1 get_weather(city="Paris")', 2),
        event(10, 1, "tool_return", "#1 18", 3),
        event(11, 1, "message_added", "tool", 3),
        event(12, 1, "tool_call", '#2 get_weather(city="Tokyo")', 2),
        event(13, 1, "tool_return", "#2 24", 4),
        event(14, 1, "message_added", "tool", 4),
        event(15, 1, "card_start", "CallingModel"),
    ]


def test_the_last_two_frames_hold_the_answer_and_then_no_card():
    *_, finished, closing = frames(paris_and_tokyo.agent(), QUESTION)
    assert finished["lines"] == [
        line("model", "Paris: 64°F, Tokyo: 75°F", added_by="calling")
    ]
    assert (finished["card"]["kind"], finished["card"]["round"]) == ("finished", None)
    assert finished["card"]["fields"] == {
        "answer": "Paris: 64°F, Tokyo: 75°F",
        "reason": "answered",
    }
    assert closing == {
        "number": None,
        "card": None,
        "picked_by": None,
        "because": "",
        "lines": [],
        "asides": [],
        "readings": [],
        "events": [event(33, 3, "finish", "answered")],
        "outcome": {
            "reason": "answered",
            "answer": "Paris: 64°F, Tokyo: 75°F",
            "error": None,
        },
        "printed": "",
        "pointed": [],
        "sentence": "run over: answered | folder has 9 messages",
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_frames_are_json_and_the_same_drawn_live_or_later(name):
    scenario = SCENARIOS[name]
    live = [json.dumps(f) for f in frames(scenario.agent(), scenario.question)]
    later = list(frames(scenario.agent(), scenario.question))
    assert live == [json.dumps(frame) for frame in later]
    assert [json.loads(text) for text in live] == later


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_frame_holds_what_its_type_says_and_nothing_else(name):
    scenario = SCENARIOS[name]
    drawn = list(frames(scenario.agent(), scenario.question))
    check = TypeAdapter(list[Frame])
    assert check.validate_python(drawn, strict=True, extra="forbid") == drawn


def test_the_lines_of_all_frames_are_the_prompt_and_the_folder():
    a = paris_and_tokyo.agent()
    drawn = list(frames(a, QUESTION))
    texts = [PROMPT, *(message.content for message in a.memory.folder)]
    assert [line["text"] for line in all_lines(drawn)] == texts


def test_the_announcements_of_all_frames_are_numbered_without_a_gap():
    drawn = list(frames(paris_and_tokyo.agent(), QUESTION))
    assert [e["seq"] for frame in drawn for e in frame["events"]] == [*range(1, 34)]


def test_drawing_a_run_does_not_change_it():
    drawn, plain = paris_and_tokyo.agent(), paris_and_tokyo.agent()
    list(frames(drawn, QUESTION))
    plain.run(QUESTION)
    assert list(drawn.memory.folder) == list(plain.memory.folder)


def test_one_next_runs_one_card():
    a = paris_and_tokyo.agent()
    drawing = frames(a, QUESTION)
    calls = [(a.llm.calls, len(a.memory.folder)) for _ in drawing]
    assert calls == [(0, 1), (1, 2), (1, 4), (2, 5), (2, 7), (3, 8), (3, 8)]


def test_nothing_happens_before_the_first_frame_is_asked_for():
    a = paris_and_tokyo.agent()
    frames(a, QUESTION).close()
    assert (a.llm.calls, list(a.memory.folder)) == (0, [])


def test_a_frame_says_the_tokens_of_the_reply():
    reply = LLMResponse(AssistantMessage("Hi."), usage=Usage(374, None))
    drawn = list(frames(agent(reply), "Hello"))
    assert [e for e in drawn[1]["events"] if e["name"] == "model_reply"] == [
        event(6, 1, "model_reply", "Hi.", 1, tokens_in=374)
    ]


def test_without_a_prompt_the_question_is_the_first_line():
    first, *_ = frames(agent("Hi."), "Hello")
    assert first["lines"] == [line("user", "Hello")]
    assert first["sentence"] == "holding: CallingModel | folder has 1 message"


# What was wrong with a reply


CUT = LLMResponse(
    AssistantMessage(
        "",
        (
            ToolCall("ok", {}, raw="`{}`"),
            ToolCall("ok", {}, raw='{"ci', problem="the arguments are no JSON."),
        ),
    ),
    notes=("ok: text around the arguments discarded", "the reply was cut off"),
)


def test_A05_a_slip_that_was_not_taken_as_sent_says_what_came_and_why():
    # Right: an object in a fence is run with a note, half an object is answered.
    _, second, *_ = frames(agent(CUT, "Hi.", tools=[ok]), "Go")
    assert second["lines"] == [
        line(
            "model",
            slips=[
                slip(1, "ok()", "`{}`"),
                slip(2, "ok()", '{"ci', "the arguments are no JSON."),
            ],
            added_by="calling",
        )
    ]


def test_the_notes_on_a_reply_stand_in_its_announcement():
    drawn = list(frames(agent(CUT, "Hi.", tools=[ok]), "Go"))
    assert [e for e in drawn[1]["events"] if e["name"] == "model_reply"] == [
        event(6, 1, "model_reply", "passes ok, ok", 1, CUT.notes)
    ]
    assert [e["name"] for f in drawn for e in f["events"] if e["notes"]] == [
        "model_reply"
    ]


def test_what_was_wrong_with_a_reply_is_in_full_in_its_slip_and_in_short_as_text():
    long, short = "x" * 201, "x" * 199 + "…"
    call = ToolCall("ok", {}, raw=long, problem=long)
    reply = LLMResponse(AssistantMessage("", (call,)), notes=(long,))
    _, second, *_ = frames(agent(reply, "Hi.", tools=[ok]), "Go")
    assert second["lines"][0]["slips"] == [slip(1, "ok()", long, long)]
    assert f"(sent as {short!r}; cannot be run: {short})\n" in as_text(second)
    assert [e["notes"] for e in second["events"] if e["notes"]] == [[short]]


# The source of a card


def sources(drawn) -> list[tuple[str, str | None]]:
    return [(f["card"]["name"], f["card"]["source"]) for f in drawn if f["card"]]


def test_a_source_stands_in_the_first_frame_that_shows_its_card_and_in_no_other():
    assert sources(frames(paris_and_tokyo.agent(), QUESTION)) == [
        ("CallingModel", inspect.getsource(CallingModel)),
        ("RunningTools", inspect.getsource(RunningTools)),
        ("CallingModel", None),
        ("RunningTools", None),
        ("CallingModel", None),
        ("Finished", inspect.getsource(Finished)),
    ]


def test_each_run_says_the_sources_anew():
    a = agent("One.", "Two.")
    assert sources(frames(a, "Go")) == sources(frames(a, "Again"))


def as_first_written() -> type[Card]:
    @dataclass(frozen=True)
    class Asking(Card):
        """Ask, as first written."""

        following: Card | None = None

        def run(self, desk):
            return self.following

    return Asking


def as_written_again() -> type[Card]:
    @dataclass(frozen=True)
    class Asking(Card):
        """Ask, as written again."""

        following: Card | None = None

        def run(self, desk):
            return self.following

    return Asking


def test_a_class_that_was_defined_again_says_its_source_again():
    first, again = as_first_written(), as_written_again()
    card = first(again(again(first(first()))))
    told = [source for _, source in sources(frames(Dealer(card), "Go"))]
    rules = [source and source.split('"""')[1] for source in told]
    old, new = "Ask, as first written.", "Ask, as written again."
    assert rules == [old, new, None, old, None]


def test_a_source_that_was_edited_is_read_anew_by_the_next_run(tmp_path, monkeypatch):
    file = tmp_path / "edited.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, file.stem, module)
    before = "class Edited:\n    def run(self, desk): pass\n"
    after = "class Edited:\n    def run(self, desk): return None\n"
    file.write_text(before, encoding="utf-8")
    spec.loader.exec_module(module)
    told = sources(frames(Dealer(module.Edited()), "Go"))
    file.write_text(after, encoding="utf-8")
    told += sources(frames(Dealer(module.Edited()), "Go"))
    assert told == [("Edited", before), ("Edited", after)]


# How a run ends


def to_the_end(drawing) -> list[Frame]:
    """The frames as a view takes them: up to the one without a card."""
    drawn = [next(drawing)]
    while drawn[-1]["card"] is not None:
        drawn.append(next(drawing))
    return drawn


def ending(drawn) -> tuple[object, ...]:
    *_, last = to_the_end(iter(drawn))
    return tuple(last["outcome"].values()), [line["text"] for line in last["lines"]]


def test_a_limit_ends_the_run_with_its_error():
    drawn = list(frames(agent(*[OK] * 9, tools=[ok], max_steps=2), "Go"))
    card = drawn[-2]["card"]
    assert (card["name"], card["kind"]) == ("Finished", "stopped")
    assert card["fields"] == {"answer": "None", "reason": "step limit"}
    assert drawn[-2]["because"] == "the limit is reached: 2 rounds"
    (reason, answer, error), lines = ending(drawn)
    assert (reason, answer, lines) == ("step limit", None, [])
    assert error.startswith("StepLimitReached: No answer after 2 rounds.")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (RuntimeError("disk"), ("failed", None, "RuntimeError: disk")),
        (KeyboardInterrupt(), ("interrupted", None, "KeyboardInterrupt")),
        (SystemExit(3), ("interrupted", None, "SystemExit: 3")),
        (CancelledError(), ("interrupted", None, "CancelledError")),
        (Interrupted("By hand."), ("interrupted", None, "Interrupted: By hand.")),
        (StopIteration("no more"), ("failed", None, "StopIteration: no more")),
    ],
)
def test_a_tool_that_breaks_the_run_is_the_end_of_it(error, outcome):
    a = agent([OK, BOOM, OK], tools=[ok, raising(error)])
    drawn = to_the_end(frames(a, "Go"))
    answers = [message.content for message in a.memory.folder[2:]]
    assert len(answers) == 3
    assert ending(drawn) == (outcome, answers)
    assert drawn[-1]["sentence"] == f"run over: {outcome[0]} | folder has 5 messages"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, CancelledError])
def test_what_is_no_exception_ends_a_loop_over_questions_once_it_is_drawn(stop):
    asked, drawn = [], []

    def ask_them_all():
        for question in ["Go", "Go on"]:
            asked.append(question)
            for frame in frames(agent(BOOM, tools=[raising(stop())]), question):
                drawn.append(frame["outcome"])

    with pytest.raises(stop):
        ask_them_all()
    outcome = {"reason": "interrupted", "answer": None, "error": stop.__name__}
    assert (asked, drawn[-1]) == (["Go"], outcome)


def test_what_is_no_exception_ends_a_list_of_frames():
    with pytest.raises(KeyboardInterrupt):
        list(frames(agent(BOOM, tools=[raising(KeyboardInterrupt())]), "Go"))


def test_closed_at_its_last_frame_an_interrupted_run_raises_nothing():
    drawing = frames(agent(BOOM, tools=[raising(KeyboardInterrupt())]), "Go")
    to_the_end(drawing)
    drawing.close()
    assert next(drawing, None) is None


class Mute(RuntimeError):
    def __str__(self):
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("caf\udce9"), "RuntimeError: caf\ufffd"),
        (RuntimeError(), "RuntimeError"),
        (Mute(), f"Mute: {plain_text(Mute())}"),
    ],
)
def test_B10_whatever_an_error_says_the_run_is_drawn_to_its_end(error, text):
    # Right: half a character is replaced, and what is drawn is valid UTF-8.
    drawn = list(frames(agent(BOOM, tools=[raising(error)]), "Go"))
    assert drawn[-1]["outcome"] == {"reason": "failed", "answer": None, "error": text}
    assert json.dumps(drawn[-1], ensure_ascii=False).encode().decode()


def test_A18_a_refusal_is_the_end_of_the_run_and_stands_in_the_folder():
    # Right: the reason is "refused", and what the model said is lost nowhere.
    reply = LLMResponse(AssistantMessage(""), refusal="I can't help with that.")
    *_, finished, closing = frames(agent(reply), "Go")
    assert (finished["card"]["kind"], finished["because"]) == (
        "stopped",
        "the reply is a refusal",
    )
    assert finished["card"]["fields"] == {"answer": "None", "reason": "refused"}
    assert finished["lines"] == [
        line("model", "I can't help with that.", added_by="calling")
    ]
    assert [e["what"] for e in finished["events"] if e["name"] == "model_reply"] == [
        "I can't help with that."
    ]
    assert closing["outcome"] == {
        "reason": "refused",
        "answer": None,
        "error": "ModelRefused: I can't help with that.",
    }


def test_half_a_character_that_was_said_does_not_break_a_frame():
    agent = Agent(ScriptedLLM(["caf\ud83d"]), ToolRegistry(), "Be \udc00 brief.")

    drawn = list(frames(agent, "How\ud83d?"))

    assert json.dumps(drawn, ensure_ascii=False).encode()
    assert [line["text"] for frame in drawn for line in frame["lines"]] == [
        "Be \ufffd brief.",
        "How\ufffd?",
        "caf\ufffd",
    ]
    assert drawn[-1]["outcome"] == {
        "reason": "answered",
        "answer": "caf\ufffd",
        "error": None,
    }


def test_another_try_is_drawn_with_its_reason_and_its_wait():
    at_once = Retries(sleep=lambda seconds: None, chance=lambda: 0.5)
    busy = ModelError("The server is busy.", retryable=True)
    _, second, *_ = frames(agent(busy, busy, "Hi.", retries=at_once), "Hello")
    assert [(e["name"], e["what"]) for e in second["events"][1:4]] == [
        ("model_call", "reads out 1 message"),
        ("retry", "try 1 failed, again in 0.75 s: The server is busy."),
        ("retry", "try 2 failed, again in 1.5 s: The server is busy."),
    ]


def test_a_model_that_fails_is_the_end_of_the_run():
    drawn = list(frames(agent(ModelError("The server is busy.")), "Hello"))
    assert ending(drawn) == (
        ("failed", None, "ModelError: The server is busy."),
        [],
    )


def test_ctrl_c_while_the_model_is_asked_is_the_end_of_the_run():
    def wait(messages, menu):
        raise KeyboardInterrupt

    assert ending(frames(agent(wait), "Hello")) == (
        ("interrupted", None, "KeyboardInterrupt"),
        [],
    )


def test_ctrl_c_in_a_listener_is_the_end_of_the_run_and_the_drawing_has_heard_of_it():
    class Struck(Observer):
        def on_finish(self, answer, reason):
            raise KeyboardInterrupt

    assert ending(frames(agent("Hi.", observers=[Struck()]), "Hello")) == (
        ("answered", None, "KeyboardInterrupt"),
        [],
    )


def test_closing_the_frames_stops_the_run_with_its_slips_answered():
    a = agent([OK, OK], "Hi.", tools=[ok])
    drawing = frames(a, "Go")
    next(drawing)
    next(drawing)
    drawing.close()
    answers = [m.tool_call_id for m in a.memory.folder[2:]]
    assert answers == [call.id for call in a.memory.folder[1].tool_calls]
    assert a.run("Hello") == {"answer": "Hi."}


def test_frames_of_a_run_that_another_replaced_end_as_abandoned():
    a = agent([OK, OK], "Hi.", tools=[ok])
    drawing = frames(a, "Go")
    next(drawing)
    next(drawing)
    a.run("Hello")
    answers = [message.content for message in a.memory.folder[2:4]]
    assert ending(drawing) == (("abandoned", None, None), answers)


def test_an_answer_that_was_not_handed_over_is_not_the_outcome():
    a = agent("Hi.", "Hello again.")
    drawing = frames(a, "Hello")
    assert [next(drawing)["card"]["name"] for _ in range(2)] == [
        "CallingModel",
        "Finished",
    ]
    a.run("And now?")
    assert ending(drawing) == (("abandoned", None, None), [])


@pytest.mark.parametrize("state", ["", {}, None])
def test_frames_of_no_question_are_refused(state):
    with pytest.raises(ValueError, match="A run needs a question"):
        next(frames(agent("Hi."), state))


@pytest.mark.parametrize(
    ("problem", "reason", "error"),
    [
        (ValueError("crossed"), "failed", "ValueError: crossed"),
        (KeyboardInterrupt(), "interrupted", "KeyboardInterrupt"),
        (StopIteration(), "failed", "the frames ended before the run did"),
    ],
)
def test_a_run_whose_frames_broke_off_ends_in_a_frame_all_the_same(
    problem, reason, error
):
    before = list(frames(paris_and_tokyo.agent(), QUESTION))[:2]
    assert broken(problem, before) == {
        "number": None,
        "card": None,
        "picked_by": None,
        "because": "",
        "lines": [],
        "asides": [],
        "readings": [],
        "events": [],
        "outcome": {"reason": reason, "answer": None, "error": error},
        "printed": "",
        "pointed": [],
        "sentence": f"run over: {reason} | folder has 3 messages",
    }


# The second run of an agent


def test_the_second_run_begins_with_the_folder_of_the_first():
    a = agent(OK, "One.", OK, "Two.", tools=[ok], prompt="Be brief.")
    list(frames(a, "Go"))
    drawn = list(frames(a, "Again"))
    assert spoken(drawn) == [
        "holding: CallingModel | folder has 6 messages",
        "holding: RunningTools | folder has 7 messages",
        "holding: CallingModel | folder has 8 messages",
        "holding: Finished | folder has 9 messages",
        "run over: answered | folder has 9 messages",
    ]
    assert drawn[0]["lines"] == [
        line("system", "Be brief."),
        line("user", "Go"),
        line("model", slips=[slip(1, "ok()")]),
        line("tool", "fine", answers=1),
        line("model", "One."),
        line("user", "Again"),
    ]
    assert drawn[1]["lines"] == [
        line("model", slips=[slip(2, "ok()")], added_by="calling")
    ]
    assert [frame["number"] for frame in drawn] == [1, 2, 3, 4, None]


def test_the_frames_of_a_new_run_hold_the_last_lines_of_the_one_it_replaces():
    a = agent([OK], "Hi.", tools=[ok])
    left = frames(a, "Go")
    next(left)
    next(left)
    drawn = list(frames(a, "Hello"))
    texts = [message.content for message in a.memory.folder]
    assert [line["text"] for line in all_lines(drawn)] == texts
    assert drawn[0]["lines"] == [
        line("user", "Go"),
        line("model", slips=[slip(1, "ok()")]),
        line("tool", texts[2], answers=1),
        line("user", "Hello"),
    ]


# Cards of one's own


class Dealer:
    """An agent whose first card is the one that is handed in."""

    def __init__(self, first: object) -> None:
        self.first = first
        self.memory = KeepAll()
        self.system_prompt = ""
        self.limits = Limits()

    def steps(self, state, observers=()):
        announcer = Announcer(observers, run_id="run-1", agent="dealer")
        desk = Desk(ScriptedLLM([]), ToolRegistry(), self.memory, "", announcer)
        desk.start(state)
        card = self.first
        while card is not None:
            desk.announcer.announce("card_start", card=card)
            yield card
            card = card.run(desk)
        desk.finish(None, "ended")


def drawn_card(card: object) -> dict[str, object]:
    return next(frames(Dealer(card), "Go"))["card"]


@dataclass(frozen=True)
class AskingHuman(Card):
    """Ask a person.

    Only then go on.
    """

    kind = "human"
    wish: str
    step: int = 3

    def run(self, desk):
        return Finished("Yes.", "approved", because="a person said so")


def test_a_card_of_ones_own_is_drawn_with_its_fields_kind_and_source():
    card = drawn_card(AskingHuman("send a mail", because="it costs money"))
    assert card == {
        "name": "AskingHuman",
        "kind": "human",
        "rule": "Ask a person.",
        "fields": {"wish": "send a mail", "step": "3 of at most 10"},
        "source": inspect.getsource(AskingHuman),
        "round": 3,
    }


@pytest.mark.parametrize("kind", ["critique", None, []])
def test_a_kind_nobody_knows_is_drawn_as_another_card(kind):
    class Judging(Card):
        pass

    Judging.kind = kind
    assert drawn_card(Judging())["kind"] == "other"


def test_a_card_of_ones_own_picks_the_next_with_its_reason():
    drawn = list(frames(Dealer(AskingHuman("send a mail")), "Go"))
    assert [(f["picked_by"], f["because"]) for f in drawn] == [
        (None, ""),
        ("AskingHuman", "a person said so"),
        (None, ""),
    ]
    assert drawn[-1]["outcome"] == {
        "reason": "approved",
        "answer": "Yes.",
        "error": None,
    }


def test_a_card_that_is_no_dataclass_is_drawn_with_what_it_holds():
    class Waiting:
        """Wait for the phone."""

        def __init__(self):
            self.minutes, self.because = 3, "nobody called"

        def run(self, desk):
            return None

    assert drawn_card(Waiting()) == {
        "name": "Waiting",
        "kind": "other",
        "rule": "Wait for the phone.",
        "fields": {"minutes": "3"},
        "source": textwrap.dedent(inspect.getsource(Waiting)),
        "round": None,
    }


def test_a_card_whose_source_nobody_kept_is_drawn_without():
    space = {"Card": Card, "dataclass": dataclass, "__name__": "nowhere"}
    exec("@dataclass(frozen=True)\nclass Made(Card):\n    'Made up.'\n", space)
    assert drawn_card(space["Made"]()) == {
        "name": "Made",
        "kind": "other",
        "rule": "Made up.",
        "fields": {},
        "source": "",
        "round": None,
    }


def test_a_card_with_slots_and_no_fields_is_drawn():
    class Bare:
        __slots__ = ()

        def run(self, desk):
            return None

    assert drawn_card(Bare())["fields"] == {}


class Note(UserMessage):
    """A question with a place for more."""


class Sign:
    """What stands in a folder and is no message."""

    def __repr__(self):
        return "Sign()"


class Filing(Card):
    """Put a thing into the folder."""

    def __init__(self, thing):
        object.__setattr__(self, "thing", thing)

    def run(self, desk):
        desk.add(self.thing)


@pytest.mark.parametrize(
    ("thing", "drawn"),
    [
        (Note("Mind."), line("user", "Mind.", added_by="other")),
        (Sign(), line("other", "Sign()", added_by="other")),
    ],
)
def test_H24_a_message_of_ones_own_is_drawn(thing, drawn):
    # Right: a message subclass is drawn as the kind it is made of.
    *_, closing = frames(Dealer(Filing(thing)), "Go")
    assert closing["lines"] == [drawn]
    assert closing["events"][0] == event(4, 0, "message_added", drawn["who"], 1)


@dataclass(frozen=True)
class Asking(Card):
    """Ask before it goes on."""

    kind = "human"
    card: Card

    def run(self, desk):
        return self.card


@dataclass(frozen=True)
class Logging(Asking):
    """Write down, then go on."""

    kind = "note"


def test_a_card_that_is_laid_before_another_is_drawn_with_that_one():
    a = agent([OK, OK], "Hi.", tools=[ok], before={RunningTools: Asking})
    drawn = [frame["card"] for frame in frames(a, "Go")][:3]
    assert [card["name"] for card in drawn] == [
        "CallingModel",
        "Asking",
        "RunningTools",
    ]
    assert drawn[1] == {
        "name": "Asking",
        "kind": "human",
        "rule": "Ask before it goes on.",
        "fields": {"card": "RunningTools #1, #2"},
        "source": inspect.getsource(Asking),
        "round": 1,
    }


@pytest.mark.parametrize(
    ("held", "fields", "round"),
    [
        (CallingModel(4), {"card": "CallingModel"}, 4),
        (RunningTools((), 2), {"card": "RunningTools"}, 2),
        (Finished("Hi.", "answered"), {"card": "Finished"}, None),
        (Logging(CallingModel(5)), {"card": "Logging holding CallingModel"}, 5),
    ],
)
def test_a_card_is_drawn_with_the_card_it_holds_and_its_round(held, fields, round):
    card = drawn_card(Asking(held))
    assert (card["fields"], card["round"]) == (fields, round)


class Handover(Finished):
    """Hand the question to a person."""


class RunningTwice(RunningTools):
    """Run each slip twice."""


class CallingAnother(CallingModel):
    """Call another model."""


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        (Handover("By phone.", "handed over"), "finished"),
        (Handover(None, "handed over"), "stopped"),
        (RunningTwice((), 1), "running"),
        (CallingAnother(1), "calling"),
        (Logging(Finished("Hi.", "answered")), "other"),
    ],
)
def test_a_card_made_of_one_of_ours_is_drawn_as_its_kind(card, kind):
    assert drawn_card(card)["kind"] == kind


def test_an_end_card_of_ones_own_is_the_end_with_its_answer_in_words():
    *_, closing = frames(Dealer(Handover({"phone": 7}, "handed over")), "Go")
    assert closing["outcome"] == {
        "reason": "handed over",
        "answer": '{"phone": 7}',
        "error": None,
    }


def test_a_card_that_holds_a_function_shows_no_address():
    @dataclass(frozen=True)
    class Confirming(Card):
        ask: object = lambda: "yes"

    card = drawn_card(Confirming())
    assert (card["rule"], "0x" in json.dumps(card["fields"])) == ("", False)
    assert card["fields"]["ask"].startswith("<function ")


def test_a_run_that_goes_on_from_a_card_begins_with_its_folder_and_that_card():
    calls = (ToolCall("ok", {}, "call_1"), ToolCall("ok", {}, "call_2"))
    saved = KeepAll()
    saved.add(UserMessage("Go"))
    saved.add(AssistantMessage("", calls))
    drawn = list(frames(agent("Hi.", tools=[ok], memory=saved), RunningTools(calls, 3)))
    assert drawn[0]["lines"] == [
        line("user", "Go"),
        line("model", slips=[slip(1, "ok()"), slip(2, "ok()")]),
    ]
    assert (drawn[0]["card"]["name"], drawn[0]["card"]["fields"]) == (
        "RunningTools",
        {"calls": "#1, #2", "step": "3 of at most 10"},
    )
    assert spoken(drawn) == [
        "holding: RunningTools | folder has 2 messages",
        "holding: CallingModel | folder has 4 messages",
        "holding: Finished | folder has 5 messages",
        "run over: answered | folder has 5 messages",
    ]


def test_a_run_that_is_paused_ends_as_paused_with_its_slips_open():
    a = agent([OK, OK], "Hi.", tools=[ok])
    drawing = frames(a, "Go")
    next(drawing)
    next(drawing)
    a.pause()
    assert ending(drawing) == (("paused", None, None), [])


def test_a_warning_is_drawn_in_its_own_words():
    class WarningCard(Card):
        def run(self, desk):
            desk.announcer.warn("The folder is not in order.")

    *_, closing = frames(Dealer(WarningCard()), "Go")
    assert closing["events"][0] == event(4, 0, "warning", "The folder is not in order.")


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no face")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        (list(range(10**5)), repr(list(range(100)))[:199] + "…"),
        (Unshowable(), "<Unshowable>"),
        (object(), "<object object>"),
        ({1: None}, "{1: None}"),
        ((), ""),
    ],
)
def test_what_a_card_holds_is_drawn_in_few_words_the_same_each_time(value, shown):
    @dataclass(frozen=True)
    class Holding(Card):
        thing: object = field(default_factory=lambda: value)

    assert drawn_card(Holding())["fields"] == {"thing": shown}


def test_a_long_text_is_in_the_folder_in_full_and_in_the_events_in_short():
    text = "word " * 1000
    drawn = list(frames(agent(text), "Hello"))
    assert drawn[1]["lines"] == [line("model", text, added_by="calling")]
    assert [e["what"] for e in drawn[1]["events"] if e["name"] == "model_reply"] == [
        text[:199] + "…"
    ]
    assert drawn[-1]["outcome"]["answer"] == text


def test_an_announcement_of_another_kind_is_drawn_with_all_it_says():
    class Paying(Card):
        def run(self, desk):
            desk.announcer.announce("paid", times=2, price=0.5, error=OSError("gone"))

    *_, closing = frames(Dealer(Paying()), "Go")
    assert closing["events"][0] == event(
        4, 0, "paid", "times=2, price=0.5, error=OSError('gone')"
    )


# As text


def test_the_first_frame_as_text():
    first = next(frames(paris_and_tokyo.agent(), QUESTION))
    assert as_text(first) == (
        "The folder\n"
        "  system  Use the tools. Never do the arithmetic yourself.\n"
        "  user    What's the temperature in Paris and in Tokyo, in Fahrenheit?\n"
        "The card\n"
        "  CallingModel: Read out the folder; "
        "the reply decides which card is next.\n"
        "  step = 1 of at most 10\n"
        "holding: CallingModel | folder has 2 messages"
    )


def test_a_later_frame_as_text_marks_what_is_new():
    *before, frame = list(frames(paris_and_tokyo.agent(), QUESTION))[:3]
    assert as_text(frame, before) == (
        "The folder\n"
        "  system  Use the tools. Never do the arithmetic yourself.\n"
        "  user    What's the temperature in Paris and in Tokyo, in Fahrenheit?\n"
        '  model   #1 get_weather(city="Paris")  #2 get_weather(city="Tokyo")\n'
        "+ tool    #1  18\n"
        "+ tool    #2  24\n"
        "The card\n"
        "  CallingModel: Read out the folder; "
        "the reply decides which card is next.\n"
        "  step = 2 of at most 10\n"
        "  picked by RunningTools because every slip has its answer\n"
        "holding: CallingModel | folder has 5 messages"
    )


def test_a_frame_as_text_says_what_was_wrong_with_a_reply():
    first, second, *_ = frames(agent(CUT, "Hi.", tools=[ok]), "Go")
    assert as_text(second, [first]) == (
        "The folder\n"
        "  user    Go\n"
        "+ model   #1 ok() (sent as '`{}`')  "
        "#2 ok() (sent as '{\"ci'; cannot be run: the arguments are no JSON.)\n"
        "The card\n"
        "  RunningTools: Run each slip; file its answer under the same number.\n"
        "  calls = #1, #2\n"
        "  step = 1 of at most 10\n"
        "  picked by CallingModel because the reply passed two slips\n"
        "  note on the reply: ok: text around the arguments discarded\n"
        "  note on the reply: the reply was cut off\n"
        "holding: RunningTools | folder has 2 messages"
    )


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (
            ["Hi."],
            "The folder\n"
            "  user    Hello\n"
            "  model   Hi.\n"
            "The card\n"
            '  none: answered: "Hi."\n'
            "run over: answered | folder has 2 messages",
        ),
        (
            [ModelError("The server is busy.")],
            "The folder\n"
            "  user    Hello\n"
            "The card\n"
            "  none: failed: ModelError: The server is busy.\n"
            "run over: failed | folder has 1 message",
        ),
    ],
)
def test_the_closing_frame_as_text(script, text):
    *before, closing = frames(agent(*script), "Hello")
    assert as_text(closing, before) == text
