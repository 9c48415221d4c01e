import ast
import importlib
import importlib.metadata
import re
import subprocess
import symtable
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType

import mingraph_lite
from mingraph_lite import errors
from tests.notebooks.fixed_environment import ROOT

PACKAGE = ROOT / "mingraph_lite"
RECORDINGS = ROOT / "notebooks" / "data"
# From the bottom up: a file at the top imports only files above it, and `schema`.
TOP = [
    "errors",
    "endings",
    "messages",
    "llm",
    "tools",
    "mending",
    "memory",
    "observers",
    "limits",
    "recovery",
    "observation",
    "done",
    "record",
    "desk",
    "cards",
    "own_cards",
    "agent",
    "telling",
    "trace",
    "transcripts",
    "decisions",
    "replay",
    "steps",
    "graph",
    "checkpoints",
]
# What lessons use and do not teach: each may import any file at the top, and the
# folders above it in this list. `schema` stands below them all and knows errors only.
FOLDERS = ["schema", "adapters", "traces", "lab", "views", "own_code", "classroom"]
NEED_MORE = {"lines_to_order", "plots", "question_card", "text_twin", "widgets"}
# A lesson's file is opened by its name, and offers nothing to import.
ASKED_BY_NAME = {"lessons"}
# A model's name dies with the model; a lesson that holds one dies with it.
FAMILIES = (
    "claude|codestral|command-r|deepseek|gemini|gemma|gpt|grok|kimi|llama|ministral|"
    "mistral|mixtral|phi|qwen|smollm"
)
MODEL_ID = re.compile(
    rf"(?i)\b(?:(?:{FAMILIES})(?:[-_:]?v?\d|-(?!server)[a-z])|o\d-(?:mini|pro))"
    r"[\w.:-]*"
)

IMPORT_DOES_NOTHING = """
import builtins, importlib, json, os, sys

names = sys.argv[1:]
for name in names:  # what the package stands on is loaded first, unwatched
    importlib.import_module(name)
heavy = sorted({"urllib3", "ipywidgets", "anywidget", "matplotlib"} & set(sys.modules))
for name in [n for n in sys.modules if n.partition(".")[0] == "mingraph_lite"]:
    del sys.modules[name]

done, watching = [], True
ACTS = ("os.mkdir", "os.rename", "os.remove", "subprocess.Popen", "socket.__new__")

def watch(event, arguments):
    if watching and event == "open" and isinstance(arguments[1], str):
        if set("wax+") & set(arguments[1]):
            done.append(f"writes {arguments[0]}")
    elif watching and event in ACTS:
        done.append(event)

class Watched(type(os.environ)):
    def __init__(self, real):
        self.__dict__.update(real.__dict__)
    def __getitem__(self, key):
        done.append(f"reads {key}")
        return super().__getitem__(key)

sys.addaudithook(watch)
real, os.environ = os.environ, Watched(os.environ)
for name in names:
    importlib.import_module(name)
watching, os.environ = False, real
print(json.dumps([heavy, done]))
"""


def imported(module: Path) -> set[str]:
    """Return what a module imports of the package, at any depth of its code.

    What runs where the module is a command is another program, and no part of it.
    """
    found = set()
    tree = ast.parse(module.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not is_command(node)]
    for node in ast.walk(tree):
        names = [alias.name for alias in getattr(node, "names", [])]
        if isinstance(node, ast.ImportFrom):
            # `from mingraph_lite import x` and `from . import x` name modules.
            base = node.module or ""
            base = f"mingraph_lite.{base}".rstrip(".") if node.level else base
            names = [f"{base}.{name}" for name in names]
        elif not isinstance(node, ast.Import):
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "mingraph_lite" and rest:
                found.add(rest)
    return found


def is_command(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == (
        "__name__ == '__main__'"
    )


def imported_from_outside(module: Path) -> set[str]:
    """Return the packages that a file imports, but for Python's own and ours."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found - sys.stdlib_module_names - {"mingraph_lite"}


def canonical(requirement: str) -> str:
    """Return the name in a requirement, as an index writes it."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def named_by(distributions: list[str]) -> set[str]:
    return {canonical(name) for name in distributions}


def rooms_of(module: Path) -> set[str]:
    """Return the files at the top and the folders that a module imports."""
    return {name.partition(".")[0] for name in imported(module)}


def allowed(room: str) -> set[str]:
    """Return the rooms that a room may import."""
    if room in TOP:
        return {"schema", *TOP[: TOP.index(room)]}
    if room == "schema":
        return {"schema", "errors"}
    return {*TOP, *FOLDERS[: FOLDERS.index(room) + 1]}


def found_rooms() -> list[str]:
    """Return the rooms that are there, in the order of the alphabet."""
    found = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or p.is_dir()}
    return sorted(found - {"__init__", "__pycache__"})


def listed_rooms(text: str) -> list[str]:
    """Return the rooms that a text lists, a line each, in the same order."""
    return sorted(re.findall(r"^    (\w+)/? {2,}\S", text, re.MULTILINE))


