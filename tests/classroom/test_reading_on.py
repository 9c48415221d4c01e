import inspect
import re

import pytest

import mingraph_lite.agent
from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.classroom import Classroom, check
from mingraph_lite.classroom.reading_on import link_to, places
from mingraph_lite.llm import ask_once


def lines_of(thing):
    lines, first = inspect.getsourcelines(thing)
    return f"lines {first} to {first + len(lines) - 1}"


def read(capsys, *things):
    Classroom({}).now_read(*things)
    return capsys.readouterr().out


def test_a_class_a_function_and_a_method_are_named_with_their_lines(capsys):
    assert read(capsys, Agent, ask_once, ScriptedLLM.generate) == (
        f"Now read: mingraph_lite/agent.py, Agent, {lines_of(Agent)}.\n"
        f"Now read: mingraph_lite/llm.py, ask_once, {lines_of(ask_once)}.\n"
        "Now read: mingraph_lite/llm.py, ScriptedLLM.generate, "
        f"{lines_of(ScriptedLLM.generate)}.\n"
    )


def test_a_module_is_named_as_a_whole():
    count = len(inspect.getsource(mingraph_lite.agent).splitlines())
    assert places(mingraph_lite.agent) == [
        ("mingraph_lite/agent.py", "all of it", 1, count)
    ]


def test_the_lines_begin_with_what_is_named():
    file, name, first, last = places(Agent)[0]
    lines = inspect.getsource(mingraph_lite.agent).splitlines()
    assert (file, name) == ("mingraph_lite/agent.py", "Agent")
    assert re.match("class Agent|@", lines[first - 1])
    assert last <= len(lines)


def test_what_a_notebook_calls_is_found_too():
    assert places(check)[0][:2] == (
        "mingraph_lite/classroom/asking.py",
        "Classroom.check",
    )


@pytest.mark.parametrize(
    ("thing", "called"),
    [
        (len, "len"),
        (re.match, "match"),
        (re, "re"),
        (4, "4"),
        ("Agent", "'Agent'"),
        (object(), "This object"),
        (ScriptedLLM(["yes"]), "This ScriptedLLM"),
    ],
)
def test_what_is_not_of_the_package_is_told_and_stops_nothing(thing, called, capsys):
    assert read(capsys, thing) == (
        f"{called} is not of the package. now_read names its modules, classes and "
        "functions.\n"
    )


def test_nothing_to_read_is_told(capsys):
    assert read(capsys) == (
        "Name what to read: now_read(Agent), a class or function of the package.\n"
    )


@pytest.mark.parametrize(("last", "line"), [(109, 108), (115, 114), (160, 119)])
def test_a_link_leads_so_far_down_that_what_is_meant_is_seen(last, line):
    place = ("mingraph_lite/messages.py", "UserMessage", 105, last)
    assert link_to(place) == f"package/messages.py#line={line}"
