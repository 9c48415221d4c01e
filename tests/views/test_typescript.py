"""The page's types of a frame: made of the Python ones, and never out of step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

from mingraph_lite.views.frame_types import Frame, Panel
from mingraph_lite.views.typescript import typescript

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "playground" / "src" / "frame.ts"

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


def test_the_page_has_the_types_that_python_has() -> None:
    command = COMMITTED.read_text("utf-8").split("`")[1]
    assert COMMITTED.read_text("utf-8") == typescript(Frame, Panel), f"run: {command}"


def test_the_first_line_of_the_file_says_how_to_make_it(tmp_path: Path) -> None:
    command = COMMITTED.read_text("utf-8").partition("\n")[0].split("`")[1]
    assert command.split() == [
        *("python", "-m", "mingraph_lite.views.typescript"),
        str(COMMITTED.relative_to(ROOT).as_posix()),
    ]
    made = tmp_path / "frame.ts"
    assert run(str(made)) == (0, "")
    assert made.read_bytes() == COMMITTED.read_bytes()
    assert run() == (1, f"Say which file to write, as here:\n{command}\n")


def test_each_form_of_a_type_has_one_in_typescript() -> None:
    head, declared = typescript(Bare).split("\n", 1)
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


@pytest.mark.parametrize("kind", [bytes, tuple[int, str], dict[int, str], Any])
def test_a_type_without_a_form_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError) as refusal:
        typescript(kind)
    assert str(refusal.value) == (
        f"{kind!r} has no form in TypeScript here. Known are str, int, bool, None, "
        "list, dict with str as its key, Literal, TypedDict, a named type, and unions "
        "of these. Use one of them, or teach it to mingraph_lite/views/typescript.py."
    )
