import io
import logging
import sys

import pytest

from mingraph_lite import Agent, ScriptedLLM, ToolRegistry
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.cards import Card, RunningTools
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage
from mingraph_lite.observers import (
    Announcer,
    ConsoleLogger,
    Event,
    Observer,
    Recorder,
)
from mingraph_lite.recovery import Retries

QUESTION = paris_and_tokyo.question
MOMENTS = [
    "run_start",
    "card_start",
    "step_start",
    "model_call",
    "model_reply",
    "retry",
    "message_added",
    "tool_call",
    "tool_return",
    "tool_error",
    "finish",
]


def run(*observers, script=None):
    """Answer and folder of a run with these listeners."""
    llm = ScriptedLLM(script or paris_and_tokyo.script())
    at_once = Retries(sleep=lambda seconds: None, chance=lambda: 0.0)
    agent = paris_and_tokyo.agent(llm, observers=observers, retries=at_once)
    return agent.run(QUESTION), list(agent.memory.folder)


class Broken(Observer):
    """A listener that fails on everything it hears."""

    def on_event(self, event):
        raise RuntimeError(f"no ears for {event.name}")


class Haunted(Observer):
    """A listener that fails as soon as anything is looked up in it."""

    def __getattribute__(self, name):
        if name.startswith("on_"):
            raise RuntimeError(f"boo at {name}")
        return super().__getattribute__(name)


# Announcing


def test_an_announcement_is_stamped_and_numbered():
    recorder = Recorder()
    announcer = Announcer([recorder], run_id="run-7", agent="guide")
    announcer.announce("run_start", question="How warm?")
    announcer.announce("step_start", step=1)
    announcer.announce("anything", at="all", n=3)
    assert recorder.events == [
        Event("run-7", 1, 0, "guide", "run_start", {"question": "How warm?"}),
        Event("run-7", 2, 1, "guide", "step_start", {"step": 1}),
        Event("run-7", 3, 1, "guide", "anything", {"at": "all", "n": 3}),
    ]


def test_every_listener_hears_the_same_announcement_in_the_order_they_came():
    heard = []

    class Listener(Observer):
        def __init__(self, name):
            self.name = name

        def on_event(self, event):
            heard.append((self.name, event))

    announcer = Announcer([Listener("a"), Listener("b")], run_id="r", agent="g")
    announcer.announce("step_start", step=1)
    event = Event("r", 1, 1, "g", "step_start", {"step": 1})
    assert heard == [("a", event), ("b", event)]


def test_an_announcement_to_nobody_is_still_made():
    announcer = Announcer([], run_id="r", agent="g")
    announcer.announce("step_start", step=4)
    assert announcer.step == 4


# Listening


class Equal(Recorder):
    """A listener that is equal to any other of its class."""

    def __eq__(self, other):
        return isinstance(other, Equal)

    __hash__ = None


def test_a_listener_of_the_agent_and_of_the_run_hears_each_announcement_once():
    first, second = Equal(), Equal()
    llm = ScriptedLLM(paris_and_tokyo.script())
    agent = paris_and_tokyo.agent(llm, observers=[first, second, first])
    agent.run(QUESTION, observers=[second])
    assert [event.seq for event in first.events] == [*range(1, len(first.events) + 1)]
    assert first.events == second.events
    assert first.names().count("finish") == 1


def test_a_listener_hears_each_moment_under_its_name():
    heard = []
    methods = {
        f"on_{moment}": lambda self, _m=moment, **payload: heard.append(
            (_m, sorted(payload))
        )
        for moment in MOMENTS
    }
    listener = type("Listener", (Observer,), methods)()
    wrong = ToolCall("no_such_tool", {})
    right = ToolCall("get_weather", {"city": "Paris"})
    run(listener, script=[ModelError("busy", retryable=True), wrong, right, "18"])
    assert {moment for moment, _ in heard} == set(MOMENTS)
    assert dict(heard) == {
        "run_start": ["folder", "model", "question", "settings"],
        "card_start": ["card"],
        "step_start": ["step"],
        "model_call": ["menu", "messages"],
        "model_reply": ["response"],
        "retry": ["error", "tries", "wait"],
        "message_added": ["message"],
        "tool_call": ["call"],
        "tool_return": ["call", "message", "value"],
        "tool_error": ["call", "error", "message"],
        "finish": ["answer", "reason"],
    }


