"""What a trace masks is in no log, no error, no repr and on no terminal either."""

import base64
import copy
import json
import logging
import pickle
import traceback

import pytest

from mingraph_lite import Agent, ListenerFailed, ScriptedLLM, TraceRecorder, read_trace
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.wire import completion
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage
from mingraph_lite.observers import (
    Announcer,
    ConsoleLogger,
    Event,
    Observer,
    Recorder,
    RunId,
)
from mingraph_lite.schema.masking import Mask
from mingraph_lite.schema.sealed import Key
from mingraph_lite.views.frames import frames
from mingraph_lite.views.from_trace import frames_of
from tests.adapters.wire import answering
from tests.trace.written import lines_of, recorder

KEY = "sk-canary-1234567890abcdef"
HEADER = "hdr-canary-0987654321"
IN_URL = "url-canary-5566778899"
HANDED_IN = "own-canary-4433221100"
NAMED = "pwd-canary-2468013579"
CANARIES = [KEY, HEADER, IN_URL, HANDED_IN, NAMED]


def telling() -> dict[str, object]:
    """Say too much."""
    return {"db_pwd": NAMED, "note": f"{KEY} {NAMED} {HANDED_IN}", "header": HEADER}


def failing(password: str) -> str:
    """Fail, and say too much."""
    raise ConnectionError(
        f"401 for {KEY} and {password} at http://me:{IN_URL}@host/?key={IN_URL}"
    )


class Quoting(Observer):
    """Fails, and quotes what it heard: in its error, and in the cause of that."""

    def on_tool_return(self, call, value, message):
        try:
            raise KeyError(message.content)
        except KeyError as cause:
            raise OSError(f"cannot send {value} with {KEY}, {HANDED_IN}") from cause


class Strict(Quoting):
    strict = True


def agent_of(transport, *observers: Observer) -> Agent:
    llm = OpenAIChat(
        "m",
        "http://localhost:9/v1",
        KEY,
        transport=transport,
        headers={"X-Api-Key": HEADER},
    )
    tools = [telling, failing]
    return Agent(llm, tools, "", observers=observers, tool_failures="answer")


def replies(*said: LLMResponse):
    """A transport that gives these replies, one at each call."""
    left = iter(said)
    return lambda request: answering(completion(next(left)))(request)


SLIPS = (
    ToolCall("telling", {}, "c1"),
    ToolCall("failing", {"password": NAMED}, "c2"),
)
SAID = (
    LLMResponse(AssistantMessage(f"The key is {KEY}.", SLIPS), reasoning=f"Hm, {KEY}."),
    LLMResponse(AssistantMessage(f"They were {KEY}, {HEADER}, {HANDED_IN}, {NAMED}.")),
)


@pytest.mark.parametrize("listener", [Quoting, Strict])
def test_E07_a_canary_comes_out_at_no_door(tmp_path, caplog, capsys, listener):
    path = tmp_path / "t.jsonl"
    trace = TraceRecorder(path, secrets=[HANDED_IN])
    recorder, console = Recorder(), ConsoleLogger()
    agent = agent_of(replies(*SAID), listener(), trace, recorder, console)
    raised = ""
    with caplog.at_level(logging.DEBUG):
        try:
            agent.run(f"Is {KEY} mine?")
        except ListenerFailed as error:
            raised = "".join(traceback.format_exception(error)) + repr(error)
    assert bool(raised) is (listener is Strict)
    written = read_trace(path, strict=True)
    doors = {
        "file": path.read_text("utf-8"),
        "log": caplog.text + "".join(map(repr, caplog.records)),
        "log records": "".join(str(vars(record)) for record in caplog.records),
        "terminal": "".join(capsys.readouterr()),
        "error": raised,
        "repr": repr([agent, agent.llm, trace, recorder, console, listener()]),
        "events": repr(recorder.events) + str(recorder.events[-1]),
        "lost": repr(recorder.events[-1].payload.get("lost")),
        "pictures": json.dumps([[*frames_of(written.run(r.id))] for r in written.runs]),
    }
    found = {door: [c for c in CANARIES if c in text] for door, text in doors.items()}
    assert found == {door: [] for door in doors}
    for door in ("file", "log", "terminal", "events", "pictures"):
        assert "***" in doors[door], door


