"""The folder and the card as a notebook drives them, without a browser."""

import itertools
import json
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.lab.scenarios import never_satisfied, paris_and_tokyo
from mingraph_lite.messages import ToolCall
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import as_text, broken, frames, frames_by_hand
from mingraph_lite.views.widgets import FolderAndCard


def begin() -> Iterator[Frame]:
    """Begin a run of Paris and Tokyo, its script unused."""
    return frames(paris_and_tokyo.agent(), paris_and_tokyo.question)


SENTENCES = [frame["sentence"] for frame in begin()]


def shown(view: FolderAndCard) -> str:
    return view.frames[view.at]["sentence"]


def slider(view: FolderAndCard) -> Any:
    return view.children[1].children[1]


def enabled(view: FolderAndCard) -> list[str]:
    scrub = [] if slider(view).disabled else ["look back"]
    return [*view.children[1].children[0].can, *scrub]


def parts(view: FolderAndCard) -> list[Any]:
    return [view.children[0], view.children[1].children[0]]


def place(view: FolderAndCard) -> dict[str, int]:
    """What a press says of the picture that it was made on."""
    return {"at": view.children[0].at, "run": view.children[0].run}


def press(view: FolderAndCard, act: str, value: int | None = None, **made: int) -> None:
    """What the page sends when a button, a key or a mark was pressed."""
    message = {"act": act, "value": value, **(made or place(view))}
    view.children[0]._handle_custom_msg(message, [])


def click(view: FolderAndCard, act: str, **made: int) -> None:
    """What the page sends when one of the buttons was pressed."""
    message = {"act": act, **(made or place(view))}
    view.children[1].children[0]._handle_custom_msg(message, [])


def test_the_first_card_is_in_the_hand_before_it_runs() -> None:
    view = FolderAndCard(begin)
    assert (len(view.frames), view.at, shown(view)) == (1, 0, SENTENCES[0])


def test_pressing_next_card_runs_one_card_at_a_time_until_the_run_is_over() -> None:
    view = FolderAndCard(begin)
    seen = [shown(view)]
    for _ in range(8):
        click(view, "next")
        seen.append(shown(view))
    assert seen == [*SENTENCES, SENTENCES[-1], SENTENCES[-1]]
    assert len(view.frames) == 7


def test_back_and_forth_over_what_is_recorded_runs_nothing() -> None:
    view = FolderAndCard(begin)
    view.next()
    view.next()
    recorded = view.frames
    walk = []
    for act in ["back", "back", "back", "next", "next"]:
        click(view, act)
        walk.append(view.at)
    assert walk == [1, 0, 0, 1, 2]
    assert view.frames == recorded


def test_the_slider_reaches_every_frame_recorded_and_no_other() -> None:
    view = FolderAndCard(begin)
    scrub = slider(view)
    assert (scrub.disabled, scrub.layout.visibility) == (True, "hidden")
    view.play()
    assert (scrub.min, scrub.max, scrub.value, scrub.disabled) == (0, 6, 6, False)
    scrub.value = 3
    assert (view.at, shown(view)) == (3, SENTENCES[3])


def test_moving_the_view_moves_the_slider() -> None:
    view = FolderAndCard(begin)
    view.play()
    view.goto(2)
    assert slider(view).value == 2


def test_only_buttons_that_do_something_can_be_pressed() -> None:
    view = FolderAndCard(begin)
    assert enabled(view) == ["next", "play", "reset"]
    view.next()
    assert enabled(view) == ["next", "back", "play", "reset", "look back"]
    view.play()
    assert enabled(view) == ["back", "reset", "look back"]
    view.back()
    assert enabled(view) == ["next", "back", "play", "reset", "look back"]


def test_reset_begins_a_fresh_run_with_a_fresh_script() -> None:
    view = FolderAndCard(begin)
    view.play()
    first = view.frames
    view.goto(4)
    click(view, "reset")
    assert (len(view.frames), view.at, shown(view)) == (1, 0, SENTENCES[0])
    click(view, "play")
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


def test_a_call_while_a_card_runs_does_nothing() -> None:
    called: list[Callable[[], None]] = []

    def start() -> Iterator[Frame]:
        for frame in begin():
            yield frame
            for call_again in called:
                call_again()

    view = FolderAndCard(start)
    called += [view.next, view.play, view.reset, view.back]
    view.next()
    assert [shown(view), len(view.frames)] == [SENTENCES[1], 2]


@pytest.mark.parametrize("send", [click, press])
@pytest.mark.parametrize(
    ("presses", "sentence", "recorded"),
    [
        (["next", "next"], SENTENCES[2], 3),
        (["next", "play"], SENTENCES[2], 3),
        (["next", "back"], SENTENCES[2], 3),
        (["next", "reset"], SENTENCES[2], 3),
        (["play", "play"], SENTENCES[6], 7),
        (["play", "reset"], SENTENCES[6], 7),
        (["reset", "reset", "next"], SENTENCES[0], 1),
    ],
)
def test_of_presses_that_wait_while_a_card_runs_only_the_first_counts(
    send: Callable[..., None], presses: list[str], sentence: str, recorded: int
) -> None:
    view = FolderAndCard(begin)
    view.next()
    # The kernel hears the second after the first is done: both were made here.
    made = place(view)
    for act in presses:
        send(view, act, **made)
    assert (shown(view), len(view.frames)) == (sentence, recorded)


