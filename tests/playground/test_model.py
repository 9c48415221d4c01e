"""A live model, reached by the page with a key that Python never sees."""

import http.server
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from tests.playground.conftest import Models, OpenPage, serving
from tests.playground.reading import (
    FIRST,
    folder,
    messages_to_workers,
    origin,
    play_fast,
    press,
    replace_tools,
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
    play_fast(page)
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
    play_fast(page)
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
            "Nothing answers at 127.0.0.1:9: the server is not running, or its name or "
            "port is another.",
            f"The server does not allow pages from {plain.rstrip('/')} (CORS).",
        ]
    )
    press(page, "Connect anyway")
    play_fast(page)
    wait_for_end(page, "run over: failed | folder has 2 messages")
    expect(page.locator(".pg-why summary")).to_contain_text("Why?")


def fill(page: Page, address: str, model: str = "", key: str = "") -> None:
    """Open the dialog where it is closed, and type into its fields."""
    if not page.locator("dialog").count():
        press(page, "Connect a model…")
    page.get_by_label("Base URL").fill(address)
    page.get_by_label("Model", exact=True).fill(model)
    page.get_by_label("Key").fill(key)


def typed(page: Page) -> list[str]:
    fields = page.get_by_label("Base URL"), page.get_by_label("Model", exact=True)
    return [field.input_value() for field in (*fields, page.get_by_label("Key"))]


def focused(page: Page) -> str:
    return page.evaluate(
        "document.activeElement.labels?.[0]?.firstChild.textContent"
        " || document.activeElement.textContent"
    )


def sent(seen: list[ClientRequest]) -> list[tuple[str, str, str | None]]:
    return [(each.method, each.path, each.authorization) for each in seen]


MODELS = "Models that the server lists"


def test_a_model_is_picked_from_the_list_without_typing_anything_again(
    open_page: OpenPage, plain: str, endpoint: FakeServer, seen: list[ClientRequest]
) -> None:
    page = open_page(plain)
    fill(page, endpoint.url, key=KEY)
    press(page, "Connect")
    choice = page.get_by_label(MODELS)
    expect(choice.get_by_role("option")).to_have_text(["tiny", "small"])
    expect(choice).to_be_focused()
    assert typed(page) == [endpoint.url, "", KEY]
    choice.press("ArrowDown")
    choice.press("ArrowDown")
    choice.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".pg-answers")).to_contain_text("Answers: small, ")
    assert sent(seen) == [("GET", "/v1/models", f"Bearer {KEY}")] * 2


def test_the_only_model_of_a_server_is_picked_already(
    open_page: OpenPage, plain: str, models: Models
) -> None:
    with FakeServer(ReplyQueue(models=("only",))) as server:
        models.add(origin(server.url))
        page = open_page(plain)
        fill(page, server.url)
        press(page, "Connect")
        expect(page.get_by_label(MODELS)).to_have_value("only")
        press(page, "Connect")
        expect(page.locator(".pg-answers")).to_contain_text("Answers: only, ")


def test_among_many_models_one_is_found_by_a_part_of_its_name(
    open_page: OpenPage, plain: str, models: Models
) -> None:
    many = ReplyQueue(models=(*(f"house/model-{n}" for n in range(300)), "an-embed"))
    with FakeServer(many) as server:
        models.add(origin(server.url))
        page = open_page(plain)
        fill(page, server.url, "house/modal-217")
        press(page, "Connect")
        expect(page.get_by_role("alert")).to_have_text(
            'The server does not list "house/modal-217". Pick one of its 301 models.'
        )
        expect(page.get_by_label("Find a model")).to_be_focused()
        page.keyboard.type("house 217")
        options = page.get_by_label(MODELS).get_by_role("option")
        expect(options).to_have_text(["house/model-217"])
        page.keyboard.press("Enter")
        expect(page.get_by_label(MODELS)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".pg-answers")).to_contain_text(
            "Answers: house/model-217, "
        )


def test_while_a_server_is_asked_the_dialog_counts_and_cancel_leaves_the_fields(
    open_page: OpenPage, plain: str, endpoint: FakeServer
) -> None:
    page = open_page(plain)
    page.route(f"{endpoint.url}/**", lambda route: None)  # and no answer ever comes
    fill(page, endpoint.url, "tiny", KEY)
    press(page, "Connect")
    asking = page.get_by_role("dialog").get_by_text("Asking ")
    expect(asking).to_have_text(f"Asking {endpoint.url} for its models, 1 s")
    press(page, "Cancel")
    expect(asking).to_have_count(0)
    expect(page.get_by_role("dialog")).to_contain_text("Cancelled.")
    assert typed(page) == [endpoint.url, "tiny", KEY]
    assert KEY not in everything_the_page_keeps(page)


