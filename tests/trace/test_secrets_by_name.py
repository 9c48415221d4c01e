"""What stands under a secret's name is in no other text of its line, or after it."""

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mingraph_lite.messages import ToolCall
from mingraph_lite.observers import ConsoleLogger
from mingraph_lite.schema.hiding import NO_SECRETS
from mingraph_lite.schema.masking import Mask, names_on
from tests.trace.written import agent, announced, lines_of, named, recorder, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def test_what_stands_under_a_secrets_name_is_hidden_in_all_of_its_line(path):
    def log_in() -> dict[str, Any]:
        """Give back too much."""
        return {
            "entries": [{"name": "GITHUB_TOKEN", "value": "swordfish"}, {"size": 18}],
            "headers": [["X-Api-Key", "s3cr3t"], ["Accept", "18"]],
            "note": "swordfish and s3cr3t, not swordfishes",
            "pwd": "18",
        }

    agent(ToolCall("log_in", {}, "c1"), "done", path=path, tools=[log_in]).run("Go")
    [line] = named(lines_of(path), "tool_return")
    masked = {
        "entries": [{"name": "GITHUB_TOKEN", "value": "***"}, {"size": 18}],
        "headers": [["X-Api-Key", "***"], ["Accept", "18"]],
        "note": "*** and ***, not swordfishes",
        "pwd": "***",
    }
    assert line["value"] == masked
    assert json.loads(line["content"]) == masked


def test_a_long_result_that_stands_in_its_content_alone_is_json_still(path):
    def read() -> dict[str, Any]:
        """Give back much, and too much."""
        return {"note": "n" * 300, "api_key": {"value": 18}, "pins": {"my_secret": 7}}

    agent(ToolCall("read", {}, "c1"), "done", path=path, tools=[read]).run("Go")
    [line] = named(lines_of(path), "tool_return")
    assert line["value_in"] == "content, as JSON"
    assert json.loads(line["content"]) == {
        "note": "n" * 300,
        "api_key": "***",
        "pins": {"my_secret": "***"},
    }


def test_pairs_entries_and_commands_name_what_stands_beside_them(path):
    line = announced(
        path,
        headers=[("X-Api-Key", "zzz"), ["Accept", "x"]],
        env=[{"name": "GITHUB_TOKEN", "value": "zzz"}, {"key": "HOME", "value": "/"}],
        command=["run", "--api-key", "zzz", "--size", "18"],
    )
    assert line["payload"] == {
        "headers": [["X-Api-Key", "***"], ["Accept", "x"]],
        "env": [
            {"name": "GITHUB_TOKEN", "value": "***"},
            {"key": "HOME", "value": "/"},
        ],
        "command": ["run", "--api-key", "***", "--size", "18"],
    }
    assert [mark["at"] for mark in line["marks"]] == [
        "payload.headers.0.1",
        "payload.env.0.value",
        "payload.command.2",
    ]
    assert line["shown"] == {"headers": "***"}


def test_what_stood_under_a_secrets_name_is_known_from_then_on(path):
    def log_in(password: str, token: str, pin_code: int) -> str:
        """Say it all again."""
        raise ValueError(f"{password!r} is not {pin_code}, and {token} not true")

    raw = '{"password":\n"s3cr3t/1", "token": "temperature", "pin_code": 18}'
    slip = {"password": "s3cr3t/1", "token": "temperature", "pin_code": 18}
    call = ToolCall("log_in", slip, "c1", raw=raw)
    script = [call, "Is s3cr3t%2F1 the temperature, 18, true?"]
    agent(*script, path=path, tools=[log_in], tool_failures="answer").run("Go")
    lines = lines_of(path)
    told = named(lines, "tool_call")[0]
    assert told["arguments"] == {"password": "***", "token": "***", "pin_code": 18}
    assert json.loads(told["raw"]) == told["arguments"]
    [failed] = named(lines, "tool_error")
    text = "'***' is not 18, and temperature not true"
    assert failed["error"] == {"type": "ValueError", "text": text}
    assert text in failed["content"]
    assert lines[-1]["answer"] == "Is *** the temperature, 18, true?"
    assert b"s3cr3t" not in path.read_bytes()


