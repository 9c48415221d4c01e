"""The recorded runs that lesson 07 ships, and what is said of them."""

import json
import re

import pytest

from mingraph_lite.trace import read_trace
from tests.notebooks.fixed_environment import ROOT
from tests.notebooks.guards import BANNED_IN_OUTPUT
from tests.real.record import FILES, SETTINGS, figures

DATA = ROOT / "notebooks" / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")
PATHS = [DATA / f"{name}.jsonl" for name in FILES]


def runs_of(path):
    trace = read_trace(path, strict=True)
    return [trace.run(run.id) for run in trace.runs]


def without_seed(line):
    options = {k: v for k, v in line["model"]["options"].items() if k != "seed"}
    about = {"options": options, "tools_as": line["model"]["tools_as"]}
    return about, line["settings"], line["question"]


def test_the_files_are_those_that_the_command_writes():
    assert sorted(DATA.glob("*.jsonl")) == sorted(PATHS)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_file_has_eight_runs_or_more_with_one_setting_and_a_seed_each(path):
    runs = runs_of(path)
    assert len(runs) >= 8
    firsts = [run.lines[0] for run in runs]
    assert [line["model"]["options"]["seed"] for line in firsts] == [
        *range(1, len(runs) + 1)
    ]
    assert all(without_seed(line) == without_seed(firsts[0]) for line in firsts)
    assert firsts[0]["model"]["options"]["temperature"] == SETTINGS["temperature"] > 0
    assert {run.model for run in runs} == {"smollm2"}
    assert {run.reason for run in runs} <= {"answered", "stopped", "failed"}
    assert not any("marks" in line for run in runs for line in run.lines)


def test_both_files_have_the_same_settings_and_as_many_runs():
    one, two = map(runs_of, PATHS)
    assert len(one) == len(two)
    assert without_seed(one[0].lines[0]) == without_seed(two[0].lines[0])


@pytest.mark.parametrize(("path", "value"), [(PATHS[0], "18"), (PATHS[1], "18°C")])
def test_the_tool_returns_in_each_run_what_the_readme_says(path, value):
    returned = {
        line["content"]
        for run in runs_of(path)
        for line in run.lines
        if line["event"] == "tool_return" and line["name"] == "get_weather"
    }
    assert returned == {value}
    assert f"| `{path.name}` | `{value}` | {len(runs_of(path))} |" in README


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_file_holds_a_path_a_key_or_a_host_but_the_loopback(path):
    text = path.read_text(encoding="utf-8")
    hosts = re.findall(r"https?://([^/:\"\\]+)", text)
    assert {*hosts} == {"127.0.0.1"}
    banned = [what for what, seen in BANNED_IN_OUTPUT.items() if re.search(seen, text)]
    assert banned == []
    assert not re.search(r"(?i)authorization|bearer|api[-_]?key|\bsk-", text)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_readme_says_the_figures_as_they_are_measured(path):
    assert f"`{path.name}`:\n\n```\n{figures(path)}\n```\n" in README


def test_the_readme_says_the_date_and_the_limits_of_the_runs():
    firsts = [run.lines[0] for path in PATHS for run in runs_of(path)]
    (day,) = {line["started"][:10] for line in firsts}
    (rounds,) = {line["settings"]["max_steps"] for line in firsts}
    (prompt,) = {line["settings"]["system_prompt"] for line in firsts}
    told = " ".join(README.split())
    options = firsts[0]["model"]["options"]
    for said in (
        f"wrote them on {day}",
        f'"{firsts[0]["question"]}"',
        f'"{prompt}"',
        f"temperature {options['temperature']}",
        f"at most {options['max_tokens']} tokens a reply and {rounds} rounds",
    ):
        assert said in told


def test_the_readme_says_what_the_model_did_as_often_as_it_did():
    told, counts = " ".join(README.split()), []
    for path in PATHS:
        runs = runs_of(path)
        calls = [
            call["name"]
            for run in runs
            for line in run.lines
            if line["event"] == "model_reply"
            for call in line["tool_calls"]
        ]
        assert "to_fahrenheit" not in calls
        heard = [
            run
            for run in runs
            if any(line["event"] == "tool_return" for line in run.lines)
        ]
        said = [run.answer for run in heard if run.answer is not None]
        plain = [answer for answer in said if re.match(r"18(\.0+)?(?!\.?\d)", answer)]
        units = [answer for answer in plain if answer.rstrip().endswith("C")]
        limit = [run for run in runs if run.finish == "step limit"]
        counts.append((len(limit), len(plain), len(units), len(said) - len(plain)))
    assert counts == [(6, 3, 0, 0), (4, 4, 4, 1)]
    assert "6 times of 12 with the bare number and 4 of 12 with the unit" in told
    assert "3 times of 12 with the bare number, none with a unit; 4 times" in told


def test_who_rebuilds_a_run_from_its_file_gets_every_line():
    for path in PATHS:
        lines = path.read_text(encoding="utf-8").splitlines()
        told = [dict(line) for run in runs_of(path) for line in run.lines]
        assert told == [json.loads(line) for line in lines]