def test_where_https_fails_on_this_machine_http_is_offered_and_asked_on_a_press_only(
    open_page: OpenPage, plain: str, endpoint: FakeServer, models: Models, seen: list
) -> None:
    secure = endpoint.url.replace("http:", "https:")
    models.add(origin(secure))
    page = open_page(plain)
    fill(page, secure, "tiny", KEY)
    press(page, "Connect")
    press(page, f"Use {endpoint.url}")
    assert typed(page) == [endpoint.url, "tiny", KEY]
    assert seen == []
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    assert sent(seen) == [("GET", "/v1/models", f"Bearer {KEY}")]


@contextmanager
def answering(status: int, kind: str, body: str, **headers: str) -> Iterator[str]:
    """Serve one answer to whatever is asked, as a page of any origin may read it."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            cors = {"Access-Control-Allow-Origin": "*", "Content-Type": kind}
            for name, value in (cors | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)) as address:
        yield f"{address}v1"


JSON, HTML = "application/json", "text/html"


@pytest.mark.parametrize(
    ("status", "kind", "body", "words", "cause"),
    [
        (
            *(401, JSON, '{"error": {"message": "No such key."}}'),
            'answered 401. It says: "No such key."',
            "The key is missing or not valid.",
        ),
        (
            *(403, JSON, '{"error": "Not from here"}'),
            'answered 403. It says: "Not from here"',
            "The key may not use this model, or the server does not allow this page.",
        ),
        (
            *(404, "text/plain", "404 page not found"),
            'answered 404. It says: "404 page not found"',
            "There is no list of models at this address.",
        ),
        (
            *(429, JSON, '{"message": "Slow down."}'),
            'answered 429. It says: "Slow down."',
            "Too many requests, or no credit left.",
        ),
        (
            *(503, HTML, "<!doctype html><title>Back soon</title>"),
            'answered 503. It says: "Back soon"',
            "The server failed.",
        ),
        (
            *(200, HTML, "<!doctype html><title>My router</title>"),
            "answered with a web page, not as a model's server does."
            ' It says: "My router"',
            "Something else answers at this address, or its API stands under another"
            " path.",
        ),
        (
            *(200, JSON, '{"hello": 1}'),
            'answered, but with no list of models. It says: "{"hello": 1}"',
            "Something else answers at this address, or its API stands under another"
            " path.",
        ),
        (
            *(200, JSON, '{"error": {"message": "Out of memory."}}'),
            'answered with an error. It says: "Out of memory."',
            "",
        ),
    ],
)
def test_what_failed_is_named_exactly(
    open_page: OpenPage,
    plain: str,
    models: Models,
    status: int,
    kind: str,
    body: str,
    words: str,
    cause: str,
) -> None:
    with answering(status, kind, body) as address:
        models.add(origin(address))
        page = open_page(plain)
        fill(page, address, "tiny")
        press(page, "Connect")
        expect(page.get_by_role("alert")).to_have_text(f"{address} {words}")
        causes = [cause] if cause else []
        expect(page.locator("dialog .pg-causes b")).to_have_text(causes)
        press(page, "Cancel")


def test_a_redirect_is_not_followed_and_is_named(
    open_page: OpenPage,
    plain: str,
    models: Models,
    endpoint: FakeServer,
    seen: list[ClientRequest],
) -> None:
    there = f"{endpoint.url}/models"
    with answering(307, JSON, "{}", Location=there) as address:
        models.add(origin(address))
        page = open_page(plain)
        fill(page, address, "tiny")
        press(page, "Connect")
        expect(page.get_by_role("alert")).to_have_text(
            f"{address} redirects to another address. The page does not follow, since"
            " the key belongs to this one."
        )
    # Chromium announces to a debugger where it was led to, and sends nothing there.
    assert seen == []


def test_a_mistake_is_marked_at_its_field_and_enter_tries_again(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    fill(page, "ht!tp://nowhere")
    page.keyboard.press("Enter")
    field = page.get_by_label("Base URL")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        '"ht!tp://nowhere" is not an address of a model. One looks like'
        " http://localhost:11434/v1."
    )
    field.fill("http://localhost:11434/v1")
    expect(field).to_have_attribute("aria-invalid", "false")
    page.get_by_label("Key").fill("sk-ключ")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Key")).to_have_attribute("aria-invalid", "true")


def test_escape_closes_the_dialog_which_keeps_all_that_was_typed_but_the_key(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    fill(page, "http://192.168.1.7:8000/v1", "mine", KEY)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert focused(page) == "Connect a model…"
    assert KEY not in everything_the_page_keeps(page)
    page.keyboard.press("Enter")
    assert typed(page) == ["http://192.168.1.7:8000/v1", "mine", ""]


@pytest.mark.parametrize("size", [(390, 844), (1280, 720)])
def test_all_of_the_dialog_can_be_reached(
    open_page: OpenPage, plain: str, models: Models, size: tuple[int, int]
) -> None:
    models.add("https://127.0.0.1:9")
    page = open_page(plain)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    fill(page, "https://127.0.0.1:9/v1", "tiny")
    press(page, "Connect")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Use http")).to_be_visible()
    controls = dialog.locator("button, input").all()
    for control in controls:
        control.click(trial=True)  # scrolled to, in sight, and under nothing else
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    if size[0] == 390:
        touched = dialog.locator("button, input:not([type=radio]), fieldset label")
        heights = [each.bounding_box()["height"] for each in touched.all()]
        assert [height for height in heights if height < 44] == []


THROUGH_THE_DOOR = """
def get_weather(city: str) -> str:
    import page
    from pyodide.ffi import run_sync, to_js

    said = []
    for method, url in ATTEMPTS:
        try:
            reply = run_sync(page.ask(method, url, to_js(b""), 5))
            said.append(str(reply.status))
        except Exception as error:
            said.append(str(error.message))
    return " | ".join(said)
