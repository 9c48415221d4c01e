import inspect
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mingraph_lite.classroom import load
from mingraph_lite.classroom.loading import names_of_lessons
from mingraph_lite.classroom.ours import our_agent
from tests.summary import compared
from tests.notebooks.fixed_environment import OFFLINE, ROOT
from tests.notebooks.guards import form, shape
from tests.notebooks.kernels import NBVAL_ALONE
from tests.notebooks.normal_form import differences, normal_form, text
from tests.notebooks.rewrite import OUR_AGENT, main
from tests.notebooks.running import code_cells, lessons, notebooks, printed, read


def keep(notebook, path):
    path.write_text(text(notebook), encoding="utf-8")
    return path


def one_cell(source="1", **cell):
    return new_notebook(
        cells=[new_code_cell(source, execution_count=1, **cell)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Mine"}},
    )


def showing(shown):
    return one_cell(outputs=[new_output("stream", name="stdout", text=shown)])


def test_there_are_lessons():
    assert lessons() != []


def test_every_notebook_is_in_normal_form():
    found = {p.name: d for p in notebooks() if (d := differences(p))}
    assert found == {}


def test_every_notebook_can_be_compared_on_every_machine():
    assert {p.name: f for p in notebooks() if (f := form(read(p)))} == {}


def test_every_lesson_keeps_its_rhythm():
    assert {p.name: f for p in lessons() if (f := shape(read(p)))} == {}


def told_too_early(path):
    """Return the hints and solutions that a lesson's own notebook holds openly."""
    sources = "\n".join(openly(cell.source) for cell in read(path).cells)
    shown = "\n".join(printed(cell) for cell in code_cells(read(path)))
    found = []
    asked = load(path.stem).exercises if path.stem in names_of_lessons() else ()
    for exercise in asked:
        found += [hint for hint in exercise.hints if hint in sources + shown]
        if inspect.isfunction(exercise.solution) or inspect.isclass(exercise.solution):
            body = inspect.getsource(exercise.solution).partition("\n")[2]
            found += [body] if body.strip() and body.rstrip() in sources else []
    return found


def openly(source):
    """Return what stands there without a click."""
    return re.sub(r"<details>.*?</details>", "", source, flags=re.DOTALL)


def test_what_is_folded_away_is_not_told_openly():
    folded = "Before <details><summary>Stuck?</summary>\n\nreturn 1\n</details> after"
    assert openly(folded) == "Before  after"


def test_our_agent_stands_beside_the_lessons_as_it_is_made():
    assert OUR_AGENT.read_text("utf-8") == our_agent()


def test_no_lesson_holds_a_hint_or_a_solution():
    assert {p.name: t for p in lessons() if (t := told_too_early(p))} == {}


def test_the_end_of_a_run_counts_the_cells_that_were_compared():
    cells = ["notebooks/00.ipynb::Cell 0", "notebooks/00.ipynb::Cell 1"]
    others = ["notebooks/solutions/00.ipynb::Cell 0", "tests/test_agent.py::test"]
    reports = [
        SimpleNamespace(nodeid=name, when=when, passed=True)
        for name in cells + others
        for when in ("setup", "call", "teardown")
    ]
    assert compared(reports) == ["nbval compared 3 cells of 1 lessons and 1 solutions"]
    assert compared(reports[-3:]) == []


def test_nothing_is_sanitised_before_it_is_compared():
    assert "sanitize" not in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("notebook", "complaint"),
    [
        (one_cell("# NBVAL_SKIP\n1"), "a marker that keeps nbval from comparing"),
        (
            one_cell("# nbval-ignore-output\n1"),
            "a marker that keeps nbval from comparing",
        ),
        (
            one_cell("with Output() as out: pass"),
            "Output as a context, which nbval does not follow",
        ),
        (one_cell("clear_output()"), "clear_output, which nbval does not follow"),
        (one_cell("%timeit 1"), "a time measured by the clock"),
        (
            one_cell(metadata={"tags": ["raises-exception"]}),
            "a tag that keeps nbval from comparing: raises-exception",
        ),
        (showing("<Agent at 0x7f00>"), "an address"),
        (showing("see /usr/lib/x.py"), "an absolute path"),
        (showing(f"see {ROOT}"), "a path of this machine"),
        (showing("UserWarning: old"), "a warning"),
        (
            one_cell(outputs=[new_output("stream", name="stderr", text="x")]),
            "text on stderr",
        ),
        (
            one_cell(outputs=[new_output("error", ename="E", evalue="", traceback=[])]),
            "an error; let expect_error print it",
        ),
    ],
)
def test_a_cell_that_cannot_be_compared_is_named(notebook, complaint):
    assert f"code cell 1: {complaint}" in form(notebook)


def test_a_stripped_notebook_is_named():
    notebook = one_cell()
    notebook.cells[0].execution_count = None
    assert form(notebook) == ["execution counts run [None]"]


def test_a_foreign_kernel_is_named():
    notebook = one_cell()
    notebook.metadata = {"kernelspec": {"name": "conda-env"}}
    assert form(notebook) == ["the kernelspec is not python3"]


def test_an_address_of_a_page_is_no_path_of_a_machine():
    assert form(showing("POST http://127.0.0.1/v1/chat/completions, 3/4 done")) == []


def test_long_cells_and_long_rows_are_named():
    long = [new_code_cell("\n".join(["1"] * 26)) for _ in range(3)]
    assert shape(new_notebook(cells=long)) == [
        "a code cell of 26 lines (25)",
        "a code cell of 26 lines (25)",
        "a code cell of 26 lines (25)",
        "a median code cell of 26 lines (5)",
        "3 code cells in a row, from cell 1",
    ]


