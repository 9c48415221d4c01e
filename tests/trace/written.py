"""Runs written into a trace, the same each time."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.observers import Announcer
from mingraph_lite.trace import TraceRecorder


def ticking() -> Callable[[], float]:
    """A clock on which an eighth of a second passes at each look."""
    eighths = count()
    return lambda: next(eighths) / 8


def recorder(path: Path, **options: Any) -> TraceRecorder:
    """A recorder whose ids and times are the same in every run."""
    fixed = {"run_id": "run", "clock": ticking(), "now": lambda: 1_700_000_000.5}
    return TraceRecorder(path, **{**fixed, **options})


def lines_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def named(lines: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The lines of one kind of announcement, without their stamps."""
    stamps = {"run", "seq", "step", "event", "ms"}
    return [
        {key: value for key, value in line.items() if key not in stamps}
        for line in lines
        if line["event"] == name
    ]


def announced(path: Path, name: str = "tick", /, **payload: Any) -> dict[str, Any]:
    """The line of one announcement of one's own."""
    return written(recorder(path), path, name, **payload)


def written(
    observer: TraceRecorder, path: Path, name: str, /, **payload: Any
) -> dict[str, Any]:
    Announcer([observer], run_id="r", agent="a").announce(name, **payload)
    return lines_of(path)[-1]


def agent(
    *script: Any, path: Path, tools: Any = (), prompt: str = "", **options: Any
) -> Agent:
    observer = recorder(path)
    return Agent(ScriptedLLM(script), [*tools], prompt, observers=[observer], **options)
