import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM, Transcript
from mingraph_lite.messages import ToolCall
from mingraph_lite.traces.question_list import main
from tests.notebooks.fixed_environment import ROOT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "questions.jsonl"


def asked(path: Path, script: list[Any], question: str) -> None:
    observer = Transcript(path, now=lambda: 1_700_000_000.5)
    Agent(ScriptedLLM(script), [], "", observers=[observer]).run(question)


def test_the_command_lists_the_questions_and_what_is_unusual(path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    slip = ToolCall("x", {})
    for script in [["18"]] * 8 + [[slip, slip, slip, "19"]]:
        asked(path, script, "How warm is it in Paris, in Fahrenheit?")
    with path.open("a", encoding="utf-8") as file:
        file.write("null\n")
    assert main([str(path)]) == 0
    out, err = capsys.readouterr()
    usual = "1        0       ?  answered  How warm is it in Paris, in F…  18"
    assert (out, err) == (
        "   rounds  errands  tokens  ended     question                        answer\n"
        + "".join(f"{n}       {usual}\n" for n in range(1, 9))
        + "9       4        3       ?  answered  How warm is it in Paris, in F…  19\n"
        "\n"
        "9 questions, median 1 round, usual are 1 to 2:\n"
        "  many    4 rounds  2023-11-14T22:13:20  answered: How warm is it in "
        "Paris, in …\n"
        "\n"
        "1 line has a problem, and what cannot be read is left out:\n"
        "  line 10 is 'null', which is no JSON object\n",
        "",
    )
    assert main([str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (len(data["lines"]), data["unusual"]["many"]) == (9, [data["lines"][8]])


def test_the_command_says_in_a_sentence_what_cannot_be_read(path):
    run = subprocess.run(
        [sys.executable, "-m", "mingraph_lite.transcripts", str(path)],
        capture_output=True,
        cwd=ROOT,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"python -m mingraph_lite.transcripts: There is no transcript {str(path)!r}. "
        f"One is written where an agent has observers=[Transcript({str(path)!r})].\n"
    )


def test_the_command_of_an_empty_file_says_that_there_is_nothing(path, capsys):
    path.touch()
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == (
        "0 questions: too few to say what is unusual. It takes 8.\n"
    )
