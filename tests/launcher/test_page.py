"""The playground is built once, and again when a source changes."""

import os
import re
from pathlib import Path

import pytest

from launcher.lessons import page_beside
from launcher.node import find_npm
from launcher.page import Registry, build_page, page_inputs
from launcher.place import Place
from launcher.processes import Enough
from start import Trouble
from tests.launcher.folder import calls, script

SENTENCE_OF_PAGE = "The lessons work; the playground does not: "
CI, BUILD = "ci --no-audit", "run build"


@pytest.fixture
def npm(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A playground to build, and an npm that notes its calls."""
    folder = place.playground
    script(folder / "src/main.ts", "first")
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_text("{}")
    script(tmp_path / "bin/node", "echo v22.12.0")
    npm = script(
        tmp_path / "bin/npm",
        'echo "$1 $2" >> "$0.calls"',
        'if [ "$1" = ci ]; then rm -rf node_modules; mkdir node_modules; exit; fi',
        "rm -rf dist; mkdir dist; echo page > dist/index.html",
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return npm


def test_the_page_is_built_once_and_again_when_a_source_changes(place, children, npm):
    build_page(place, children)
    build_page(place, children)

    assert calls(npm) == [CI, BUILD]

    script(place.playground / "src/main.ts", "second")
    build_page(place, children)

    assert calls(npm) == [CI, BUILD, BUILD]


def test_a_page_or_packages_left_half_made_are_made_again(place, children, npm):
    build_page(place, children)
    (place.dist / ".built-from").unlink()
    (place.playground / "node_modules/.installed").unlink()
    build_page(place, children)

    assert calls(npm) == [CI, BUILD, CI, BUILD]


def test_what_a_build_leaves_behind_is_not_taken_for_a_source(place, npm):
    place.constraints.write_text("")
    left = ("node_modules/a.js", "dist/a.js", "build/a.js", "src/.a.js.swp")
    for name in left:
        script(place.playground / name, "made")

    names = [path.relative_to(place.root).as_posix() for path in page_inputs(place)]

    assert names == [
        "constraints.txt",
        "playground/package-lock.json",
        "playground/package.json",
        "playground/src/main.ts",
        "pyproject.toml",
    ]


@pytest.mark.parametrize("odd", ["#", "?", "[", "]", "{", "}", ":", "\\"])
def test_a_folder_in_which_the_page_cannot_be_built_is_named(place, children, odd):
    there = Place(place.root.rename(place.root.with_name(f"a{odd}b")))
    script(there.playground / "package.json", "{}")

    with pytest.raises(Trouble, match="whose path holds " + re.escape(odd)):
        build_page(there, children)


def test_a_failed_build_is_told_beside_the_lessons(place, children, npm, capsys):
    said = "echo 'no type ✓'"
    script(npm, '[ "$1" = ci ] && mkdir node_modules && exit', said, "exit 2")

    page_beside(place, children, 18000)

    assert capsys.readouterr().out.splitlines()[-2:] == [
        SENTENCE_OF_PAGE + "Building the playground failed. All it said is in "
        "build/logs/building-the-playground.log, which ends so:",
        "    no type ✓",
    ]


def test_without_a_playground_the_lessons_go_on(place, children, capsys):
    page_beside(place, children, 18000)

    assert capsys.readouterr().out.splitlines()[-1] == (
        SENTENCE_OF_PAGE
        + "playground/package.json is missing: get the whole project again."
    )


def test_a_registry_of_npm_that_does_not_answer_is_named_at_once(
    place, children, npm, capsys
):
    script(
        npm,
        "echo 'npm http fetch GET http://here/vite attempt 1 failed with ECONNREFUSED'",
        "echo 'npm http fetch GET http://here/vite attempt 2 failed with ECONNREFUSED'",
        "sleep 1.5",
        "echo 'npm error code ECONNREFUSED'",
        "exit 1",
    )

    with pytest.raises(Trouble) as trouble:
        build_page(place, children)

    assert str(trouble.value) == (
        "npm's registry was not reached: check the network, then start again (what is "
        "there already is kept). All it said is in "
        "build/logs/installing-the-packages-of-the-page.log, which ends so:\n"
        "    npm http fetch GET http://here/vite attempt 1 failed with ECONNREFUSED\n"
        "    npm http fetch GET http://here/vite attempt 2 failed with ECONNREFUSED\n"
        "    npm error code ECONNREFUSED"
    )
    told = [line.strip() for line in capsys.readouterr().out.splitlines()]
    again = [
        line for line in told if line.endswith("registry does not answer; trying again")
    ]
    assert len(again) == 1


def test_a_registry_that_never_answers_is_not_asked_for_every_package(
    place, children, npm
):
    failed = "npm http fetch GET http://here/$n attempt 1 failed with ETIMEDOUT"
    loop = f'for n in $(seq 16); do echo "{failed}"; done'
    script(npm, loop, "exec sleep 600")

    with pytest.raises(Trouble, match="npm's registry was not reached: check the"):
        build_page(place, children)


def test_a_registry_that_answers_now_and_then_is_given_time():
    registry = Registry()
    failed = "npm http fetch GET http://here/x attempt 1 failed with ETIMEDOUT"

    for _ in range(3):
        told = {registry.hear(failed) for _ in range(15)}
        assert told == {"npm's registry does not answer; trying again"}
        registry.hear("npm http fetch GET 200 http://here/x 12ms (cache miss)")
    with pytest.raises(Enough):
        [registry.hear(failed) for _ in range(16)]


def test_a_node_that_is_too_old_is_passed_over_for_a_wheel(
    place, children, npm, monkeypatch
):
    script(npm.with_name("node"), "echo v18.20.0")

    assert find_npm(place, children) == str(place.scripts / "npm")
    assert os.path.lexists(place.scripts / "node")

    script(npm.with_name("node"), "echo v20.19.0")
    assert find_npm(place, children) == str(npm)
