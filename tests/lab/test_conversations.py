"""Which reply is due: any number of clients, told apart by what they send."""

import json
from typing import Any

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.conversations import MOST_COUNTS, Scripts
from mingraph_lite.lab.faults import FAULTS
from mingraph_lite.lab.scenarios import SCENARIOS, Scenario, one_by_one, paris_and_tokyo
from mingraph_lite.lab.wire import Sent, error
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.recovery import Retries
from tests.adapters.wire import completion
from tests.lab.test_faults import ANSWER, ANSWERS, ERRORS, RETRIES, SLIPS, answered

QUESTION = {"role": "user", "content": "How warm is it?"}


def scripted(*replies: Any) -> Scripts:
    return Scripts([Scenario("mine", "Mine", "?", "", (), lambda: replies)], "mine")


def every_scenario() -> Scripts:
    return Scripts([*SCENARIOS.values(), *FAULTS.values()], "paris_and_tokyo")


def read(sent: Sent) -> Any:
    return json.loads(b"".join(sent.pieces))


def ask(scripts: Scripts, *messages: Any, key: str = "", **beside: Any) -> Sent:
    body = {"model": "mine", "messages": list(messages), **beside}
    return scripts.answer(json.dumps(body).encode(), key)


def said(sent: Sent) -> Any:
    return read(sent)["choices"][0]["message"]["content"]


def assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize("tools_as", ["native", "json"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_comes_to_the_same_end_through_an_adapter(name, tools_as):
    fault, scripts, waits = FAULTS[name], every_scenario(), []
    model = OpenAIChat(name, transport=scripts.transport, tools_as=tools_as)
    agent = fault.agent(
        model,
        max_steps=20,
        retries=Retries(sleep=waits.append, chance=lambda: 0.0),
    )
    kind, answer = type(None), ANSWERS.get(name, ANSWER)
    try:
        assert agent.run(fault.question) == {"answer": answer}
    except Exception as raised:
        kind = type(raised)
    assert kind is ERRORS.get(name, (type(None),))[0]
    assert waits == [wait for _, _, wait in RETRIES.get(name, [])]
    if tools_as == "native":
        assert answered(agent.memory.folder) == SLIPS[name]


@pytest.mark.parametrize("name", ["tool_fails", "broken_json", "cut_reply"])
def test_a_slip_told_as_an_action_keeps_what_is_wrong_with_it(name):
    fault = FAULTS[name]
    model = OpenAIChat(name, transport=every_scenario().transport, tools_as="json")
    agent = fault.agent(model, max_steps=20)
    if name == "tool_fails":
        with pytest.raises(ConnectionError):
            agent.run(fault.question)
    else:
        assert agent.run(fault.question) == {"answer": ANSWER}
    slips = answered(agent.memory.folder)
    assert [slip for slip, _ in slips] == [slip for slip, _ in SLIPS[name]]
    assert [a.startswith("Error") for _, a in slips] == [
        a.startswith("Error") for _, a in SLIPS[name]
    ]


def test_two_slips_told_as_actions_come_one_after_the_other():
    scripts = every_scenario()
    folders = []
    for name in ("paris_and_tokyo", "one_by_one"):
        model = OpenAIChat(name, transport=scripts.transport, tools_as="json")
        agent = paris_and_tokyo.agent(model)
        assert agent.run("?") == {"answer": ANSWER}
        assert agent.run("And once more?") == {"answer": ANSWER}
        folders.append([m.content for m in agent.memory.folder])
    assert folders[0] == folders[1]
    assert folders[0][:5] == ["?", "", "18", "", "24"]


def test_the_folder_says_which_reply_is_due():
    scripts = scripted("one", "two", "three")
    folder: list[Any] = [QUESTION]
    heard = []
    for _ in range(3):
        heard.append(said(ask(scripts, *folder)))
        folder.append(assistant(heard[-1]))
    assert heard == ["one", "two", "three"]
    assert said(ask(scripts, *folder[:2])) == "two"
    assert said(ask(scripts, *folder, {"role": "user", "content": "Again?"})) == "one"


def test_a_script_that_is_over_says_so():
    sent = ask(scripted("one"), QUESTION, assistant("one"))
    assert (sent.status, read(sent)["error"]["code"]) == (400, "script_exhausted")
    assert read(sent)["error"]["message"] == (
        "The script of mine ends after 1 replies. A new question begins it anew."
    )


def test_a_try_that_failed_is_followed_by_the_next_and_at_the_end_anew():
    full, odd = error(429, "Full.", "full"), Sent((b"<p>",), content_type="text/html")
    scripts = scripted(full, odd, "", "fine", "later")
    tries = [ask(scripts, QUESTION) for _ in range(8)]
    assert [s.status for s in tries] == [429, 200, 200, 200] * 2
    assert [b"".join(s.pieces) for s in tries[1::4]] == [b"<p>"] * 2
    assert [said(s) for s in tries[2::4] + tries[3::4]] == ["", "", "fine", "fine"]
    assert said(ask(scripts, QUESTION, assistant("fine"))) == "later"


def test_a_script_that_ends_with_failures_fails_for_ever():
    scripts = scripted("fine", *[error(503, "Busy.", "busy")] * 2)
    folder = (QUESTION, assistant("fine"))
    assert said(ask(scripts, QUESTION)) == "fine"
    assert [ask(scripts, *folder).status for _ in range(5)] == [503] * 5


def test_tries_are_counted_for_each_conversation_and_each_key():
    scripts = scripted(error(429, "Full.", "full"), "fine")
    other = {"role": "user", "content": "Something else"}
    first = [
        ask(scripts, QUESTION),
        ask(scripts, other),
        ask(scripts, QUESTION, key="Bearer b"),
    ]
    then = [
        ask(scripts, QUESTION, key="Bearer b"),
        ask(scripts, QUESTION),
        ask(scripts, other),
    ]
    assert [s.status for s in first + then] == [429] * 3 + [200] * 3


def test_tries_are_counted_for_each_model():
    scripts = every_scenario()
    models = ["rate_limit", "busy_server", "rate_limit", "busy_server"]
    tries = [ask(scripts, QUESTION, model=model).status for model in models]
    assert tries == [429, 503, 200, 503]


def test_an_action_is_sent_as_a_model_without_tools_sends_it():
    action = {"type": "json_schema", "json_schema": {"name": "action"}}
    ping = ToolCall("ping", {"n": 1})
    partly = LLMResponse(AssistantMessage("Partly."), refusal="No.")
    scripts = scripted([ping, ToolCall("ping", {}, raw='{"n": ')], partly)
    folder, choices = [QUESTION], []
    for _ in range(3):
        sent = ask(scripts, *folder, response_format=action)
        choices += read(sent)["choices"]
        folder.append(assistant("an action"))
    assert [(c["message"]["content"], c["finish_reason"]) for c in choices] == [
        ('{"name": "ping", "arguments": {"n": 1}}', "stop"),
        ('{"name": "ping", "arguments": {"n": }', "stop"),
        ('{"answer": "Partly."}', "stop"),
    ]
    assert [c["message"]["refusal"] for c in choices] == [None, None, "No."]
    assert ["tool_calls" in c["message"] for c in choices] == [False] * 3


def test_clients_that_never_come_back_are_forgotten():
    scripts = scripted(error(429, "Full.", "full"), "fine")
    for number in range(MOST_COUNTS + 1):
        ask(scripts, {"role": "user", "content": str(number)})
    again = [ask(scripts, {"role": "user", "content": n}).status for n in ("0", "2")]
    assert again == [429, 200]


@pytest.mark.parametrize(
    ("raised", "status", "wait", "message"),
    [
        (ModelError("No.", retryable=True, retry_after=3), 503, "3", "No."),
        (ModelError("No."), 400, None, "No."),
        (KeyError("x"), 500, None, "KeyError: 'x'"),
    ],
)
def test_what_a_script_raises_is_an_error_of_the_server(raised, status, wait, message):
    sent = ask(scripted(raised, "fine"), QUESTION)
    assert (sent.status, sent.headers.get("retry-after")) == (status, wait)
    assert read(sent)["error"]["message"] == message


def test_a_script_may_listen_to_what_it_is_told():
    heard: list[Any] = []

    def listen(messages: list[Message], menu: list[Any]) -> str:
        heard.extend([list(messages), menu])
        return "I heard."

    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
    }
    menu = paris_and_tokyo.registry().menu()
    folder = [
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "18"},
    ]
    scripts = scripted("first", listen)
    assert said(ask(scripts, *folder, tools=menu)) == "I heard."
    slip = ToolCall("get_weather", {"city": "Paris"}, id="c1")
    assert heard == [
        [
            SystemMessage("Be kind."),
            UserMessage("How warm is it?"),
            AssistantMessage("", (slip,)),
            ToolMessage("18", "c1", "get_weather"),
        ],
        menu,
    ]


def test_a_listening_script_that_fails_is_an_error_of_the_server():
    def fail(messages: object, menu: object) -> str:
        raise ValueError("nothing to say")

    sent = ask(scripted(fail), QUESTION)
    assert (sent.status, read(sent)["error"]["message"]) == (
        500,
        "ValueError: nothing to say",
    )


