"""What the page's worker asks of Python, without a browser."""

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mingraph_lite.lab.faults import DECK, FAULTS
from mingraph_lite.lab.scenarios import paris_and_tokyo, reading
from tests.notebooks.fixed_environment import ROOT

GLUE = ROOT / "playground" / "src" / "python" / "glue.py"


class Refusal(Exception):
    """What Python gets where a promise of the page's is not kept."""

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(message)
        self.name, self.message = name, message


class Promise:
    """One of the page's: what it gives is worked out when Python awaits it."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def __await__(self) -> Generator[None, None, Any]:
        yield
        return self.act()


def run_sync(waiting: Coroutine[None, None, Any]) -> Any:
    """Wait for it, as Pyodide does by switching stacks."""
    while True:
        try:
            waiting.send(None)
        except StopIteration as end:
            return end.value


class Page:
    """What Python says to the page; a pause is over at once unless it is stopped."""

    def __init__(self) -> None:
        self.told: list[tuple[int, str, bool]] = []
        self.paused: list[tuple[float, str]] = []
        self.asked: list[Any] = []
        self.dropped: list[int] = []
        self.read: set[int] = set()
        self.can_wait = False
        self.stops = False
        self.struck_at = 0

    def at(self, file: str, line: int, text: str, sleeping: bool) -> None:
        assert file == "tools.py"
        self.told.append((line, text, sleeping))
        if line == self.struck_at:
            raise KeyboardInterrupt

    def ask(self, method: str, url: str, body: bytes, timeout: float) -> Any:
        self.asked.append(json.loads(body))
        if self.stops:
            return self.pause(0, "")
        head = SimpleNamespace(status=200, headers=[], id=len(self.asked))
        return Promise(lambda: head)

    def chunk(self, number: int) -> Promise:
        said = {"message": {"role": "assistant", "content": f"Reply {number}."}}
        body = json.dumps({"choices": [said]}).encode()
        more = number not in self.read
        self.read.add(number)
        return Promise(lambda: SimpleNamespace(to_bytes=lambda: body) if more else None)

    def drop(self, number: int) -> None:
        self.dropped.append(number)

    def pause(self, seconds: float, where: str) -> Promise:
        self.paused.append((seconds, where))

        def over() -> None:
            if self.stops:
                raise Refusal("Stopped", "Stopped while waiting for the model.")

        return Promise(over)


class Glue:
    """The glue as the worker loads it, and the page that it talks to."""

    def __init__(self, page: Page, module: ModuleType) -> None:
        self.page, self.module = page, module

    def turn(self, run: int, setup: dict[str, object] | None = None) -> Any:
        text = None if setup is None else json.dumps(setup)
        return json.loads(self.module.turn(run, text))

    def play(self, run: int, setup: dict[str, object]) -> list[Any]:
        """All that comes of a run, up to the frame without a card."""
        came = [self.turn(run, setup)]
        while came[-1].get("frame", {}).get("card") is not None:
            came.append(self.turn(run))
        return came

    def closing(self, setup: dict[str, object], run: int = 1) -> Any:
        return self.play(run, setup)[-1]["frame"]


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Glue]:
    said = Page()
    doors, ffi = ModuleType("page"), ModuleType("pyodide.ffi")
    vars(doors).update(
        at=said.at, pause=said.pause, ask=said.ask, chunk=said.chunk, drop=said.drop
    )
    vars(ffi).update(
        JsException=Refusal,
        can_run_sync=lambda: said.can_wait,
        run_sync=run_sync,
        to_js=bytes,
    )
    for module in (doors, ModuleType("pyodide"), ffi):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    module = ModuleType("glue")
    exec(compile(GLUE.read_text(encoding="utf-8"), "glue.py", "exec"), vars(module))
    yield Glue(said, module)
    for run in list(module.runs):
        module.close_run(run)


def setup(tools: str | None = None, **rest: object) -> dict[str, object]:
    return {
        "scenario": paris_and_tokyo.name,
        "question": paris_and_tokyo.question,
        "systemPrompt": "",
        "tools": tools,
        "maxSteps": 10,
        "model": None,
        "after": None,
        **rest,
    }


def tool_that(*does: str, above: str = "") -> str:
    """A tools.py whose get_weather does this; its first line of work is line 3."""
    body = "".join(f"    {line}\n" for line in does)
    return (
        f"def get_weather(city: str) -> str:\n"
        f'    "Weather."\n{body}'
        f"def to_fahrenheit(celsius: float) -> str:\n"
        f'    "Convert."\n'
        f'    return "1"\n{above}'
    )


def place(line: int, text: str, what: str) -> dict[str, object]:
    return {"file": "tools.py", "line": line, "text": text, "what": what}


def texts(frames: list[Any]) -> list[str]:
    return [line["text"] for came in frames for line in came["frame"]["lines"]]


# The scenarios


def test_the_page_opens_with_the_reading_model_and_faults_come_last(glue: Glue) -> None:
    about = json.loads(glue.module.describe())
    kinds = [scenario["kind"] for scenario in about["scenarios"]]
    assert [scenario["name"] for scenario in about["scenarios"]] == list(DECK)
    assert kinds == ["reading", *["script"] * 5, *["fault"] * len(FAULTS)]
    assert about["python"] == sys.version.split()[0]
    first = about["scenarios"][0]
    assert (first["title"], first["maxSteps"], first["script"]) == (
        "Paris and Tokyo",
        10,
        [],
    )
    assert "def get_weather" in first["tools"]


def test_nothing_that_is_told_before_a_run_answers_its_question(glue: Glue) -> None:
    about = json.loads(glue.module.describe())
    for told in about["scenarios"]:
        assert set(told["ask"]) == {"question", "choices"}
        fault = FAULTS.get(told["name"])
        assert fault is None or fault.what not in json.dumps(told)
    assert about["liveAsk"]["question"] == "How many times will the model be called?"


@pytest.mark.parametrize("name", DECK)
def test_only_the_closing_frame_comes_with_what_was_measured(
    glue: Glue, name: str
) -> None:
    glue.page.can_wait = True
    scenario = DECK[name]
    asked = setup(
        None,
        scenario=name,
        question=scenario.question,
        systemPrompt=scenario.system_prompt,
    )
    *before, closing = glue.play(1, asked)
    assert scenario.ask is not None
    assert [came for came in before if set(came) != {"frame"}] == []
    assert set(closing) == {"frame", "measured"}
    assert closing["measured"]["fact"] in scenario.ask.choices


def test_an_edited_tool_changes_the_answer_of_the_reading_model(glue: Glue) -> None:
    tools = reading.tools_source().replace('"18"', '"30"')
    closing = glue.closing(setup(tools, scenario="reading"))
    assert closing["outcome"]["answer"] == "Paris: 30 = 86°F, Tokyo: 24 = 75°F"


def test_a_scenario_that_does_not_exist_is_refused_with_those_that_do(
    glue: Glue,
) -> None:
    refused = glue.turn(1, setup(scenario="rome"))
    assert refused["pointed"] is None
    assert refused["refused"].startswith("There is no scenario 'rome'. There are: read")


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused_with_an_example(
    glue: Glue, question: str
) -> None:
    assert glue.turn(1, setup(question=question)) == {
        "refused": "The question is empty. Write one, such as: "
        "What's the temperature in Paris and in Tokyo, in Fahrenheit?",
        "pointed": None,
    }


@pytest.mark.parametrize("most", [0, -1, 2001, 2.5, "ten", None, True])
def test_a_limit_on_rounds_that_is_none_is_refused(glue: Glue, most: object) -> None:
    assert glue.turn(1, setup(maxSteps=most)) == {
        "refused": f"The limit on rounds (max_steps) is {most!r}. It is a whole number "
        "from 1 to 2000.",
        "pointed": None,
    }


def test_the_limit_on_rounds_holds(glue: Glue) -> None:
    closing = glue.closing(setup(scenario="never_satisfied", maxSteps=2))
    assert closing["outcome"]["reason"] == "step limit"


# A model of one's own


LIVE = {"name": "any", "baseUrl": "http://127.0.0.1:9/v1", "kind": "native"}


def test_of_a_live_model_only_the_calls_are_measured(glue: Glue) -> None:
    *_, last = glue.play(1, setup(scenario="early_stop", model=LIVE))
    assert last["frame"]["outcome"]["answer"] == "Reply 1."
    assert last["measured"] == {
        "fact": "1",
        "told": "The model was called once. Then a reply passed no slip, and the run "
        "ended with an answer.",
    }
    assert (len(glue.page.asked), glue.page.dropped) == (1, [1])


def test_a_live_model_is_read_the_folder_that_it_goes_on_with(glue: Glue) -> None:
    glue.play(1, setup(model=LIVE))
    glue.play(2, setup(model=LIVE, question="And now?", after=1))
    said = [message["content"] for message in glue.page.asked[1]["messages"]]
    assert said == [paris_and_tokyo.question, "Reply 1.", "And now?"]


def test_a_wait_for_the_model_that_is_stopped_ends_the_run(glue: Glue) -> None:
    glue.page.stops = True
    closing = glue.closing(setup(model=LIVE))
    assert closing["outcome"] == {
        "reason": "interrupted",
        "answer": None,
        "error": "Interrupted: Stopped while waiting for the model.",
    }
    assert closing["pointed"] == []


# Several runs


def test_several_runs_are_open_at_once(glue: Glue) -> None:
    first = [glue.turn(1, setup())]
    second = [glue.turn(2, setup(scenario="one_by_one"))]
    for _ in range(6):
        first.append(glue.turn(1))
        second.append(glue.turn(2))
    assert first[-1]["frame"]["outcome"]["answer"] == "Paris: 64°F, Tokyo: 75°F"
    assert second[-1]["frame"]["number"] == 7
    assert (glue.turn(1), glue.turn(3)) == ({"over": True}, {"over": True})


def test_a_run_that_was_closed_turns_no_more(glue: Glue) -> None:
    glue.turn(1, setup())
    glue.module.close_run(1)
    glue.module.close_run(9)
    assert glue.turn(1) == {"over": True}


def test_each_run_has_the_lines_of_its_own_file(glue: Glue) -> None:
    glue.turn(1, setup(tool_that("return 1 / 0")))
    glue.turn(2, setup(tool_that("pass", "return {}['x']")))
    glue.turn(1)
    assert glue.turn(1)["frame"]["pointed"] == [
        place(3, "return 1 / 0", "ZeroDivisionError: division by zero")
    ]


# Going on with a folder


def go_on(glue: Glue, after: int = 1, run: int = 2, **rest: object) -> list[Any]:
    asked = {"question": "And in Oslo?", "scenario": "reading", **rest}
    return glue.play(run, setup(after=after, **asked))


def test_the_next_question_goes_on_with_the_folder_of_a_run(glue: Glue) -> None:
    first = glue.play(1, setup(scenario="reading"))
    second = go_on(glue)
    assert texts(second)[: len(texts(first))] == texts(first)
    assert second[0]["frame"]["lines"][-1]["text"] == "And in Oslo?"
    assert (second[0]["frame"]["number"], second[-1]["measured"]["fact"]) == (1, "2")
    assert second[-1]["frame"]["outcome"]["answer"] == "Oslo: no reading for Oslo"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (setup(tool_that("return 1 / 0")), "failed"),
        (setup(tool_that("raise KeyboardInterrupt")), "interrupted"),
        (setup(scenario="never_satisfied", maxSteps=1), "step limit"),
        (setup(scenario="refusal"), "refused"),
    ],
    ids=["failed", "interrupted", "limited", "refused"],
)
def test_it_goes_on_after_a_run_without_an_answer(
    glue: Glue, first: dict[str, object], reason: str
) -> None:
    assert glue.closing(first)["outcome"]["reason"] == reason
    assert go_on(glue)[-1]["frame"]["outcome"]["reason"] == "answered"


def test_it_goes_on_from_an_open_run_whose_slips_are_closed(glue: Glue) -> None:
    glue.turn(1, setup())
    glue.turn(1)
    second = go_on(glue)
    assert texts(second)[2:4] == ["not run: stopped", "not run: stopped"]
    assert glue.turn(1) == {"over": True}
    assert second[-1]["frame"]["outcome"]["reason"] == "answered"


def test_two_runs_may_go_on_with_one_folder(glue: Glue) -> None:
    first = texts(glue.play(1, setup()))
    second, third = go_on(glue, run=2), go_on(glue, run=3)
    assert texts(second) == texts(third)
    assert texts(second)[: len(first)] == first


def test_with_a_folder_go_tools_and_a_prompt_of_ones_own(glue: Glue) -> None:
    glue.play(1, setup(systemPrompt="Be brief."))
    tools = tool_that("return '4'")
    frames = go_on(glue, tools=tools, systemPrompt="Be long.")
    assert texts(frames)[0] == "Be long."
    assert frames[-1]["frame"]["outcome"]["answer"] == "Oslo: 4 = 1°F"


def test_a_folder_that_is_gone_is_refused_in_a_sentence(glue: Glue) -> None:
    refused = glue.turn(2, setup(after=1))["refused"]
    assert refused.startswith("The folder of that run is not here any more:")
    assert refused.endswith("Press Reset to begin a fresh run.")


def test_a_refused_question_leaves_the_run_it_would_go_on_from(glue: Glue) -> None:
    glue.turn(1, setup())
    assert "refused" in glue.turn(2, setup("1 +", after=1))
    assert glue.turn(1)["frame"]["number"] == 2


# A set-up that is refused


REFUSED = {
    "syntax": (
        "def f(:\n    pass",
        "invalid syntax",
        place(1, "def f(:", "SyntaxError: invalid syntax"),
    ),
    "indentation": (
        "def f():\npass",
        "expected an indented block after function definition on line 1",
        place(
            2,
            "pass",
            "IndentationError: expected an indented block after function definition "
            "on line 1",
        ),
    ),
    "tabs": (
        "if 1:\n        a = 1\n\tb = 2",
        "inconsistent use of tabs and spaces in indentation",
        None,
    ),
    "name": (
        "\nx = weather",
        "NameError: name 'weather' is not defined",
        place(2, "x = weather", "NameError: name 'weather' is not defined"),
    ),
    "module": (
        "import numpy_of_mine",
        "ModuleNotFoundError: No module named 'numpy_of_mine'",
        None,
    ),
    "exit": ("import sys\nsys.exit(3)", "SystemExit: 3", None),
    "quit": ("raise SystemExit", "SystemExit", None),
    "own error": (
        "class Boom(BaseException): pass\nraise Boom('no')",
        "Boom: no",
        place(2, "raise Boom('no')", "Boom: no"),
    ),
    "end": (
        "import os\nos._exit(1)",
        "CannotHere: os._exit() and os.abort() would end Python itself, and every run "
        "with it. Raise an error instead: it ends the run alone.",
        None,
    ),
    "input": (
        "city = input('Which city? ')",
        "CannotHere: input() cannot ask here: nobody sits at this Python's keyboard. "
        "Put what it would ask for into the question, or into a variable of tools.py.",
        None,
    ),
    "breakpoint": (
        "breakpoint()",
        "CannotHere: breakpoint() cannot open a debugger here. Step through the run "
        "card by card, and print() what you want to see.",
        None,
    ),
}


@pytest.mark.parametrize(("code", "words", "where"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_run_is_refused_with_its_line(
    glue: Glue, code: str, words: str, where: dict[str, object] | None
) -> None:
    refused = glue.turn(1, setup(code))
    pointed = refused["pointed"]
    assert where is None or pointed == where
    assert pointed["text"] == code.splitlines()[pointed["line"] - 1].strip()
    assert refused == {
        "refused": f"tools.py, line {pointed['line']}: {words}",
        "pointed": pointed,
    }


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("x = 1\nasync def look(city: str): 'Look.'", 2, "it is async"),
        ("shout = lambda text: text", 1, "a lambda has no name"),
        ("def look(*cities: str): 'Look.'", 1, "*cities"),
        ("def _d(f): return f\n\n@_d\nasync def look(): 'Look.'", 4, "it is async"),
        ("def look(self, city: str): 'Look.'", 1, "its first parameter is self"),
    ],
    ids=["async", "lambda", "stars", "decorated", "self"],
)
def test_a_function_that_cannot_be_a_tool_is_refused_with_its_line(
    glue: Glue, code: str, line: int, words: str
) -> None:
    refused = glue.turn(1, setup(code))
    assert refused["pointed"]["line"] == line
    assert words in refused["refused"]


def test_what_a_refused_file_printed_stands_in_its_refusal(glue: Glue) -> None:
    refused = glue.turn(1, setup("print('so far')\n1 / 0"))
    assert refused["refused"] == (
        "tools.py, line 2: ZeroDivisionError: division by zero\n"
        "Printed before that: so far"
    )
    assert glue.turn(1, setup())["frame"]["printed"] == ""


@pytest.mark.parametrize("code", ["1 +", "raise KeyboardInterrupt", "1 / 0"])
def test_after_a_refused_set_up_the_next_run_begins_at_card_one(
    glue: Glue, code: str
) -> None:
    assert "frame" not in glue.turn(1, setup(code))
    assert glue.turn(1) == {"over": True}
    assert glue.turn(1, setup())["frame"]["number"] == 1
    assert glue.turn(1)["frame"]["number"] == 2


def test_an_import_that_is_interrupted_is_stopped_and_names_its_line(
    glue: Glue,
) -> None:
    assert glue.turn(1, setup("x = 1\nraise KeyboardInterrupt")) == {
        "stopped": "tools.py, line 2",
        "pointed": place(2, "raise KeyboardInterrupt", "stopped here"),
    }


# A file of tools that runs


def menu_of(glue: Glue, code: str) -> list[str]:
    glue.turn(1, setup(code, scenario="reading"))
    (reading,) = glue.turn(1)["frame"]["readings"]
    return [tool["name"] for tool in reading["menu"]]


WRAPPED = """
import functools