def test_a_log_line_without_a_secret_keeps_its_error(caplog):
    class Failing(Observer):
        def on_step_start(self, step):
            raise OSError(f"no ears in step {step}, of {KEY}" if step == 2 else "deaf")

    agent = paris_and_tokyo.agent(
        observers=[Failing(), ConsoleLogger(str, secrets=[KEY])]
    )
    agent.run(paris_and_tokyo.question)
    first, *_ = caplog.records
    assert first.getMessage() == "Failing failed on step_start: OSError('deaf')"
    assert first.exc_info is not None
    assert KEY not in caplog.text


def test_what_one_listener_was_told_to_hide_all_of_its_run_hide(tmp_path):
    lines: list[str] = []
    path = tmp_path / "t.jsonl"
    observers = [
        ConsoleLogger(lines.append, secrets=["4711"]),
        recorder(path, secrets=["0815x"]),
    ]
    script = ScriptedLLM(["The pins are 4711 and 0815x."])
    Agent(script, [], "", observers=observers).run("Go")
    assert lines[-1] == "[finish: answered] The pins are *** and ***."
    assert lines_of(path)[-1]["answer"] == "The pins are *** and ***."


def test_a_warning_is_masked_in_the_log(caplog):
    announcer = Announcer([], run_id="r", agent="a")
    announcer.share([Key(KEY), Key("x")])
    announcer.warn(f"x is not {KEY}, api_key=zzz")
    assert [r.getMessage() for r in caplog.records] == ["x is not ***, api_key=***"]


class Odd(Observer):
    """Hands out what is no secret, and wants none."""

    def __init__(self, given):
        self.given = given

    def known_secrets(self):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given

    def keep_secret(self, secrets):
        return self.given


@pytest.mark.parametrize("given", [None, 5, [3, None], KEY, [KEY], (Key(KEY),)])
def test_whoever_hands_out_odd_secrets_changes_nothing(given, caplog):
    heard = Recorder()
    llm = ScriptedLLM([f"It is {KEY}."])
    Agent(llm, [], "", observers=[Odd(given), heard]).run("Go")
    assert caplog.records == []
    assert (KEY in repr(heard.events)) is (given in (None, 5, [3, None]))


def test_a_listener_that_fails_to_say_what_is_secret_is_warned_of(caplog):
    Agent(ScriptedLLM(["18"]), [], "", observers=[Odd(OSError("gone"))]).run("Go")
    assert [r.getMessage() for r in caplog.records] == [
        "Odd failed on known_secrets: OSError('gone')"
    ]


def test_the_password_in_a_basic_header_is_known_too():
    basic = base64.b64encode(b"me:pw-canary-135").decode()
    llm = OpenAIChat(
        "m",
        "http://localhost:9/v1",
        transport=replies(LLMResponse(AssistantMessage(f"pw-canary-135 or {basic}"))),
        headers={"Authorization": f"Basic {basic}", "X-Scheme": "ApiKey hdr-canary-1"},
    )
    assert [key.reveal() for key in llm.known_secrets()] == [
        basic,
        "pw-canary-135",
        "hdr-canary-1",
    ]
    lines: list[str] = []
    Agent(llm, [], "", observers=[ConsoleLogger(lines.append)]).run("Which ApiKey?")
    assert lines[-1] == "[finish: answered] *** or ***"


def test_an_event_shows_no_secret_and_is_what_it_was():
    announcer = Announcer([heard := Recorder()], run_id="run-1", agent="a")
    announcer.share([Key(KEY)])
    announcer.announce("warning", text=f"{KEY} api_key=zzz")
    [event] = heard.events
    assert repr(event) == (
        "Event(run_id='run-1', seq=1, step=0, agent='a', name='warning', "
        "payload={'text': '*** api_key=***'})"
    )
    assert event == Event("run-1", 1, 0, "a", "warning", {"text": f"{KEY} api_key=zzz"})
    again = pickle.loads(pickle.dumps(event))
    assert again == event == copy.deepcopy(event)
    assert type(again.run_id) is RunId
    assert KEY not in repr(copy.deepcopy(heard.events))


