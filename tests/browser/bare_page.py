"""A bare page on which one view is mounted, for a browser to look at."""

import contextlib
import functools
import http.server
import json
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from mingraph_lite.views.sheets import VIEWS
from tests.browsers import LAUNCH_ARGS, find_chromium

__all__ = ["BarePage", "bare_page", "violations"]

AXE = Path(__file__).parents[2] / "playground" / "node_modules" / "axe-core"

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A bare page</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="tokens.css"><link rel="stylesheet" href="NAME.css">
<style>body { margin: 0; padding: 12px; background: Canvas }
[data-theme=dark] body { background: #111 }</style>
<main><h1 style="font-size: 14px">Before</h1><div id="place"></div>
<button id="after">After</button></main>
<script type="module">
import view, { mount } from "./NAME.js";
Object.assign(window, { mount, view: view, acts: [], shown: null });
window.again = (data, options) => {
  window.shown?.destroy();
  delete document.documentElement.dataset.theme;
  document.activeElement?.blur();
  window.acts = [];
  const place = document.getElementById("place");
  window.shown = mount(place, (press) => acts.push(press), options);
  window.shown.update(data);
};
</script></html>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps its log to itself."""

    def log_message(self, *_: object) -> None:
        pass


class BarePage:
    """One view on its page; what breaks in it is noted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.broken: list[str] = []
        page.on("pageerror", lambda error: self.broken.append(str(error)))
        page.on("requestfailed", lambda request: self.broken.append(request.url))

    def mount(self, data: Any, width: int = 640, **options: Any) -> Page:
        """Mount the view afresh."""
        self.page.set_viewport_size({"width": width, "height": 700})
        self.page.emulate_media(forced_colors="none")
        given = json.dumps([data, options])
        self.page.evaluate("given => again(...JSON.parse(given))", given)
        return self.page

    def update(self, data: Any) -> None:
        """Give the mounted view other data."""
        self.page.evaluate("data => shown.update(data)", data)

    def acts(self) -> Any:
        """What was pressed since it was mounted."""
        return self.page.evaluate("acts")

    def focused(self) -> str:
        """What has the keyboard, by its label, its value or its words."""
        return str(
            self.page.evaluate("""() => {
              const node = document.activeElement;
              return node.ariaLabel || node.value || node.innerText || node.localName;
            }""")
        )

    def keys_kept(self) -> set[bool]:
        """Tell whether what can have the keyboard keeps JupyterLab's hands off it."""
        kept: list[bool] = self.page.evaluate("""() =>
          [...document.querySelectorAll("#place :is(input, textarea, button, section)")]
            .map((node) => node.hasAttribute("data-lm-suppress-shortcuts"))""")
        return {*kept}

    def too_wide(self) -> bool:
        """Tell whether the page scrolls to the side."""
        return bool(
            self.page.evaluate(
                "document.documentElement.scrollWidth > document.documentElement"
                ".clientWidth"
            )
        )

    def strange_rules(self) -> list[str]:
        """Name the rules that reach beyond the view."""
        found: list[str] = self.page.evaluate("""() => {
          const found = [];
          const walk = (rules) => { for (const rule of rules) {
            if (rule.selectorText) found.push(rule.selectorText);
            else walk(rule.cssRules);
          } };
          const sheets = [...document.styleSheets].filter((sheet) => sheet.href);
          for (const sheet of sheets) walk(sheet.cssRules);
          return found;
        }""")
        assert len(found) > 20
        parts = [p.strip() for rule in found for p in re.split(r",(?![^(]*\))", rule)]
        return [part for part in parts if ".mingraph" not in part]

    def render(self, trait: str, data: Any) -> Page:
        """Mount the view as a notebook does, with one trait; `answer` changes it."""
        page = self.mount(data)
        page.evaluate(
            """([trait, data]) => {
              shown.destroy();
              const heard = {}, model = {
                get: (name) => (name === trait ? data : null),
                send: (message) => acts.push(message),
                on: (name, call) => (heard[name] = call),
                off: (name) => delete heard[name],
              };
              // As cells of a notebook: the view in one, the next one after it.
              const place = document.getElementById("place");
              for (const id of ["place", "after"])
                document.getElementById(id).classList.add("jp-Cell");
              const stop = view.render({ model, el: place });
              window.answer = (changes) => {
                Object.assign(data, changes);
                heard["change:answers"]();
              };
              window.shown = { destroy: stop };
            }""",
            [trait, data],
        )
        return page

    def type_sizes(self) -> list[int]:
        """Give the smallest type, as it is and for a projector."""
        sizes = []
        for size in ("", "large"):
            self.page.evaluate("s => (document.documentElement.dataset.size = s)", size)
            sizes.append(
                self.page.eval_on_selector_all(
                    "#place :is(p, span, code, i, b, label, button, textarea, "
                    "[type=text])",
                    "all => Math.min("
                    "...all.map((n) => parseInt(getComputedStyle(n).fontSize)))",
                )
            )
        self.page.evaluate("delete document.documentElement.dataset.size")
        return sizes

    def small(self) -> list[str]:
        """Name what can be pressed and is less than 44 pixels high or wide."""
        found: list[str] = self.page.evaluate("""() =>
          [...document.querySelectorAll("#place :is(button, label.choice)")]
            .filter((node) => {
              const { width, height } = node.getBoundingClientRect();
              return height < 44 || (width < 44 && !node.matches(".grip"));
            })
            .map((node) => node.ariaLabel || node.innerText)""")
        return found


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Ask axe for what keeps somebody out, in light and dark."""
    page.evaluate((AXE / "axe.min.js").read_text(encoding="utf-8"))
    found = []
    for theme in ("light", "dark"):
        page.evaluate(
            "theme => (document.documentElement.dataset.theme = theme)", theme
        )
        for each in page.evaluate("axe.run('#place')")["violations"]:
            found.append((each["id"], [node["html"] for node in each["nodes"]]))
    return found


@contextlib.contextmanager
def bare_page(name: str, folder: Path) -> Iterator[BarePage]:
    """Serve a view by the name of its module and open a page with it."""
    for file in (*VIEWS.glob("*.js"), *VIEWS.glob("*.css")):
        shutil.copy(file, folder)
    page = PAGE.replace("NAME", name)
    (folder / "index.html").write_text(page, encoding="utf-8")
    handler = functools.partial(Quiet, directory=str(folder))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as playwright,
    ):
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        try:
            bare = BarePage(chromium.new_page())
            bare.page.goto(f"http://127.0.0.1:{server.server_port}/")
            yield bare
        finally:
            chromium.close()
            server.shutdown()
            thread.join()
