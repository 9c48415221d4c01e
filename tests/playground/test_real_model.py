"""A real model, asked by the page: a small one, on a real server, on another origin.

The model is far too small to answer well. What is checked is everything around it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from mingraph_lite.messages import ToolCall
from tests.playground.conftest import Models, OpenPage
from tests.playground.reading import (
    folder,
    origin,
    play_fast,
    sentence,
    trace,
    wait_until_ready,
)
from tests.playground.test_model import connect_to, everything_the_page_keeps
from tests.playground.test_run import QUESTION, SYSTEM
from tests.real.fixture import LlamaServer, running

KEY = "sk-canary-51c8"
WHOLE_RUN = 300_000  # ten calls on a busy machine; a good run takes a tenth of it


@pytest.fixture
def locked(models: Models) -> Iterator[LlamaServer]:
    """Give a real model server that refuses whoever comes without the key."""
    with running(key=KEY) as server:
        models.add(origin(server.base_url))
        yield server


@dataclass(frozen=True)
class Preflight:
    """What a browser asks a server before a request of its page, and the answer."""

    asks: str
    of: str
    on_behalf_of: str
    for_headers: str
    answer: int
    allowed: str


class Preflights:
    """The preflights of a page, as the browser saw them go out and come back.

    No page hears of them and Playwright keeps them back; Chromium's protocol has them.
    """

    def __init__(self, page: Page) -> None:
        self._asked: dict[str, Any] = {}
        self._answered: dict[str, Any] = {}
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._note_request)
        session.on("Network.responseReceived", self._note_response)
        session.send("Network.enable")

    def _note_request(self, event: dict[str, Any]) -> None:
        if event["initiator"]["type"] == "preflight":
            self._asked[event["requestId"]] = event["request"]

    def _note_response(self, event: dict[str, Any]) -> None:
        if event["type"] == "Preflight":
            self._answered[event["requestId"]] = event["response"]

    def seen(self) -> set[Preflight]:
        """How often a browser asks again is its own affair: each kind counts once."""
        assert self._asked.keys() == self._answered.keys()
        return {
            Preflight(
                request["method"],
                request["url"],
                request["headers"]["Origin"],
                request["headers"]["Access-Control-Request-Headers"],
                self._answered[id]["status"],
                self._answered[id]["headers"]["Access-Control-Allow-Origin"],
            )
            for id, request in self._asked.items()
        }


def posts_of(page: Page) -> list[Response]:
    """Collect the answers to what a page posts, from now on."""
    posts: list[Response] = []

    def note(response: Response) -> None:
        if response.request.method == "POST":
            posts.append(response)

    page.on("response", note)
    return posts


def outcome(page: Page) -> dict[str, Any]:
    """Read how the run ended, from the frame as data."""
    page.get_by_role("tab", name="Frame").click()
    frame = page.locator("pre.pg-data")
    expect(frame).to_contain_text('"outcome": {')
    return json.loads(frame.text_content() or "")["outcome"]


def announced(page: Page, name: str) -> list[list[str]]:
    """Read the rows of the trace that tell of one kind of event: what, and tokens."""
    return [cells[2:] for cells in trace(page) if cells[1] == name]


def the_folder_holds_what_the_server_sent(page: Page, replies: list[Any]) -> None:
    """Each slip as the server sent it, with its own answer below; a tool gave one."""
    sent = [json.loads(reply["choices"][0]["message"]["content"]) for reply in replies]
    calls = [ToolCall(**action) for action in sent if "name" in action]
    slips = [f"model #{number} {call}" for number, call in enumerate(calls, 1)]
    last = [f"model {action['answer']}" for action in sent if "answer" in action]

    lines = folder(page)
    answers = lines[3 : 3 + 2 * len(slips) : 2]
    pairs = [line for pair in zip(slips, answers, strict=True) for line in pair]
    assert lines == [SYSTEM, QUESTION, *pairs, *last]
    numbers = [answer.split()[:2] for answer in answers]
    assert numbers == [["tool", f"#{number}"] for number in range(1, len(slips) + 1)]

    returned = {f"tool {what}" for what, *_ in announced(page, "tool_return")}
    assert returned
    assert returned <= set(answers)


def test_a_real_model_on_another_origin_has_a_tool_run_in_the_page(
    open_page: OpenPage, plain: str, locked: LlamaServer
) -> None:
    page = open_page(plain)
    preflights, posts = Preflights(page), posts_of(page)
    wait_until_ready(page)
    page.get_by_label("Scenario").select_option("paris_and_tokyo")
    connect_to(page, locked.base_url, locked.model, KEY, "JSON in the text")
    play_fast(page)
    expect(sentence(page)).to_have_text(re.compile("^run over: "), timeout=WHOLE_RUN)

    end = outcome(page)
    assert end["reason"] == "answered" or end["error"].startswith("StepLimitReached: ")
    replies = [post.json() for post in posts]
    the_folder_holds_what_the_server_sent(page, replies)
    usages = [reply["usage"] for reply in replies]
    tokens = [list(map(int, row[1:])) for row in announced(page, "model_reply")]
    assert tokens == [[u["prompt_tokens"], u["completion_tokens"]] for u in usages]

    here, there = origin(page.url), locked.base_url
    assert here != origin(there)
    assert preflights.seen() == {
        Preflight("OPTIONS", f"{there}/models", here, "authorization", 200, here),
        Preflight(
            *("OPTIONS", f"{there}/chat/completions", here),
            *("authorization,content-type", 200, here),
        ),
    }

    keys = {post.request.header_value("authorization") for post in posts}
    assert keys == {f"Bearer {KEY}"}
    kept = everything_the_page_keeps(page)
    assert [reply["id"] for reply in replies if reply["id"] not in kept] == []
    assert KEY not in kept
