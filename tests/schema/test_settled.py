import asyncio
from dataclasses import dataclass
from itertools import count

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.errors import ToolDefinitionError
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.schema.settled import MOST_ITEMS, settled
from mingraph_lite.tools import ToolRegistry

ran: list[str] = []


@dataclass(frozen=True)
class Box:
    inside: object
    name: str = "box"


async def later() -> str:
    ran.append("later")
    return "now"


def failing():
    yield 1
    raise OSError("the line went dead")


# H21. Right: iterators with an end are read up to a bound and the bound is said.
@pytest.mark.parametrize(
    ("value", "read"),
    [
        (map(str, [1, 2]), ["1", "2"]),
        (zip([1], ["a"], strict=True), [(1, "a")]),
        ((n for n in range(3)), [0, 1, 2]),
        (iter([]), []),
        ({"a": iter([1]), "b": 2}, {"a": [1], "b": 2}),
        ([iter([1]), (2, iter([3]))], [[1], (2, [3])]),
        (Box(iter([1])), Box([1])),
        (iter([iter([1]), map(str, [2])]), [[1], ["2"]]),
    ],
)
def test_H21_what_is_still_to_come_is_read(value, read):
    assert settled(value, "look") == read


def test_H21_what_has_no_end_is_read_up_to_a_bound_that_is_said():
    said = "(only the first 1000 items were read)"
    assert settled(count(), "look") == [*range(MOST_ITEMS), said]
    assert settled(iter(range(MOST_ITEMS)), "look") == [*range(MOST_ITEMS)]


def in_itself() -> list[object]:
    value: list[object] = [1]
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [
        1,
        "text",
        None,
        b"x",
        [1, {"a": (2,)}],
        {"a": {1, 2}},
        Box([1]),
        in_itself(),
        Box,
    ],
)
def test_a_value_that_is_all_there_is_handed_on_as_it_is(value):
    assert settled(value, "look") is value


class Waiting:
    """What a library hands out in the place of a value."""

    def __init__(self) -> None:
        self.cancelled = False

    def __await__(self):
        ran.append("awaited")
        yield

    def cancel(self) -> None:
        self.cancelled = True


# H21. Right: what can be awaited is a ToolDefinitionError and its body never runs.
@pytest.mark.parametrize(
    "made",
    [
        later,
        lambda: {"a": later(), "b": later()},
        lambda: [1, (later(),)],
        lambda: Box(later()),
        lambda: (later() for n in [1, 2]),
        Waiting,
    ],
)
def test_H21_what_has_to_be_awaited_is_refused_and_never_runs(made):
    ran.clear()
    with pytest.raises(ToolDefinitionError) as raised:  # and warnings are errors here
        settled(made(), "look")
    assert str(raised.value) == (
        "look gave back something to await, and the core is synchronous: write a plain "
        "function, which may itself call asyncio.run(…)."
    )
    assert ran == []


def test_H21_a_task_is_cancelled():
    async def main() -> bool:
        task = asyncio.ensure_future(later())
        with pytest.raises(ToolDefinitionError):
            settled([task], "look")
        await asyncio.sleep(0)
        return task.cancelled()

    ran.clear()
    assert (asyncio.run(main()), ran) == (True, [])


def test_H21_what_fails_while_it_is_read_is_the_tools_own_failure():
    tools = ToolRegistry([look])
    with pytest.raises(OSError, match="the line went dead"):
        tools.run(ToolCall("look", {}))


def look():
    return failing()


def two_cities():
    return map(str, [18, 24])


def test_H21_the_model_reads_what_came():
    agent = Agent(ScriptedLLM([ToolCall("two_cities", {}), "ok"]), [two_cities], "")
    agent.run("How warm?")
    assert agent.memory.folder[2] == ToolMessage('["18", "24"]', "call_1", "two_cities")
