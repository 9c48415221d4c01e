"""Where .venv is missing or broken it is made, once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import making_venv
from start import Trouble, venv_works
from tests.launcher.folder import calls, script, start_in


def test_only_a_whole_environment_counts_as_one(tmp_path):
    made = tmp_path / "half"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)

    assert venv_works(Path(sys.executable))
    assert not venv_works(made / "bin/python")
    assert not venv_works(tmp_path / "absent/bin/python")
    assert not venv_works(script(tmp_path / "broken/bin/python", "exit 1"))


def test_a_half_made_environment_is_made_anew(place):
    script(place.python, "exit 1")
    (place.root / "pyproject.toml").unlink()

    status, lines = start_in(place.root, "notebooks")

    assert lines[0] == "The .venv that is here does not work, so it is made anew."
    assert venv_works(place.python)
    assert (status, lines[-1].startswith("start.py: ")) == (1, True)


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A Python from which Debian has taken what makes environments."""
    return str(script(tmp_path / "python3", 'echo "$@" >> "$0.calls"'))


def test_debians_missing_package_is_installed_where_that_is_allowed(
    place, children, bare, monkeypatch
):
    asked = []
    monkeypatch.setattr(
        making_venv, "apt_install", lambda *arguments: not asked.append(arguments[-1])
    )

    making_venv.make(place, children, bare, "python3.13-venv")

    assert asked == ["python3.13-venv"]
    assert calls(Path(bare)) == [f"-m venv {place.venv}"]


def test_debians_missing_package_is_named_where_it_is_not(
    place, children, bare, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))  # no apt-get, no uv

    with pytest.raises(Trouble) as trouble:
        making_venv.make(place, children, bare, "python3.13-venv")

    assert str(trouble.value) == (
        f"{bare} cannot make a virtual environment: install Debian's python3.13-venv "
        "(sudo apt-get install python3.13-venv), then start again."
    )


def test_uv_makes_the_environment_where_python_alone_cannot(
    place, children, bare, tmp_path, monkeypatch
):
    uv = script(tmp_path / "bin/uv", 'echo "$@" >> "$0.calls"')
    monkeypatch.setenv("PATH", str(uv.parent))

    making_venv.make(place, children, bare, "python3.13-venv")

    assert calls(uv) == [f"venv --seed --python {bare} {place.venv}"]


# What may stand in the way


def replaced(place, kind: str) -> None:
    """Put a file or a link where .venv would be."""
    place.python.unlink()
    place.scripts.rmdir()
    place.venv.rmdir()
    if kind == "file":
        place.venv.write_text("")
    else:
        target = place.root / "elsewhere"
        place.venv.symlink_to(target)
        if kind == "link":
            target.mkdir()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("file", ".venv is a file, where a folder is needed: move it away, then"),
        (
            "dangling",
            ".venv is a link to {}, which is not there: remove the link,",
        ),
        ("link", ".venv is a link to {}, where no working environment is: remove the"),
    ],
)
def test_what_stands_where_the_environment_should_is_named_and_kept(place, kind, words):
    replaced(place, kind)

    status, lines = start_in(place.root, "notebooks")

    sentence = f"start.py: {words.format(place.root / 'elsewhere')} "
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith(sentence)
    assert os.path.lexists(place.venv)
