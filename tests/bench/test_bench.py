import gc
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from tests.bench.__main__ import main
from tests.bench.bench import Bench, in_a_fresh_interpreter
from tests.bench.growth import traced_peak
from tests.bench.machine import load, machine
from tests.bench.measure import Figure, Run, figures
from tests.bench.ours import bare_cards
from tests.bench.table import row
from tests.bench.traces import LOADED, in_a_process_of_its_own


@pytest.fixture(autouse=True)
def what_pytest_loaded_is_not_collected_again_and_again() -> Iterator[None]:
    gc.freeze()
    yield
    gc.unfreeze()


def ticking(seconds: Iterator[float]) -> Callable[[], float]:
    """A clock whose readings are known beforehand."""
    return lambda: next(seconds)


def growing() -> Iterator[float]:
    """Each interval is longer than the one before, so that no two rows are alike."""
    return (n * n / 10_000 for n in count())


def five_and_a_half(run: Callable[[], object]) -> int:
    traced_peak(run)
    return 5_500_000


def quarter_of_a_second(code: str) -> str:
    float(in_a_fresh_interpreter(code))
    return "0.25\n"


def half_a_second(code: str, path: Path) -> tuple[float, float]:
    in_a_process_of_its_own(code, path)
    return (0.5, 40.0) if "read_trace" in code else (0.25, 20.0)


def absent(steps: int) -> Run:
    import a_peer_that_nobody_has

    return a_peer_that_nobody_has.run


def lazy(steps: int) -> Run:
    return lambda: steps - 1


def small() -> Bench:
    return Bench(
        peers={"peer": bare_cards, "absent": absent, "lazy": lazy},
        counts=(2, 3),
        rounds=1,
        long_run=6,
        stretch=2,
        calls=4,
        replies=2,
        chunks=3,
        lines=2,
        trace=3_000,
        process=half_a_second,
        clock=ticking(growing()),
        peak=five_and_a_half,
        interpreter=quarter_of_a_second,
        machine=lambda: "Python on a machine",
        load=lambda: "0.50, 0.25, 0.12",
    )


ALL = """\
Python on a machine
load average before: 0.50, 0.25, 0.12
CPU time, best of 1 rounds

A step: the model is asked once, one tool is run
                                                  2 steps                    3 steps
                                     µs  x Agent  x cards       µs  x Agent  x cards
bare cards                         50.0     0.11     1.00      167     0.38     1.00
Agent                               450     1.00     9.00      433     1.00     2.60
Agent + no-op observer              850     1.89     17.0      700     1.62     4.20
Agent + Recorder                  1,250     2.78     25.0      967     2.23     5.80
Agent + ConsoleLogger             1,650     3.67     33.0    1,233     2.85     7.40
Agent + TraceRecorder             2,050     4.56     41.0    1,500     3.46     9.00
frames(Agent)                     2,450     5.44     49.0    1,767     4.08     10.6
peer                              2,850     6.33     57.0    2,033     4.69     12.2
not installed: absent (no a_peer_that_nobody_has); pip install -e '.[compare]'
failed: lazy (RuntimeError: The tool was run 1 times in 2 steps, so this is another job. Make it the job that tests/bench/peers.py describes.)
* fewer rounds: none begins after 10 s of a figure's time

Our card, two a step, in a run of 3
Agent                                           217 µs a card  limit 10: OVER
Agent + no-op observer                          350 µs a card  limit 12: OVER
Agent + TraceRecorder                           750 µs a card  limit 120: OVER

A run of 12 messages of 200 characters; memory as tracemalloc counts it
Agent: whole run                               0.04 s          limit 1: holds
Agent: first 2 steps                          3,550 µs a step
Agent: last 2 steps                           7,600 µs a step
Agent: last steps to first                     2.14 times      limit 1.5: OVER
Agent: peak of memory                          5.50 MB         limit 20: holds
Agent + Recorder: whole run                    0.05 s
Agent + Recorder: first 2 steps               4,250 µs a step
Agent + Recorder: last 2 steps                9,000 µs a step
Agent + Recorder: last steps to first          2.12 times
Agent + Recorder: peak of memory               5.50 MB

An import in a fresh interpreter
import mingraph_lite                           0.25 s          limit 0.3: holds
import pydantic.type_adapter                   0.25 s

One of 4 calls of a tool with one text argument
ToolRegistry.run                              2,425 µs a call
validate_call                                 2,525 µs a call
the function, unchecked                       2,625 µs a call
ToolRegistry.run to validate_call              0.96 times

A reply read from its bytes, for each reply and for each chunk
OpenAIChat: a reply                           5,450 µs each
openai: a reply                               5,650 µs each
a reply: ours to theirs                        0.96 times
OpenAIChat: a stream of 3 chunks              3,900 µs each
openai: a stream of 3 chunks                  4,033 µs each
a stream of 3 chunks: ours to theirs           0.97 times

Lines of a trace, and a file of 0.003 MB listed
open, append, close                           6,250 µs a line
a line of a trace                             6,450 µs a line  limit 33.3333: OVER
a trace in a second                             155 lines
a line of a trace to its bare writing          1.03 times
json.loads of each line                        0.25 s
json.loads: peak of memory                     20.0 MB
read_trace                                     0.50 s
read_trace: peak of memory                     40.0 MB         limit 150: holds
read_trace to json.loads                       2.00 times

load average after: 0.50, 0.25, 0.12"""


