"""Small runs in a trace, the same each time."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mingraph_lite import Agent, MingraphError, ScriptedLLM
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit
from mingraph_lite.messages import ToolCall
from mingraph_lite.trace import TracedRun, read_trace
from tests.trace.written import recorder

QUESTION = "How warm is it in Paris, in Fahrenheit?"
PROMPT = "Use the tools."
PARIS = ToolCall("get_weather", {"city": "Paris"}, "c1")
EIGHTEEN = ToolCall("to_fahrenheit", {"celsius": 18}, "c2")
RIGHT = [PARIS, EIGHTEEN, "It is 64°F in Paris."]
IN_THE_HEAD = [PARIS, "It is 65°F in Paris."]
MISREAD = [PARIS, "It is 18°F in Paris."]
INVENTED = [ToolCall("to_fahrenheit", {"celsius": 10}, "c1"), "It is 50°F in Paris."]
FOR_EVER = [PARIS, PARIS, PARIS]


def write(
    path: Path,
    *scripts: Iterable[Any],
    tools: Iterable[Any] = (get_weather, to_fahrenheit),
    question: str = QUESTION,
    run_id: str = "run",
    **options: Any,
) -> Path:
    """One run for each script, all in one file; a run may end with an error."""
    observer = recorder(path, run_id=run_id)
    for script in scripts:
        agent = Agent(
            ScriptedLLM(script), [*tools], PROMPT, observers=[observer], **options
        )
        with suppress(MingraphError, ConnectionError):
            agent.run(question)
    return path


def runs(*given: Any, **options: Any) -> list[TracedRun]:
    trace = read_trace(write(*given, **options))
    return [trace.run(run.id) for run in trace.runs]


def the_run(*given: Any, **options: Any) -> TracedRun:
    (run,) = runs(*given, **options)
    return run
