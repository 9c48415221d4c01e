"""The folder and the card as a notebook drives them, without a browser."""

import json
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.lab.scenarios import never_satisfied, paris_and_tokyo
from mingraph_lite.messages import ToolCall
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import as_text, broken, frames
from mingraph_lite.views.widgets import FolderAndCard


def begin() -> Iterator[Frame]:
    """Begin a run of Paris and Tokyo, its script unused."""
    return frames(paris_and_tokyo.agent(), paris_and_tokyo.question)


SENTENCES = [frame["sentence"] for frame in begin()]


def shown(view: FolderAndCard) -> str:
    return view.frames[view.at]["sentence"]


def controls(view: FolderAndCard) -> dict[str, Any]:
    """The notebook's own controls, by the words a reader sees."""
    return {control.description: control for control in view.children[1].children}


def enabled(view: FolderAndCard) -> list[str]:
    return [name for name, each in controls(view).items() if not each.disabled]


def press(view: FolderAndCard, act: str, value: int | None = None) -> None:
    """What the page sends when a key or a mark was pressed in the picture."""
    picture = view.children[0]
    picture._handle_custom_msg({"act": act, "value": value}, [])


def test_the_first_card_is_in_the_hand_before_it_runs() -> None:
    view = FolderAndCard(begin)
    assert (len(view.frames), view.at, shown(view)) == (1, 0, SENTENCES[0])


def test_pressing_next_card_runs_one_card_at_a_time_until_the_run_is_over() -> None:
    view = FolderAndCard(begin)
    seen = [shown(view)]
    for _ in range(8):
        controls(view)["Next card"].click()
        seen.append(shown(view))
    assert seen == [*SENTENCES, SENTENCES[-1], SENTENCES[-1]]
    assert len(view.frames) == 7


def test_back_and_forth_over_what_is_recorded_runs_nothing() -> None:
    view = FolderAndCard(begin)
    view.next()
    view.next()
    recorded = view.frames
    walk = []
    for name in ["Back", "Back", "Back", "Next card", "Next card"]:
        controls(view)[name].click()
        walk.append(view.at)
    assert walk == [1, 0, 0, 1, 2]
    assert view.frames == recorded


def test_the_slider_reaches_every_frame_recorded_and_no_other() -> None:
    view = FolderAndCard(begin)
    slider = controls(view)["Look back"]
    assert (slider.disabled, slider.layout.visibility) == (True, "hidden")
    view.play()
    assert (slider.min, slider.max, slider.value, slider.disabled) == (0, 6, 6, False)
    slider.value = 3
    assert (view.at, shown(view)) == (3, SENTENCES[3])


def test_moving_the_view_moves_the_slider() -> None:
    view = FolderAndCard(begin)
    view.play()
    view.goto(2)
    assert controls(view)["Look back"].value == 2


def test_only_buttons_that_do_something_can_be_pressed() -> None:
    view = FolderAndCard(begin)
    assert enabled(view) == ["Next card", "Play", "Reset"]
    view.next()
    assert enabled(view) == ["Next card", "Back", "Play", "Reset", "Look back"]
    view.play()
    assert enabled(view) == ["Back", "Reset", "Look back"]
    view.back()
    assert enabled(view) == ["Next card", "Back", "Play", "Reset", "Look back"]


def test_reset_begins_a_fresh_run_with_a_fresh_script() -> None:
    view = FolderAndCard(begin)
    view.play()
    first = view.frames
    view.goto(4)
    controls(view)["Reset"].click()
    assert (len(view.frames), view.at, shown(view)) == (1, 0, SENTENCES[0])
    controls(view)["Play"].click()
    assert view.frames == first


def test_reset_closes_the_run_that_was_not_over() -> None:
    closed = []

    def start() -> Iterator[Frame]:
        try:
            yield from begin()
        finally:
            closed.append("closed")

    view = FolderAndCard(start)
    view.next()
    assert closed == []
    view.reset()
    assert closed == ["closed"]


def test_an_iterator_that_cannot_be_closed_can_still_be_reset() -> None:
    run = list(begin())
    view = FolderAndCard(lambda: iter(run))
    view.play()
    view.reset()
    assert view.frames == (run[0],)


def test_what_is_pressed_in_the_picture_does_what_the_buttons_do() -> None:
    view = FolderAndCard(begin)
    walk = []
    for act, value in [
        ("next", None),
        ("next", None),
        ("back", None),
        ("goto", 2),
        ("goto", 99),
        ("play", None),
        ("goto", 0),
        ("reset", None),
        ("dance", None),
    ]:
        press(view, act, value)
        walk.append((view.at, len(view.frames)))
    assert walk == [
        (1, 2),
        (2, 3),
        (1, 3),
        (2, 3),
        (2, 3),
        (6, 7),
        (0, 7),
        (0, 1),
        (0, 1),
    ]