def test_every_measure_is_taken_and_written():
    lines: list[str] = []
    main(small(), lines.append, [])
    assert "\n".join(lines) == ALL


PEER = """\
Python on a machine
load average before: 0.50, 0.25, 0.12
CPU time, best of 1 rounds

A step: the model is asked once, one tool is run
                                                  2 steps                    3 steps
                                     µs  x Agent  x cards       µs  x Agent  x cards
bare cards                         50.0     0.11     1.00      167     0.38     1.00
Agent                               450     1.00     9.00      433     1.00     2.60
peer                                850     1.89     17.0      700     1.62     4.20
* fewer rounds: none begins after 10 s of a figure's time

Our card, two a step, in a run of 3
Agent                                           217 µs a card  limit 10: OVER

load average after: 0.50, 0.25, 0.12"""


def test_one_peer_is_measured_beside_what_it_is_compared_with():
    lines: list[str] = []
    main(small(), lines.append, ["--only", "peer"])
    assert "\n".join(lines) == PEER


def test_the_figures_are_kept_in_a_file(tmp_path: Path):
    file = tmp_path / "figures.json"
    bench = replace(small(), clock=ticking(n * n for n in count()))
    main(bench, lambda line: None, ["--only", "calls", "--json", str(file)])
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "machine": "Python on a machine",
        "load": ["0.50, 0.25, 0.12", "0.50, 0.25, 0.12"],
        "calls": {
            "ToolRegistry.run": {"value": 250000.0, "unit": "µs a call", "limit": None},
            "validate_call": {"value": 1250000.0, "unit": "µs a call", "limit": None},
            "the function, unchecked": {
                "value": 2250000.0,
                "unit": "µs a call",
                "limit": None,
            },
            "ToolRegistry.run to validate_call": {
                "value": 0.2,
                "unit": "times",
                "limit": None,
            },
        },
    }


def test_a_figure_that_takes_long_gets_fewer_rounds_and_a_star():
    minutes = ticking(count(step=60))
    rows, errors = figures({"slow": bare_cards}, (2,), 5, minutes)
    assert (rows, errors) == ({"slow": {2: Figure(30_000_000.0, rounds=1)}}, {})
    agent = {2: Figure(10_000_000.0, rounds=5)}
    assert row("slow", rows["slow"], agent, agent) == (
        "slow                          30,000,000*     3.00     3.00"
    )


def test_the_best_of_all_rounds_counts():
    readings = ticking(iter([0, 4, 10, 12, 20, 23]))
    rows, _ = figures({"cards": bare_cards}, (2,), 3, readings)
    assert rows == {"cards": {2: Figure(1_000_000.0, rounds=3)}}


def test_the_machine_and_its_load_are_told():
    told = [len(machine().splitlines()), load().count(",") in {0, 2}]
    assert told == [2, True]


def test_the_peak_of_a_process_is_its_own_and_not_that_of_the_bench(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"text": "Go"}\n', encoding="utf-8")
    ballast = bytearray(b"x") * 200_000_000
    _, megabytes = in_a_process_of_its_own(LOADED, path)
    assert len(ballast) / 1e6 > 2 * megabytes
