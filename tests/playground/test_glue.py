"""What the page's worker asks of Python, without a browser."""

import json
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from mingraph_lite.lab.scenarios import paris_and_tokyo
from tests.notebooks.fixed_environment import ROOT

GLUE = ROOT / "playground" / "src" / "glue.py"


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The glue as the worker loads it; nothing here asks the page for anything."""
    ffi = ModuleType("pyodide.ffi")
    vars(ffi).update(JsException=OSError, can_run_sync=bool, run_sync=None, to_js=bytes)
    for module in (ModuleType("page"), ModuleType("pyodide"), ffi):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    glue = ModuleType("glue")
    exec(compile(GLUE.read_text(encoding="utf-8"), "glue.py", "exec"), vars(glue))
    yield glue
    glue.close_run()


def setup(tools: str) -> str:
    return json.dumps(
        {
            "scenario": paris_and_tokyo.name,
            "question": paris_and_tokyo.question,
            "systemPrompt": "",
            "tools": tools,
            "model": None,
        }
    )


def tool_that(does: str) -> str:
    return (
        "def get_weather(city: str) -> str:\n"
        '    "Weather."\n'
        f"    {does}\n"
        "def convert(celsius: float) -> str:\n"
        '    "Convert."\n'
    )


@pytest.mark.parametrize("stop", ["SystemExit", "KeyboardInterrupt"])
def test_a_tool_that_would_end_python_ends_its_run_alone(
    glue: ModuleType, stop: str
) -> None:
    glue.turn(setup(tool_that(f"raise {stop}")))
    glue.turn()
    closing = json.loads(glue.turn())["frame"]
    assert closing["outcome"] == {
        "reason": "interrupted",
        "answer": None,
        "error": stop,
    }
    assert json.loads(glue.turn()) == {"over": True}


def test_tools_that_would_end_python_are_refused(glue: ModuleType) -> None:
    refused = json.loads(glue.turn(setup("raise SystemExit(3)")))
    assert refused == {"refused": "tools.py, line 1: SystemExit: 3"}
