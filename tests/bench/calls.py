"""One tool call through our registry, and the same through pydantic alone.

Both check the same argument against the same type. The registry finds the tool by its
name too, refuses what the table in `coercion` refuses, and words the refusal.
"""

from typing import Final

from pydantic import validate_call

from mingraph_lite import ToolRegistry
from mingraph_lite.messages import ToolCall
from tests.bench.measure import Job, Run
from tests.bench.work import WORD, Work


def registry(calls: int) -> Run:
    """`ToolRegistry.run` of a tool with one text argument."""
    work, tools = Work(), ToolRegistry()
    tools.add(work.look_up)
    call = ToolCall("look_up", {"word": WORD}, "call_1")

    def run() -> int:
        for _ in range(calls):
            tools.run(call)
        return work.runs

    return run


def validated(calls: int) -> Run:
    """The same function under pydantic's `validate_call`."""
    work = Work()
    look_up = validate_call(work.look_up)
    arguments = {"word": WORD}

    def run() -> int:
        for _ in range(calls):
            look_up(**arguments)
        return work.runs

    return run


def plain(calls: int) -> Run:
    """The same function, called."""
    work = Work()
    arguments = {"word": WORD}

    def run() -> int:
        for _ in range(calls):
            work.look_up(**arguments)
        return work.runs

    return run


REGISTRY: Final = "ToolRegistry.run"
CHECKED: Final = "validate_call"
CALLS: Final[dict[str, Job]] = {
    REGISTRY: registry,
    CHECKED: validated,
    "the function, unchecked": plain,
}
