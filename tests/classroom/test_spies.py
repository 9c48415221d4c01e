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
