"""Which reply is due: any number of clients, told apart by what they send."""

import json
from typing import Any

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.errors import ContextOverflow, ModelError, ModelRefused
from mingraph_lite.lab.faults import ALL_SCENARIOS, FAULTS
from mingraph_lite.lab.reply_source import (
    MOST_COUNTED,
    ReplyQueue,
    Scripts,
)
from mingraph_lite.lab.scenarios import Scenario, one_by_one, paris_and_tokyo
from mingraph_lite.lab.wire import (
    ServerReply,
    completion,
    error,
    model_entry,
    unknown_model,
)
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.lab.requests import QUESTION, ask, content, error_in
from tests.lab.runs import ANSWER, Run


def script(*replies: Any) -> Scripts:
    """A script, served as the model `mine`."""
    return Scripts([Scenario("mine", "Mine", "?", "", (), lambda: replies)], "mine")


def assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize("tools_as", ["native", "json"])
@pytest.mark.parametrize("scenario", ALL_SCENARIOS.values(), ids=ALL_SCENARIOS)
def test_a_scenario_comes_to_its_own_end_through_an_adapter(scenario, tools_as):
    transport = Scripts().transport
    model = OpenAIChat(scenario.name, transport=transport, tools_as=tools_as)
    through, alone = Run(scenario, model, max_steps=20), Run(scenario, max_steps=20)
    assert through.end == alone.end
    if tools_as == "native":
        assert through.slips == alone.slips


@pytest.mark.parametrize("name", ["tool_fails", "broken_json", "cut_reply"])
def test_a_slip_told_as_an_action_keeps_what_is_wrong_with_it(name):
    def slips(run: Run) -> list[tuple[str, bool]]:
        return [(slip, answer.startswith("Error")) for slip, answer in run.slips]

    model = OpenAIChat(name, transport=Scripts().transport, tools_as="json")
    through, alone = Run(FAULTS[name], model, max_steps=20), Run(FAULTS[name])
    assert (slips(through), through.end) == (slips(alone), alone.end)


def test_two_slips_told_as_actions_come_one_after_the_other():
    scripts = Scripts()
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
    scripts = script("one", "two", "three")
    folder: list[Any] = [QUESTION]
    heard = []
    for _ in range(3):
        heard.append(content(ask(scripts, *folder)))
        folder.append(assistant(heard[-1]))
    assert heard == ["one", "two", "three"]
    assert content(ask(scripts, *folder[:2])) == "two"
    assert (
        content(ask(scripts, *folder, {"role": "user", "content": "Again?"})) == "one"
    )


def test_a_script_that_is_over_says_so():
    assert error_in(ask(script("one"), QUESTION, assistant("one"))) == (
        400,
        "script_exhausted",
        "The script of mine is over. A new question begins it anew.",
    )


def test_a_try_that_failed_is_followed_by_the_next_and_at_the_end_anew():
    page = ServerReply((b"<p>",), content_type="text/html")
    scripts = script(error(429, "Full.", "full"), page, "", "fine", "later")
    tries = [ask(scripts, QUESTION) for _ in range(8)]
    assert [reply.status for reply in tries] == [429, 200, 200, 200] * 2
    assert [reply.body() for reply in tries[1::4]] == [b"<p>"] * 2
    assert [content(r) for r in tries[2::4] + tries[3::4]] == ["", "", "fine", "fine"]
    assert content(ask(scripts, QUESTION, assistant("fine"))) == "later"


def test_a_script_that_ends_with_failures_fails_for_ever():
    scripts = script("fine", *[error(503, "Busy.", "busy")] * 2)
    folder = (QUESTION, assistant("fine"))
    assert content(ask(scripts, QUESTION)) == "fine"
    assert [ask(scripts, *folder).status for _ in range(5)] == [503] * 5


def test_tries_are_counted_for_each_conversation_and_each_key():
    scripts = script(error(429, "Full.", "full"), "fine")
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
    assert [reply.status for reply in first + then] == [429] * 3 + [200] * 3


def test_tries_are_counted_for_each_model():
    scripts = Scripts()
    models = ["rate_limit", "busy_server", "rate_limit", "busy_server"]
    tries = [ask(scripts, QUESTION, model=model).status for model in models]
    assert tries == [429, 503, 200, 503]


