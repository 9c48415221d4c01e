"""What lesson 07's checks say of answers that its file does not list."""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from mingraph_lite.classroom import load
from mingraph_lite.classroom.checks.read_back import wrong_reading
from mingraph_lite.classroom.checks.traced_runs import (
    lines_of,
    wrong_end,
    wrong_first_line,
)
from mingraph_lite.classroom.judging import judged

WRITES, READS, NEVER, FIRST = load("07_trace").exercises


def test_a_check_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert [judged(each, each.solution) for each in (WRITES, READS)] == [None, None]
    assert list(tmp_path.iterdir()) == []


def test_a_listener_may_do_more_than_write():
    class Loud(WRITES.solution):
        def write(self, **line):
            super().write(**line)
            heard.append(line["event"])

    heard = []
    assert judged(WRITES, Loud) is None
    assert heard.count("finish") == 2  # it was heard out twice, on one file


def test_a_listener_that_says_less_at_one_moment_is_told_at_which_line():
    class Short(WRITES.solution):
        def on_tool_return(self, call, value, message):
            self.write(event="tool_return", content=message.content)

    assert judged(WRITES, Short) == "Line 2 does not say number."


def test_a_listener_that_changes_what_was_said_is_told_both():
    class Polite(WRITES.solution):
        def on_finish(self, answer, reason):
            self.write(event="finish", answer=answer.upper(), reason=reason)

    assert judged(WRITES, Polite) == (
        "Line 7 says answer 'PARIS: 64°F, TOKYO: 24°F', and it was "
        "'Paris: 64°F, Tokyo: 24°F'."
    )


def test_a_reader_of_bytes_is_right_too():
    def read_lines(path: Path):
        found = []
        for raw in path.read_bytes().split(b"\n"):
            try:
                found.append(json.loads(raw))
            except ValueError:
                continue
        return found

    assert wrong_reading(read_lines) is None


def test_a_reader_that_mends_a_torn_line_makes_something_up():
    def read_lines(path: Path):
        found = []
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(text))
            except ValueError:
                with suppress(ValueError):
                    found.append(json.loads(text + "}"))
        return found

    assert wrong_reading(read_lines) == (
        "The last line is torn behind a bracket: 3 came back, and 2 are whole."
    )


def test_a_rule_that_changes_the_lines_is_judged_on_fresh_ones():
    def first_wrong(lines):
        found = FIRST.solution(lines)
        for line in lines:
            line.clear()
        return found

    assert wrong_first_line(first_wrong) is None
    assert wrong_first_line(first_wrong) is None
    assert wrong_end(NEVER.solution) is None
    assert lines_of("a good run")[-1]["answer"] == "Paris: 64°F, Tokyo: 75°F"


@pytest.mark.parametrize("answer", [27, "27", {"line": 27}, (27,), (27, 3, "reply")])
def test_a_rule_that_hands_back_another_thing_is_told_what_was_asked(answer):
    said = wrong_first_line(lambda lines: answer)
    assert said is not None
    assert said.startswith("A good run: there is nothing to find, and your rule says ")