"""


def test_python_reaches_two_addresses_with_the_key_and_each_call_counts(
    open_page: OpenPage,
    plain: str,
    endpoint: FakeServer,
    replies: ReplyQueue,
    seen: list[ClientRequest],
) -> None:
    script_a_run(replies)
    chat, listed = f"{endpoint.url}/chat/completions", f"{endpoint.url}/models"
    attempts = [("GET", listed), ("DELETE", listed), ("GET", f"{endpoint.url}/files")]
    page = open_page(plain)
    wait_until_ready(page)
    connect(page, endpoint, KEY)
    seen.clear()
    replace_tools(page, THROUGH_THE_DOOR.replace("ATTEMPTS", repr(attempts)))
    play_fast(page)
    wait_for_end(page, "run over: answered | folder has 5 messages")
    refused = [
        f"The page did not send {method} {url}. It sends POST {chat} and GET {listed},"
        " and nothing else."
        for method, url in attempts[1:]
    ]
    post = ("POST", "/v1/chat/completions", f"Bearer {KEY}")
    assert sent(seen) == [post, ("GET", "/v1/models", f"Bearer {KEY}"), post]
    assert seen[-1].json()["messages"][-1]["content"] == " | ".join(["200", *refused])
    expect(page.locator(".pg-answers")).to_have_text("Answers: tiny, 3 calls so far")


def test_why_tells_of_the_last_call_and_is_gone_with_the_next(
    open_page: OpenPage, plain: str, models: Models, replies: ReplyQueue
) -> None:
    script_a_run(replies)
    with FakeServer(replies, key=KEY) as server:
        models.add(origin(server.url))
        page = open_page(plain)
        wait_until_ready(page)
        fill(page, server.url, "tiny", "sk-of-somebody-else")
        press(page, "Connect")
        press(page, "Connect anyway")
        play_fast(page)
        wait_for_end(page, "run over: failed | folder has 2 messages")
        expect(page.locator(".pg-why summary")).to_have_text(
            f'Why? {server.url} answered 401. It says: "The key is not right."'
        )
        press(page, "Change the model…")
        page.get_by_label("Key").fill(KEY)
        press(page, "Connect")
        play_fast(page)
        wait_for_end(page, "run over: answered | folder has 5 messages")
        expect(page.locator(".pg-why")).to_have_count(0)


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
    play_fast(page)
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
        play_fast(page)
        expect(page.locator("body")).to_contain_text(f"run over: {end}")
        expect(page.locator("body")).to_contain_text(words)
        assert KEY not in everything_the_page_keeps(page)
