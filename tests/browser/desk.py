"""The folder and the card on a bare page: what to draw, and how to look at it."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.views.frame_types import Frame, Line
from mingraph_lite.views.frames import frames

type Mount = Callable[..., Page]

ALL = ["folder", "aloud", "card"]

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A bare page</title><link rel="icon" href="data:,">
<style>body { margin: 0 } #outside { width: 320px }</style>
<div id="outside"><h1>Heading</h1><h2>Second</h2><p>Words <code>code</code></p>
<button class="main">Press</button><ol class="folder"><li>one</li></ol>
<dl><dt>name</dt><dd>value</dd></dl><input><pre>text</pre></div>
<div id="place"></div></html>"""

MOUNT = """async () => {
  for (const href of ["tokens.css", "folder_and_card.css"]) {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href });
    const styled = new Promise((resolve) => (sheet.onload = resolve));
    document.head.append(sheet);
    await styled;
  }
  const { mount } = await import("./folder_and_card.js");
  window.acts = [];
  const act = (...pressed) => acts.push(pressed);
  window.view = mount(document.getElementById("place"), act);
}"""


def run() -> list[Frame]:
    return list(frames(paris_and_tokyo.agent(), paris_and_tokyo.question))


def line(who: str, text: str, added_by: str | None = None, **more: Any) -> Line:
    return {
        "who": who,
        "text": text,
        "slips": [],
        "answers": None,
        "added_by": added_by,
    } | more


def event(name: str, *notes: str) -> dict[str, Any]:
    """An announcement that may have notes."""
    return {
        "seq": 1,
        "step": 1,
        "name": name,
        "what": "what happened",
        "notes": [*notes],
        "tokens_in": None,
        "tokens_out": None,
    }


def stop(kind: str, *lines: Line, name: str = "SomeCard", number: int = 1) -> Frame:
    """A frame no scenario gives."""
    return {
        "number": number,
        "card": {
            "name": name,
            "kind": kind,
            "rule": "One rule.",
            "fields": {"question": "Which Paris?"},
            "source": "class SomeCard(Card):\n    pass",
            "round": None,
        },
        "picked_by": None,
        "because": "",
        "lines": list(lines),
        "asides": [],
        "readings": [],
        "events": [],
        "outcome": None,
        "sentence": f"holding: {name} | folder has {len(lines)} messages",
    }


def over(reason: str, answer: str | None, error: str | None) -> Frame:
    return stop("other") | {
        "number": None,
        "card": None,
        "outcome": {"reason": reason, "answer": answer, "error": error},
        "sentence": f"run over: {reason} | folder has 0 messages",
    }


def long_folder(lines: int) -> Frame:
    return stop("calling", *(line("user", f"Line {n}.") for n in range(1, lines + 1)))


def show(page: Page, recorded: list[Frame], at: int = 0, **more: Any) -> None:
    state = {"controls": True, "busy": False, "canNext": True} | more
    state |= {"frames": recorded, "at": at}
    # As one text: Playwright looks at each value of an argument, which takes longer
    # than to draw it.
    page.evaluate("s => view.update(JSON.parse(s))", json.dumps(state))


def folder(page: Page) -> list[str]:
    """The lines that can be seen, each as 'who: what'."""
    return page.eval_on_selector_all(
        "#place .folder li:not([hidden])",
        "rows => rows.map(r => r.children[0].textContent + ': '"
        " + [...r.children[1].children].map(c => c.className === 'amiss'"
        "   ? [...c.children].map(part => part.textContent).join(' / ')"
        "   : c.textContent).join(' | '))",
    )


def as_row(said: Line) -> str:
    """What a line of a frame should look like in the folder."""
    number = [] if said["answers"] is None else [f"#{said['answers']}"]
    slips = [f"#{slip['number']} {slip['call']}" for slip in said["slips"]]
    text = [" ".join([*number, said["text"]])] if said["text"] else []
    return f"{said['who']}: {' | '.join([*text, *slips]) or '(said nothing)'}"


def pressed(page: Page) -> list[list[Any]]:
    """What was pressed since the last look."""
    acts: list[list[Any]] = page.evaluate("acts.splice(0)")
    return acts


def marks(page: Page) -> list[str]:
    """The timeline: past in plain, the current one in brackets, ahead in dots."""
    return page.eval_on_selector_all(
        ".mark",
        "marks => marks.map(m => m.ariaCurrent === 'step' ? `[${m.textContent}]`"
        " : m.classList.contains('past') ? m.textContent : `.${m.textContent}.`)",
    )
