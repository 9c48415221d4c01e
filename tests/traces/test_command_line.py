import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mingraph_lite.trace import Trace, read_trace
from mingraph_lite.traces.command_line import main
from tests.notebooks.fixed_environment import ROOT
from tests.traces.recorded import FOR_EVER, RIGHT, write

PROGRAM = "python -m mingraph_lite.trace"


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(Path("t.jsonl"), RIGHT, FOR_EVER, max_steps=3)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def command(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options}
    return subprocess.Popen(
        [sys.executable, "-m", "mingraph_lite.trace", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={key: str(value) for key, value in environment.items()},
    )


def test_a_file_alone_lists_its_runs(path, capsys):
    assert said(capsys, "t.jsonl") == (
        0,
        "   run    ended                rounds  tokens  model        question\n"
        "1  run    answered                  3       ?  ScriptedLLM  "
        "How warm is it in Paris, in Fahrenheit?\n"
        "2  run-2  stopped: step limit       3       ?  ScriptedLLM  "
        "How warm is it in Paris, in Fahrenheit?\n",
        "",
    )


@pytest.mark.parametrize("name", ["run-2", "2", "-1"])
def test_a_run_is_found_by_its_id_and_by_its_place(path, capsys, name):
    code, out, err = said(capsys, "t.jsonl", name)
    assert (code, out.split(",")[0], err) == (0, "Run run-2: stopped: step limit", "")


def test_a_run_is_found_by_a_beginning_that_no_other_has(path, capsys):
    write(path, RIGHT, run_id="other")
    code, out, _ = said(capsys, "t.jsonl", "oth")
    assert (code, out.split(",")[0]) == (0, "Run other: answered")


def test_a_listing_is_one_document_for_a_program(path, capsys):
    code, out, err = said(capsys, "t.jsonl", "--json")
    assert (code, json.loads(out), err) == (
        0,
        {
            "file": "t.jsonl",
            "runs": [
                {
                    "id": "run",
                    "question": "How warm is it in Paris, in Fahrenheit?",
                    "model": "ScriptedLLM",
                    "started": "2023-11-14T22:13:20.500+00:00",
                    "reason": "answered",
                    "finish": "answered",
                    "answer": "It is 64°F in Paris.",
                    "rounds": 3,
                    "tokens": None,
                },
                {
                    "id": "run-2",
                    "question": "How warm is it in Paris, in Fahrenheit?",
                    "model": "ScriptedLLM",
                    "started": "2023-11-14T22:13:20.500+00:00",
                    "reason": "stopped",
                    "finish": "step limit",
                    "answer": None,
                    "rounds": 3,
                    "tokens": None,
                },
            ],
            "problems": [],
        },
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["1"], ["answer", "finish", "id", "lines", "model", "question", "reason"]),
        (["1", "2"], ["differences", "first", "second"]),
        (["1", "--wrong"], ["findings", "first", "run"]),
        (["--table"], ["tables"]),
    ],
)
def test_each_view_has_one_document_for_a_program(path, capsys, arguments, keys):
    code, out, err = said(capsys, "t.jsonl", *arguments, "--json")
    assert (code, err) == (0, "")
    more = {"rounds", "started", "tokens"}
    assert sorted(json.loads(out).keys() - more) == keys
    assert out.isascii()


def test_problems_of_a_file_are_listed_with_their_lines(path, capsys):
    whole = path.read_text(encoding="utf-8")
    path.write_text(f'{{"run": "run", "se\nnull\n{whole}', encoding="utf-8")
    code, out, _ = said(capsys, "t.jsonl")
    assert code == 0
    assert out.split("\n\n")[1] == (
        "2 lines have a problem, and what cannot be read is left out:\n"
        "  line 1 breaks off or is no JSON, and begins "
        '"{\\"run\\": \\"run\\", \\"se"\n'
        "  line 2 is 'null', which is no JSON object\n"
    )


def test_of_many_problems_ten_are_listed(path, capsys):
    with path.open("a", encoding="utf-8") as file:
        file.write("null\n" * 12)
    _, out, _ = said(capsys, "t.jsonl")
    assert out.count("which is no JSON object") == 10
    assert out.endswith("  and 2 more (--whole lists them all)\n")
    _, whole, _ = said(capsys, "t.jsonl", "--whole")
    assert whole.count("which is no JSON object") == 12


