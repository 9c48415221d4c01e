"""However a folder is broken, the mended one is a folder that a provider takes."""

import pytest
from hypothesis import strategies as st

from mingraph_lite.mending import mended
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    open_slips,
    problems,
)
from tests.properties import cases

pytestmark = pytest.mark.properties

ids = st.sampled_from(["", "a", "b", "c", "call_1", "call_2"])
texts = st.sampled_from(["", " ", "one", "two", "three"])
calls = st.builds(ToolCall, st.sampled_from(["now", "add"]), st.just({}), ids)
lines = st.one_of(
    st.builds(SystemMessage, texts),
    st.builds(UserMessage, texts),
    st.builds(AssistantMessage, texts, st.lists(calls, max_size=3).map(tuple)),
    st.builds(ToolMessage, texts, ids, st.sampled_from(["", "now"])),
)
folders = st.lists(lines, max_size=12)


def is_said(line: Message) -> bool:
    """Whether user or model said it, and said something."""
    if isinstance(line, AssistantMessage):
        return bool(line.tool_calls or line.content.strip())
    return isinstance(line, UserMessage)


def spoken(folder: list[Message]) -> list[tuple[type, str, list[str]]]:
    """Who said what and asked for what, in order; all but answers and numbers."""
    return [
        (type(line), line.content, [c.name for c in getattr(line, "tool_calls", ())])
        for line in folder
        if is_said(line)
    ]


# H22. Right: a restored folder is repaired at the right place.
@cases(folders)
def test_H22_a_mended_folder_has_no_problem_but_open_slips_at_its_end(folder):
    right, _ = mended(folder)
    said = [at for at, line in enumerate(right) if is_said(line)]
    waiting = [call.id for call in open_slips(right)]
    assert problems(right) == [
        f"folder[{said[-1]}]: the slip {id!r} has no answer." for id in waiting
    ]


@cases(folders)
def test_to_mend_a_mended_folder_changes_nothing(folder):
    right, _ = mended(folder)
    assert mended(right) == (right, [])


@cases(folders)
def test_what_user_and_model_said_stays_in_its_order(folder):
    before = list(folder)
    right, _ = mended(folder)
    assert spoken(right) == spoken(folder)
    assert folder == before


@cases(folders)
def test_an_answer_is_kept_or_told_to_be_dropped(folder):
    right, done = mended(folder)
    kept = [m.content for m in right if isinstance(m, ToolMessage)]
    sent = [m.content for m in folder if isinstance(m, ToolMessage)]
    stopped = sum("answered 'not run: stopped'" in what for what in done)
    lost = sum("no slip waits for it" in what for what in done)
    assert kept.count("not run: stopped") == stopped
    assert len(kept) - stopped == len(sent) - lost


@cases(folders)
def test_a_folder_is_changed_only_with_a_word_about_it(folder):
    right, done = mended(folder)
    nameless = any(isinstance(m, ToolMessage) and not m.name for m in folder)
    assert bool(done) is (right != folder) or nameless
