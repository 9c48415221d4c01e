"""What is installed is asked, not a note of long ago."""

from pathlib import Path

import pytest

from launcher.requirements import asked_for, installed_from, missing
from tests.launcher.folder import package, packages


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    package(
        folder, "alpha", "1.0", "beta>=2", 'gamma; extra == "more"', extras=("more",)
    )
    package(folder, "beta", "2.1", 'delta; python_version < "3"', "a-lpha")
    package(folder, "a-lpha", "0.5", "alpha")
    return folder


@pytest.mark.parametrize(
    ("asked", "wanting"),
    [
        (["alpha"], []),
        (["alpha>=1,<2"], []),
        (["alpha>=2"], ["alpha>=2"]),
        (["alpha[more]"], ['gamma; extra == "more"']),
        (["absent; python_version < '3'"], []),
        (["absent", "beta<2"], ["absent", "beta<2"]),
    ],
)
def test_all_that_is_needed_is_asked_for_to_its_last_dependency(site, asked, wanting):
    assert missing(asked, find=packages(site)) == wanting


def test_what_a_dependency_needs_is_seen(site):
    package(site, "epsilon", "1", "zeta>=3")

    assert missing(["epsilon"], find=packages(site)) == ["zeta>=3"]
    assert missing(["epsilon"], deep=False, find=packages(site)) == []


def test_a_package_without_its_list_of_files_is_half_installed(site):
    package(site, "half", "1", whole=False)

    assert missing(["half"], find=packages(site)) == ["half"]


def test_extras_of_our_own_are_followed_to_their_lines(place):
    assert asked_for(place, "test") == [
        "pydantic>=2",
        "pytest>=8",
        "jupyterlab>=4",
        "build>=1.2",
        "hatchling",
    ]
    assert asked_for(place, "page", core=False) == ["build>=1.2", "hatchling"]


def test_the_package_counts_only_as_the_one_in_this_folder(place, site, tmp_path):
    assert not installed_from(place, packages(site))

    editable = {"dir_info": {"editable": True}}
    for number, origin in enumerate((place.root, tmp_path)):
        folder = tmp_path / str(number)
        found = editable | {"url": origin.as_uri()}
        package(folder, "mingraph_lite", "0.1.0", origin=found)

    seen = [installed_from(place, packages(tmp_path / str(n))) for n in (0, 1)]
    assert seen == [True, False]


def test_what_runs_these_tests_is_complete_as_it_is():
    from launcher.place import Place
    from tests.launcher.folder import ROOT

    assert missing(asked_for(Place(ROOT), "test")) == []
