"""What is secret is in no line of a trace, wherever it was planted."""

import base64
import html
import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mingraph_lite import Agent, ScriptedLLM, Summarise
from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.lab.wire import completion
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.observers import ConsoleLogger, Recorder
from mingraph_lite.schema.masking import Mask
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.views.from_trace import frames_of
from tests.trace.written import announced, lines_of, named, recorder, written

KEY = 'sk-test-"1234567890\\abcdef'
PLAIN_KEY = "sk-test-1234567890abcdef"
HEADER = "hdr-canary-0987654321"
FORMS: list[Callable[[str], str]] = [
    str,
    str.upper,
    lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    lambda key: json.dumps("".join(f"\\u{ord(letter):04X}" for letter in key)),
    lambda key: "".join(f"\\x{ord(letter):02x}" for letter in key),
    lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    lambda key: "".join(f"&#x{ord(letter):X};" for letter in key),
    lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    lambda key: quote("".join(f"%{ord(letter):02x}" for letter in key)),
    lambda key: html.escape(html.escape(key)),
    lambda key: key[:7] + "".join(f"\\u{ord(letter):04x}" for letter in key[7:]),
    lambda key: json.dumps(key),
    lambda key: json.dumps(json.dumps({"inside": key})),
    lambda key: quote(key, safe=""),
    repr,
    lambda key: base64.b64encode(key.encode()).decode(),
    lambda key: f"https://host/v1?key={quote(key)}&x=1",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def holds(text: str, secret: str) -> bool:
    """Whether six characters in a row of a secret stand in a text, in any form."""
    small = text.lower()
    forms = {form(secret).strip("\"'").lower() for form in FORMS[:-1]}
    # What JSON escapes is cut there: the pieces between are looked for.
    pieces = {p for form in forms for p in form.replace("\\", '"').split('"')}
    return any(
        piece[at : at + 6] in small
        for piece in pieces
        if "inside" not in piece
        for at in range(len(piece) - 5)
    )


def answering(*replies: Any) -> tuple[Callable[[Request], Response], list[Request]]:
    """A transport that gives these replies in order, and what it was sent."""
    left, sent = iter(replies), []

    def transport(request: Request) -> Response:
        sent.append(request)
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        status, body = reply
        return Response(
            status, {"content-type": "application/json"}, iter([body.encode()])
        )

    return transport, sent


def ok(response: LLMResponse) -> tuple[int, str]:
    return 200, json.dumps(completion(response))


def leaking(key: str) -> str:
    """Say too much."""
    raise ConnectionError(f"401 for Bearer {PLAIN_KEY} at http://u:{PLAIN_KEY}@host/")


def telling(key: str) -> dict[str, object]:
    """Say too much, too."""
    return {
        "env": {"OPENAI_API_KEY": PLAIN_KEY, "HOME": "/home/me"},
        "text": f"{quote(PLAIN_KEY)} {json.dumps(PLAIN_KEY)} {HEADER}",
        PLAIN_KEY: 1,
    }


def test_E07_a_canary_is_in_no_line_log_repr_or_picture(path, capsys, caplog):
    slips = (
        ToolCall("telling", {"key": PLAIN_KEY}, "c1"),
        ToolCall("leaking", {"key": HEADER}, "c2"),
    )
    transport, sent = answering(
        (401, json.dumps({"error": {"message": f"bad key {PLAIN_KEY}"}})),
        ConnectionError(f"no route for {PLAIN_KEY}"),
        ok(LLMResponse(AssistantMessage(f"The key is {PLAIN_KEY}.", slips))),
        ok(LLMResponse(AssistantMessage(f"It was {PLAIN_KEY} and {HEADER}."))),
    )
    llm = OpenAIChat(
        "m",
        "http://localhost:9/v1",
        PLAIN_KEY,
        transport=transport,
        headers={"X-Api-Key": HEADER},
    )
    heard = TraceRecorder(path)
    console = ConsoleLogger(lambda line: None)
    with caplog.at_level(logging.DEBUG):
        for _ in range(3):
            agent = Agent(
                llm,
                [telling, leaking],
                "",
                observers=[heard, console],
                tool_failures="answer",
            )
            try:
                agent.run(f"Is {PLAIN_KEY} my key?")
            except Exception as error:
                caplog.records.append(logging.makeLogRecord({"msg": str(error)}))
    assert [request.headers["Authorization"] for request in sent] == [
        f"Bearer {PLAIN_KEY}"
    ] * len(sent)
    text = path.read_text(encoding="utf-8")
    assert "***" in text
    for secret in (PLAIN_KEY, HEADER):
        assert not holds(text, secret)
        assert not holds(caplog.text + repr(llm) + repr(heard), secret)
        assert secret.encode() not in pickle.dumps([str(r.msg) for r in caplog.records])
    trace = read_trace(path, strict=True)
    assert len(trace.runs) == 3
    drawn = json.dumps([list(frames_of(trace.run(run.id))) for run in trace.runs])
    assert not holds(drawn, PLAIN_KEY)


@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize("key", [KEY, PLAIN_KEY])
def test_E07_a_secret_is_masked_in_each_of_its_forms(path, form, key):
    line = announced_with([key], path, text=f"before {FORMS[form](key)} after")
    assert not holds(json.dumps(line["payload"], ensure_ascii=False), key)
    assert line["payload"]["text"].startswith("before ")
    assert line["payload"]["text"].endswith(" after")
    assert line["marks"] == [{"at": "payload.text", "what": "masked"}]


def announced_with(secrets: list[str], path: Path, **payload: Any) -> dict[str, Any]:
    from mingraph_lite.observers import Announcer

    observer = recorder(path, secrets=secrets)
    Announcer([observer], run_id="r", agent="a").announce("tick", **payload)
    return lines_of(path)[-1]


def test_a_short_secret_that_is_handed_in_is_masked_too(path):
    line = announced_with(["4711"], path, text="the pin is 4711.")
    assert line["payload"] == {"text": "the pin is ***."}


def test_a_secret_is_masked_before_a_long_text_is_cut(path):
    from mingraph_lite.observers import Announcer

    observer = recorder(path, secrets=[PLAIN_KEY], longest=60)
    Announcer([observer], run_id="r", agent="a").announce(
        "warning", text="x" * 50 + PLAIN_KEY
    )
    assert lines_of(path)[-1]["text"] == "x" * 50 + "***"


@pytest.mark.parametrize(
    "name", ["Authorization", "api_key", "X-API-Key", "OPENAI_API_KEY", "apikey"]
)
@pytest.mark.parametrize("value", ["zzz", 4711, ["a", "b"]])
def test_E07_what_is_named_as_a_secret_is_masked_whoever_says_it(path, name, value):
    line = announced(path, "tick", headers={name: value, "Accept": "x"})
    assert line["payload"]["headers"] == {name: "***", "Accept": "x"}
    assert line["marks"] == [{"at": f"payload.headers.{name}", "what": "masked"}]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer zzz", "Authorization: Bearer ***"),
        ('{"api_key": "zzz", "n": 1}', '{"api_key": "***", "n": 1}'),
        (
            "at http://user:pw@host/v1?api_key=zzz&n=1",
            "at http://***@host/v1?api_key=***&n=1",
        ),
        ("export GROQ_API_KEY=zzz", "export GROQ_API_KEY=***"),
        ("db_password = 'zzz'", "db_password = '***'"),
        ("Set-Cookie: id=3; Path=/", "Set-Cookie: ***; Path=/"),
    ],
)
def test_E07_what_a_text_names_as_a_secret_is_masked(path, text, masked):
    assert announced(path, "tick", text=text)["payload"] == {"text": masked}


