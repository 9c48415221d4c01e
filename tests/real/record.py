"""Record runs of a real model, for lesson 07.

    python -m tests.real.record --out notebooks/data

The model is the small one of `llama_server`, on loopback. It is asked one question
again and again. The runs of a file differ in nothing but the seed, from 1 on, and the
two files in nothing but what get_weather returns: run 3 of each has the same seed.

All runs begin with the same prompt. What the server still knows of one changes its sums
a little, so it is told to keep nothing, and who records again gets the same replies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from mingraph_lite import Agent, MingraphError
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.lab.scenarios import to_fahrenheit
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.traces.many_runs import table_of
from tests.real.fixture import LlamaServer, running

__all__ = ["FILES", "figures", "main", "record"]

QUESTION: Final = "What is the temperature in Paris, in Fahrenheit?"
PROMPT: Final = "Use the tools. Never do the arithmetic yourself."
SETTINGS: Final[dict[str, Any]] = {
    "tools_as": "json",
    "temperature": 1.0,
    "max_tokens": 60,
    "extra": {"cache_prompt": False},
}
ROUNDS: Final = 4


def bare() -> Callable[[str], str]:
    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        return "18"

    return get_weather


def with_unit() -> Callable[[str], str]:
    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        return "18°C"

    return get_weather


FILES: Final = {"returns_18": bare, "returns_18_celsius": with_unit}
"""What a file is called, and the tool of its runs."""


def record(server: LlamaServer, out: Path, runs: int) -> list[Path]:
    """Ask `runs` times with each tool; the files that were written."""
    return [
        _file(server, out / f"{name}.jsonl", make(), runs)
        for name, make in FILES.items()
    ]


def _file(server: LlamaServer, path: Path, tool: Any, runs: int) -> Path:
    path.unlink(missing_ok=True)
    for seed in range(1, runs + 1):
        model = OpenAIChat(server.model, server.base_url, seed=seed, **SETTINGS)
        recorder = TraceRecorder(path, run_id=f"{path.stem}-{seed}", strict=True)
        tools = [tool, to_fahrenheit]
        agent = Agent(model, tools, PROMPT, observers=[recorder], max_steps=ROUNDS)
        with suppress(MingraphError):  # how it ended stands in the file
            agent.run(QUESTION)
    return path


def figures(path: Path) -> str:
    """What the runs of a file came to, counted, and each answer that was given."""
    trace = read_trace(path)
    answers = [repr(run.answer) for run in trace.runs if run.answer is not None]
    table = table_of((trace.run(run.id) for run in trace.runs), ["64"])
    return f"{table}\nanswers: {', '.join(answers) or 'none'}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Start the model, and record."""
    options = argparse.ArgumentParser(
        prog="python -m tests.real.record", description="Record runs of a real model."
    )
    options.add_argument(
        "--out", type=Path, required=True, help="a folder; what is there is replaced"
    )
    options.add_argument("--runs", type=int, default=12, help="of each tool")
    chosen = options.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    with running() as server:
        for path in record(server, chosen.out, chosen.runs):
            print(f"{path.name}\n{figures(path)}\n")  # noqa: T201


if __name__ == "__main__":
    main()
