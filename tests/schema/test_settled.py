"""A tool's value with nothing left to come: iterators read, nothing to await."""

import asyncio
import gc
import io
import itertools
import sys
import types
import warnings
import weakref
from collections import ChainMap, UserDict, UserList, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, field_serializer

from mingraph_lite.errors import ToolDefinitionError
from mingraph_lite.observation import plain_text
from mingraph_lite.schema.jsonable import jsonable
from mingraph_lite.schema.settled import MOST_ITEMS, settled
from tests.schema.adding import run


@pytest.fixture(autouse=True)
def what_was_loaded_is_not_collected_again_and_again() -> Iterator[None]:
    gc.freeze()
    yield
    gc.unfreeze()


MORE = f"(There is more: only the first {MOST_ITEMS} items were read.)"


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True, slots=True)
class Frozen:
    n: Any
    made: Any = field(default=0, init=False)


class Own(BaseModel):
    n: Any


def tool_giving(value: Any) -> Callable[[], Any]:
    def tool() -> Any:
        return value() if isinstance(value, types.FunctionType) else value

    return tool


def count(n: int) -> Iterator[int]:
    yield from range(n)


def numbers() -> Any:
    return map(int, "12")


# H21. Right: iterators with an end are read up to a bound and the bound is said.
@pytest.mark.parametrize(
    ("value", "want"),
    [
        (map(str, [1, 2]), ["1", "2"]),
        (zip("ab", [1, 2], strict=True), [("a", 1), ("b", 2)]),
        (count(2), [0, 1]),
        (iter([]), []),
        ({"a": numbers(), "b": 1}, {"a": [1, 2], "b": 1}),
        ([numbers(), (numbers(), 3)], [[1, 2], ([1, 2], 3)]),
        (deque([numbers()]), [[1, 2]]),
        (Point(numbers(), 0), Point([1, 2], 0)),
        (Frozen(numbers()), Frozen([1, 2])),
        (Own(n=numbers()), Own(n=[1, 2])),
        ({numbers()}, [[1, 2]]),
        (map(map, [str, str], [[1], [2]]), [["1"], ["2"]]),
        (types.MappingProxyType({"a": numbers()}), {"a": [1, 2]}),
        ({"a": numbers()}.values(), [[1, 2]]),
        (UserList([numbers()]), [[1, 2]]),
        (UserDict(a=numbers()), {"a": [1, 2]}),
        (ChainMap({"a": numbers()}), {"a": [1, 2]}),
        (types.SimpleNamespace(a=numbers()), types.SimpleNamespace(a=[1, 2])),
        (reversed([1, 2]), [2, 1]),
        (filter(None, [0, 1]), [1]),
        (enumerate("a"), [(0, "a")]),
        (io.StringIO("a\nb"), ["a\n", "b"]),
        (count(MOST_ITEMS), list(range(MOST_ITEMS))),
        (count(MOST_ITEMS + 1), [*range(MOST_ITEMS), MORE]),
        ({"all": itertools.count()}, {"all": [*range(MOST_ITEMS), MORE]}),
    ],
)  # fmt: skip
def test_H21_iterators_are_read_up_to_a_bound_and_the_bound_is_said(
    value: Any, want: Any
) -> None:
    made = run(tool_giving(value), {})
    assert (made, type(made)) == (want, type(want))


def test_H21_an_iterator_that_stands_twice_is_read_once_for_both() -> None:
    one = numbers()
    assert run(tool_giving([one, one]), {}) == [[1, 2], [1, 2]]


def test_H21_iterators_that_give_iterators_without_end_come_to_an_end() -> None:
    made = 0

    def tree() -> Iterator[Any]:
        nonlocal made
        while True:
            made += 1
            yield tree()

    assert run(tool_giving(tree()), {})[-1].startswith("(There is more: only the first")
    assert 10 * MOST_ITEMS < made < 21 * MOST_ITEMS


def in_itself() -> list[Any]:
    value: list[Any] = [numbers()]
    value.append(value)
    return value


def test_H21_what_holds_itself_or_lies_too_deep_is_named() -> None:
    assert run(tool_giving(in_itself()), {}) == [[1, 2], "<list object>"]
    deep: Any = numbers()
    for _ in range(5000):
        deep = [deep]
    assert "<list object>" in plain_text(run(tool_giving(deep), {}))


class NoItems(dict[str, Any]):
    def items(self) -> Any:
        raise KeyError("no")


class NoLength(list[int]):
    def __len__(self) -> int:
        raise RuntimeError("no")


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [None, "x", 5, [1, [2]], {"a": (1,)}, {1, 2}, Point(1, 2), Frozen([1]), Own(n=1),
     Frozen, range(3), object(), NoItems(a=1), {"a": 1}.keys(), {"a": 1}.values(),
     Colour.RED, Path("a"), ValueError("x"), weakref.proxy(NoItems), NoLength([1]),
     types.SimpleNamespace(a=1), UserList([1])],
)  # fmt: skip
def test_H21_a_value_with_nothing_to_come_is_the_same_object(value: Any) -> None:
    assert run(tool_giving(value), {}) is value


def test_H21_a_weak_reference_is_read_as_what_it_stands_for() -> None:
    kept = UserDict(a=1)
    gone = weakref.proxy(UserDict(a=1))  # each look at it raises
    value = run(tool_giving([weakref.proxy(kept), gone]), {})
    assert jsonable(value) == [{"a": 1}, f"<{type(gone).__name__} object>"]


def test_H21_what_a_generator_raises_is_its_tools_own_failure() -> None:
    problem = LookupError("no such line")

    def lines() -> Iterator[int]:
        yield 1
        raise problem

    with pytest.raises(LookupError) as caught:
        run(tool_giving({"lines": lines()}), {})
    assert caught.value is problem