def test_an_action_is_sent_as_a_model_without_tools_sends_it():
    action = {"type": "json_schema", "json_schema": {"name": "action"}}
    ping = ToolCall("ping", {"n": 1})
    partly = LLMResponse(AssistantMessage("Partly."), refusal="No.")
    scripts = script([ping, ToolCall("ping", {}, raw='{"n": ')], partly)
    folder, choices = [QUESTION], []
    for _ in range(3):
        reply = ask(scripts, *folder, response_format=action)
        choices += reply.completion()["choices"]
        folder.append(assistant("an action"))
    assert [(c["message"]["content"], c["finish_reason"]) for c in choices] == [
        ('{"name": "ping", "arguments": {"n": 1}}', "stop"),
        ('{"name": "ping", "arguments": {"n": }', "stop"),
        ('{"answer": "Partly."}', "stop"),
    ]
    assert [c["message"]["refusal"] for c in choices] == [None, None, "No."]
    assert ["tool_calls" in c["message"] for c in choices] == [False] * 3


def test_clients_that_never_come_back_are_forgotten():
    scripts = script(error(429, "Full.", "full"), "fine")
    for number in range(MOST_COUNTED + 1):
        ask(scripts, {"role": "user", "content": str(number)})
    again = [ask(scripts, {"role": "user", "content": n}).status for n in ("0", "2")]
    assert again == [429, 200]


@pytest.mark.parametrize(
    ("raised", "error", "wait"),
    [
        (
            ModelError("No.", retryable=True, retry_after=3),
            (503, "overloaded", "No."),
            "3",
        ),
        (ModelError("No."), (400, "refused", "No."), None),
        (ContextOverflow("No."), (400, "context_length_exceeded", "No."), None),
        (ModelRefused("No."), (400, "content_filter", "No."), None),
        (KeyError("x"), (500, "script_failed", "KeyError: 'x'"), None),
    ],
)
def test_what_a_script_raises_is_an_error_of_the_server(raised, error, wait):
    reply = ask(script(raised, "fine"), QUESTION)
    assert (error_in(reply), reply.headers.get("retry-after")) == (error, wait)


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
    scripts = script("first", listen)
    assert content(ask(scripts, *folder, tools=menu)) == "I heard."
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

    assert error_in(ask(script(fail), QUESTION)) == (
        500,
        "script_failed",
        "ValueError: nothing to say",
    )


def test_a_reply_is_whole_and_always_the_same():
    scripts = script("Mild, I think.")
    first, second = (ask(scripts, QUESTION).completion() for _ in range(2))
    assert first == second
    assert first == {
        **completion(LLMResponse(AssistantMessage("Mild, I think."))),
        "id": first["id"],
        "created": 0,
        "model": "mine",
        "usage": {"prompt_tokens": 8, "completion_tokens": 8, "total_tokens": 16},
    }
    assert first["id"].startswith("chatcmpl-")


def test_token_counts_of_the_script_are_sent_as_they_are():
    reply = LLMResponse(AssistantMessage("Mild."), usage=Usage(7, 2))
    counts = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    assert ask(script(reply), QUESTION).completion()["usage"] == counts


def test_slips_without_ids_get_ids_that_no_other_round_has():
    ping = [ToolCall("ping", {}), ToolCall("ping", {})]
    scripts = script(ping, ping)
    rounds = [ask(scripts, QUESTION), ask(scripts, QUESTION, assistant("x"))]
    messages = [r.completion()["choices"][0]["message"] for r in rounds]
    assert len({call["id"] for m in messages for call in m["tool_calls"]}) == 4


NO_JSON = "The body of the request is no JSON: "
NO_MESSAGES = (
    'The request needs "messages": a list that is not empty, of objects with "role" '
    'and "content".'
)


@pytest.mark.parametrize("source", [script("one"), ReplyQueue("one")])
@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b"", "invalid_json", NO_JSON),
        (b"{", "invalid_json", NO_JSON),
        (b"\xff", "invalid_json", NO_JSON),
        (b"[" * 100_000, "invalid_json", NO_JSON + "it is nested deeper than"),
        (b"[]", "missing_messages", NO_MESSAGES),
        (b"{}", "missing_messages", NO_MESSAGES),
        (b'{"messages": []}', "missing_messages", NO_MESSAGES),
        (b'{"messages": "hi"}', "missing_messages", NO_MESSAGES),
        (b'{"messages": ["hi"]}', "missing_messages", NO_MESSAGES),
    ],
)
def test_what_is_no_request_is_refused_with_what_is_missing(
    source, body, code, message
):
    refused, its_code, its_message = error_in(source.reply(body))
    assert (refused, its_code, its_message[: len(message)]) == (400, code, message)


