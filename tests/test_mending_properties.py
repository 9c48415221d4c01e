"""However a folder was broken, what is left of it is one that a provider takes."""

import pytest
from hypothesis import strategies as st

from mingraph_lite.memory import KeepAll
from mingraph_lite.mending import mended
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)
from tests.properties import cases

pytestmark = pytest.mark.properties

ids = st.sampled_from(["", "a", "b", "c", "call_1", "call_2"])
texts = st.sampled_from(["", " ", "one", "two"])
calls = st.builds(ToolCall, st.just("now"), st.just({}), ids)
lines = st.one_of(
    st.builds(SystemMessage, texts),
    st.builds(UserMessage, texts),
    st.builds(AssistantMessage, texts, st.lists(calls, max_size=3).map(tuple)),
    st.builds(ToolMessage, texts, ids, st.just("now")),
)
random_folders = st.lists(lines, max_size=12)


@st.composite
def folders(draw) -> list[Message]:
    """A folder in order, whose last reply may still wait for some answers."""
    folder: list[Message] = []
    for number in range(draw(st.integers(0, 5))):
        size = draw(st.integers(-1, 3))
        if size < 0:
            folder.append(UserMessage(f"question {number}"))
            continue
        asked = [f"{number}.{place}" for place in range(size)]
        slips = tuple(ToolCall("now", {}, id) for id in asked)
        folder.append(AssistantMessage(f"reply {number}", slips))
        folder += [ToolMessage(f"at {id}", id, "now") for id in asked]
    if folder and isinstance(folder[-1], ToolMessage) and draw(st.booleans()):
        folder.pop()
    return folder


@st.composite
def broken_folders(draw) -> list[Message]:
    """A folder in which lines were lost, doubled, moved, or given another number."""
    folder = draw(folders())
    for _ in range(draw(st.integers(0, 4)) if folder else 0):
        place = draw(st.integers(0, len(folder) - 1))
        line = folder[place]
        match draw(st.sampled_from(["lost", "doubled", "moved"])):
            case "lost" if isinstance(line, ToolMessage):
                del folder[place]
            case "doubled" if isinstance(line, ToolMessage):
                folder.insert(draw(st.integers(0, len(folder))), line)
            case "moved" if isinstance(line, ToolMessage):
                folder.insert(draw(st.integers(0, len(folder) - 1)), folder.pop(place))
            case _:
                folder.insert(place, draw(lines))
        if not folder:
            break
    return folder


def words(folder: list[Message]) -> list[tuple[type, str, int]]:
    """What user and model said, in order, but for replies that say nothing."""
    return [
        (type(line), line.content, len(getattr(line, "tool_calls", ())))
        for line in folder
        if isinstance(line, UserMessage)
        or (
            isinstance(line, AssistantMessage)
            and (line.tool_calls or line.content.strip())
        )
    ]


def still_open(folder: list[Message]) -> list[str]:
    """The problems that a paused run has: the open slips of the last reply."""
    spoken = [n for n, line in enumerate(folder) if not isinstance(line, ToolMessage)]
    if not spoken:
        return []
    slips = [call.id for call in getattr(folder[spoken[-1]], "tool_calls", ())]
    there = {line.tool_call_id for line in folder[spoken[-1] + 1 :]}  # type: ignore[union-attr]
    return [
        f"folder[{spoken[-1]}]: the slip {id!r} has no answer."
        for id in slips
        if id not in there
    ]


@cases(folders())
def test_a_folder_in_order_is_not_touched(folder):
    assert mended(folder) == (folder, [])


@cases(random_folders | broken_folders())
def test_H22_a_broken_folder_has_no_problem_left_but_open_slips_at_its_end(folder):
    lines, done = mended(folder)
    assert problems(lines) == still_open(lines)
    assert mended(lines) == (lines, [])
    assert bool(done) == (lines != folder)


@cases(random_folders | broken_folders())
def test_H22_all_that_user_and_model_said_stays_in_its_order(folder):
    before = list(folder)
    lines, _ = mended(folder)
    assert words(lines) == words(folder)
    assert folder == before


@cases(broken_folders())
def test_H22_an_answer_that_is_somewhere_comes_to_its_slip(folder):
    slips = [c.id for line in folder for c in getattr(line, "tool_calls", ())]
    own = {id for id in slips if "." in id and slips.count(id) == 1}
    found = {m.tool_call_id for m in folder if isinstance(m, ToolMessage)} & own
    kept = {
        line.tool_call_id
        for line in mended(folder)[0]
        if isinstance(line, ToolMessage) and line.content == f"at {line.tool_call_id}"
    }
    assert kept == found


@cases(broken_folders())
def test_a_memory_that_went_on_once_goes_on_with_the_same_folder(folder):
    once = KeepAll(folder)
    assert list(KeepAll(once.folder).folder) == list(once.folder)