def test_a_press_on_the_run_before_reset_does_nothing() -> None:
    view = FolderAndCard(begin)
    made = place(view)
    view.reset()
    for act in ["next", "play", "reset"]:
        click(view, act, **made)
    assert len(view.frames) == 1
    click(view, "next")
    assert len(view.frames) == 2


def test_a_press_that_does_not_say_where_it_was_made_does_nothing() -> None:
    view = FolderAndCard(begin)
    view.children[0]._handle_custom_msg({"act": "next"}, [])
    assert len(view.frames) == 1


def test_the_buttons_and_the_picture_say_the_same_place() -> None:
    view = FolderAndCard(begin)
    seen = []
    for act in ["next", "play", "back", "reset"]:
        click(view, act)
        seen.append([(p.at, p.run, p.busy) for p in parts(view)])
    assert seen == [
        [(at, run, False)] * 2 for at, run in [(1, 1), (6, 1), (5, 1), (0, 2)]
    ]


@pytest.mark.parametrize("problem", [ValueError("no key"), SystemExit(3)])
def test_a_run_that_cannot_begin_again_is_shown(problem: BaseException) -> None:
    starts = [begin]

    def start() -> Iterator[Frame]:
        if not starts:
            raise problem
        return starts.pop()()

    view = FolderAndCard(start)
    click(view, "reset")
    assert view.frames == (broken(problem, []),)
    starts.append(begin)
    click(view, "reset")
    assert shown(view) == SENTENCES[0]


def test_a_run_that_cannot_begin_is_an_error_of_the_cell() -> None:
    def start() -> Iterator[Frame]:
        raise ValueError("no key")

    with pytest.raises(ValueError, match="no key"):
        FolderAndCard(start)


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
    assert enabled(view) == ["back", "reset", "look back"]


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
    assert enabled(view) == ["back", "reset", "look back"]
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


def test_a_picture_of_the_folder_alone_says_nothing_of_cards() -> None:
    view = FolderAndCard(begin, panels=("folder",))
    reprs = [repr(view)]
    view.play()
    reprs.append(repr(view))
    view.goto(1)
    reprs.append(repr(view))
    assert reprs == [
        "FolderAndCard(stop 1 of 1 so far: folder has 2 messages)",
        f"FolderAndCard(after stop 6 of 6: {SENTENCES[6]})",
        "FolderAndCard(stop 2 of 6: folder has 3 messages)",
    ]
    first, second, *_ = view.frames
    assert view.text() == as_text(second, [first], ("folder",))
    assert view.children[0].panels == ["folder"]


def test_panels_stand_in_one_order_whichever_way_they_are_named() -> None:
    view = FolderAndCard(begin, panels=["card", "aloud", "folder"])
    assert view.panels == ("folder", "aloud", "card")
    assert FolderAndCard(begin).panels == ("folder", "card")


@pytest.mark.parametrize(
    ("panels", "kind", "refusal"),
    [
        (
            ("folder", "read aloud"),
            ValueError,
            'There is no panel \'read aloud\'. There are "folder", "aloud", '
            '"card". Write panels=("folder", "card").',
        ),
        (
            "folder",
            TypeError,
            "panels is 'folder'. It names one panel or more of \"folder\", "
            '"aloud", "card": panels=("folder", "card").',
        ),
        (
            (),
            TypeError,
            'panels is an empty tuple. It names one panel or more of "folder", '
            '"aloud", "card": panels=("folder", "card").',
        ),
    ],
)
def test_a_panel_that_does_not_exist_is_refused_with_those_that_do(
    panels: Any, kind: type[Exception], refusal: str
) -> None:
    with pytest.raises(kind) as error:
        FolderAndCard(begin, panels=panels)
    assert str(error.value) == refusal


@pytest.mark.parametrize(
    ("flag", "size", "classes"),
    [("1", "large", ("mingraph", "large")), ("0", "", ("mingraph",))],
)
def test_a_flag_makes_the_type_large(
    monkeypatch: pytest.MonkeyPatch, flag: str, size: str, classes: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MINGRAPH_PROJECTOR", flag)
    view = FolderAndCard(begin)
    assert (view.children[0].size, view._dom_classes) == (size, classes)


def test_one_press_of_play_runs_a_thousand_cards_and_the_next_goes_on() -> None:
    first = next(begin())
    view = FolderAndCard(lambda: itertools.repeat(first))
    seen = []
    for _ in range(2):
        view.play()
        seen.append((view.at, len(view.frames), enabled(view)[:1]))
    assert seen == [(1000, 1001, ["next"]), (2000, 2001, ["next"])]


class Passing:
    def run(self, desk: object) -> object:
        return Passing()


def test_cards_made_by_hand_can_be_played_even_where_they_never_end() -> None:
    view = FolderAndCard(lambda: frames_by_hand(Passing(), SimpleNamespace(folder=[])))
    view.play()
    assert shown(view) == "run over: card limit | folder has 0 messages"
    assert enabled(view) == ["back", "reset", "look back"]