def test_an_empty_file_has_no_runs(tmp_path, capsys):
    (tmp_path / "t.jsonl").touch()
    assert said(capsys, str(tmp_path / "t.jsonl")) == (0, "No runs.\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["gone.jsonl"],
            "There is no trace 'gone.jsonl'. One is written where an agent has "
            "observers=[TraceRecorder('gone.jsonl')].",
        ),
        (["."], "'.' cannot be read: Is a directory."),
        (
            ["notes.txt"],
            "'notes.txt' is no trace: line 1: breaks off or is no JSON, and begins "
            '"Hello.".',
        ),
        (
            ["t.jsonl", "9"],
            "There is no run '9' in 't.jsonl'. There: run, run-2. Give more of an id, "
            "or a place such as 1 or -1.",
        ),
        (
            ["t.jsonl", "0"],
            "There is no run '0' in 't.jsonl'. There: run, run-2. Give more of an id, "
            "or a place such as 1 or -1.",
        ),
        (
            ["t.jsonl", "r"],
            "2 runs begin with 'r' in 't.jsonl'. There: run, run-2. Give more of an "
            "id, or a place such as 1 or -1.",
        ),
        (
            ["t.jsonl", "1", "2", "1"],
            "3 runs were named, and here at most 2 can be. None lists all, one is "
            "shown, two are compared.",
        ),
        (
            ["t.jsonl", "1", "2", "--wrong"],
            "2 runs were named, and here at most 1 can be. None lists all, one is "
            "shown, two are compared.",
        ),
        (
            ["t.jsonl", "--wrong"],
            "'t.jsonl' has 2 runs. Say in which to look: FILE RUN --wrong, with a "
            "place such as 1 or -1.",
        ),
        (
            ["t.jsonl", "--with", "t.jsonl"],
            "--with names the file of a second run to compare. Name a run of each: "
            "FILE RUN RUN2 --with FILE2.",
        ),
        (
            ["t.jsonl", "1", "2", "--with", "gone.jsonl"],
            "There is no trace 'gone.jsonl'. One is written where an agent has "
            "observers=[TraceRecorder('gone.jsonl')].",
        ),
        (
            ["t.jsonl", "--right", "64"],
            "--right says what a right answer is, for --table. Add --table.",
        ),
        (["empty.jsonl", "--table"], "'empty.jsonl' has no runs to count."),
        (
            ["empty.jsonl", "1"],
            "There is no run '1' in 'empty.jsonl'. There: none. Give more of an id, "
            "or a place such as 1 or -1.",
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(path, capsys, arguments, words):
    Path("notes.txt").write_text("Hello.\n")
    Path("empty.jsonl").touch()
    assert said(capsys, *arguments) == (2, "", f"{PROGRAM}: {words}\n")


@pytest.mark.parametrize("arguments", [[], ["t.jsonl", "--wrong", "--table"], ["-x"]])
def test_arguments_that_say_nothing_are_refused_with_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"usage: {PROGRAM}")


def test_help_is_a_page_that_fits_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    page = capsys.readouterr().out
    assert ended.value.code == 0
    assert max(map(len, page.splitlines())) <= 80
    assert len(page.splitlines()) <= 50
    for option in ("--with", "--wrong", "--table", "--right", "--json", "--whole"):
        assert f"\n  {option}" in page


@pytest.mark.parametrize("columns", ["60", "100", "140"])
@pytest.mark.parametrize(
    "arguments", [[], ["1"], ["2", "--wrong"], ["1", "2"], ["--table"]]
)
def test_no_line_is_wider_than_the_terminal(
    path, capsys, monkeypatch, columns, arguments
):
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = said(capsys, "t.jsonl", *arguments)
    assert max(map(len, out.splitlines())) <= int(columns)


def test_E06_a_terminal_of_few_signs_gets_question_marks(path, monkeypatch):
    write(path, ["It is 18°F → \U0001f321 in Paris."], run_id="signs")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    assert main(["t.jsonl", "signs"]) == 0
    assert "It is 18°F ? ? in Paris." in raw.getvalue().decode("cp1252")


def test_the_command_is_quiet_where_nobody_reads_on(path):
    write(path, *[RIGHT] * 3, run_id="more")
    run = command("t.jsonl", "1", "--json")
    with run, run.stderr as errors:
        run.stdout.read(1)
        run.stdout.close()
        assert (errors.read(), run.wait(20)) == (b"", 0)


def test_the_command_runs_as_a_module_and_says_nothing_of_its_own(path):
    run = command("t.jsonl", PYTHONIOENCODING="ascii", COLUMNS=80)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out.split()[:2], err) == (0, [b"run", b"ended"], b"")


def test_runs_of_two_files_are_compared(path, capsys):
    write(Path("u.jsonl"), RIGHT, run_id="other", max_steps=3)
    alike = (
        "- run run: answered, 3 rounds\n+ run other: answered, 3 rounds\n\n"
        "They differ in nothing but ids and times.\n"
    )
    for runs in (["1"], ["run", "other"]):
        given = ["t.jsonl", *runs, "--with", "u.jsonl"]
        assert said(capsys, *given) == (0, alike, "")