def test_a_press_while_a_card_runs_is_ignored() -> None:
    pressed: list[Callable[[], None]] = []

    def start() -> Iterator[Frame]:
        for frame in begin():
            yield frame
            for press_again in pressed:
                press_again()

    view = FolderAndCard(start)
    pressed += [view.next, view.play, view.reset, view.back]
    view.next()
    assert [shown(view), len(view.frames)] == [SENTENCES[1], 2]


def test_the_picture_gets_the_frames_as_plain_json() -> None:
    view = FolderAndCard(begin)
    view.next()
    picture = view.children[0]
    state = {name: getattr(picture, name) for name in ["at", "busy", "can_next"]}
    assert state == {"at": 1, "busy": False, "can_next": True}
    assert json.loads(json.dumps(picture.frames)) == list(view.frames)


def test_the_picture_follows_a_long_run_to_its_last_frame() -> None:
    view = FolderAndCard(
        lambda: frames(never_satisfied.agent(max_steps=40), never_satisfied.question)
    )
    view.play()
    picture = view.children[0]
    assert (view.frames[-1]["card"], len(view.frames)) == (None, 83)
    assert (picture.frames, picture.at) == (list(view.frames), 82)
    assert picture.can_next is False


def test_the_text_is_of_the_frame_shown_with_what_came_before() -> None:
    view = FolderAndCard(begin)
    view.play()
    view.goto(1)
    first, second, *_ = view.frames
    assert view.text() == as_text(second, [first])


def test_the_repr_says_where_the_run_is_and_is_the_fallback_of_the_widget() -> None:
    view = FolderAndCard(begin)
    seen = [repr(view)]
    view.next()
    seen.append(repr(view))
    view.play()
    seen.append(repr(view))
    view.goto(1)
    seen.append(repr(view))
    assert seen == [
        f"FolderAndCard(card 1 of 1 so far: {SENTENCES[0]})",
        f"FolderAndCard(card 2 of 2 so far: {SENTENCES[1]})",
        f"FolderAndCard(after card 6 of 6: {SENTENCES[6]})",
        f"FolderAndCard(card 2 of 6: {SENTENCES[1]})",
    ]
    assert view._repr_mimebundle_()["text/plain"] == seen[-1]


def test_no_repr_holds_an_address() -> None:
    view = FolderAndCard(begin)
    view.next()
    picture, row = view.children
    reprs = [repr(each) for each in (view, picture, row, *row.children)]
    assert [text for text in reprs if "0x" in text] == []


def test_every_control_says_what_it_is_for() -> None:
    assert {
        name: control.tooltip
        for name, control in controls(FolderAndCard(begin)).items()
    } == {
        "Next card": "Run the card in the hand",
        "Back": "Look at the card before",
        "Play": "Run card after card to the end",
        "Reset": "Begin a fresh run",
        "Look back": "Move over the cards recorded so far",
    }


@pytest.mark.parametrize(
    "problem",
    [ValueError("crossed"), KeyboardInterrupt(), SystemExit(3), CancelledError()],
)
def test_a_run_that_breaks_is_shown_and_loses_nothing(problem: BaseException) -> None:
    def start() -> Iterator[Frame]:
        run = begin()
        yield next(run)
        yield next(run)
        raise problem

    view = FolderAndCard(start)
    view.play()
    recorded = list(begin())[:2]
    assert view.frames == (*recorded, broken(problem, recorded))
    assert enabled(view) == ["Back", "Reset", "Look back"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_a_tool_that_would_end_the_kernel_ends_its_run_alone(
    error: BaseException,
) -> None:
    def boom() -> str:
        raise error

    view = FolderAndCard(
        lambda: frames(Agent(ScriptedLLM([ToolCall("boom", {})]), [boom], ""), "Go")
    )
    view.play()
    view.next()
    view.play()
    assert shown(view) == "run over: interrupted | folder has 3 messages"
    assert enabled(view) == ["Back", "Reset", "Look back"]
    assert view.children[0].busy is False


def test_frames_that_end_without_an_outcome_get_one() -> None:
    first = next(begin())
    view = FolderAndCard(lambda: iter([first]))
    view.next()
    view.next()
    assert view.frames == (first, broken(StopIteration(), [first]))


def test_a_run_instead_of_a_function_is_refused_with_the_line_to_write() -> None:
    with pytest.raises(TypeError) as refusal:
        FolderAndCard(begin())  # type: ignore[arg-type]
    assert str(refusal.value) == (
        "FolderAndCard was given a generator. It needs a function without arguments "
        "that begins a run and gives its frames. "
        "Write FolderAndCard(lambda: frames(agent, question))."
    )


def test_a_frame_that_was_not_recorded_is_refused_with_what_exists() -> None:
    view = FolderAndCard(begin)
    with pytest.raises(IndexError) as refusal:
        view.goto(5)
    assert str(refusal.value) == (
        "There is no frame 5. Recorded so far: 0 to 0. "
        "next() runs the card in the hand and records one more."
    )