def test_every_moment_of_a_run_has_a_method_that_may_be_overridden():
    recorder = Recorder()
    run(recorder)
    assert {
        name for name in recorder.names() if not hasattr(Observer, f"on_{name}")
    } == set()


def test_a_listener_that_overrides_one_moment_lets_the_others_pass():
    rounds = []

    class Rounds(Observer):
        def on_step_start(self, step):
            rounds.append(step)

    run(Rounds())
    assert rounds == [1, 2, 3]


def test_a_listener_that_overrides_on_event_hears_all_of_it():
    names = []

    class All(Observer):
        def on_event(self, event):
            names.append(event.name)

        def on_step_start(self, step):
            names.append("never")

    recorder = Recorder()
    run(All(), recorder)
    assert names == recorder.names()


def test_a_moment_that_nobody_has_a_method_for_passes_by(caplog):
    Announcer([Observer()], run_id="r", agent="g").announce("no_such_moment", at="all")
    assert caplog.records == []


def test_a_recorder_keeps_every_announcement():
    recorder = Recorder()
    run(recorder)
    assert [event.seq for event in recorder.events] == list(range(1, 34))
    assert repr(recorder) == "Recorder(33 events)"


# Listeners with a slip of the pen

NEAR = {
    "on_modell_reply": "on_model_reply",
    "on_modle_reply": "on_model_reply",
    "on_model_repl": "on_model_reply",
    "on_ModelReply": "on_model_reply",
    "on_modelreply": "on_model_reply",
    "on_tool_calls": "on_tool_call",
    "on_tool_returned": "on_tool_return",
    "on_messages_added": "on_message_added",
    "on_run_started": "on_run_start",
    "on_finished": "on_finish",
    "on_waning": "on_warning",
    "on_events": "on_event",
}
FAR = [
    *("on_mood", "on_human_asked", "on_round_start", "on_model_stream"),
    *("on_tool_call_start", "on_node_start", "on_tool_result", "on_error", "on_"),
    *("model_replied", "only_tool_call"),
]


def listener_with(*names: str, base: type = Observer) -> Observer:
    """A listener with methods of these names."""
    return type(
        "Watcher", (base,), dict.fromkeys(names, lambda self, *event, **said: None)
    )()


@pytest.mark.parametrize(("name", "meant"), NEAR.items())
def test_a_misspelt_moment_is_told_of_once_and_changes_nothing(name, meant, caplog):
    watcher = listener_with(name)
    for _ in range(2):
        assert run(watcher) == run()
    assert [record.getMessage() for record in caplog.records] == [
        f"Watcher has a method {name}, and the loop announces no "
        f"{name.removeprefix('on_')}. Did you mean {meant}?"
    ]


@pytest.mark.parametrize("name", FAR)
def test_a_moment_that_may_be_announced_by_somebody_else_is_no_misspelling(
    name, caplog
):
    """By a card of one's own, or by a newer version."""
    run(listener_with(name))
    assert caplog.records == []


def test_who_hears_everything_or_knows_the_right_name_too_is_not_told(caplog):
    run(listener_with("on_modell_reply", base=Recorder))
    run(listener_with("on_modell_reply", "on_event"))
    run(listener_with("on_tool_returned", "on_tool_return"))
    run(type("Counts", (Observer,), {"on_modell_reply": 0})())
    assert caplog.records == []