def test_a_calm_lesson_is_not_named():
    cells = [new_code_cell("1"), new_code_cell("2"), new_markdown_cell("Two.")]
    assert shape(new_notebook(cells=[*cells, new_code_cell("3")])) == []


def test_normal_form_keeps_what_was_shown_and_forgets_the_run():
    ran = new_notebook(
        metadata={
            "kernelspec": {"name": "mine", "display_name": "Mine"},
            "language_info": {"name": "python", "version": "3.13.0"},
            "widgets": {"state": {}},
        },
        cells=[
            new_markdown_cell("# 04 Cards\nWhere are we?"),
            new_code_cell(
                "print(1); view\n",
                execution_count=7,
                metadata={"execution": {"iopub": "today"}, "tags": ["demo"]},
                outputs=[
                    new_output("stream", name="stdout", text="1\n"),
                    new_output("stream", name="stdout", text="2\n"),
                    new_output(
                        "execute_result",
                        execution_count=7,
                        data={
                            "text/plain": "view",
                            "application/vnd.jupyter.widget-view+json": {"model_id": 1},
                        },
                    ),
                ],
            ),
        ],
    )
    normal = normal_form(ran)
    assert normal.metadata == {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    assert normal.cells == [
        {
            "cell_type": "markdown",
            "id": "04-cards-01",
            "metadata": {},
            "source": "# 04 Cards\nWhere are we?",
        },
        {
            "cell_type": "code",
            "id": "04-cards-02",
            "execution_count": 1,
            "metadata": {"tags": ["demo"]},
            "source": "print(1); view",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": "1\n2\n"},
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": "view"},
                },
            ],
        },
    ]
    assert normal_form(normal) == normal
    nbformat.validate(normal)


def test_the_same_heading_twice_gives_no_two_cells_one_name():
    cells = [new_markdown_cell(f"# {title}") for title in ["Ask", "Ask 01", "Ask", "?"]]
    names = [cell.id for cell in normal_form(new_notebook(cells=cells)).cells]
    assert names == ["ask-01", "ask-01-01", "ask-02", "top-01"]


def test_checking_names_the_file_and_the_difference_and_writes_nothing(
    tmp_path, capsys
):
    path = keep(one_cell(), tmp_path / "04_cards.ipynb")
    before = path.read_bytes()
    assert main(["--check"], [path]) == 1
    said = capsys.readouterr().err
    assert said.startswith("04_cards.ipynb is not in normal form:\n--- now\n")
    assert '+   "display_name": "Python 3"' in said
    assert path.read_bytes() == before


def test_windows_line_ends_are_not_normal(tmp_path):
    path = keep(normal_form(one_cell()), tmp_path / "04_cards.ipynb")
    assert differences(path) == ""
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert differences(path) == "line ends"


def test_rewriting_runs_the_cells_and_gives_normal_form(tmp_path, capsys):
    cells = [new_code_cell("print({'b', 'a'})"), new_code_cell("1 + 1")]
    path = keep(new_notebook(cells=cells), tmp_path / "04_cards.ipynb")
    assert main(["04"], [path]) == 0
    assert main(["04"], [path]) == 0
    assert capsys.readouterr().out == (
        "04_cards.ipynb: written\n04_cards.ipynb: as it was\n"
    )
    assert main(["--check"], [path]) == 0
    assert capsys.readouterr().out == "In normal form: 04_cards\n"
    shown = [output for cell in read(path).cells for output in cell.outputs]
    assert [shown[0].text in {"{'a', 'b'}\n", "{'b', 'a'}\n"}, shown[1].data] == [
        True,
        {"text/plain": "2"},
    ]


def test_rewriting_stops_at_a_cell_that_breaks_and_leaves_the_file(tmp_path, capsys):
    path = keep(one_cell("1 / 0"), tmp_path / "04_cards.ipynb")
    before = path.read_bytes()
    assert main([], [path]) == 1
    said = capsys.readouterr().err
    assert "04_cards.ipynb stopped at a cell" in said
    assert "1 / 0" in said
    assert path.read_bytes() == before


def test_rewriting_an_unknown_name_says_so(tmp_path, capsys):
    path = tmp_path / "05" / "notebooks" / "04_cards.ipynb"
    assert main(["05"], [path]) == 1
    assert capsys.readouterr().err == "No notebook has such a name.\n"


def compare(path):
    """Let nbval compare one notebook, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *NBVAL_ALONE, path.name],
        cwd=path.parent,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, [OFFLINE, ROOT]))}
        | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_nbval_finds_an_output_that_is_not_what_the_cell_shows(tmp_path):
    path = keep(normal_form(one_cell("1 + 1")), tmp_path / "04_cards.ipynb")
    assert main([], [path]) == 0
    assert compare(path)[0] == 0
    path.write_text(path.read_text().replace('"2"', '"3"'))
    code, said = compare(path)
    assert (code, "1 failed" in said) == (1, True)


def test_nbval_agrees_with_a_widget_whose_view_was_left_out(tmp_path):
    source = "import ipywidgets\nipywidgets.Label('folder has 3 messages')"
    path = keep(one_cell(source), tmp_path / "04_cards.ipynb")
    assert main([], [path]) == 0
    assert list(read(path).cells[0].outputs[0].data) == ["text/plain"]
    assert compare(path)[0] == 0