def leads_to_itself(leads_to: dict[str, set[str]]) -> set[str]:
    """Return the modules from which a way of imports leads back to them."""
    reached = {name: {*names} for name, names in leads_to.items()}
    for between in reached:
        for names in reached.values():
            if between in names:
                names |= reached[between]
    return {name for name, names in reached.items() if name in names}


def modules(*without: str) -> dict[str, Path]:
    """Return every module by its name, but for some and what is inside them."""
    paths = {p.relative_to(ROOT).with_suffix(""): p for p in PACKAGE.rglob("*.py")}
    return {
        ".".join(place.parts).removesuffix(".__init__"): path
        for place, path in sorted(paths.items())
        if not {*without} & {*place.parts}
    }


def made_in(code: str) -> set[str]:
    """Return the public names that a module makes itself."""
    names = symtable.symtable(code, "module", "exec").get_symbols()
    made = {n.get_name() for n in names if n.is_assigned() and not n.is_imported()}
    return {name for name in made if not name.startswith("_")}


def listed(module: ModuleType) -> list[str]:
    """Return what a module says it offers; a folder's own file may offer nothing."""
    return list(vars(module).get("__all__", []))


def as_ruff_sorts(name: str) -> tuple[bool, bool, str]:
    """Constants come first, then classes, then the rest."""
    return not name.isupper(), not name[0].isupper(), name


def long_beginnings(code: str) -> list[str]:
    """Return first docstring lines that are no answer in at most 12 words."""
    tree = ast.parse(code)
    public = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    said = [text for n in [tree, *public] if (text := ast.get_docstring(n))]
    beginnings = [text.partition("\n\n")[0] for text in said]
    return [b for b in beginnings if len(b.split()) > 12 or "\n" in b]


def model_ids(text: str) -> list[str]:
    """Return the model ids in a text; a picture's letters are no words."""
    lines = [line for line in text.splitlines() if '"image/png":' not in line]
    return MODEL_ID.findall("\n".join(lines))


def told() -> Iterator[Path]:
    """What a learner is told from: the package, the lessons and the page.

    A recording names the model it is of, and outlives it.
    """
    for top in (PACKAGE, ROOT / "notebooks", ROOT / "playground" / "src"):
        for path in sorted(top.rglob("*")):
            hidden = {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
            if path.is_file() and not hidden and RECORDINGS not in path.parents:
                yield path


def recorded() -> set[str]:
    """Return the models of the recordings, as these name them."""
    texts = [path.read_text("utf-8") for path in RECORDINGS.glob("*.jsonl")]
    return {id for text in texts for id in re.findall(r'"model": "([^"]+)"', text)}


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_room_has_its_place_in_the_house():
    assert {*found_rooms()} <= {*TOP, *FOLDERS}


def test_imports_look_one_way():
    wrong = {}
    for name, path in modules().items():
        room = name.removeprefix("mingraph_lite").removeprefix(".").partition(".")[0]
        if room and (found := rooms_of(path) - allowed(room)):
            wrong[name] = found
    assert wrong == {}


def test_no_way_of_imports_leads_back():
    paths = {n.removeprefix("mingraph_lite."): p for n, p in modules().items()}
    leads_to = {}
    for name, path in paths.items():
        found = {
            place if place in paths else place.rpartition(".")[0]
            for place in imported(path)
        }
        leads_to[name] = found & {*paths} - {name}
    assert leads_to_itself(leads_to) == set()


def test_a_way_that_leads_back_is_found():
    ways = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}
    assert leads_to_itself(ways) == {"b", "c"}


def test_an_import_is_found_in_each_of_its_forms(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import mingraph_lite.cards\n"
        "from mingraph_lite.agent import Agent\n"
        "from mingraph_lite import tools\n"
        "from .memory import KeepAll\n"
        "def later():\n    from . import trace\n"
        "if __name__ == '__main__':\n    from mingraph_lite.traces import x\n"
    )
    assert rooms_of(module) == {"cards", "agent", "tools", "memory", "trace"}


def test_one_import_offers_what_a_first_program_needs():
    offered = {*mingraph_lite.__all__}
    raised = {n for n in errors.__all__ if isinstance(getattr(errors, n), type)}
    assert raised - offered == set()
    assert offered - raised == {
        *("Agent", "ScriptedLLM", "LLMResponse", "ToolRegistry", "ToolCall"),
        *("SystemMessage", "UserMessage", "AssistantMessage", "ToolMessage"),
        *("Observer", "Recorder", "ConsoleLogger", "KeepAll", "LastN"),
        *("Summarise", "TraceRecorder", "Transcript", "read_trace"),
    }


def test_the_package_lists_its_rooms_each_with_a_line():
    assert listed_rooms(mingraph_lite.__doc__ or "") == found_rooms()