def test_a_listener_made_of_another_may_misspell_what_that_one_knows(caplog):
    class Quiet(ConsoleLogger):
        def on_tool_calls(self, call):
            """It was to print nothing here."""

    run(Quiet(str))
    assert [record.getMessage() for record in caplog.records] == [
        "Quiet has a method on_tool_calls, and the loop announces no tool_calls. "
        "Did you mean on_tool_call?"
    ]


def test_a_listener_hears_what_a_card_of_ones_own_announces():
    class Glad(Observer):
        heard = ()

        def on_mood(self, mood):
            self.heard = (*self.heard, mood)

    def glad(card):
        return Smiling(card)

    class Smiling(Card):
        def __init__(self, card):
            self.card = card

        def run(self, desk):
            desk.announcer.announce("mood", mood="glad")
            return self.card

    listener = Glad()
    run_with = paris_and_tokyo.agent(observers=[listener], before={RunningTools: glad})
    run_with.run(QUESTION)
    assert listener.heard == ("glad", "glad")


def test_a_class_that_cannot_be_looked_at_is_a_listener_all_the_same(caplog):
    class Closed(type):
        def __dir__(cls):
            raise RuntimeError("closed")

    assert run(Closed("Watcher", (Observer,), {})()) == run()
    assert caplog.records == []


# Listeners change nothing


def test_with_nobody_listening_the_run_is_the_same():
    assert run() == run(Recorder()) == run(Observer(), ConsoleLogger(lambda line: None))


@pytest.mark.parametrize("listener", [Broken, Haunted])
def test_E01_a_listener_that_fails_changes_nothing_but_the_count_of_the_lost(listener):
    before, after, alone = Recorder(), Recorder(), Recorder()
    assert run(before, listener(), after) == run(alone) == run()
    assert before.events == after.events
    *heard, end = before.events
    *events, alone_end = alone.events
    assert heard == events
    assert end.payload == {**alone_end.payload, "lost": {listener.__name__: 32}}


def test_the_lost_announcements_of_two_listeners_of_a_class_are_told_apart():
    class Late(Observer):
        def on_step_start(self, step):
            if step > 1:
                raise OSError("too late")

    class Later(Late):
        def on_tool_call(self, call):
            raise OSError("too late")

    recorder = Recorder()
    run(Late(), Later(), Late(), recorder)
    assert recorder.events[-1].payload["lost"] == {"Late": 2, "Later": 6, "Late 2": 2}


def test_E01_each_kind_of_failure_is_one_warning_and_the_end_says_how_often(caplog):
    recorder = Recorder()
    with caplog.at_level(logging.DEBUG):
        run(Broken(), recorder)
    kinds = list(dict.fromkeys(recorder.names()))
    *warned, last = caplog.records
    assert [
        (r.name, r.levelname, r.getMessage(), r.exc_info is not None) for r in warned
    ] == [
        (
            "mingraph_lite.observers",
            "WARNING",
            f"Broken failed on {name}: RuntimeError('no ears for {name}')",
            True,
        )
        for name in kinds
    ]
    counts = [f"{recorder.names().count(n)} x {n} (RuntimeError)" for n in kinds]
    assert last.getMessage() == f"Broken failed 33 times: {', '.join(counts)}"


def test_what_failed_once_is_not_summed_up(caplog):
    class Once(Observer):
        def on_finish(self, answer, reason):
            raise OSError("the end")

    run(Once())
    assert [record.getMessage() for record in caplog.records] == [
        "Once failed on finish: OSError('the end')"
    ]


def test_another_error_at_the_same_moment_is_another_warning(caplog):
    class Moody(Observer):
        def on_step_start(self, step):
            raise [OSError, KeyError, OSError][step - 1](step)

    run(Moody())
    assert [record.getMessage() for record in caplog.records] == [
        "Moody failed on step_start: OSError(1)",
        "Moody failed on step_start: KeyError(2)",
        "Moody failed 3 times: 2 x step_start (OSError), 1 x step_start (KeyError)",
    ]


