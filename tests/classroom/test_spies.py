from functools import cache, partial

import pytest

from mingraph_lite import ScriptedLLM, ToolCall, ToolRegistry, UserMessage
from mingraph_lite.classroom import Spy


def twice(number: int, more: int = 0) -> int:
    """Two times a number."""
    return 2 * number + more


def test_the_story_has_what_was_asked_and_what_ran_in_order():
    spy = Spy()
    llm, tools = spy.model(ScriptedLLM(["yes", "no"])), spy.tools(twice)
    llm.generate([UserMessage("?")], tools.menu())
    tools.run(ToolCall("twice", {"number": 3}))
    spy.note("between")
    llm.generate([UserMessage("?"), UserMessage("!")])
    assert spy.story == ["asked", "ran twice(number=3)", "between", "asked"]
    assert spy.ran == ["twice(number=3)"]
    assert [len(messages) for messages in spy.heard] == [1, 2]


def test_what_was_read_out_is_not_changed_by_what_comes_later():
    spy, folder = Spy(), [UserMessage("?")]
    spy.model(ScriptedLLM(["yes"])).generate(folder)
    folder.append(UserMessage("!"))
    assert spy.heard == [[UserMessage("?")]]


def test_a_tool_is_noted_however_it_is_called_and_says_the_same():
    spy = Spy()
    noted = spy.tool(twice)
    assert (noted(3), noted(3, more=1), noted(number=2)) == (6, 7, 4)
    assert spy.ran == ["twice(number=3)", "twice(number=3, more=1)", "twice(number=2)"]


def test_a_tool_that_fails_is_noted_and_fails():
    spy = Spy()

    def sold_out() -> str:
        """Fail."""
        raise LookupError("sold out")

    noted = spy.tool(sold_out)
    with pytest.raises(LookupError, match="sold out"):
        noted()
    assert spy.ran == ["sold_out()"]


def test_the_menu_is_the_same_as_without_a_spy():
    assert Spy().tools(twice).menu() == ToolRegistry([twice]).menu()


def test_a_model_keeps_what_else_it_has():
    llm = Spy().model(ScriptedLLM(["yes"]))
    llm.generate([])
    assert llm.calls == 1


BY_NAME = {"twice": twice}


def through_a_helper(number):
    return BY_NAME["twice"](number, more=1)


class ByAMethod:
    def __call__(self, number):
        return twice(number, 1)


@pytest.mark.parametrize(
    "answer",
    [through_a_helper, ByAMethod(), ByAMethod().__call__, partial(through_a_helper)],
    ids=["a helper and a dict", "an object", "a method", "a partial"],
)
def test_a_tool_of_the_notebook_is_heard_from_wherever_it_is_called(answer):
    spy = Spy()
    with spy.listening(answer, "twice", "nothing_of_this_name"):
        assert answer(3) == 7
    answer(3)
    assert (spy.ran, spy.gave) == (["twice(number=3, more=1)"], [7])


tools = ToolRegistry([twice])


def over_the_counter(number):
    return tools.run(ToolCall("twice", {"number": number}))


def test_the_tools_of_a_registry_are_heard_too():
    spy = Spy()
    with spy.listening(over_the_counter, "tools"):
        over_the_counter(4)
    assert spy.ran == ["twice(number=4)"]


@cache
def thrice(number: int) -> int:
    """Three times a number, by itself once more."""
    return 0 if number == 0 else 3 + thrice(number - 1)


def remembered(number):
    return thrice(number)


def test_a_tool_that_remembers_and_calls_itself_is_heard_once_each_time():
    spy = Spy()
    for _ in range(2):
        with spy.listening(remembered, "thrice"):
            remembered(2)
    assert (spy.ran, spy.gave) == (["thrice(number=2)"] * 2, [6, 6])
