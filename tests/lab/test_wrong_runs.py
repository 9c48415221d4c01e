from mingraph_lite.lab.wrong_runs import play_wrong_runs
from mingraph_lite.observers import Recorder
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.traces.wrong_line import first_wrong_line


def test_each_of_the_six_goes_wrong_first_in_its_own_case(tmp_path):
    path = tmp_path / "six.jsonl"
    play_wrong_runs(TraceRecorder(path, run_id="run"))
    trace = read_trace(path, strict=True)
    assert [(run.id, run.reason, run.answer, run.rounds) for run in trace.runs] == [
        ("run", "answered", "Paris: 50°F, Tokyo: 41°F", 2),
        ("run-2", "answered", "Paris: 64°F, Tokyo: 68°F", 3),
        ("run-3", "answered", "Paris: 64°F, Tokyo: 76°F", 3),
        ("run-4", "stopped", None, 3),
        ("run-5", "answered", "Paris: 65°F, Tokyo: 75°F", 2),
        ("run-6", "answered", "Paris: 68°F, Tokyo: 77°F", 2),
    ]
    firsts = [first_wrong_line(trace.run(run.id)).first for run in trace.runs]
    assert [(first.case, first.kind) for first in firsts if first] == [
        (1, "from nowhere"),
        (2, "tool failed"),
        (3, "unheard number"),
        (4, "never finished"),
        (3, "unheard number"),
        (1, "from nowhere"),
    ]
    assert [first.says for first in firsts if first and first.case == 4] == [
        "The step limit stopped it after 3 rounds. No slip was repeated."
    ]


def test_all_six_ask_the_same(tmp_path):
    recorder = Recorder()
    play_wrong_runs(recorder)
    starts = [event for event in recorder.events if event.name == "run_start"]
    assert len(starts) == 6
    assert len({event.payload["question"] for event in starts}) == 1