def test_an_error_of_ones_own_that_fails_to_be_looked_at_is_a_warning(caplog):
    class Odd(OSError):
        @property
        def filename(self):
            raise ValueError("not now")

        def __str__(self):
            raise ValueError("not now")

        __repr__ = __str__

    class Broken(Observer):
        def on_run_start(self, question):
            raise Odd

    assert paris_and_tokyo.agent(observers=[Broken()]).run(paris_and_tokyo.question)
    assert [record.getMessage() for record in caplog.records] == [
        "Broken failed on run_start: <Odd>"
    ]


def test_a_listener_with_a_method_that_takes_too_little_is_a_warning(caplog):
    class Deaf(Observer):
        def on_step_start(self, round):
            """It was told which step, by another name."""

    assert run(Deaf()) == run()
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "Deaf failed on step_start",
        "Deaf failed 3 times",
    ]


def test_a_listener_gets_what_it_has_a_parameter_for():
    class Old(Observer):
        """Written before announcements said more."""

        def __init__(self):
            self.heard = []
            self.on_warning = lambda **all_of_it: self.heard.append(all_of_it)

        def on_tool_return(self, call):
            self.heard.append(call.name)

        def on_step_start(self):
            self.heard.append("a step")

    old = Old()
    announcer = Announcer([old], run_id="r", agent="guide")
    announcer.announce("step_start", step=1, new="more")
    announcer.announce("tool_return", call=ToolCall("now", {}), value=1, message=None)
    announcer.announce("warning", text="late", name="collides", self="too")
    assert old.heard == [
        "a step",
        "now",
        {"text": "late", "name": "collides", "self": "too"},
    ]


def test_what_is_no_listener_at_all_is_refused_where_it_is_handed_in():
    with pytest.raises(TypeError) as raised:
        run("no listener")
    assert str(raised.value) == (
        "A listener is 'no listener', which has no on_event. "
        "Derive it from Observer, or give it on_event(event)."
    )


class Meddler(Observer):
    """A listener that changes all that it is handed, as far as it can."""

    def on_event(self, event):
        for meddle in (self.clear, self.empty, self.rewrite, self.replace):
            for thing in list(event.payload.values()):
                try:
                    meddle(thing)
                except (AttributeError, TypeError):
                    continue
        event.payload.clear()

    def clear(self, thing):
        thing.clear()

    def empty(self, thing):
        thing[0]["function"]["name"] = "nothing"
        thing[0].clear()
        del thing[:]

    def rewrite(self, thing):
        message = getattr(thing, "message", thing)
        for call in getattr(message, "tool_calls", ()) or getattr(thing, "calls", ()):
            call.arguments["city"] = "Rome"

    def replace(self, thing):
        thing.arguments["city"] = "Rome"
        thing.arguments = {}


def test_a_listener_that_meddles_with_what_it_is_handed_changes_nothing():
    before, after, alone = Recorder(), Recorder(), Recorder()
    assert run(before, Meddler(), after) == run(alone) == run()
    assert [(e.seq, e.name) for e in after.events] == [
        (e.seq, e.name) for e in alone.events
    ]
    messages = [e.payload for e in after.events if e.name == "message_added"]
    assert messages == [e.payload for e in alone.events if e.name == "message_added"]


def test_the_model_and_the_registry_keep_their_menu():
    shown = []

    def reply(messages, menu):
        shown.append(menu)
        return "18"

    tools = paris_and_tokyo.registry()
    menu = ToolRegistry().menu() + paris_and_tokyo.registry().menu()
    Agent(ScriptedLLM([reply]), tools, "", observers=[Meddler()]).run(QUESTION)
    assert (shown, tools.menu()) == ([menu], menu)


def test_a_listener_may_run_another_agent():
    class Echo(Recorder):
        def on_event(self, event):
            super().on_event(event)
            if event.name == "finish":
                self.nested = run(Recorder())

    echo = Echo()
    assert run(echo) == run() == echo.nested