@pytest.mark.parametrize(
    "text",
    ["max_tokens: 300", "the monkey", "a keyboard: black", "input_tokens=3", "a@b.c"],
)
def test_what_only_looks_like_a_secret_stays(path, text):
    line = announced(path, "tick", text=text, input_tokens=5, key="a word", id=3)
    assert line["payload"] == {
        "text": text,
        "input_tokens": 5,
        "key": "a word",
        "id": 3,
    }
    assert "marks" not in line


def test_a_tool_may_have_a_parameter_named_password(path):
    def log_in(password: str) -> str:
        """Log in."""
        return "welcome"

    slip = ToolCall("log_in", {"password": "hunter2"}, "c1")
    observer = recorder(path)
    script = [slip, "done"]
    Agent(ScriptedLLM(script), [log_in], "", observers=[observer]).run("Go")
    lines = lines_of(path)
    [menu] = [call["menu"] for call in named(lines, "model_call") if "menu" in call]
    assert menu[0]["function"]["parameters"]["properties"] == {
        "password": {"type": "string"}
    }
    assert named(lines, "tool_call")[0]["arguments"] == {"password": "***"}
    assert "hunter2" not in path.read_text(encoding="utf-8")


def test_what_a_parameter_is_preset_to_is_masked_on_the_menu(path):
    def log_in(api_key: str = PLAIN_KEY, size: int = 3, default: str = "x") -> str:
        """Log in."""
        return "welcome"

    Agent(ScriptedLLM(["18"]), [log_in], "", observers=[recorder(path)]).run("Go")
    [call] = named(lines_of(path), "model_call")
    assert call["menu"][0]["function"]["parameters"]["properties"] == {
        "api_key": {"type": "string", "default": "***"},
        "size": {"type": "integer", "default": 3},
        "default": {"type": "string", "default": "x"},
    }
    at = "menu.0.function.parameters.properties.api_key.default"
    assert call["marks"] == [{"at": at, "what": "masked"}]
    assert not holds(path.read_text(encoding="utf-8"), PLAIN_KEY)


