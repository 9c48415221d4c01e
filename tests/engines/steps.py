"""The steps that are taken in every engine, and what each must come to."""

from collections.abc import Iterator
from contextlib import contextmanager

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.faults import ALL_SCENARIOS
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.views.frames import frames
from tests.engines.reader import LOADING, Reader
from tests.playground.reading import FIRST, READY
from tests.playground.test_model import KEY, script_a_run

__all__ = [
    "BLOCKING",
    "ENDLESS",
    "SLEEPING",
    "ask_a_live_model",
    "ask_for_a_model_in_vain",
    "cut_off_a_call",
    "every_sentence",
    "go_back",
    "load",
    "play_to_the_end",
    "posts",
    "starts",
    "stop_a_tool",
    "stop_between_two_cards",
    "turn_each_card",
]

SENTENCE = ".desk .say"
STATUS = "header .pg-python"

ENDLESS = '''\
def get_weather(city: str) -> str:
    """Never comes back."""
    while True: ...
'''
SLEEPING = '''\
import time


def get_weather(city: str) -> str:
    """Comes back much later."""
    time.sleep(600)
    return "late"
'''
# Holds the thread itself: no interrupt gets in, whatever the page does.
BLOCKING = '''\
import js


def get_weather(city: str) -> str:
    """Waits for a bell that nobody rings."""
    bell = js.Int32Array.new(js.SharedArrayBuffer.new(4))
    return js.Atomics.wait(bell, 0, 0, 60_000)
'''

# What the page keeps, shows and has said, wherever a key could stand.
EVERYTHING = """(async () => {
  const databases = await indexedDB.databases();
  const caches_ = await caches.keys();
  const fields = [...document.querySelectorAll("input, textarea, select")];
  return {
    databases: databases.map(({ name }) => name),
    caches: caches_,
    rest: JSON.stringify([
      {...localStorage}, {...sessionStorage}, document.cookie, location.href, name,
      history.state, document.documentElement.outerHTML, noted.told,
      fields.map((field) => field.value),
      performance.getEntries().map((entry) => entry.name),
    ]),
  };
})()"""


@contextmanager
def starts(reader: Reader, times: int) -> Iterator[None]:
    """Expect that in this block Python is started so often, and no oftener."""
    before = reader.boots()
    yield
    reader.wait_for("noted.boots", before + times)


def load(reader: Reader, address: str) -> None:
    """Open the page and wait for Python, held at the first card."""
    reader.browser.open(address)
    reader.wait_to_see(STATUS, READY, LOADING)
    reader.wait_to_see(SENTENCE, ".* folder has 2 messages")


def begin(reader: Reader, scenario: str) -> None:
    """Have a run of this scenario, held before its first card."""
    reader.wait_to_see(STATUS, READY, LOADING)
    reader.choose("Scenario", scenario)
    reader.wait_to_see(SENTENCE, FIRST.replace("|", r"\|"))


def every_sentence() -> list[str]:
    """What the picture says of the same run where there is no page."""
    scenario = ALL_SCENARIOS["one_by_one"]
    drawn = frames(scenario.agent(), scenario.question)
    return [frame["sentence"] for frame in drawn]


def turn_each_card(reader: Reader) -> list[str]:
    """Turn card after card to the end; gives what the picture said at each."""
    begin(reader, "one_by_one")
    said = [reader.text(SENTENCE)]
    while not said[-1].startswith("run over"):
        reader.press("Next card")
        reader.wait_for(f"reader.texts('{SENTENCE}')[0] !== {said[-1]!r}", True)
        said.append(reader.text(SENTENCE))
    return said


def go_back(reader: Reader) -> list[str]:
    """Go back a card and forth again, over what was run already."""
    end = reader.text(SENTENCE)
    reader.press("Back")
    reader.wait_for(f"reader.texts('{SENTENCE}')[0] !== {end!r}", True)
    before = reader.text(SENTENCE)
    reader.press("Next card")
    reader.wait_to_see(SENTENCE, end.replace("|", r"\|"))
    return [before, reader.text(SENTENCE)]


