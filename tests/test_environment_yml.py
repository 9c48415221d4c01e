"""environment.yml is for conda and Binder, and agrees with pyproject.toml."""

import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def ranges(lines: list[str]) -> dict[str, SpecifierSet]:
    requirements = map(Requirement, lines)
    return {canonicalize_name(r.name): r.specifier for r in requirements}


def from_conda() -> list[str]:
    return [line for line in CONDA["dependencies"] if isinstance(line, str)]


def from_pip() -> list[str]:
    return next(x for x in CONDA["dependencies"] if isinstance(x, dict))["pip"]


def test_conda_takes_only_what_pip_cannot_bring():
    names = [line.replace(">", "=").split("=")[0] for line in from_conda()]

    assert names == ["python", "nodejs", "pip"]
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]
    assert CONDA["name"] == PROJECT["name"]


def test_the_python_is_pinned_to_a_minor_that_the_package_supports():
    name, version = from_conda()[0].split("=")

    assert (name, version.count(".")) == ("python", 1)
    assert SpecifierSet(PROJECT["requires-python"]).contains(f"{version}.0")


def test_the_node_is_one_that_the_playground_builds_with():
    from launcher.node import NODE_NEEDED

    version = from_conda()[1].removeprefix("nodejs>=").split(".")

    assert tuple(map(int, version)) >= NODE_NEEDED


def test_the_package_is_installed_from_here_with_extras_that_exist():
    editable, extras = from_pip()[0].rstrip("]").split("[")

    assert editable == "-e ."
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


def test_every_package_has_the_range_of_pyproject():
    listed = ranges(from_pip()[1:])
    groups = PROJECT["optional-dependencies"].values()
    ours = ranges([line for group in groups for line in group])

    assert listed == {name: ours.get(name) for name in listed}
    assert {"jupyterlab", "ipywidgets", "pyodide-build", "matplotlib", "nbval"} <= set(
        listed
    )


def test_what_is_listed_can_be_imported_by_the_python_that_runs_this():
    from importlib.metadata import version

    wrong = {
        name: version(name)
        for name, allowed in ranges(from_pip()[1:]).items()
        if version(name) not in allowed
    }

    assert wrong == {}
    assert sys.version_info >= (3, 12)
