"""A trace is UTF-8 wherever it is written."""

import os
import subprocess
import sys

from mingraph_lite.trace import read_trace
from tests.notebooks.fixed_environment import ROOT


def test_E06_the_encoding_of_the_system_changes_no_line(tmp_path):
    path = tmp_path / "tracé.jsonl"
    code = (
        "import sys\nfrom mingraph_lite import Agent, ScriptedLLM, TraceRecorder\n"
        "agent = Agent(ScriptedLLM(['Troms\\u00f8 \\u2192 \\U0001f9e3']), [], '', "
        "observers=[TraceRecorder(sys.argv[1])])\nagent.run('Go')\n"
    )
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C"}
    environment["PYTHONCOERCECLOCALE"] = "0"
    subprocess.run(
        [sys.executable, "-c", code, path], env=environment, cwd=ROOT, check=True
    )
    assert read_trace(path).runs[0].answer == "Tromsø → \U0001f9e3"
