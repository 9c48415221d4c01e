"""The command that records lesson 07's runs, once through."""

from mingraph_lite.trace import read_trace
from tests.real.record import FILES, SETTINGS, figures, main, record


def test_the_command_records_a_run_with_each_tool_and_says_what_came_of_it(
    tmp_path, capsys
):
    main(["--out", str(tmp_path / "new"), "--runs", "1"])
    paths = [tmp_path / "new" / f"{name}.jsonl" for name in FILES]
    said = [f"{path.name}\n{figures(path)}\n\n" for path in paths]
    assert capsys.readouterr().out == "".join(said)
    for path in paths:
        trace = read_trace(path, strict=True)
        assert [run.id for run in trace.runs] == [f"{path.stem}-1"]
        first = trace.run(f"{path.stem}-1").lines[0]
        options = {key: value for key, value in SETTINGS.items() if key != "tools_as"}
        extra = options.pop("extra")
        assert first["model"]["options"] == {**options, **extra, "seed": 1}


def test_recording_again_replaces_what_is_there(tmp_path, llama_server):
    old = tmp_path / "returns_18.jsonl"
    old.write_text("old\n")
    assert old in record(llama_server, tmp_path, 1)
    assert read_trace(old).problems == ()
    assert len(read_trace(old).runs) == 1