BEGUN: list[str] = []


async def wait() -> None:
    BEGUN.append("wait")


async def stream() -> Any:
    BEGUN.append("stream")
    yield 1


@types.coroutine
def older() -> Any:
    BEGUN.append("older")
    yield


class Waits:
    def __await__(self) -> Any:
        BEGUN.append("Waits")
        yield


class NoRead:
    """A field that fails where it is read."""

    def __get__(self, thing: Any, owner: Any = None) -> Any:
        if thing is None:
            return 0
        raise RuntimeError("no")

    def __set__(self, thing: Any, value: Any) -> None: ...


@dataclass
class Half:
    ok: Any
    bad: Any = NoRead()


class NoEntry(Mapping[str, Any]):
    """A mapping of two, of which one cannot be read."""

    def __init__(self, ok: Any) -> None:
        self.ok = ok

    def __getitem__(self, key: str) -> Any:
        if key == "ok":
            return self.ok
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        return iter(("bad", "ok"))

    def __len__(self) -> int:
        return 2


class HalfModel(BaseModel):
    ok: Any
    bad: int = 0

    @field_serializer("bad")
    def no(self, value: int) -> int:
        raise RuntimeError("no")


# H21. Right: an unreadable field is a stand-in beside the readable ones.
@pytest.mark.parametrize(
    ("value", "want"),
    [
        (Half(numbers()), {"ok": [1, 2], "bad": "<unreadable: RuntimeError>"}),
        (NoEntry(numbers()), {"bad": "<unreadable: RuntimeError>", "ok": [1, 2]}),
        (
            HalfModel(ok=[1]),
            {"ok": [1], "bad": "<unreadable: PydanticSerializationError>"},
        ),
        ([Half(1)], [{"ok": 1, "bad": "<unreadable: RuntimeError>"}]),
    ],
)
def test_H21_one_unreadable_field_costs_no_other(value: Any, want: Any) -> None:
    assert jsonable(run(tool_giving(value), {})) == want


def deep_down() -> Any:
    value: Any = wait()
    for _ in range(5000):
        value = [value]
    return value


# H21. Right: what can be awaited is a ToolDefinitionError and its body never runs.
@pytest.mark.parametrize(
    "value",
    [
        lambda: wait(),
        lambda: stream(),
        lambda: stream().__anext__(),
        lambda: [stream()],
        lambda: [older()],
        lambda: {"a": Waits()},
        lambda: {"a": wait(), "b": [wait(), (wait(),)]},
        lambda: {wait(): 1},
        lambda: {(wait(), 1): 1},
        lambda: Frozen(wait()),
        lambda: Own(n=wait()),
        lambda: {"a": wait()}.values(),
        lambda: UserList([wait()]),
        lambda: UserDict(a=[wait()]),
        lambda: types.SimpleNamespace(a=wait()),
        lambda: [Half(wait())],
        lambda: NoEntry(wait()),
        lambda: Future(),
        lambda: {"a": [Future()]},
        lambda: Point(1, {wait()}),
        lambda: (wait() for _ in range(3)),
        lambda: iter([wait(), 1, wait()]),
        lambda: [wait(), iter([wait(), iter([wait()])])],
        lambda: ([one] for one in [wait(), wait()]),
        deep_down,
    ],
)  # fmt: skip
def test_H21_what_can_be_awaited_at_any_depth_is_refused_and_never_runs(
    value: Any,
) -> None:
    BEGUN.clear()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(ToolDefinitionError, match="something to await"):
            run(tool_giving(value), {})
        gc.collect()
    assert ([str(w.message) for w in warned], BEGUN) == ([], [])


def test_H21_what_was_to_be_awaited_is_called_off_where_a_generator_fails() -> None:
    def fails() -> Iterator[Any]:
        yield wait()
        raise LookupError

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(LookupError):
            run(tool_giving(fails()), {})
        gc.collect()
    assert warned == []


IN_A_PAGE = sys.platform == "emscripten"
"""There the one loop runs these tests, and no other can run inside of it."""


def test_H21_a_task_is_cancelled_before_it_begins() -> None:
    if IN_A_PAGE:
        return
    BEGUN.clear()

    async def cell() -> bool:
        task = asyncio.create_task(wait())
        with pytest.raises(ToolDefinitionError):
            run(tool_giving({"task": task}), {})
        await asyncio.sleep(0)
        return task.cancelled()

    assert (asyncio.run(cell()), BEGUN) == (True, [])


def test_H21_a_task_whose_loop_stands_still_leaves_nothing_open() -> None:
    if IN_A_PAGE:
        return
    loop = asyncio.new_event_loop()
    task = loop.create_task(wait())
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(ToolDefinitionError):
            run(tool_giving([task]), {})
        coroutine = task.get_coro()
        with pytest.raises(RuntimeError, match="already"):
            coroutine.send(None)  # type: ignore[union-attr]
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    assert (warned, isinstance(task.exception(), RuntimeError)) == ([], True)


# H24. Right: GeneratorExit would look like a run that was closed; it is a failure.
@pytest.mark.parametrize("inside_a_generator", [True, False])
def test_H24_a_tool_that_raises_generator_exit_fails_as_any_other(
    inside_a_generator: bool,
) -> None:
    problem = GeneratorExit("bye")

    def tool() -> Any:
        if inside_a_generator:
            return map(raising, [1])
        raise problem

    def raising(n: int) -> None:
        raise problem

    with pytest.raises(RuntimeError, match="tool raised GeneratorExit") as caught:
        run(tool, {})
    assert caught.value.__cause__ is problem


def test_H21_a_scalar_is_handed_through() -> None:
    assert [settled(value) for value in (None, 1, "x", b"x")] == [None, 1, "x", b"x"]