def test_an_announcement_cannot_be_changed():
    recorder = Recorder()
    run(recorder)
    with pytest.raises(AttributeError):
        recorder.events[0].seq = 99  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot be changed"):
        recorder.events[0].payload["question"] = "Why?"  # type: ignore[index]


# Printing


def test_the_console_logger_prints_a_run_round_by_round(capsys):
    run(ConsoleLogger())
    assert capsys.readouterr().out == (
        "[step 1]\n"
        "  reply: (asks for get_weather, get_weather)\n"
        '  call get_weather(city="Paris")\n'
        "  returned: 18\n"
        '  call get_weather(city="Tokyo")\n'
        "  returned: 24\n"
        "[step 2]\n"
        "  reply: (asks for to_fahrenheit, to_fahrenheit)\n"
        "  call to_fahrenheit(celsius=18)\n"
        "  returned: 64\n"
        "  call to_fahrenheit(celsius=24)\n"
        "  returned: 75\n"
        "[step 3]\n"
        "  reply: 'Paris: 64°F, Tokyo: 75°F'\n"
        "[finish: answered] Paris: 64°F, Tokyo: 75°F\n"
    )


def printed(response: LLMResponse) -> list[str]:
    lines: list[str] = []
    ConsoleLogger(lines.append).on_model_reply(response)
    return lines


@pytest.mark.parametrize(
    ("response", "lines"),
    [
        (LLMResponse(AssistantMessage("18")), ["  reply: '18'"]),
        (LLMResponse(AssistantMessage("")), ["  reply: (nothing)"]),
        (
            LLMResponse(AssistantMessage(""), refusal="I can't."),
            ["  reply: (refuses: I can't.)"],
        ),
        (LLMResponse(AssistantMessage("No."), refusal="No."), ["  reply: 'No.'"]),
        (
            LLMResponse(AssistantMessage("I'll look.", (ToolCall("now", {}),))),
            ['  reply: "I\'ll look." (asks for now)'],
        ),
        (
            LLMResponse(AssistantMessage("18"), reasoning="It says so."),
            ["  reply: '18'", "  reasoning: It says so."],
        ),
        (
            LLMResponse(AssistantMessage("18"), notes=("cut off", "no id")),
            ["  reply: '18'", "  note: cut off", "  note: no id"],
        ),
        (
            LLMResponse(AssistantMessage("18"), usage=Usage(374, 124)),
            ["  reply: '18'   tokens in=374 out=124 reasoning=?"],
        ),
        (
            LLMResponse(AssistantMessage("18"), usage=Usage(0, 0, 0)),
            ["  reply: '18'   tokens in=0 out=0 reasoning=0"],
        ),
        (
            LLMResponse(AssistantMessage("18"), usage=Usage()),
            ["  reply: '18'   tokens in=? out=? reasoning=?"],
        ),
    ],
)
def test_the_console_logger_prints_what_came_and_what_it_cost(response, lines):
    assert printed(response) == lines


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (None, []),
        ("", ["  sent as: ''"]),
        ('{"city": "Par', ["""  sent as: '{"city": "Par'"""]),
        ("a\n" + "b" * 78, [f"  sent as: 'a\\n{'b' * 78}'"]),
        ("a\n" + "b" * 79, [f"  sent as: 'a\\n{'b' * 78}…'"]),
    ],
)
def test_the_console_logger_prints_what_came_where_it_was_not_taken_as_sent(raw, lines):
    printed: list[str] = []
    call = ToolCall("now", {}, "c1", raw=raw)
    ConsoleLogger(printed.append).on_tool_call(call)
    assert printed == ["  call now()", *lines]


def test_the_console_logger_prints_errors_and_ends_without_an_answer():
    lines: list[str] = []
    logger = ConsoleLogger(lines.append)
    call = ToolCall("now", {}, "c1")
    error = ToolMessage("Error: OSError in now: no clock", "c1", "now")
    logger.on_tool_error(call, OSError("no clock"), error)
    logger.on_finish(None, "failed")
    assert lines == ["  error: Error: OSError in now: no clock", "[finish: failed]"]