@pytest.mark.parametrize(
    ("secrets", "told"),
    [
        (KEY, "secrets is one text. Hand in a list: secrets=[…]."),
        (5, "secrets is of the kind int. Hand in a list: secrets=[…]."),
        ([KEY, None], "One of secrets is of the kind NoneType. Each is a text."),
    ],
)
def test_what_is_no_list_of_texts_is_refused_unseen(tmp_path, secrets, told):
    for make in (
        lambda: ConsoleLogger(secrets=secrets),
        lambda: TraceRecorder(tmp_path / "t", secrets=secrets),
    ):
        with pytest.raises(TypeError) as raised:
            make()
        assert str(raised.value) == told


def test_what_knows_secrets_is_not_pickled_and_its_copies_know_them():
    known = ConsoleLogger(str, secrets=[KEY])
    with pytest.raises(TypeError, match="is not pickled"):
        pickle.dumps(known)
    pickle.loads(pickle.dumps(ConsoleLogger())).on_warning("still prints")
    assert copy.deepcopy(Mask([KEY])).masked(KEY) == "***"
    assert copy.copy(Mask([KEY])).masked(KEY) == "***"
    assert repr(Mask([KEY, "4711"])) == "Mask(2 secrets)"


def test_the_console_logger_masks_before_it_cuts_and_knows_what_it_masked():
    lines: list[str] = []
    logger = ConsoleLogger(lines.append, secrets=[KEY])
    raw = "x" * 66 + KEY
    logger.on_tool_call(ToolCall("log_in", {"password": NAMED}, "c1", raw=raw))
    message = ToolMessage(f"welcome, {NAMED}", "c1", "log_in")
    logger.on_tool_return(ToolCall("log_in", {}), message.content, message)
    assert lines == [
        '  call log_in(password="***")',
        f"  sent as: '{'x' * 66}***'",
        "  returned: welcome, ***",
    ]


def test_the_console_logger_hides_what_is_told_anywhere_in_a_text_or_before():
    lines: list[str] = []
    logger = ConsoleLogger(lines.append)
    logger.on_run_start("The api_key=Zq81LmNo90", {"system_prompt": "otp=a1b2c3d4"})
    content = f'{{"t": "it is {NAMED}", "token": "{NAMED}"}}'
    message = ToolMessage(content, "c1", "look")
    logger.on_tool_return(ToolCall("look", {}), content, message)
    said = AssistantMessage("Zq81LmNo90, a1b2c3d4, k9y8z7w6")
    logger.on_model_reply(LLMResponse(said, reasoning="secret=k9y8z7w6"))
    assert lines == [
        '  returned: {"t": "it is ***", "token": "***"}',
        "  reply: '***, ***, ***'",
        "  reasoning: secret=***",
    ]


def test_an_event_hides_what_is_told_anywhere_in_it():
    payload = {"text": f"it is {NAMED}", "token": NAMED}
    assert repr(Event("run-1", 1, 0, "a", "tick", payload)) == (
        "Event(run_id='run-1', seq=1, step=0, agent='a', name='tick', "
        "payload={'text': 'it is ***', 'token': '***'})"
    )


def test_a_console_logger_says_what_it_is():
    assert repr(ConsoleLogger(secrets=[KEY])) == "ConsoleLogger()"


def test_a_key_that_is_a_word_of_ours_leaves_the_pictures_whole():
    llm = OpenAIChat(
        "m",
        "http://localhost:9/v1",
        "system-folder",
        transport=replies(LLMResponse(AssistantMessage("It is the folder."))),
    )
    first, *_, last = frames(Agent(llm, [], "The system."), "Go")
    assert [line["who"] for line in first["lines"]] == ["system", "user"]
    assert first["lines"][0]["text"] == "The ***."
    assert last["outcome"]["answer"] == "It is the ***."
