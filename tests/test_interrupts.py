"""Ctrl-C at every line of the core, one after the other."""

from pathlib import Path

import pytest

import mingraph_lite
from mingraph_lite import Agent, ScriptedLLM, ToolRegistry
from mingraph_lite.messages import ToolCall, problems
from tests.lines import struck

PACKAGE = str(Path(mingraph_lite.__file__).parent)
SLIPS = [
    ToolCall("look", {"city": "Paris"}, "call_1"),
    ToolCall("look", {"town": "Tokyo"}, "call_2"),
    ToolCall("look", {"city": "Rome"}, "call_3"),
]


def is_ours(code):
    return code.co_filename.startswith(PACKAGE)


def look(city: str) -> str:
    """What is new in a city."""
    return f"nothing new in {city}"


def struck_run(at):
    """An agent whose run was struck at its nth line, and how many lines there were."""
    tools = ToolRegistry()
    tools.add(look)
    agent = Agent(ScriptedLLM([SLIPS, "Nothing."]), tools, "Be polite.")
    lines = struck(lambda: agent.run("What is new?"), at, is_ours)
    return agent, lines


# D04. Right: what began says so, what did not says so, and the folder can go on.
@pytest.mark.properties
def test_D04_an_interrupt_at_any_line_leaves_a_folder_that_can_go_on():
    _, lines = struck_run(at=0)
    wrong = []
    for at in range(1, lines + 1):
        agent, _ = struck_run(at)
        agent.llm = ScriptedLLM(["Again."])
        answer = agent.run("Again?")
        if problems(agent.memory.folder) or answer != {"answer": "Again."}:
            wrong.append(at)
    assert lines > 300
    assert wrong == []
