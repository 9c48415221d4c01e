import ast
import subprocess
import sys
from pathlib import Path

import mingraph_lite
from tests.notebooks.environment import ROOT

PACKAGE = ROOT / "mingraph_lite"
# From the bottom up: a module imports only modules above it in this list.
ROOMS = [
    "errors",
    "messages",
    "llm",
    "menu",
    "coercion",
    "tools",
    "memory",
    "observers",
    "observation",
    "recovery",
    "limits",
    "done",
    "desk",
    "cards",
    "agent",
    "frames",
    "trace",
    "decisions",
    "replay",
    "steps",
    "graph",
    "checkpoints",
]
# They may import any core module and each other; no core module imports them.
SIDE = {
    "adapters",
    "classroom",
    "conversations",
    "endpoint",
    "faults",
    "lessons",
    "plots",
    "scenarios",
    "sent",
    "settings",
    "transports",
    "views",
    "widgets",
}
NEED_MORE = {"plots", "widgets"}

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
    """Return which modules of the package a module imports, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
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
                found.add(rest.partition(".")[0])
    return found


def above(name: str) -> set[str]:
    return set(ROOMS[: ROOMS.index(name)])


def rooms() -> dict[str, Path]:
    return {n: p for n in ROOMS if (p := PACKAGE / f"{n}.py").exists()}


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_module_has_its_place_in_the_house():
    found = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or p.is_dir()}
    assert found - {"__init__", "__pycache__", "py.typed"} <= {*ROOMS, *SIDE}


def test_a_module_imports_only_modules_above_it():
    found = {name: imported(path) - above(name) for name, path in rooms().items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_an_import_is_found_in_each_of_its_forms(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import mingraph_lite.cards\n"
        "from mingraph_lite.agent import Agent\n"
        "from mingraph_lite import tools\n"
        "from .memory import KeepAll\n"
        "def later():\n    from . import trace\n"
    )
    assert imported(module) == {"cards", "agent", "tools", "memory", "trace"}


def test_the_package_offers_a_sorted_list_of_names():
    assert mingraph_lite.__all__ == ["Agent", "ScriptedLLM", "ToolRegistry"]
    assert [n for n in mingraph_lite.__all__ if not hasattr(mingraph_lite, n)] == []


def test_each_module_offers_a_sorted_list_of_names_that_exist():
    for name, path in rooms().items():
        module = __import__(f"mingraph_lite.{name}", fromlist=["__all__"])
        assert list(module.__all__) == sorted(module.__all__), name
        assert [n for n in module.__all__ if not hasattr(module, n)] == [], path


def test_importing_does_nothing():
    side = {p.stem for p in PACKAGE.glob("*.py")} & (SIDE - NEED_MORE)
    names = ["mingraph_lite"] + [
        f"mingraph_lite.{n}" for n in [*rooms(), *sorted(side)]
    ]
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


def test_the_tree_is_clean_for_ruff():
    assert run("-m", "ruff", "check", "--quiet", ".") == (0, "")


def test_the_tree_is_formatted():
    assert run("-m", "ruff", "format", "--check", "--quiet", ".") == (0, "")


def test_the_package_is_typed():
    code, said = run("-m", "mypy", "--no-color-output")
    assert (code, said.partition(":")[0]) == (0, "Success"), said
