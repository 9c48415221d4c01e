"""Whatever became of a file: it is read as far as it goes, and never a traceback."""

import copy
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mingraph_lite import MingraphError
from mingraph_lite.lab.faults import ALL_SCENARIOS, DECK
from mingraph_lite.recovery import Retries
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.traces.command_line import main
from mingraph_lite.transcripts import Transcript, read_transcript, unusual
from mingraph_lite.views.from_trace import frames_of
from tests.trace.written import ticking

EXAMPLES = 100
FIXED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
MODES = [
    [],
    ["--json"],
    ["1"],
    ["1", "--json"],
    ["-1", "--whole"],
    ["1", "--wrong"],
    ["-1", "--wrong", "--json"],
    ["1", "-1"],
    ["-1", "1", "--json"],
    ["--table", "--right", "64"],
    ["--table", "--json"],
]
ODD: list[Any] = [
    *(None, True, -1, 0, 3, 0.5, 1e300, 2**70, 10**400, "", "x", "\x1b[2J\n\x00\x85"),
    *([], {}, [[1]], [None], [{"a": 1}], {"line": 1, "at": "question"}),
    *({"line": 999, "at": "a"}, {"line": [], "at": 3}, {"shown": 3}, "\ud800"),
    [{"at": "content", "what": "cut", "length": "long"}, {"at": 1, "what": []}],
    [{"function": {"name": "get_weather", "parameters": "none"}}],
    [{"function": {"name": [], "parameters": {"required": 3, "properties": []}}}],
    [{"function": {"name": "get_weather", "parameters": {"required": [[]]}}}],
    {"card": {"name": "\x00", "fields": {"card": {"name": "x", "fields": {}}}}},
]
TEXTS = [
    *("\x00" * 40, "{", "}", "\n", "\r", "\ufeff", "NaN", "1e999", "9" * 5000, '"'),
    *("[" * 3000, '{"a":' * 150 + "1" + "}" * 150, "\\ud800", "\x1b]0;x\x07", "\u2028"),
]

pytestmark = pytest.mark.properties


@cache
def real() -> tuple[bytes, ...]:
    """A trace of every scenario, and one of them all."""
    traces = []
    with TemporaryDirectory() as folder:
        for name, scenario in {**ALL_SCENARIOS, **DECK}.items():
            path = Path(folder, f"{name}.jsonl")
            observer = TraceRecorder(path, run_id=name, clock=ticking())
            patient = Retries(sleep=[].append, chance=lambda: 0.0)
            with suppress(MingraphError, OSError):
                scenario.agent(observers=[observer], retries=patient).run(
                    scenario.question
                )
            traces.append(path.read_bytes())
    return (*traces, b"".join(traces))


@cache
def transcribed() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        for name in ("paris_and_tokyo", "never_satisfied", "already_fahrenheit") * 4:
            scenario = ALL_SCENARIOS[name]
            with suppress(MingraphError):
                scenario.agent(observers=[Transcript(path)]).run(scenario.question)
        return path.read_bytes()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place inside of a value that something else may be put into."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        yield value, key
        if isinstance(part, dict | list):
            yield from places(part)


def with_odd_values(data: st.DataObject, line: bytes) -> bytes:
    said = json.loads(line)
    for _ in range(data.draw(st.integers(1, 3))):
        where, key = data.draw(st.sampled_from([*places(said)] or [({}, "")]))
        if data.draw(st.booleans()) or isinstance(where, list):
            where[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        else:
            where.pop(key, None)
    return json.dumps(said).encode()


def with_odd_bytes(data: st.DataObject, line: bytes) -> bytes:
    at = data.draw(st.integers(0, len(line)))
    end = min(len(line), at + data.draw(st.integers(0, 20)))
    odd = st.one_of(st.sampled_from(TEXTS).map(str.encode), st.binary(max_size=8))
    return line[:at] + data.draw(odd) + line[end:]


def spoiled(data: st.DataObject, whole: bytes) -> bytes:
    """A file of which some lines were changed, lost, doubled, welded or moved."""
    lines = whole.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.integers(0, 9)):
            case 0:
                lines[at] = lines[at].rstrip()
            case 1:
                lines.insert(data.draw(st.integers(0, at)), lines[at])
            case 2:
                lines[at] = b""
            case 3 | 4:
                lines[at] = with_odd_bytes(data, lines[at])
            case _:
                with suppress(ValueError):
                    lines[at] = with_odd_values(data, lines[at]) + b"\n"
    return b"".join(lines)


def told(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


@FIXED
@given(st.data())
def test_a_spoiled_trace_is_shown_as_far_as_it_goes(data):
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(spoiled(data, data.draw(st.sampled_from(real()))))
        trace = read_trace(path)
        for run in trace.runs:
            for frame in frames_of(trace.run(run.id)):
                json.dumps(frame, allow_nan=False).encode()
        for mode in MODES:
            code, out, err = told(str(path), *mode)
            notes = len(trace.formats) if mode and (trace.runs or code == 0) else 0
            told_of = (code, bool(out), err.count("\n"))
            assert told_of in [(0, True, notes), (2, False, notes + 1)]
            assert set(out + err) & set("\x00\x1b\x07\x85\r") == set()
            if code == 0 and "--json" in mode:
                json.loads(out, parse_constant=int)


@FIXED
@given(st.data())
def test_a_spoiled_transcript_is_read_as_far_as_it_goes(data):
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(spoiled(data, transcribed()))
        read = read_transcript(path)
        assert len(read.lines) <= 24
        assert str(unusual(read.lines)).startswith(f"{len(read.lines)} question")