class Kit:
    def look(self): ...

def _twice(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs) * 2
    return inner

@_twice
def shout(text: str) -> str:
    "Shout."
    return text.upper()

@functools.lru_cache
def look(city: str) -> str:
    "Look."
    return city

see = look
"""


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("", []),
        ("# nothing", []),
        ("\ufeffdef look(city: str) -> str:\n    'Look.'\n    return '1'", ["look"]),
        ("def look(city: str):\r\n\t'Look.'\r\n\treturn '1'\r\n", ["look"]),
        ("größe = 'ü'\ndef look(city: str):\n    'Größe.'\n    return größe", ["look"]),
        (WRAPPED, ["shout", "look"]),
    ],
    ids=["empty", "comment", "BOM", "CRLF and tab", "non-ASCII", "decorated"],
)
def test_the_functions_of_a_file_are_on_the_menu(
    glue: Glue, code: str, names: list[str]
) -> None:
    assert menu_of(glue, code) == names


# Errors and stops in a run


ENDS = {
    "an error": ("return 1 / 0", "failed", "ZeroDivisionError: division by zero"),
    "exit": ("raise SystemExit(3)", "interrupted", "SystemExit: 3"),
    "exit()": ("import sys; sys.exit()", "interrupted", "SystemExit"),
    "an interrupt": ("raise KeyboardInterrupt", "interrupted", "stopped here"),
    "StopIteration": ("next(iter(()))", "failed", "StopIteration"),
    "own error": (
        "raise type('Boom', (BaseException,), {})('no')",
        "interrupted",
        "Boom: no",
    ),
    "input": (
        "return input()",
        "failed",
        "CannotHere: input() cannot ask here: nobody sits at this Python's keyboard. "
        "Put what it would ask for into the question, or into a variable of tools.py.",
    ),
    "deep": (
        "return get_weather(city)",
        "failed",
        "RecursionError: maximum recursion depth exceeded",
    ),
}


@pytest.mark.parametrize(("does", "reason", "what"), ENDS.values(), ids=ENDS)
def test_what_ends_a_run_is_pointed_at(
    glue: Glue, does: str, reason: str, what: str
) -> None:
    *_, closing = glue.play(1, setup(tool_that(does)))
    frame = closing["frame"]
    assert frame["outcome"]["reason"] == reason
    assert frame["pointed"] == [place(3, does, what)]
    assert glue.turn(1) == {"over": True}


def test_an_error_is_pointed_at_in_the_innermost_line_of_the_file(glue: Glue) -> None:
    tools = tool_that("return _read(city)") + (
        "def _read(city):\n    return int(city)\n"
    )
    (found,) = glue.closing(setup(tools))["pointed"]
    assert (found["line"], found["text"]) == (8, "return int(city)")
    assert found["what"].startswith("ValueError: invalid literal for int()")


def test_a_fault_of_a_tool_that_nobody_edited_is_pointed_at_too(glue: Glue) -> None:
    (found,) = glue.closing(setup(scenario="tool_fails"))["pointed"]
    what = "ConnectionError: the station in Tokyo does not answer"
    text = f'raise ConnectionError("{what.partition(": ")[2]}")'
    assert found == place(4, text, what)


NO_TEXT = {
    "of a class": ("return Odd()", 7, "class Odd:", "Odd"),
    "of Python": ("return 10**5000", 1, "def get_weather(city: str) -> str:", "int"),
}
ODD = "class Odd:\n    def __str__(self): return 1 / 0\n    __repr__ = __str__\n"


@pytest.mark.parametrize(
    ("does", "line", "text", "kind"), NO_TEXT.values(), ids=NO_TEXT
)
def test_a_value_that_no_text_can_be_made_of_is_pointed_at(
    glue: Glue, does: str, line: int, text: str, kind: str
) -> None:
    frames = glue.play(1, setup(tool_that(does, above=ODD)))
    found = [spot for came in frames for spot in came["frame"]["pointed"]]
    assert found[0] == place(line, text, f"a value of type {kind} has no readable form")


def test_a_slip_that_the_model_filled_in_badly_points_at_no_code(glue: Glue) -> None:
    frames = glue.play(1, setup(scenario="bad_arguments"))
    assert [
        came["frame"]["pointed"] for came in frames if came["frame"]["pointed"]
    ] == []


def test_a_run_whose_frames_break_off_ends_in_a_frame_all_the_same(glue: Glue) -> None:
    glue.turn(1, setup())

    def struck() -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    glue.module.runs[1].frames = struck()
    closing = glue.turn(1)["frame"]
    assert closing["outcome"]["reason"] == "interrupted"
    assert glue.turn(1) == {"over": True}


# Sleeping


SLEEPS = "import time; time.sleep(60); return '1'"


def test_a_sleep_is_held_by_the_page_which_knows_where(glue: Glue) -> None:
    glue.page.can_wait = True
    closing = glue.closing(setup(tool_that(SLEEPS)))
    assert closing["outcome"]["reason"] == "answered"
    assert glue.page.paused == [(60, "tools.py, line 3")] * 2
    assert glue.page.told.count((3, SLEEPS, True)) == 2


def test_a_sleep_that_is_stopped_ends_the_run_and_names_its_line(glue: Glue) -> None:
    glue.page.can_wait = glue.page.stops = True
    caught = ("try: import time; time.sleep(60)", "except Exception: return '1'")
    closing = glue.closing(setup(tool_that(*caught)))
    assert closing["outcome"] == {
        "reason": "interrupted",
        "answer": None,
        "error": "Stopped: Stopped in a sleep (tools.py, line 3).",
    }
    assert closing["pointed"] == [place(3, caught[0], "stopped in a sleep")]


def test_a_sleep_elsewhere_lets_an_interrupt_in(
    glue: Glue, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices: list[float] = []

    def struck(seconds: float) -> None:
        slices.append(seconds)
        if len(slices) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", struck)
    glue.module.sleep = glue.module.sleep_that_can_be_stopped(
        glue.module.sleep_in_page, glue.module.tell_of_sleep, struck
    )
    closing = glue.closing(setup(tool_that(SLEEPS)))
    assert slices == [0.05] * 3
    assert closing["pointed"] == [place(3, SLEEPS, "stopped in a sleep")]


@pytest.mark.parametrize("wrong", ["-1", "'1'", "None", "float('nan')", "1e30"])
def test_what_is_no_length_is_refused_as_the_real_sleep_does(
    glue: Glue, wrong: str
) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)) as real:
        time.sleep(eval(wrong))
    (found,) = glue.closing(setup(tool_that(f"import time; time.sleep({wrong})")))[
        "pointed"
    ]
    assert found["what"] == f"{type(real.value).__name__}: {real.value}"


@pytest.mark.parametrize("wrong", ["-1", "'1'", "None", "float('nan')"])
def test_what_is_no_length_is_refused_where_the_real_sleep_takes_it(
    glue: Glue, wrong: str
) -> None:
    glue.module.sleep = glue.module.sleep_that_can_be_stopped(
        glue.module.sleep_in_page, glue.module.tell_of_sleep, lambda seconds: None
    )
    with pytest.raises((ValueError, TypeError)) as real:
        time.sleep(eval(wrong))
    (found,) = glue.closing(setup(tool_that(f"import time; time.sleep({wrong})")))[
        "pointed"
    ]
    assert found["what"] == f"{type(real.value).__name__}: {real.value}"


def test_a_long_error_is_pointed_at_with_its_beginning(glue: Glue) -> None:
    (found,) = glue.closing(setup(tool_that("raise ValueError('e' * 100_000)")))[
        "pointed"
    ]
    assert found["what"] == f"ValueError: {'e' * 1987}…"


def test_after_a_turn_python_is_as_it_was(glue: Glue) -> None:
    before = (time.sleep, sys.stdout, sys.stderr, sys.breakpointhook, input)
    glue.play(1, setup(tool_that("return 1 / 0")))
    assert (time.sleep, sys.stdout, sys.stderr, sys.breakpointhook, input) == before
    assert [sys.monitoring.get_tool(id) for id in (3, 4)] == [None, None]


# Where the code is


def test_the_page_hears_the_lines_as_they_come(glue: Glue) -> None:
    glue.turn(1, setup(tool_that("a = 1", "return '1'")))
    glue.page.told.clear()
    glue.turn(1)
    glue.turn(1)
    assert glue.page.told == [(3, "a = 1", False), (4, "return '1'", False)] * 2


def test_a_loop_without_an_end_is_told_and_can_be_interrupted(glue: Glue) -> None:
    loop = ("n = 0", "while True:", "    n += 1")
    glue.turn(1, setup(tool_that(*loop)))
    glue.turn(1)
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.3, lambda: interrupt(main))
    timer.start()
    closing = glue.turn(1)["frame"]
    timer.join()
    assert closing["outcome"]["reason"] == "interrupted"
    (found,) = closing["pointed"]
    assert found["line"] in (4, 5)
    assert found["what"] == "stopped here"
    assert glue.page.told[-1][0] in (4, 5)
    assert len(glue.page.told) < 60


def interrupt(thread: int) -> None:
    signal.pthread_kill(thread, signal.SIGINT)


def test_an_interrupt_that_comes_while_a_line_is_told_is_not_lost(glue: Glue) -> None:
    glue.turn(1, setup(tool_that("a = 1", "return '1'")))
    glue.turn(1)
    glue.page.struck_at = 4
    closing = glue.turn(1)["frame"]
    assert closing["outcome"]["reason"] == "interrupted"
    assert closing["pointed"] == [place(4, "return '1'", "stopped here")]


def test_a_loop_at_the_import_of_the_file_is_told_too(glue: Glue) -> None:
    glue.turn(1, setup("n = 0\nwhile n < 5:\n    n += 1\n"))
    assert glue.page.told[:3] == [
        (1, "n = 0", False),
        (2, "while n < 5:", False),
        (3, "n += 1", False),
    ]


# Printing


def test_what_is_printed_stands_in_the_frame_that_comes_of_it(glue: Glue) -> None:
    tools = tool_that(
        "import sys; print('asked for', city); sys.stderr.write('!'); return '1'",
        above="print('imported')\n",
    )
    frames = glue.play(1, setup(tools))
    assert [came["frame"]["printed"] for came in frames] == [
        "imported\n",
        "",
        "asked for Paris\n!asked for Tokyo\n!",
        *[""] * (len(frames) - 3),
    ]


def test_of_what_is_printed_so_much_is_kept(glue: Glue) -> None:
    tools = tool_that("print('x' * 150_000); return '1'")
    glue.turn(1, setup(tools))
    glue.turn(1)
    printed = glue.turn(1)["frame"]["printed"]
    assert printed.endswith("x\n… 100,002 more characters were printed, not kept.")
    assert 200_000 < len(printed) < 200_100


def test_a_tool_that_closes_its_output_can_be_followed_by_others(glue: Glue) -> None:
    tools = tool_that("import sys; sys.stdout.close(); print('on', flush=True)")
    glue.turn(1, setup(tools))
    glue.turn(1)
    assert glue.turn(1)["frame"]["printed"] == "on\non\n"


def test_what_the_package_warns_of_is_not_taken_for_printed(
    glue: Glue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    tools = tool_that(
        "import logging",
        "logging.getLogger('mingraph_lite.memory').warning('ours')",
        "logging.warning('mine') if city == 'Paris' else None",
        "return '1'",
    )
    frames = glue.play(1, setup(tools))
    # `logging` sets up the root at its first warning, for the streams of that moment.
    assert [came["frame"]["printed"] for came in frames][2] == "WARNING:root:mine\n"


# A broken package


BROKEN = {
    "mingraph_lite.agent.Agent": "import mingraph_lite.agent as a\na.Agent = None",
    "mingraph_lite.cards.CallingModel.run": (
        "from mingraph_lite.cards import CallingModel\nCallingModel.run = None"
    ),
    "mingraph_lite.agent": "import mingraph_lite\ndel mingraph_lite.agent",
    "builtins.len": "import builtins\ndel builtins.len",
    "builtins.next": "import builtins\nbuiltins.next = None",
}


@pytest.fixture
def mended() -> Iterator[None]:
    """Puts back what these files break."""
    import mingraph_lite
    from mingraph_lite import agent, cards

    kept = agent, agent.Agent, cards.CallingModel.run
    yield
    mingraph_lite.agent, agent.Agent = kept[:2]
    cards.CallingModel.run = kept[2]  # type: ignore[method-assign]


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_breaks_the_package_says_so(glue: Glue, name: str) -> None:
    assert glue.turn(1, setup(BROKEN[name])) == {
        "broken": f"tools.py has changed {name}, which this page stands on. Take that "
        "line back, or it happens again.",
        "pointed": place(2, BROKEN[name].splitlines()[1], f"this changes {name}"),
    }


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("name", ["mingraph_lite.agent.Agent", "builtins.len"])
def test_a_tool_that_breaks_the_package_says_so(glue: Glue, name: str) -> None:
    lines = BROKEN[name].splitlines()
    *_, last = glue.play(1, setup(tool_that(*lines, "return '1'")))
    assert last["broken"].startswith(f"tools.py has changed {name},")
    assert last["pointed"]["text"] == lines[1]


def test_of_a_change_by_other_ways_no_line_is_named(glue: Glue) -> None:
    tools = "import builtins\nvars(builtins).pop('len')"
    assert glue.turn(1, setup(tools))["pointed"] is None


@pytest.mark.usefixtures("mended")
def test_pythons_own_functions_are_put_back(glue: Glue) -> None:
    glue.turn(1, setup(BROKEN["builtins.len"]))
    assert glue.turn(2, setup())["frame"]["number"] == 1


@pytest.mark.parametrize("sign", ["\f", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_line_is_counted_as_python_counts_it(glue: Glue, sign: str) -> None:
    tools = f'sign = "a{sign}b"\n' + tool_that("return 1 / 0")
    (place,) = glue.closing(setup(tools))["pointed"]
    assert (place["line"], place["text"]) == (4, "return 1 / 0")


def test_a_syntax_error_of_ones_own_making_may_name_any_line(glue: Glue) -> None:
    tools = 'raise SyntaxError("mine", ("tools.py", "one", 1, ""))\n'
    assert glue.turn(1, setup(tools)) == {
        "refused": "tools.py, line 1: mine",
        "pointed": {
            "file": "tools.py",
            "line": 1,
            "text": tools.strip(),
            "what": "SyntaxError: mine",
        },
    }


def test_of_a_long_script_the_page_is_told_the_beginning(glue: Glue) -> None:
    told = json.loads(glue.module.describe())["scenarios"]
    never = next(each for each in told if each["name"] == "never_satisfied")
    assert (len(never["script"]), never["scriptLines"]) == (12, 2_000)