def test_the_secrets_of_a_summarising_model_are_known_too(path):
    transport, _ = answering()
    inner = OllamaChat("m", transport=transport, headers={"X-Key": HEADER})
    agent = Agent(
        ScriptedLLM([f"It is {HEADER}."]),
        [],
        "",
        memory=Summarise(inner),
        observers=[recorder(path)],
    )
    agent.run("Go")
    assert not holds(path.read_text(encoding="utf-8"), HEADER)


def test_what_a_recorder_knows_is_shown_by_nothing(path):
    known = recorder(path, secrets=[PLAIN_KEY, "4711"])
    with pytest.raises(TypeError, match="is not pickled"):
        pickle.dumps(known)
    assert repr(known) == "TraceRecorder('trace.jsonl')"
    assert repr(Mask([PLAIN_KEY, "4711"])) == "Mask(2 secrets)"


def test_the_settings_of_a_model_are_written_and_its_key_is_not(path):
    transport, _ = answering(ok(LLMResponse(AssistantMessage("18"))))
    llm = OpenAIChat(
        "m", "http://localhost:9/v1", PLAIN_KEY, transport=transport, temperature=0.5
    )
    heard = Recorder()
    Agent(llm, [], "", observers=[recorder(path), heard]).run("Go")
    assert lines_of(path)[0]["model"] == {
        "name": "m",
        "adapter": "OpenAIChat",
        "base_url": "http://localhost:9/v1",
        "tools_as": "native",
        "options": {"temperature": 0.5},
    }
    assert PLAIN_KEY not in repr(heard.events)


def test_what_is_drawn_of_a_thing_does_not_show_what_is_masked_inside(path):
    line = announced(path, "tick", odd=({"password": ["hunter2"]},))
    assert (line["payload"], line["shown"]) == (
        {"odd": [{"password": "***"}]},
        {"odd": "***"},
    )


def test_a_secret_that_comes_as_a_number_is_masked(tmp_path):
    path = tmp_path / "t.jsonl"
    observer = recorder(path, secrets=["48151623"])
    line = written(observer, path, "tick", pin=48151623, others=[48151623, 5])
    assert line["payload"] == {"pin": "***", "others": ["***", 5]}
