"""What the README says is so: its names, its paths, its program."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import mingraph_lite
from mingraph_lite.lab.habits import SERVERS
from tests.notebooks.fixed_environment import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "mingraph_lite"
TO_COME = {"views/plots.py"}  # named, so that it gets that name


def section(title: str) -> str:
    """Return what stands under a heading, up to the next of any kind."""
    return re.split(r"^#+ .*\n", README.partition(f"# {title}\n")[2], flags=re.M)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def found(name: str) -> bool:
    """Tell whether a name stands for something: `Agent`, `llm.LLM`, `Card.run`."""
    first, *rest = name.removesuffix("()").split(".")
    names = [*modules(), "mingraph_lite.adapters"]
    places = [mingraph_lite, *map(importlib.import_module, names)]
    for place in places:
        thing = getattr(place, first, None)
        for part in rest:
            thing = getattr(thing, part, None)
        if thing is not None:
            return True
    return False


def modules() -> list[str]:
    return [f"mingraph_lite.{path.stem}" for path in sorted(PACKAGE.glob("[a-z]*.py"))]


def test_the_run_in_the_readme_prints_what_stands_below_it():
    code, shown = README.partition("```python\n")[2].split("```\n\n```\n")[:2]
    expected = shown.partition("```")[0]

    done = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert done == expected
    assert len([line for line in code.splitlines() if line]) <= 15


def test_the_rooms_are_those_of_the_package_in_its_order():
    named = [code(first)[0] for first, *_ in rows(section("The rooms")) if "`" in first]
    own = re.findall(r"^    (\w+/?)  ", mingraph_lite.__doc__, re.M)
    assert named == own


def test_each_word_has_a_name_that_is_there():
    names = [name for _, here, *_ in rows(section("The words")) for name in code(here)]
    here = {"id", "max_steps", "step"}  # of a slip, of Agent, of a card
    fields = {"agent.memory.folder", "agent.steps()"}  # of an agent that was made
    assert names != []
    assert [n for n in names if n not in here | fields and not found(n)] == []


def test_a_name_that_is_not_there_is_missed():
    assert found("llm.LLM")
    assert found("Agent.steps()")
    assert not found("llm.Oracle")
    assert not found("Card.walk")


def test_each_path_to_begin_in_is_there():
    named = [
        p for _, where in rows(section("Where to change what")) for p in code(where)
    ]
    paths = {p for p in named if "/" in p or p.endswith((".py", ".toml"))}
    paths -= {p for p in paths if p.startswith("python3 ")} | TO_COME
    tops = (PACKAGE, ROOT)
    assert len(paths) > 10
    assert [
        p for p in sorted(paths) if not any((top / p).exists() for top in tops)
    ] == []


def test_what_is_shown_and_linked_is_there():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links != []
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_each_lesson_that_is_there_is_listed_and_no_other_is_said_to_be():
    listed = {
        f"{match[1]}_{match[2].replace(' ', '_')}.ipynb"
        for _, name, minutes, what in rows(section("The lessons"))
        if what != "*coming*" and (match := re.match(r"(\d\db?) ([a-z ]+)", name))
    }
    assert listed == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_the_licence_is_the_owners_to_choose():
    names = {path.name.lower() for path in ROOT.iterdir()}
    held = {Path(name).stem for name in names} & {"license", "licence", "copying"}
    packages = [ROOT / "pyproject.toml", ROOT / "playground/package.json"]
    claims = [p for p in packages if re.search("licen[cs]e", p.read_text("utf-8"))]
    assert ("There is no licence yet" in README) == (not held and not claims)


def test_each_server_that_can_be_played_stands_there_with_its_habits():
    played = {
        title: (how, code(habits))
        for title, how, habits in rows(section("Servers"))
        if how.startswith("played")
    }
    assert played == {
        server.title: (
            f"played: `--like {server.name}`",
            [habit.name for habit in server.habits],
        )
        for server in SERVERS.values()
    }


def test_the_readme_says_that_no_hosted_provider_was_met():
    assert "**Nothing here has met a hosted provider.**" in section("Servers")
