"""What a reader does on the page and sees there, in whichever browser."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

__all__ = ["LOADING", "Browser", "Reader"]

# In seconds, for slow machines; a good run never waits that long.
LOADING = 240
PATIENCE = 60
LOOK = 0.1  # seconds between two looks

FAILED = """({
  broken: noted.broken,
  given_up: reader.texts("header [data-phase=failed], [role=alert]").filter(Boolean),
  says: reader.texts("[data-notice]"),
  seen: (VALUE),
})"""


class Browser(Protocol):
    """What a driver has to be able to do; all else is asked of the page itself."""

    def open(self, address: str) -> None: ...
    def evaluate(self, expression: str) -> Any: ...
    def click(self, x: float, y: float) -> None: ...
    def type(self, text: str) -> None: ...
    def select_all(self) -> None: ...
    def resize(self, width: int, height: int) -> None: ...
    def picture(self, path: Path) -> None: ...


class Reader:
    """Looks, presses and types, and fails where the page breaks while it waits."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def wait_for(self, expression: str, expected: object) -> None:
        """Wait until this expression has this value in the page."""
        self._wait(expression, lambda found: found == expected, repr(expected))

    def wait_to_see(self, css: str, pattern: str, patience: int = PATIENCE) -> None:
        """Wait until one thing of this kind is in sight, and its text fits."""

        def fits(found: list[str]) -> bool:
            return len(found) == 1 and bool(re.fullmatch(pattern, found[0]))

        self._wait(f"reader.texts({json.dumps(css)})", fits, pattern, patience)

    def wait_to_press(self, kind: str, name: str) -> None:
        """Wait until this can be pressed."""
        what = f"reader.canPress({json.dumps(kind)}, {json.dumps(name)})"
        try:
            self.wait_for(what, True)
        except AssertionError as failed:
            names = self.browser.evaluate(f"reader.names({json.dumps(kind)})")
            raise AssertionError(f"{failed}\nThere is: {names}") from None

    def texts(self, css: str) -> list[str]:
        return self.browser.evaluate(f"reader.texts({json.dumps(css)})")

    def text(self, css: str) -> str:
        [found] = self.texts(css)
        return found

    def press(self, name: str, kind: str = "button") -> None:
        """Press it where it is, with the pointer."""
        what = f"reader.middle({json.dumps(kind)}, {json.dumps(name)})"
        for _ in range(3):  # between two looks it may have gone again
            self.wait_to_press(kind, name)
            if found := self.browser.evaluate(what):
                break
        assert found, f"{name} cannot be pressed for longer than a moment"
        assert found["covered"] == "", f"{name} is covered by {found['covered']}"
        self.browser.click(*found["middle"])

    def fill(self, label: str, text: str) -> None:
        """Type into a field, in the place of what is there."""
        self.press(label, "field")
        self.browser.select_all()
        self.browser.type(text)

    def edit(self, label: str, text: str) -> None:
        """Put a text into an editor, in the place of what is there."""
        self.press(label, "field")
        self.browser.select_all()
        assert self.browser.evaluate(f"reader.insert({json.dumps(text)})")

    def choose(self, menu: str, choice: str) -> None:
        """Choose in a menu, which a driver cannot open."""
        self.wait_to_press("field", menu)
        chosen = f"reader.choose({json.dumps(menu)}, {json.dumps(choice)})"
        assert self.browser.evaluate(chosen) == choice, f"not in the menu {menu}"

    def boots(self) -> int:
        """Count how often a worker was told to load Python."""
        return self.browser.evaluate("noted.boots")

    def broken(self) -> list[str]:
        """Return the errors that the page's console has, and those of its workers."""
        return self.browser.evaluate("noted.broken")

    def _wait(
        self,
        expression: str,
        holds: Callable[[Any], bool],
        expected: str,
        patience: int = PATIENCE,
    ) -> None:
        end = time.monotonic() + patience
        while True:
            found = self.browser.evaluate(FAILED.replace("VALUE", expression))
            seen = found.pop("seen")
            assert found["broken"] == [], found
            if holds(seen):
                return
            assert found["given_up"] == [], f"the page has given up: {found}"
            waited = f"{expression} is {seen!r}, not {expected}; {found}"
            assert time.monotonic() < end, waited
            time.sleep(LOOK)
