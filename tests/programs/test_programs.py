"""Nine programs as a user would write them: each runs, and says what it said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks.fixed_environment import ROOT

HERE = Path(__file__).parent
SAID = {
    "own_model": """\
You said: Hello there.
Hello there.
['Hello', 'there.']
['You said: Hello there.']
""",
    "functions_as_tools": """\
It is mild.
['How is Paris?', '', '18 degrees in Paris', 'It is mild.']
Agent('agent', ToolRegistry(get_weather, to_fahrenheit), KeepAll(0 messages))
TypeError: The tools are the function get_weather. Hand in a list of functions, [get_weather], or a ToolRegistry.
TypeError: The tools are 'get_weather'. Hand in a list of functions, [get_weather], or a ToolRegistry.
TypeError: The tools are None. Hand in a list of functions, [get_weather], or a ToolRegistry.
ToolDefinitionError: 'str' cannot be a tool: it is a str. Hand in a function or an instance's method.
""",
    "own_card": """\
['CallingModel', 'AskingHuman', 'RunningTools', 'CallingModel', 'AskingHuman', 'CallingModel', 'Checking', 'Praised']
['Mail.', 'sent to Ann', 'declined: a human said no', 'Done.']
['CallingModel', 'AskingHuman', 'RunningTools', 'CallingModel', 'AskingHuman', 'CallingModel', 'Checking', 'Praised']
['CallingModel', 'AskingHuman', 'RunningTools', 'CallingModel', 'AskingHuman', 'CallingModel', 'Checking', 'Praised']
{'reason': 'answered', 'answer': 'Done.', 'error': None}
""",
    "pause": """\
paused before RunningTools(calls=(ToolCall(name='get_weather', arguments={'city': 'Paris'}, id='call_1'),), step=1)
False paused
goes on with RunningTools(calls=(ToolCall(name='get_weather', arguments={'city': 'Paris'}, id='call_1'),), step=1)
goes on with CallingModel(step=2)
goes on with Finished(answer='Mild.', reason='answered')
['How is Paris?', '', '18 degrees in Paris', 'Mild.']
""",
    "saved_folder": """\
True
I was read 6 messages.
I was read 6 messages.
WARNING: An old folder was mended. folder[1]: the slip 'call_1' answered 'not run: stopped'.
['How is Paris?', '', 'not run: stopped', 'Mild.'] []
""",
    "streaming": """\
void: 'The capital is '
shown: The capital is Paris. True
shown: The capital is Paris.
['The capital is ', 'Paris.']
""",
    "what_a_run_was": """\
before: None
2 turns; get_weather(city="Paris") get_weather(city="Rome")
('18 degrees in Paris', '18 degrees in Rome')
Both are mild. (answered)
220 tokens, 0.000400 of money, 0 estimated
The model sends no token counts. For max_total_tokens an estimate is counted: one token for every 4 bytes of text.
5 tokens, 5 estimated, 1 uncounted
""",
    "many_at_once": """\
18 degrees in Town 1
18 degrees in Town 2
18 degrees in Town 3
18 degrees in Town 4
18 degrees in Town 5
18 degrees in Town 6
18 degrees in Town 7
18 degrees in Town 8
18 degrees in Town 9
18 degrees in Town 10
RunInProgress: Agent 'agent' is in the middle of a run, and runs one question at a time. A tool or a thread that needs an agent needs one of its own.
Done.
""",
    "failing_tool": """\
raised: no line to Paris
folder: Error: ConnectionError in get_weather: no line to Paris
reason: failed
answer: Error: ConnectionError in get_weather: no line to Paris
heard: ["ConnectionError('no line to Paris')"]
answer: Sorry.
folder: Error: No tool named 'get_wether'. Registered: get_weather. Did you mean 'get_weather'? Mend the call.
""",
}


def said(name: str, folder: Path) -> str:
    """All that a program writes, in the order in which a terminal shows it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", HERE / f"{name}.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout + f"exit {done.returncode}\n" * bool(done.returncode)


def test_each_program_of_this_folder_is_run():
    programs = {path.stem for path in HERE.glob("*.py")} - {
        "__init__",
        Path(__file__).stem,
    }
    assert programs == {*SAID}


@pytest.mark.parametrize("name", SAID)
def test_a_program_as_a_user_would_write_it_says_what_it_said(name, tmp_path):
    assert said(name, tmp_path) == SAID[name]