def test_a_table_is_made_for_each_question_or_for_that_of_a_run(path, capsys):
    write(path, RIGHT, question="And in Paris?", run_id="other")
    _, both, _ = said(capsys, "t.jsonl", "--table")
    assert [text.splitlines()[1][:5] for text in both.split("\n\n")[::3]] == [
        "n = 2",
        "n = 1",
    ]
    _, one, _ = said(capsys, "t.jsonl", "other", "--table", "--right", "64")
    assert one == (
        "And in Paris?\nn = 1, right: 1 of 1   model: ScriptedLLM\n"
        "ended: 1 answered\n\n"
        "                               right  wrong\n"
        "every number came from a tool      1      -\n\n"
        "median: 3 rounds, ? tokens\n"
    )


def test_one_right_answer_is_for_one_question(path, capsys):
    write(path, RIGHT, question="And in Paris?", run_id="other")
    assert said(capsys, "t.jsonl", "--table", "--right", "64") == (
        2,
        "",
        f"{PROGRAM}: --right says what a right answer to one question is, and "
        "'t.jsonl' has runs of 2. Name a run of the one you mean, as in FILE 1 --table "
        "--right 64: 1 (How warm is it in Paris, in Fahrenheit?), 3 (And in Paris?).\n",
    )
    code, out, _ = said(capsys, "t.jsonl", "3", "--table", "--right", "64")
    assert (code, out.splitlines()[0]) == (0, "And in Paris?")


def test_whoever_presses_ctrl_c_sees_no_traceback(path, capsys, monkeypatch):
    def waited_enough(path: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mingraph_lite.traces.command_line.read_trace", waited_enough)
    assert said(capsys, "t.jsonl") == (130, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk here is full")
@pytest.mark.parametrize("arguments", [[], ["1"], ["1", "--json"]])
def test_a_full_disk_is_told_in_a_sentence(path, arguments):
    full = "What was found cannot be written: No space left on device."
    with open("/dev/full", "wb") as out:
        run = subprocess.run(
            [sys.executable, "-m", "mingraph_lite.trace", "t.jsonl", *arguments],
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert (run.returncode, run.stderr.decode()) == (2, f"{PROGRAM}: {full}\n")


def test_a_file_that_may_not_be_read_is_told_in_a_sentence(path, capsys, monkeypatch):
    def refused(name: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr("mingraph_lite.traces.command_line.read_trace", refused)
    words = "'t.jsonl' cannot be read: Permission denied."
    assert said(capsys, "t.jsonl") == (2, "", f"{PROGRAM}: {words}\n")


def test_a_file_that_is_cut_while_it_is_read_is_told_in_a_sentence(
    path, capsys, monkeypatch
):
    def cut_behind(name: str) -> Trace:
        trace = read_trace(name)
        path.write_bytes(b"")
        return trace

    monkeypatch.setattr("mingraph_lite.traces.command_line.read_trace", cut_behind)
    code, out, err = said(capsys, "t.jsonl", "1")
    assert (code, out) == (2, "")
    assert err.startswith(f"{PROGRAM}: 't.jsonl' is not what it was when its runs were")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["1"], ["1", "2"], ["1", "--wrong"], ["--table"], ["x"], ["--json"]],
)
def test_no_sign_of_a_file_moves_the_terminal(path, capsys, arguments):
    odd = "\x1b[2J\u202e\x07"
    text = path.read_text(encoding="utf-8")
    for word in ("run-2", "run", "ScriptedLLM", "answered", "warning", "get_weather"):
        text = text.replace(f': "{word}"', f": {json.dumps(odd + word)}")
    path.write_text(text, encoding="utf-8")
    _, out, err = said(capsys, "t.jsonl", *arguments)
    assert set(out + err) & set(odd) == set("[2J") & set(out + err)
    assert "\\x1b[2J" in out + err or "\\u001b[2J" in out


def test_a_newer_format_is_told_whatever_is_shown(path, capsys):
    text = path.read_text(encoding="utf-8").replace('"format": 1', '"format": 7')
    path.write_text(text, encoding="utf-8")
    newer = f"{PROGRAM}: t.jsonl, line 1: is of format 7, which is newer"
    for arguments in (["1"], ["1", "2"], ["1", "--wrong"], ["--table"], ["--json"]):
        code, out, err = said(capsys, "t.jsonl", *arguments)
        assert (code, bool(out), err.count("\n")) == (0, True, 1)
        assert err.startswith(newer)
    code, out, err = said(capsys, "t.jsonl")
    assert (code, err, out.count("is of format 7, which is newer")) == (0, "", 1)
