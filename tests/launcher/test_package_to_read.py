"""The package's files lie where a lesson can link to them, and nothing is lost."""

import os
import stat
from pathlib import Path

import pytest

from launcher.copies import copy_lessons
from launcher.package_to_read import lay_package
from launcher.place import Place
from tests.launcher.folder import ROOT, notebook


def laid(place: Place) -> list[str]:
    """Lay the package: what was said."""
    said = []
    lay_package(place, said.append)
    return said


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path) -> dict[str, str]:
    """Read all that a learner sees in a folder, but for the notes."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in files]
    read = {name: (folder / name).read_text("utf-8") for name in names}
    return {name: text for name, text in read.items() if name[0] != "."}


@pytest.fixture
def package(place: Place) -> Path:
    """A small package, laid; the folder that the learner sees."""
    write(place.package / "__init__.py", '"""Where to begin."""\n')
    write(place.package / "cards.py", "# Grüße\nclass Card: ...\n")
    write(place.package / "lab/reading_llm.py", "class ReadingLLM: ...\n")
    write(place.package / "classroom/lessons/04_cards.py", "SOLUTION = 4\n")
    write(place.package / "views/buttons.js", "export {}\n")
    place.lessons.mkdir()
    assert laid(place) == []
    return place.lessons / "package"


def test_the_modules_lie_there_as_they_are_and_give_no_answer_away(place, package):
    about = (package / "README.md").read_text("utf-8")

    assert "each start lays them" in about
    assert read(package) == {
        "README.md": about,
        "cards.py": "# Grüße\nclass Card: ...\n",
        "lab/reading_llm.py": "class ReadingLLM: ...\n",
    }
    same = (package / "cards.py").read_bytes()
    assert same == (place.package / "cards.py").read_bytes()


def test_they_are_read_only_and_the_originals_are_not(place, package):
    write(place.package / "cards.py", "newer = 1\n")
    for _ in range(2):
        laid(place)
        modes = {
            stat.S_IMODE(os.stat(package / name).st_mode) for name in read(package)
        }
        assert modes == {0o444}
    assert os.stat(place.package / "cards.py").st_mode & stat.S_IWUSR


def test_each_start_lays_what_is_newer_and_takes_away_what_is_gone(place, package):
    write(place.package / "cards.py", "newer = 1\n")
    write(place.package / "graph.py", "new = 1\n")
    (place.package / "lab/reading_llm.py").unlink()
    (package / "README.md").unlink()

    assert laid(place) == []
    assert read(package) == {
        "README.md": read(package)["README.md"],
        "cards.py": "newer = 1\n",
        "graph.py": "new = 1\n",
    }


def test_what_the_learner_wrote_there_is_never_lost(place, package):
    write(package / "notes.py", "mine")
    (package / "cards.py").chmod(0o644)
    write(package / "cards.py", "mine too")
    write(package / "desk.py", "mine, and there first")
    write(place.package / "cards.py", "newer = 1\n")
    write(place.package / "desk.py", "new = 1\n")
    (place.package / "lab/reading_llm.py").unlink()
    (package / "lab/reading_llm.py").chmod(0o644)
    write(package / "lab/reading_llm.py", "mine as well")
    before = read(package)

    stays = "is yours, and stays: rename it, and the next start brings ours."
    said = [f"package/{name} {stays}" for name in ("cards.py", "desk.py")]
    assert (laid(place), laid(place)) == (said, said)
    assert read(package) == before


@pytest.mark.parametrize("what", ["file", "link", "dead link"])
def test_what_stands_where_the_folder_should_be_stays(place, what):
    write(place.package / "cards.py", "class Card: ...\n")
    place.lessons.mkdir()
    folder = place.lessons / "package"
    if what == "file":
        folder.write_text("mine")
    else:  # the originals themselves, which must not become read-only
        folder.symlink_to(place.package if what == "link" else place.root / "absent")

    assert laid(place) == [
        "package is yours, and stays: rename it, and the next start brings ours."
    ]
    assert folder.is_symlink() == (what != "file")
    assert os.stat(place.package / "cards.py").st_mode & stat.S_IWUSR


@pytest.mark.parametrize("what", ["file", "link", "folder"])
def test_what_stands_where_one_of_ours_should_be_stays(place, what):
    write(place.package / "lab/faults.py", "deck = 1\n")
    write(place.package / "cards.py", "class Card: ...\n")
    folder = place.lessons / "package"
    folder.mkdir(parents=True)
    if what == "file":
        (folder / "lab").write_text("mine")
    elif what == "link":
        (folder / "lab").symlink_to(place.package / "lab")
    else:
        write(folder / "lab/faults.py/mine.py", "mine")

    assert laid(place) == [
        "package/lab/faults.py is yours, and stays: rename it, and the next start "
        "brings ours."
    ]
    assert (folder / "cards.py").exists()
    assert os.stat(place.package / "lab/faults.py").st_mode & stat.S_IWUSR


def test_the_notes_on_the_learners_copies_know_nothing_of_it(place, package):
    notebook(place.notebooks / "04_cards.ipynb")
    said = []
    copy_lessons(place, said.append)
    lay_package(place, said.append)
    copy_lessons(place, said.append)

    assert said == []
    assert "package" not in (place.lessons / ".copies.json").read_text("utf-8")


def test_no_file_of_the_real_package_is_missing_but_those_that_give_answers(tmp_path):
    place = Place(tmp_path)
    place.package.symlink_to(ROOT / "mingraph_lite")
    place.lessons.mkdir()
    laid(place)

    names = set(read(place.lessons / "package"))
    assert {"cards.py", "memory.py", "lab/played.py", "schema/__init__.py"} <= names
    assert [n for n in names if n.startswith("classroom") or n == "__init__.py"] == []
    assert [n for n in names if not n.endswith(".py")] == ["README.md"]