def test_a_list_of_rooms_is_read_as_it_stands():
    text = "Rooms.\n\n    desk     where: it is\n    lab/     what: else\n  no  room"
    assert listed_rooms(text) == ["desk", "lab"]


def test_whoever_adds_no_tool_does_not_load_pydantic():
    code = "import sys, mingraph_lite\nprint({'pydantic', 'logging'} & {*sys.modules})"
    assert run("-c", code) == (0, "set()\n")


def test_each_module_offers_a_sorted_list_of_names_that_exist():
    for name in modules(*ASKED_BY_NAME):
        module = importlib.import_module(name)
        names = listed(module)
        assert names == sorted(names, key=as_ruff_sorts), name
        assert [n for n in names if not hasattr(module, n)] == [], name


def test_each_module_lists_every_public_name_that_it_makes():
    unlisted = {}
    for name, path in modules(*ASKED_BY_NAME).items():
        module = importlib.import_module(name)
        made = made_in(path.read_text("utf-8")) & vars(module).keys()
        unlisted[name] = sorted(made - {*listed(module)})
    assert {name: names for name, names in unlisted.items() if names} == {}


def test_a_public_name_is_found_in_each_of_its_forms():
    code = (
        "import os\nfrom re import match\n__all__ = []\n_own, first = 1, 2\n"
        "type Text = str\nLIMIT: int = 3\ndef act(x): y = x\nclass Thing: z = 1\n"
        "if LIMIT:\n    second = 4\n"
    )
    assert made_in(code) == {"LIMIT", "Text", "Thing", "act", "first", "second"}


def test_each_module_and_class_says_what_it_is_for_in_one_short_line():
    long = {
        name: long_beginnings(path.read_text("utf-8"))
        for name, path in modules().items()
    }
    assert {name: lines for name, lines in long.items() if lines} == {}


def test_a_long_beginning_is_found():
    short = "one two three four five six seven eight nine ten eleven twelve"
    code = f'"""{short} 13.\n\nMore."""\nclass A:\n    """{short}\n\n    More."""\n'

    assert long_beginnings(code + 'class B:\n    """Two\n    lines."""\n') == [
        f"{short} 13.",
        "Two\nlines.",
    ]


def test_no_model_has_its_name_in_a_lesson_or_in_the_core():
    found = {p: model_ids(p.read_text("utf-8", errors="replace")) for p in told()}
    notebooks = (ROOT / "notebooks").glob("*.ipynb")
    for path in notebooks:  # what a lesson prints of a recording names its model too
        found[path] = [id for id in found[path] if id not in recorded()]
    assert {p.relative_to(ROOT): ids for p, ids in found.items() if ids} == {}


def test_the_name_of_a_model_is_found():
    ids = (
        "gpt-4o-mini claude-sonnet-4-5 llama-3.1 Llama3 qwen2.5:0.5b gemini-2.5-pro "
        "mistral-small deepseek-chat o4-mini SmolLM2-135M-Instruct gpt-oss:20b phi-4"
    )
    names = "llama.cpp's llama-server, Ollama, DeepSeek's, Mistral sends; GPT, gpt_key"

    assert model_ids(f'"{ids}" {names}\n"image/png": "+phi3/gpt4+"') == ids.split()


def test_importing_does_nothing():
    names = [*modules(*NEED_MORE)]
    assert "mingraph_lite.classroom.lessons.00_start_here" in names
    assert run("-B", "-c", IMPORT_DOES_NOTHING, *names) == (0, "[[], []]\n")


def test_an_import_that_does_something_is_found(tmp_path):
    (tmp_path / "busy.py").write_text(
        "import os, urllib3\nos.environ.get('HOME')\n"
        "open(os.devnull, 'w').close()\nprint('hello')\n"
    )
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    watched = IMPORT_DOES_NOTHING.replace('== "mingraph_lite"', '== "busy"')
    assert run("-B", "-c", path + watched, "busy") == (
        0,
        'hello\nhello\n[["urllib3"], ["reads HOME", "writes /dev/null"]]\n',
    )


def test_whatever_is_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    named = [*project["dependencies"], *extras]
    # pydantic names the one version of its compiled half; every .venv has a pip.
    declared = {canonical(name) for name in named} | {"pydantic-core", "pip"}
    brought_by = importlib.metadata.packages_distributions()
    undeclared = {}
    for top in ("mingraph_lite", "launcher", "tests"):
        for path in sorted((ROOT / top).rglob("*.py")):
            outside = imported_from_outside(path) & brought_by.keys()
            unnamed = {n for n in outside if not named_by(brought_by[n]) & declared}
            if unnamed:
                undeclared[path.relative_to(ROOT).as_posix()] = unnamed
    assert undeclared == {}


def test_the_tree_is_clean_for_ruff():
    assert run("-m", "ruff", "check", "--quiet", ".") == (0, "")


def test_the_tree_is_formatted():
    assert run("-m", "ruff", "format", "--check", "--quiet", ".") == (0, "")