def test_a_hundred_of_what_was_learned_are_known(path):
    mask = Mask()
    mask.learn(f"k1e2y3-{number:03}" for number in range(101))
    text = mask.masked("k1e2y3-000 k1e2y3-001 k1e2y3-100")
    assert text == "k1e2y3-000 *** ***"


def test_an_ordinary_value_under_a_secrets_name_spoils_no_line_or_run(path):
    def get_token_price(token: str) -> str:
        """The price of a coin."""
        return f"1 {token} is 18 euros"

    heard: list[str] = []
    script = [ToolCall("get_token_price", {"token": "bitcoin-cash"}, "c1"), "18 euros"]
    told = [ToolCall("get_token_price", {"token": "get_token_price"}, "c1"), "18"]
    for replies in (script, told):
        made = agent(*replies, path=path, tools=[get_token_price])
        made.run("What is bitcoin-cash at?", observers=[ConsoleLogger(heard.append)])
    lines = lines_of(path)
    assert {line["question"] for line in named(lines, "run_start")} == {
        "What is bitcoin-cash at?"
    }
    returned = [line["content"] for line in named(lines, "tool_return")]
    assert returned == ["1 bitcoin-cash is 18 euros", "1 get_token_price is 18 euros"]
    calls = [(c["name"], c["arguments"]) for c in named(lines, "tool_call")]
    assert calls == [("get_token_price", {"token": "***"})] * 2
    assert heard.count('  call get_token_price(token="***")') == 2


def test_a_name_on_the_menu_is_shown_even_if_it_looks_like_a_key():
    mask = Mask(["handed_in_1a2b3c"])
    mask.learn(["a1b2c3d4", "k1e2y3-000"])
    entry = {"name": "a1b2c3d4", "parameters": {"properties": {"e1f2a3b4": {}}}}
    mask.spare(names_on([{"function": entry}, {"function": None}, 5]))
    mask.learn(["e1f2a3b4", "a1b2c3d4"])
    mask.spare(["handed_in_1a2b3c"])
    text = "a1b2c3d4(e1f2a3b4) k1e2y3-000 handed_in_1a2b3c"
    assert mask.masked(text) == "a1b2c3d4(e1f2a3b4) *** ***"
    assert list(names_on(5)) == []


LETTERS = string.ascii_letters + string.digits + "-_.~+/=!$&'\"<>%:#;\\é€ \n"


def planted(value: Any, secret: str) -> Any:
    """The value with the secret at each place that is marked for it."""
    if isinstance(value, str):
        return value.replace("HERE", secret)
    if isinstance(value, list):
        return [planted(each, secret) for each in value]
    if isinstance(value, dict):
        return {planted(k, secret): planted(v, secret) for k, v in value.items()}
    return value


@given(
    secret=st.text(LETTERS, min_size=8).filter(lambda text: text not in NO_SECRETS),
    value=st.recursive(
        st.sampled_from([0, 18, None, True, "a text", "HERE", "so {HERE}, it", 2.5]),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["a", "token", "HERE", "x%HERE"]), inner)
            | inner.map(json.dumps)
        ),
    ),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_secret_is_in_no_byte_wherever_it_is_planted(tmp_path_factory, secret, value):
    path = tmp_path_factory.mktemp("trace") / "t.jsonl"
    observer = recorder(path, secrets=[secret])
    held = planted(value, secret)
    line = written(observer, path, "tick", here=secret, held=held, drawn=(repr(held),))
    assert line["payload"]["here"] == "***"
    text = path.read_text("utf-8")
    for form in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]):
        assert form not in text
        assert json.dumps(form)[1:-1] not in text
        assert json.dumps(form, ensure_ascii=False)[1:-1] not in text