def play(reader: Reader, speed: str) -> None:
    reader.choose("Speed of Play", speed)
    reader.press("Play")


def play_to_the_end(reader: Reader) -> None:
    begin(reader, "one_by_one")
    play(reader, "fast")
    reader.wait_to_see(SENTENCE, r"run over: answered \| folder has 10 messages")


def stop_between_two_cards(reader: Reader) -> tuple[str, str]:
    """Stop a run that plays; gives what the page says then."""
    begin(reader, "never_satisfied")
    play(reader, "slow")  # so that it is between two cards for long enough
    reader.wait_to_see(SENTENCE, r".*folder has [4-9] messages")
    return stop(reader)


def stop_a_tool(reader: Reader, tool: str, place: str) -> tuple[str, str]:
    """Stop while a tool is at this place; gives what the page says then."""
    begin(reader, "one_by_one")
    reader.press("Tools", "tab")
    reader.edit("tools.py", tool)
    reader.press("Next card")
    reader.wait_to_see(SENTENCE, r"holding: RunningTools \| folder has 3 messages")
    reader.press("Next card")
    reader.wait_for("noted.place", place)
    said = stop(reader)
    reader.press("Take back all edits")
    reader.wait_to_press("tab", "Tools")  # it was called edited
    return said


def stop(reader: Reader) -> tuple[str, str]:
    reader.press("Stop")
    reader.wait_to_see(SENTENCE, r"run over: interrupted \| folder has \d+ messages")
    reader.wait_for("reader.find('button', 'Stop') === undefined", True)
    return reader.text("[data-notice=info]"), reader.text(STATUS)


def connect(reader: Reader, endpoint: FakeServer, key: str) -> None:
    reader.press("Connect a model…")
    reader.fill("Base URL", endpoint.url)
    reader.fill("Model", "tiny")
    reader.fill("Key", key)
    reader.press("Connect")
    reader.wait_to_press("button", "Change the model…")
    reader.wait_to_see(SENTENCE, FIRST.replace("|", r"\|"))


def disconnect(reader: Reader) -> None:
    reader.press("Change the model…")
    reader.press("Disconnect the model")
    reader.wait_to_press("button", "Connect a model…")


def ask_for_a_model_in_vain(reader: Reader) -> str:
    """Ask for a model where none can be connected; gives the page's reason."""
    reader.press("Connect a model…")
    reader.wait_to_see("dialog .pg-notice", "(?s).+")
    said = reader.text("dialog .pg-notice")
    connect = "reader.canPress('button', 'Connect')"
    assert reader.browser.evaluate(connect) is False
    reader.press("Cancel")
    reader.wait_to_press("button", "Connect a model…")
    return said


def ask_a_live_model(
    reader: Reader, endpoint: FakeServer, replies: ReplyQueue
) -> dict[str, object]:
    """Run with a model that wants a key; gives all that the page keeps."""
    script_a_run(replies)
    begin(reader, "one_by_one")
    connect(reader, endpoint, KEY)
    play(reader, "fast")
    reader.wait_to_see(SENTENCE, r"run over: answered \| folder has 5 messages")
    kept = reader.browser.evaluate(EVERYTHING)
    disconnect(reader)
    return kept


def cut_off_a_call(
    reader: Reader, endpoint: FakeServer, replies: ReplyQueue
) -> tuple[str, str]:
    """Stop while a model is waited for; gives what the page says then."""
    begin(reader, "one_by_one")
    connect(reader, endpoint, KEY)
    reader.press("Next card")
    assert replies.kept_waiting.wait(60)
    said = stop(reader)
    disconnect(reader)
    return said


def posts(seen: list[ClientRequest]) -> list[tuple[str, str | None]]:
    """Where the key was sent to."""
    return [(r.path, r.authorization) for r in seen if r.method == "POST"]