def test_a_reply_is_whole_and_always_the_same():
    scripts = scripted("Mild, I think.")
    first, second = (read(ask(scripts, QUESTION)) for _ in range(2))
    message = {"role": "assistant", "content": "Mild, I think.", "refusal": None}
    choice = completion(message)["choices"][0] | {"logprobs": None}
    assert first == second
    assert first == {
        "id": first["id"],
        "object": "chat.completion",
        "created": 0,
        "model": "mine",
        "choices": [choice],
        "usage": {"prompt_tokens": 8, "completion_tokens": 8, "total_tokens": 16},
    }
    assert first["id"].startswith("chatcmpl-")


def test_token_counts_of_the_script_are_sent_as_they_are():
    reply = LLMResponse(AssistantMessage("Mild."), usage=Usage(7, 2))
    counts = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    assert read(ask(scripted(reply), QUESTION))["usage"] == counts


def test_slips_without_ids_get_ids_that_no_other_round_has():
    ping = [ToolCall("ping", {}), ToolCall("ping", {})]
    scripts = scripted(ping, ping)
    rounds = [ask(scripts, QUESTION), ask(scripts, QUESTION, assistant("x"))]
    calls = [read(s)["choices"][0]["message"]["tool_calls"] for s in rounds]
    assert len({call["id"] for slips in calls for call in slips}) == 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The body of the request is no JSON: "),
        (b"{", "The body of the request is no JSON: "),
        (b"\xff", "The body of the request is no JSON: "),
        (b"[" * 100_000, "The body of the request is no JSON: "),
        (b"[]", 'The request needs "messages": '),
        (b"{}", 'The request needs "messages": '),
        (b'{"messages": []}', 'The request needs "messages": '),
        (b'{"messages": "hi"}', 'The request needs "messages": '),
        (b'{"messages": ["hi"]}', 'The request needs "messages": '),
    ],
)
def test_what_is_no_request_is_refused_with_what_is_missing(body, message):
    sent = scripted("one").answer(body)
    assert (sent.status, read(sent)["error"]["type"]) == (400, "invalid_request_error")
    assert read(sent)["error"]["message"].startswith(message)


@pytest.mark.parametrize("name", ["nix", 7, ["mine"], "x" * 9999])
def test_a_model_that_is_not_there_is_answered_with_those_that_are(name):
    sent = ask(scripted("one"), QUESTION, model=name)
    told = read(sent)["error"]
    assert (sent.status, told["code"]) == (404, "model_not_found")
    assert told["message"].startswith("No model is named ")
    assert told["message"].endswith(". There are: mine.")
    assert len(told["message"]) < 200


@pytest.mark.parametrize("beside", [{"model": None}, {"model": ""}])
def test_the_default_answers_where_no_model_is_named(beside):
    assert said(ask(scripted("one"), QUESTION, **beside)) == "one"


def test_a_default_must_be_one_of_the_scenarios():
    with pytest.raises(ValueError, match="There are: one_by_one"):
        Scripts([one_by_one], "nix")


def test_the_models_are_the_scenarios_with_what_goes_wrong():
    scripts = Scripts([paris_and_tokyo, FAULTS["early_stop"]], "paris_and_tokyo")
    listed = read(scripts.models())
    assert [m["id"] for m in listed["data"]] == ["paris_and_tokyo", "early_stop"]
    assert (listed["object"], listed["data"][1]) == (
        "list",
        {
            "id": "early_stop",
            "object": "model",
            "created": 0,
            "owned_by": "mingraph_lite",
            "title": "An answer too early",
            "what": FAULTS["early_stop"].what,
        },
    )
    assert read(scripts.model("early_stop")) == listed["data"][1]
    assert scripts.model("nix").status == 404


@pytest.mark.parametrize("with_usage", [False, True])
def test_a_stream_holds_the_same_reply_as_one_piece(with_usage):
    heard: list[str] = []
    scripts = scripted("Mild, I think.")
    model = OpenAIChat("mine", transport=scripts.transport)
    streamed = model.generate([UserMessage("?")], on_text_delta=heard.append)
    assert streamed == model.generate([UserMessage("?")])
    assert heard == ["Mild, ", "I ", "think."]
    options = {"stream_options": {"include_usage": True}} if with_usage else {}
    sent = ask(scripts, QUESTION, stream=True, **options)
    assert sent.content_type == "text/event-stream"
    assert (b'"total_tokens"' in b"".join(sent.pieces)) is with_usage
    assert sent.pieces[-1] == b"data: [DONE]\n\n"
