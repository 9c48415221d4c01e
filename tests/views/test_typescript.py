"""The page's types of what it draws: made of the Python ones, never out of step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

from mingraph_lite.views.typescript import MADE, typescript

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "playground" / "src"

type Size = Literal["small", "big", 3]


class Box(TypedDict):
    """What things are put into.

    A box may stand in a box.
    """

    label: str
    weight: int | None
    open: bool
    size: Size
    colour: Literal["red"] | None
    boxes: list[Box]
    counts: dict[str, list[int | None]]


class Bare(TypedDict):
    box: Box


def run(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "mingraph_lite.views.typescript", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("file", MADE)
def test_the_page_has_the_types_that_python_has(file: str) -> None:
    committed = (PAGE / file).read_text("utf-8")
    assert committed == typescript(file, *MADE[file]), f"run: {committed.split('`')[1]}"


@pytest.mark.parametrize("file", MADE)
def test_the_first_line_of_a_file_says_how_to_make_it(
    file: str, tmp_path: Path
) -> None:
    committed = PAGE / file
    head = committed.read_text("utf-8").partition("\n")[0]
    assert (ROOT / head.split()[3]).is_file()
    assert head.split("`")[1].split() == [
        *("python", "-m", "mingraph_lite.views.typescript"),
        committed.relative_to(ROOT).as_posix(),
    ]
    made = tmp_path / file
    assert run(str(made)) == (0, "")
    assert made.read_bytes() == committed.read_bytes()


@pytest.mark.parametrize("asked", [[], ["other.ts"], ["frame.ts", "lines.ts"]])
def test_without_the_name_of_a_file_the_commands_are_told(asked: list[str]) -> None:
    command = "python -m mingraph_lite.views.typescript playground/src/"
    commands = "".join(f"{command}{file}\n" for file in MADE)
    assert run(*asked) == (1, f"Say which file to write, as here:\n{commands}")


def test_each_form_of_a_type_has_one_in_typescript() -> None:
    head, declared = typescript("frame.ts", Bare).split("\n", 1)
    assert head.startswith("// Made of mingraph_lite/views/frame_types.py by `")
    assert (
        declared
        == """
export interface Bare {
  box: Box
}

/**
 * What things are put into.
 *
 * A box may stand in a box.
 */
export interface Box {
  label: string
  weight: number | null
  open: boolean
  size: Size
  colour: "red" | null
  boxes: Array<Box>
  counts: Record<string, Array<number | null>>
}

export type Size = "small" | "big" | 3
"""
    )


def test_the_shapes_are_the_same_types_as_data() -> None:
    head, data = typescript("frame_shapes.ts", Bare).split("\n", 1)
    assert head.startswith("// Made of mingraph_lite/views/frame_types.py by `")
    assert (
        data
        == """\
import type { Shape } from './python/shape'

export const SHAPES: Record<string, Shape> = {
  Bare: { fields: {
    box: "Box",
  } },
  Box: { fields: {
    label: "string",
    weight: {"either": ["integer", "null"]},
    open: "boolean",
    size: "Size",
    colour: {"either": [{"oneOf": ["red"]}, "null"]},
    boxes: {"list": "Box"},
    counts: {"record": {"list": {"either": ["integer", "null"]}}},
  } },
  Size: {"oneOf": ["small", "big", 3]},
}
"""
    )


@pytest.mark.parametrize("kind", [bytes, tuple[int, str], dict[int, str], Any])
def test_a_type_without_a_form_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError) as refusal:
        typescript("frame.ts", kind)
    assert str(refusal.value) == (
        f"{kind!r} has no form in TypeScript here. Known are str, int, bool, None, "
        "list, dict with str as its key, Literal, TypedDict, a named type, and unions "
        "of these. Use one of them, or teach it to mingraph_lite/views/typescript.py."
    )