def test_a_body_may_begin_with_the_mark_of_its_encoding():
    body = b"\xef\xbb\xbf" + json.dumps({"messages": [QUESTION]}).encode()
    assert content(script("one").reply(body)) == "one"


@pytest.mark.parametrize("name", ["nix", 7, ["mine"]])
def test_a_model_that_is_not_there_is_answered_with_those_that_are(name):
    assert ask(script("one"), QUESTION, model=name) == unknown_model(name, ["mine"])


@pytest.mark.parametrize("beside", [{"model": None}, {"model": ""}])
def test_the_default_answers_where_no_model_is_named(beside):
    assert content(ask(script("one"), QUESTION, **beside)) == "one"


def test_a_default_must_be_one_of_the_scenarios():
    with pytest.raises(ValueError, match="There are: one_by_one"):
        Scripts([one_by_one], "nix")


def test_the_models_are_the_scenarios_with_what_goes_wrong():
    early_stop = FAULTS["early_stop"]
    models = Scripts([paris_and_tokyo, early_stop]).models
    assert models == {
        "paris_and_tokyo": model_entry(
            "paris_and_tokyo", title="Paris and Tokyo, from a script", what=""
        ),
        "early_stop": model_entry(
            "early_stop", title="An answer too early", what=early_stop.what
        ),
    }
    assert list(Scripts().models) == list(ALL_SCENARIOS)


@pytest.mark.parametrize("with_usage", [False, True])
def test_a_stream_holds_the_same_reply_as_one_piece(with_usage):
    heard: list[str] = []
    scripts = script("Mild, I think.")
    model = OpenAIChat("mine", transport=scripts.transport)
    streamed = model.generate([UserMessage("?")], on_text_delta=heard.append)
    assert streamed == model.generate([UserMessage("?")])
    assert heard == ["Mild, ", "I ", "think."]
    options = {"stream_options": {"include_usage": True}} if with_usage else {}
    reply = ask(scripts, QUESTION, stream=True, **options)
    assert reply.content_type == "text/event-stream"
    assert (b'"total_tokens"' in reply.body()) is with_usage


def test_a_queue_gives_each_reply_once_in_their_order():
    slips = [ToolCall("ping", {}), ToolCall("ping", {"n": 1}, id="mine")]
    queue = ReplyQueue("Mild.", slips)
    queue.add(error(503, "Busy.", "busy", retry_after=20), "Cold.")
    replies = [ask(queue, QUESTION) for _ in range(4)]
    assert [reply.completion() for reply in replies] == [
        {
            **completion(LLMResponse(AssistantMessage("Mild."))),
            **{"id": "chatcmpl-1", "created": 0, "model": "mine"},
            "usage": {"prompt_tokens": 8, "completion_tokens": 6, "total_tokens": 14},
        },
        {
            **completion(
                LLMResponse(AssistantMessage("", tuple(slips))), new_id="call_2_{}"
            ),
            **{"id": "chatcmpl-2", "created": 0, "model": "mine"},
            "usage": replies[1].completion()["usage"],
        },
        None,
        {
            **completion(LLMResponse(AssistantMessage("Cold."))),
            **{"id": "chatcmpl-4", "created": 0, "model": "mine"},
            "usage": {"prompt_tokens": 8, "completion_tokens": 6, "total_tokens": 14},
        },
    ]
    assert replies[2] == error(503, "Busy.", "busy", retry_after=20)


def test_a_queue_tells_its_models_and_answers_for_the_first():
    queue = ReplyQueue("Mild.", models=["tiny", "small"])
    assert queue.models == {"tiny": model_entry("tiny"), "small": model_entry("small")}
    assert ask(queue, QUESTION, model=None).completion()["model"] == "tiny"


def test_a_queue_streams_where_a_stream_is_asked_for():
    reply = ask(ReplyQueue("Mild, I think."), QUESTION, stream=True)
    assert reply([], []).message == AssistantMessage("Mild, I think.")
    assert (reply.content_type, len(reply.pieces)) == ("text/event-stream", 6)


def test_a_queue_refuses_at_once_what_is_no_reply():
    with pytest.raises(TypeError, match="reply 2 is 7; a scripted reply is"):
        ReplyQueue("Mild.", 7)
