"""A live model, reached by the page with a key that Python never sees."""

import pytest
from playwright.sync_api import Page, Route, expect

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from tests.playground.conftest import Models, OpenPage
from tests.playground.reading import (
    FIRST,
    folder,
    messages_to_workers,
    press,
    sentence,
    wait_for_end,
    wait_until_ready,
)

KEY = "sk-canary-7f3a"


def connect(page: Page, endpoint: FakeServer, key: str = "") -> None:
    connect_to(page, f"{endpoint.url}/chat/completions", "tiny", key)


def connect_to(
    page: Page, address: str, model: str, key: str, kind: str = "its own tool calls"
) -> None:
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill(address)
    page.get_by_label("Model", exact=True).fill(model)
    page.get_by_label("Key").fill(key)
    page.get_by_label(kind).check()
    press(page, "Connect")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Change the model…")).to_be_visible()
    expect(sentence(page)).to_have_text(FIRST)


def script_a_run(replies: ReplyQueue) -> None:
    slip = ToolCall("get_weather", {"city": "Paris"}, id="call_a")
    asks = AssistantMessage("", (slip,))
    answers = AssistantMessage("In Paris it is 18 °C.")
    replies.add(*(LLMResponse(m, usage=Usage(21, 7)) for m in (asks, answers)))


def everything_the_page_keeps(page: Page) -> str:
    stored = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,"
        " location.href, document.documentElement.outerHTML])"
    )
    databases = page.evaluate("indexedDB.databases().then(all => all.length)")
    caches = page.evaluate("caches.keys().then(all => all.length)")
    assert (databases, caches) == (0, 0)
    return stored + "".join(messages_to_workers(page))


def test_a_live_model_answers_and_never_lends_its_key_to_python(
    open_page: OpenPage,
    plain: str,
    endpoint: FakeServer,
    replies: ReplyQueue,
    seen: list[ClientRequest],
) -> None:
    script_a_run(replies)
    page = open_page(plain)
    wait_until_ready(page)
    connect(page, endpoint, KEY)
    press(page, "Play")
    wait_for_end(page, "run over: answered | folder has 5 messages")
    assert folder(page)[2:] == [
        'model #1 get_weather(city="Paris")',
        "tool #1 18",
        "model In Paris it is 18 °C.",
    ]
    replies = page.locator(".pg-trace tr", has_text="model_reply").all_inner_texts()
    assert [row.split("\t")[-2:] for row in replies] == [["21", "7"], ["21", "7"]]
    posts = [request for request in seen if request.method == "POST"]
    assert [(post.path, post.authorization) for post in posts] == [
        ("/v1/chat/completions", f"Bearer {KEY}"),
        ("/v1/chat/completions", f"Bearer {KEY}"),
    ]
    assert posts[1].json()["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "call_a",
        "name": "get_weather",
        "content": "18",
    }
    kept = everything_the_page_keeps(page)
    assert "In Paris it is 18 °C." in kept
    assert KEY not in kept


def test_without_a_key_there_is_no_authorization_header(
    open_page: OpenPage,
    isolated: str,
    endpoint: FakeServer,
    replies: ReplyQueue,
    seen: list[ClientRequest],
) -> None:
    script_a_run(replies)
    page = open_page(isolated)
    wait_until_ready(page)
    connect(page, endpoint)
    press(page, "Play")
    wait_for_end(page, "run over: answered | folder has 5 messages")
    assert [request.authorization for request in seen] == [None, None, None]


def test_a_key_typed_for_one_address_is_not_sent_to_another(
    open_page: OpenPage, plain: str, endpoint: FakeServer, seen: list[ClientRequest]
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    connect(page, endpoint, KEY)
    seen.clear()
    press(page, "Change the model…")
    other = endpoint.url.replace("/v1", "/other")
    page.get_by_label("Base URL").fill(other)
    press(page, "Connect")
    expect(page.locator("dialog")).to_contain_text(f"{other} answered 404.")
    assert [(request.path, request.authorization) for request in seen] == [
        ("/other/models", None)
    ]


def test_a_model_that_cannot_be_reached_is_explained(
    open_page: OpenPage, plain: str, models: Models
) -> None:
    models.add("http://127.0.0.1:9")
    page = open_page(plain)
    wait_until_ready(page)
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill("127.0.0.1:9/v1")  # nothing listens on port 9
    page.get_by_label("Model", exact=True).fill("tiny")
    press(page, "Connect")
    causes = page.locator("dialog .pg-causes b")
    expect(causes).to_have_text(
        [
            "Nothing answers at 127.0.0.1:9: the server is not running, or its port"
            " is another.",
            f"The server does not allow pages from {plain.rstrip('/')} (CORS).",
        ]
    )
    press(page, "Connect anyway")
    press(page, "Play")
    wait_for_end(page, "run over: failed | folder has 2 messages")
    expect(page.locator(".pg-why summary")).to_contain_text("Why?")


def test_where_python_cannot_wait_scripts_run_and_the_page_says_why_models_do_not(
    fresh_page: OpenPage, plain: str
) -> None:
    def without_stack_switching(page: Page) -> None:
        def older(route: Route) -> None:
            forget = "delete WebAssembly.Suspending; delete WebAssembly.promising;"
            reply = route.fetch()
            route.fulfill(response=reply, body=forget + reply.text())

        page.route("**/worker-*.js", older)

    page = fresh_page(plain, before=without_stack_switching)
    wait_until_ready(page)
    press(page, "Play")
    wait_for_end(page, "run over: answered | folder has 9 messages")
    press(page, "Connect a model…")
    expect(page.locator("dialog .pg-notice")).to_contain_text(
        "This browser cannot hold Python while the page waits for a reply"
    )
    connecting = page.get_by_role("button", name="Connect", exact=True)
    assert not connecting.is_enabled()


# H01, H06: a page is served as a script is, whatever a server's habits are.
@pytest.mark.parametrize(
    ("like", "model", "end", "words"),
    [
        ("lmstudio", "default_tool_format", "answered", "Paris: 64°F, Tokyo: 75°F"),
        ("deepseek", "no_balance", "failed", "no credit"),
    ],
)
def test_a_played_server_ends_in_a_page_as_its_habit_says(
    open_page: OpenPage,
    plain: str,
    models: Models,
    like: str,
    model: str,
    end: str,
    words: str,
) -> None:
    with FakeServer(like=like) as server:
        models.add(server.host)
        page = open_page(plain)
        wait_until_ready(page)
        connect_to(page, server.url, model, KEY)
        press(page, "Play")
        expect(page.locator("body")).to_contain_text(f"run over: {end}")
        expect(page.locator("body")).to_contain_text(words)
        assert KEY not in everything_the_page_keeps(page)