def test_the_console_logger_prints_that_the_model_is_asked_again():
    lines: list[str] = []
    script = [ModelError("The server is busy.", retryable=True), "18"]
    run(ConsoleLogger(lines.append), script=script)
    assert lines == [
        "[step 1]",
        "  try 1 failed: The server is busy. Again in 1 s.",
        "  reply: '18'",
        "[finish: answered] 18",
    ]


def test_a_console_that_is_gone_changes_nothing(caplog):
    def gone(line):
        raise BrokenPipeError(line)

    assert run(ConsoleLogger(gone)) == run()
    assert len(caplog.records) == 6


class CodePage(io.TextIOWrapper):
    """A terminal that knows 250 signs, as on an older Windows."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="cp1252", newline="\n")

    def shown(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("cp1252")


SIGNS = "Tromsø é 5 € \u2192 \U0001f9e3 \ud83d"


def test_E06_the_console_logger_shows_a_question_mark_for_a_sign_it_has_not(
    monkeypatch, caplog
):
    terminal = CodePage()
    monkeypatch.setattr(sys, "stdout", terminal)
    run(ConsoleLogger(), script=[SIGNS])
    assert terminal.shown().splitlines()[1:] == [
        "  reply: 'Tromsø é 5 € ? ? \\ud83d'",
        "[finish: answered] Tromsø é 5 € ? ? ?",
    ]
    assert caplog.records == []


def test_E06_a_terminal_that_is_handed_in_is_spared_too():
    terminal = CodePage()
    logger = ConsoleLogger(lambda line: print(line, file=terminal))
    logger.on_warning("5 → 6")
    logger.on_warning("5 < 6")
    assert terminal.shown() == "  warning: 5 ? 6\n  warning: 5 < 6\n"


def test_what_has_several_lines_stays_below_its_beginning():
    lines: list[str] = []
    call = ToolCall("now", {}, "c1")
    message = ToolMessage("one\ntwo", "c1", "now")
    ConsoleLogger(lines.append).on_tool_return(call, "one\ntwo", message)
    assert lines == ["  returned: one\n    two"]


def test_secrets_are_handed_to_who_wants_them_and_announced_to_nobody():
    class Keeping(Recorder):
        def keep_secret(self, secrets):
            self.kept = [secret.reveal() for secret in secrets]

    class Model:
        """A model of one's own around another."""

        def __init__(self, inner):
            self.inner = inner
            self.itself = self

        def generate(self, messages, menu):
            return LLMResponse(AssistantMessage("18"))

    key = "sk-test-1234567890abcdef"
    inner = OpenAIChat("m", "http://localhost:1/v1", key, headers={"X-Key": "abcdefg"})
    keeping, recorder = Keeping(), Recorder()
    Agent(Model([inner]), [], "", observers=[keeping, recorder]).run("Go")
    assert keeping.kept == ["abcdefg", key]
    assert key not in repr(recorder.events)


def test_what_is_said_more_than_it_used_to_be_breaks_no_old_listener(caplog):
    class Old(Observer):
        """Written when a run's ends said less."""

        def __init__(self):
            self.heard = []

        def on_run_start(self, question):
            self.heard.append(question)

        def on_finish(self, answer, reason):
            self.heard.append((answer, reason))

    class Broken(Observer):
        def on_step_start(self, step):
            raise OSError("no ears")

    old = Old()
    run(Broken(), old, script=["18"])
    assert old.heard == [QUESTION, ("18", "answered")]
    assert len(caplog.records) == 1  # that of the broken one


def test_an_error_that_cannot_be_shown_ends_no_run():
    class Unspeakable(Exception):
        def __repr__(self):
            raise RuntimeError("no words")

    class Bad(Observer):
        def on_event(self, event):
            raise Unspeakable

    assert run(Bad()) == run()
