import logging

import pytest

from mingraph_lite import Agent, ListenerFailed, ScriptedLLM
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.messages import ToolMessage, problems
from mingraph_lite.observers import Observer, Recorder

MOMENTS = [
    "run_start",
    "card_start",
    "step_start",
    "model_call",
    "model_reply",
    "message_added",
    "tool_call",
    "tool_return",
]


class Audit(Observer):
    """A log that must not lose a line; its disk is full from some moment on."""

    strict = True

    def __init__(self, moment: str) -> None:
        self._moment = moment
        self._is_full = False
        self.heard: list[str] = []

    def on_event(self, event):
        self._is_full = self._is_full or event.name == self._moment
        if self._is_full:
            raise OSError("no space left")
        self.heard.append(event.name)


def agent_with(*observers: Observer) -> Agent:
    return paris_and_tokyo.agent(observers=observers)


@pytest.mark.parametrize("moment", MOMENTS)
def test_E01_a_strict_listener_that_fails_ends_the_run_with_every_slip_answered(moment):
    recorder = Recorder()
    agent = agent_with(Audit(moment), recorder)
    with pytest.raises(ListenerFailed) as raised:
        agent.run(paris_and_tokyo.question)
    assert str(raised.value) == (
        f"Audit failed on {moment}: OSError('no space left'). It is strict, so the run "
        "ends with it. Mend the listener, or allow it to miss something with "
        "strict=False."
    )
    assert isinstance(raised.value.__cause__, OSError)
    assert problems(agent.memory.folder) == []
    *_, end = recorder.events
    assert (end.name, end.payload["answer"], end.payload["reason"]) == (
        "finish",
        None,
        "failed",
    )
    assert recorder.names().count("finish") == 1
    assert agent.last_run is not None
    assert agent.last_run.reason == "failed"


def test_others_hear_what_a_strict_listener_failed_to_hear():
    before, after = Recorder(), Recorder()
    with pytest.raises(ListenerFailed):
        agent_with(before, Audit("tool_call"), after).run(paris_and_tokyo.question)
    assert before.events == after.events
    assert before.names()[-5:] == [
        "card_start",
        "tool_call",
        "message_added",
        "message_added",
        "finish",
    ]


def test_an_answer_that_a_strict_listener_did_not_hear_is_not_handed_over():
    before, audit, after = Recorder(), Audit("finish"), Recorder()
    agent = agent_with(before, audit, after)
    with pytest.raises(ListenerFailed, match="Audit failed on finish"):
        agent.run(paris_and_tokyo.question)
    assert before.events == after.events
    assert [e.seq for e in before.events] == list(range(1, len(before.events) + 1))
    assert before.events[-1].payload == {
        "answer": None,
        "reason": "failed",
        "lost": {"Audit": 1},
    }
    assert agent.last_run is not None
    assert (agent.last_run.answer, agent.last_run.reason) == (None, "failed")


def test_a_strict_listener_that_hears_everything_changes_nothing():
    audit = Audit("no such moment")
    alone = agent_with().run(paris_and_tokyo.question)
    assert agent_with(audit).run(paris_and_tokyo.question) == alone
    assert audit.heard[-1] == "finish"


def test_a_run_that_fails_anyway_keeps_its_own_error(caplog):
    def boom() -> str:
        """Fail."""
        raise KeyError("boom")

    from mingraph_lite.messages import ToolCall

    agent = Agent(
        ScriptedLLM([ToolCall("boom", {})]), [boom], "", observers=[Audit("finish")]
    )
    with caplog.at_level(logging.WARNING), pytest.raises(KeyError, match="boom"):
        agent.run("Go")
    assert [record.getMessage() for record in caplog.records] == [
        "Audit failed on finish: OSError('no space left')"
    ]


def test_a_card_that_swallows_the_failure_does_not_get_past_it():
    """It catches everything once; the next announcement raises again."""
    from mingraph_lite.cards import CallingModel, Card

    class Swallowing(CallingModel):
        def run(self, desk):
            try:
                return super().run(desk)
            except Exception:
                return CallingModel(self.step)

    def swallow(card: Card) -> Card:
        return Swallowing(1)

    agent = paris_and_tokyo.agent(
        observers=[Audit("model_reply")], before={CallingModel: swallow}
    )
    with pytest.raises(ListenerFailed):
        agent.run(paris_and_tokyo.question)


def test_a_run_left_in_the_middle_is_ended_though_a_strict_listener_fails():
    recorder = Recorder()
    agent = agent_with(Audit("message_added"), recorder)
    agent.observers[0]._moment = "never"
    steps = agent.steps(paris_and_tokyo.question)
    for _ in range(2):
        next(steps)
    agent.observers[0]._is_full = True
    steps.close()
    answers = [m.content for m in agent.memory.folder if isinstance(m, ToolMessage)]
    assert answers == ["not run: stopped"] * 2
    assert recorder.events[-1].payload["reason"] == "abandoned"


def test_who_writes_down_the_end_knows_what_ended_the_run():
    class Keeping(Observer):
        kept = ()

        def keep_error(self, run_id, error):
            self.kept = (run_id, error)

    keeping = Keeping()
    with pytest.raises(ListenerFailed) as raised:
        agent_with(keeping, Audit("tool_call")).run(paris_and_tokyo.question)
    assert keeping.kept == ("run-1", f"ListenerFailed: {raised.value}")
