"""What can be run: which tool a call means, and what is on the menu."""

import copy
import json
import operator

import pytest

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError, UnknownToolError
from mingraph_lite.messages import ToolCall
from mingraph_lite.tools import ToolRegistry
from tests.schema.adding import (
    read,
    registry,
    run,
    weather,
)


def test_a_decorator_hands_the_function_back() -> None:
    tools = ToolRegistry()

    @tools.add
    def now() -> str:
        return "noon"

    assert now() == "noon"
    assert repr(tools) == "ToolRegistry(now)"


def test_a_menu_given_out_cannot_be_changed_and_does_not_change() -> None:
    with pytest.raises(TypeError, match="cannot be changed"):
        ToolRegistry().menu().append({})
    tools = registry(weather)
    menu = tools.menu()
    before = copy.deepcopy(menu)
    function = menu[0]["function"]
    for change in (
        lambda: menu.append({}),
        lambda: menu.clear(),
        lambda: function.update(name="other"),
        lambda: function["parameters"]["required"].append("days"),
        lambda: operator.setitem(function["parameters"], "type", "array"),
        lambda: operator.delitem(function, "name"),
        lambda: operator.iadd(menu, [{}]),
        lambda: operator.ior(function, {"name": "other"}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    tools.add(run)
    assert menu == before
    assert [entry["function"]["name"] for entry in tools.menu()] == ["weather", "run"]


def test_a_deep_copy_of_a_menu_may_be_changed_and_a_menu_is_plain_json() -> None:
    menu = registry(weather).menu()
    own = copy.deepcopy(menu)
    own[0]["function"]["parameters"]["required"].append("days")
    assert own[0]["function"]["parameters"]["required"] == ["city", "days"]
    assert json.loads(json.dumps(menu)) == menu


# C11. Right: a second tool of a name is an error unless replace=True.


def test_C11_a_second_tool_of_a_name_replaces_the_first_only_when_asked() -> None:
    def other(city: str) -> str:
        return f"other {city}"

    tools = registry(read, weather)
    with pytest.raises(ToolDefinitionError, match="a tool named 'read' already"):
        tools.add(other, name="read")
    tools.add(other, name="read", replace=True)
    assert [entry["function"]["name"] for entry in tools.menu()] == ["read", "weather"]
    assert tools.run(ToolCall("read", {"city": "Oslo"})) == "other Oslo"


def test_C11_a_refused_function_leaves_the_menu_as_it_was() -> None:
    tools = registry(read)
    before = tools.menu()
    with pytest.raises(ToolDefinitionError):
        tools.add(weather, name="read")
    assert tools.menu() == before


# A13. Right: a name that can mean one tool runs it; another reads the real names.


def get_weather(city: str = "Oslo") -> str:
    return f"18 in {city}"


def get_time() -> str:
    return "noon"


@pytest.mark.parametrize(
    "name",
    ["get_weather", "functions.get_weather", "Get_Weather", " get_weather ",
     " Functions.GET_WEATHER\n"],
)  # fmt: skip
def test_A13_a_name_that_can_mean_one_tool_only_runs_it(name: str) -> None:
    assert registry(get_weather, get_time).run(ToolCall(name, {})) == "18 in Oslo"


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("get wether", " Did you mean 'get_weather'?"),
        ("get weather!", " Did you mean 'get_weather'?"),
        ("GET_TIMES", " Did you mean 'get_time'?"),
        ("", ""),
        ("qqqq", ""),
        ("functions.", ""),
    ],
)
def test_A13_any_other_name_is_answered_with_the_real_ones(
    name: str, guess: str
) -> None:
    with pytest.raises(UnknownToolError) as caught:
        registry(get_weather, get_time).run(ToolCall(name, {}))
    assert str(caught.value) == (
        f"No tool named {name!r}. Registered: get_weather, get_time.{guess}"
    )


def test_A13_between_two_tools_nothing_is_guessed() -> None:
    tools = registry(get_weather)
    tools.add(get_time, name="Get_Weather")
    assert tools.run(ToolCall("Get_Weather", {})) == "noon"
    with pytest.raises(UnknownToolError) as caught:
        tools.run(ToolCall("GET_WEATHER", {}))
    assert str(caught.value) == (
        "No tool named 'GET_WEATHER'. Registered: get_weather, Get_Weather. "
        "Did you mean 'get_weather' or 'Get_Weather'?"
    )


def test_A13_a_page_as_a_name_is_cut_and_an_empty_registry_says_none() -> None:
    with pytest.raises(UnknownToolError) as caught:
        ToolRegistry().run(ToolCall("x" * 100_000, {}))
    assert str(caught.value) == f"No tool named {'x' * 100!r}. Registered: none."


def test_a_call_that_cannot_be_run_as_sent_is_answered_with_its_problem() -> None:
    call = ToolCall(" read", {}, problem="the arguments are cut off.")
    with pytest.raises(ToolArgsError) as caught:
        registry(read).run(call)
    assert str(caught.value) == "read: the arguments are cut off. It takes: path."
