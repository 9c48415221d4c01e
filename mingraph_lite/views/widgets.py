"""The folder and the card in a notebook, to step through.

Only a picture and its buttons live here. What happens is in `frames`, how it is drawn
is in the ES module beside it, which the playground shares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import anywidget
import ipywidgets
import traitlets

from mingraph_lite.views.frame_types import Frame, Panel
from mingraph_lite.views.frames import as_text, broken
from mingraph_lite.views.modules import module
from mingraph_lite.views.panels import in_order, sentence
from mingraph_lite.views.sheets import look

__all__: Final = ["FolderAndCard"]

_AT_ONCE: Final = 1000
"""The most cards for one press of Play: cards may go on for ever."""


class FolderAndCard(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """One run beside its buttons, to step through and reset.

    What was said is on the left, where we are on the right. `start` begins a run and
    gives its frames: `lambda: frames(agent, question)`. Why a function and not the
    frames? Reset needs a run that has not begun, and an iterator that was used cannot
    be rewound.

    `panels` says what is shown: "folder", "aloud" (what was read aloud at each model
    call), "card". A switch in the picture shows all. With MINGRAPH_PROJECTOR=1 in the
    environment the type is for a projector.
    """

    def __init__(
        self,
        start: Callable[[], Iterator[Frame]],
        panels: Sequence[Panel] = ("folder", "card"),
    ) -> None:
        if not callable(start):
            raise TypeError(
                f"FolderAndCard was given a {type(start).__name__}. It needs a "
                "function without arguments that begins a run and gives its frames. "
                "Write FolderAndCard(lambda: frames(agent, question))."
            )
        self._panels = in_order(panels)
        self._start = start
        self._run: Iterator[Frame] | None = start()
        self._runs = 1
        self._frames: list[Frame] = []
        self._at = 0
        self._busy = False
        size = "large" if os.environ.get("MINGRAPH_PROJECTOR") == "1" else ""
        self._view = _View(panels=list(self._panels), size=size)
        self._controls = _Controls()
        super().__init__([self._view, self._controls])
        self.add_class("mingraph")
        if size:
            self.add_class(size)
        self._listen()
        with self._running():
            self._draw()

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames recorded so far."""
        return tuple(self._frames)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """What is shown, from left to right."""
        return self._panels

    @property
    def at(self) -> int:
        """The index of the frame shown."""
        return self._at

    def next(self) -> None:
        """Run the card in the hand; over frames already recorded, just move on."""
        if self._busy:
            return
        if self._at < self._last:
            self.goto(self._at + 1)
        elif self._more:
            with self._running():
                self._draw()

    def play(self) -> None:
        """Run card after card to the end, or 1000 of them: the next press goes on."""
        if self._busy:
            return
        with self._running():
            for _ in range(_AT_ONCE):
                if not self._more:
                    break
                self._draw()
                # Each update sends the whole run. Waiting until it has grown by a tenth
                # keeps a long run's traffic in proportion to its length.
                if len(self._frames) >= 1.1 * len(self._view.frames):
                    self._show()
            self._at = self._last

    def back(self) -> None:
        """Look at the frame before; nothing is run again or undone."""
        self.goto(max(0, self._at - 1))

    def goto(self, index: int) -> None:
        """Look at a frame already recorded, counted from 0."""
        if not 0 <= index <= self._last:
            raise IndexError(
                f"There is no frame {index}. Recorded so far: 0 to {self._last}. "
                "next() runs the card in the hand and records one more."
            )
        if not self._busy:
            self._at = index
            self._show()

    def reset(self) -> None:
        """Stop this run and begin a fresh one."""
        if self._busy:
            return
        _close(self._run)
        self._run, self._frames, self._at = None, [], 0
        self._runs += 1
        with self._running():
            self._draw()

    def text(self) -> str:
        """The frame shown, in words: its panels and the sentence."""
        before = self._frames[: self._at]
        return as_text(self._frames[self._at], before, self._panels)

    def __repr__(self) -> str:
        shown = self._frames[self._at]
        last = self._frames[-1]
        cards = len(self._frames) - (last["card"] is None)
        stop = "card" if "card" in self._panels else "stop"
        place = (
            f"after {stop} {cards} of {cards}"
            if shown["card"] is None
            else f"{stop} {shown['number']} of {cards}{' so far' if self._more else ''}"
        )
        said = sentence(shown, self._frames[: self._at], self._panels)
        return f"FolderAndCard({place}: {said})"

    @property
    def _last(self) -> int:
        return len(self._frames) - 1

    @property
    def _more(self) -> bool:
        return not self._frames or self._frames[-1]["card"] is not None

    @contextmanager
    def _running(self) -> Iterator[None]:
        """While a card runs, nothing else is done, and the view says so."""
        self._busy = self._view.busy = self._controls.buttons.busy = True
        try:
            yield
        finally:
            self._busy = False
            self._show()

    def _draw(self) -> None:
        try:
            if self._run is None:  # after Reset: what its start raises is shown too
                self._run = self._start()
            frame = next(self._run)
        except BaseException as problem:
            # What a button's handler raises is not shown in a notebook, and a sys.exit
            # would end the kernel, so the view shows it: a run that breaks is still a
            # run that can be looked back on.
            frame = broken(problem, self._frames)
        self._frames.append(frame)
        self._at = self._last
        if not self._more:
            _close(self._run)

    def _show(self) -> None:
        for part in (self._view, self._controls.buttons):
            with part.hold_sync():
                part.at, part.run, part.busy = self._at, self._runs, self._busy
                part.show(self._frames, self._at, self._more)
        self._controls.show(self._at, self._last)

    def _listen(self) -> None:
        self._controls.scrub.observe(self._scrubbed, "value")
        for part in (self._view, self._controls.buttons):
            part.on_msg(self._hear)

    def _hear(self, _: object, press: dict[str, Any], __: object) -> None:
        """Do what was pressed, if it was pressed on the frame that is shown now.

        Presses wait while a card runs: without this, the second of two clicks would
        run a card that nobody has seen.
        """
        if (press.get("at"), press.get("run")) != (self._at, self._runs):
            return
        match press.get("act"):
            case "next":
                self.next()
            case "back":
                self.back()
            case "play":
                self.play()
            case "reset":
                self.reset()
            case "goto":
                self.goto(min(max(0, int(press["value"])), self._last))

    def _scrubbed(self, change: dict[str, Any]) -> None:
        # The slider also moves because the view moved.
        if change["new"] != self._at:
            self.goto(change["new"])


