"""Python in the page reaches nothing outside where its file has a policy."""

import http.server
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.playground.conftest import Models, OpenPage, serving
from tests.playground.reading import (
    origin,
    press,
    replace_tools,
    wait_until_idle,
    wait_until_ready,
)

# Each function is a way out of the worker. It gives what came of it, or raises.
WAYS = """
import asyncio, json, js
from pyodide.code import run_js
from pyodide.ffi import create_once_callable, run_sync, to_js
from pyodide.http import pyfetch

OUT = "ADDRESS"
OPTIONS = to_js({"type": "module"}, dict_converter=js.Object.fromEntries)
ONCE = to_js({"once": True}, dict_converter=js.Object.fromEntries)

def within_seconds(target, good, bad="error"):
    over = asyncio.get_running_loop().create_future()
    def settle(event):
        if not over.done():
            over.set_result(event.type)
    for name in (good, bad):
        target.addEventListener(name, create_once_callable(settle), ONCE)
    found = run_sync(asyncio.wait_for(over, 5))
    if found == bad:
        raise OSError(bad)
    return found

def fetch():
    return run_sync(js.fetch(OUT + "fetch")).status

def pyfetched():
    return run_sync(pyfetch(OUT + "pyfetch")).status

def own_host():
    return run_sync(js.fetch(js.location.origin + "/index.html?asked")).status

def request():
    request = js.XMLHttpRequest.new()
    request.open("GET", OUT + "xhr", False)
    request.send()
    return request.status

def socket():
    # The server speaks no WebSocket: that it was asked shows in what it counts.
    address = OUT.replace("http", "ws") + "socket"
    return within_seconds(js.WebSocket.new(address), "open")

def events():
    return within_seconds(js.EventSource.new(OUT + "events"), "open")

def worker(address):
    return within_seconds(js.Worker.new(address, OPTIONS), "message")

def worker_of_data():
    return worker(f"data:text/javascript,fetch('{OUT}data').then(() => postMessage(1))")

def worker_of_a_blob():
    kind = to_js({"type": "text/javascript"}, dict_converter=js.Object.fromEntries)
    code = f"fetch('{OUT}blob').then(() => postMessage(1))"
    return worker(js.URL.createObjectURL(js.Blob.new(to_js([code]), kind)))

def another_of_this_worker():
    try:
        return worker(js.location.href)
    except TimeoutError:  # it waits for a word of the page, so it has begun
        return "begun"

def evaluated():
    return js.eval("1 + 1")

def function_of_text():
    return js.Function.new("return 2")()

def run_as_text():
    return run_js("1 + 1")

def timer_of_text():
    js.setTimeout(f"fetch('{OUT}timer')", 0)
    run_sync(asyncio.sleep(0.3))

def imported():
    return js.importScripts(OUT + "script.js")

def transport():
    return run_sync(js.WebTransport.new(OUT.replace("http", "https")).ready)

def peers():
    return str(js.RTCPeerConnection.new())

def beacon():
    return js.navigator.sendBeacon(OUT + "beacon")

def outcome(way):
    try:
        return ["done", way()]
    except BaseException as error:
        return ["refused", type(error).__name__]

WAYS = [fetch, pyfetched, own_host, request, socket, events, worker_of_data,
    worker_of_a_blob, another_of_this_worker, evaluated, function_of_text, run_as_text,
    timer_of_text, imported, transport, peers, beacon]
found = {way.__name__: outcome(way) for way in WAYS}
raise RuntimeError("FOUND" + json.dumps(found) + "END")
"""
# What no worker has, whatever its policy.
NOWHERE = {"imported", "peers", "beacon", "transport", "socket"}


@contextmanager
def open_to_all() -> Iterator[tuple[str, list[str]]]:
    """Serve whoever asks from wherever, and write down what was asked."""
    asked: list[str] = []

    class OpenToAll(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Cross-Origin-Resource-Policy", "cross-origin")
            kind = "event-stream" if "events" in self.path else "javascript"
            self.send_header("Content-Type", f"text/{kind}")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing: pytest shows what matters."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OpenToAll)
    with serving(server) as address:
        yield address, asked


def outcomes(page: Page, address: str) -> dict[str, str]:
    """Let Python try every way out, and read what came of each."""
    wait_until_ready(page)
    replace_tools(page, WAYS.replace("ADDRESS", address))
    press(page, "Next card")
    told = page.get_by_text(re.compile(r"FOUND\{.*\}END"))
    expect(told.first).to_be_visible()
    text = re.search(r"FOUND(\{.*\})END", told.first.inner_text())
    assert text
    wait_until_idle(page)
    return {name: kind for name, (kind, _) in json.loads(text[1]).items()}


def test_no_way_leads_out_of_the_worker(
    fresh_page: OpenPage, isolated: str, models: Models
) -> None:
    with open_to_all() as (address, asked):
        models.add(origin(address))  # the browser tells what it refused to ask, too
        found = outcomes(fresh_page(isolated), address)

    timer = {"timer_of_text": "done"}  # the text is passed over, without an error
    assert (found, asked) == (dict.fromkeys(found, "refused") | timer, [])


def test_without_a_policy_the_same_ways_lead_out(
    fresh_page: OpenPage, plain: str, models: Models
) -> None:
    with open_to_all() as (address, asked):
        models.add(origin(address))
        found = outcomes(fresh_page(plain), address)

    refused = {name for name, kind in found.items() if kind == "refused"}
    ways = ("fetch", "pyfetch", "xhr", "socket", "events", "data", "blob", "timer")
    assert refused <= NOWHERE
    assert {f"/{way}" for way in ways} <= set(asked)