class _Part(anywidget.AnyWidget):
    """What is drawn in the page, and says where it was pressed."""

    at = traitlets.Int(0).tag(sync=True)
    run = traitlets.Int(0).tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)


class _View(_Part):
    """The picture: what `views/folder_and_card.js` reads."""

    _esm = module("folder_and_card.js")
    _css = look("folder_and_card.css")
    frames: traitlets.List[Frame] = traitlets.List().tag(sync=True)
    can_next = traitlets.Bool(False).tag(sync=True)
    panels: traitlets.List[Panel] = traitlets.List().tag(sync=True)
    size = traitlets.Unicode("").tag(sync=True)

    def __repr__(self) -> str:
        return f"View(frames={len(self.frames)}, at={self.at})"

    def show(self, frames: list[Frame], at: int, more: bool) -> None:
        """Take the frames recorded so far."""
        self.frames, self.can_next = list(frames), more


class _Buttons(_Part):
    """The buttons: what `views/buttons.js` reads."""

    _esm = module("buttons.js")
    can: traitlets.List[str] = traitlets.List().tag(sync=True)

    def __repr__(self) -> str:
        return f"Buttons(can={self.can})"

    def show(self, frames: list[Frame], at: int, more: bool) -> None:
        """Say what can be pressed at this place."""
        onward = more or at < len(frames) - 1
        can = {"next": onward, "back": at > 0, "play": onward, "reset": True}
        self.can = [act for act, possible in can.items() if possible]


class _Controls(ipywidgets.HBox):  # type: ignore[misc]  # ipywidgets has no types
    """What stands under the picture: buttons, and a slider over the record."""

    def __init__(self) -> None:
        self.buttons = _Buttons()
        self.scrub = ipywidgets.IntSlider(
            description="Look back",
            tooltip="Move over the cards recorded so far",
            min=0,
            max=1,
            readout=False,
            layout={"width": "260px"},
        )
        super().__init__([self.buttons, self.scrub])

    def show(self, at: int, last: int) -> None:
        """Put the slider to this place."""
        # A slider needs two ends, and one frame has nothing to look back on.
        self.scrub.disabled = last == 0
        self.scrub.layout.visibility = "hidden" if last == 0 else "visible"
        # The slider in the page takes each of the two as it comes, and answers with a
        # value that its end allows: so its end must never be behind its value.
        end = max(1, last)
        if at > self.scrub.max:
            self.scrub.max = end
        self.scrub.value = at
        self.scrub.max = end


def _close(run: Iterator[Frame] | None) -> None:
    """A generator that is closed can tidy up; other iterators have nothing to close."""
    close = getattr(run, "close", None)
    if close is not None:
        close()
