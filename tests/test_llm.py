import pytest

from mingraph_lite.errors import ModelError, ScriptExhausted
from mingraph_lite.llm import LLMResponse, ScriptedLLM, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage

PARIS = ToolCall("get_weather", {"city": "Paris"}, "c1")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, "c2")
ENVELOPE = LLMResponse(
    AssistantMessage("18"), reasoning="Easy.", usage=Usage(3, 1), finish_reason="stop"
)
ASKED = [UserMessage("How warm is it?")]


def replies(llm: ScriptedLLM, count: int) -> list[LLMResponse]:
    return [llm.generate(ASKED) for _ in range(count)]


def test_every_kind_of_reply_comes_in_an_envelope():
    llm = ScriptedLLM(["18", PARIS, [PARIS, TOKYO], ENVELOPE])
    assert replies(llm, 4) == [
        LLMResponse(AssistantMessage("18")),
        LLMResponse(AssistantMessage("", (PARIS,))),
        LLMResponse(AssistantMessage("", (PARIS, TOKYO))),
        ENVELOPE,
    ]


def test_an_empty_text_and_an_empty_list_are_empty_replies():
    nothing = LLMResponse(AssistantMessage(""))
    assert replies(ScriptedLLM(["", []]), 2) == [nothing, nothing]


def test_an_exception_in_the_script_is_raised():
    busy = ModelError("The server is busy.", retryable=True)
    llm = ScriptedLLM([busy, "18"])
    with pytest.raises(ModelError) as raised:
        llm.generate(ASKED)
    assert raised.value is busy
    assert llm.generate(ASKED).message.content == "18"


def test_a_function_is_asked_with_the_messages_and_the_menu():
    heard = []

    def reply(messages, menu):
        heard.append((messages, menu))
        return f"{len(messages)} messages, {len(menu)} tools"

    menu = [{"type": "function"}]
    response = ScriptedLLM([reply]).generate(ASKED, menu)
    assert response.message.content == "1 messages, 1 tools"
    assert heard == [(ASKED, menu)]


@pytest.mark.parametrize("given", ["18", PARIS, [PARIS], ENVELOPE])
def test_a_function_may_give_any_kind_of_reply(given):
    direct = replies(ScriptedLLM([given]), 1)
    assert replies(ScriptedLLM([lambda m, t: given]), 1) == direct
    assert replies(ScriptedLLM([lambda m, t: lambda m, t: given]), 1) == direct


def test_an_exception_that_a_function_gives_is_raised():
    llm = ScriptedLLM([lambda messages, menu: ModelError("The server is gone.")])
    with pytest.raises(ModelError, match=r"^The server is gone\.$"):
        llm.generate(ASKED)


def test_what_a_function_raises_comes_through():
    def fail(messages, menu):
        raise OSError("no route")

    llm = ScriptedLLM([fail, "18"])
    with pytest.raises(OSError, match=r"^no route$"):
        llm.generate(ASKED)
    assert llm.generate(ASKED).message.content == "18"


def test_an_exhausted_script_says_so_each_time_it_is_asked():
    llm = ScriptedLLM(["18"])
    llm.generate(ASKED)
    for _ in range(2):
        with pytest.raises(ScriptExhausted) as raised:
            llm.generate(ASKED)
        assert str(raised.value) == (
            "The script has 1 replies and was asked for one more. "
            "Add a reply, or make a fresh script for each run."
        )
    assert llm.calls == 1


def test_a_script_counts_how_often_it_was_asked():
    llm = ScriptedLLM(["18", ModelError("The server is busy.")])
    shown = [repr(llm)]
    llm.generate(ASKED)
    shown.append(repr(llm))
    with pytest.raises(ModelError):
        llm.generate(ASKED)
    assert (shown, llm.calls) == (
        ["ScriptedLLM(0 of 2 replies given)", "ScriptedLLM(1 of 2 replies given)"],
        2,
    )


@pytest.mark.parametrize(
    "wrong",
    [None, 18, b"18", {"city": "Paris"}, (PARIS,), ["18"], [PARIS, None], ValueError],
)
def test_a_reply_of_another_kind_is_refused_before_anything_is_asked(wrong):
    with pytest.raises(TypeError) as raised:
        ScriptedLLM(["18", wrong])
    assert str(raised.value) == (
        f"reply 2 is {wrong!r}; a scripted reply is a text, a ToolCall, a list of "
        "ToolCalls, an LLMResponse, an Exception to raise, or a function of "
        "(messages, menu) that gives one of these."
    )


def test_a_function_that_gives_another_kind_is_named():
    llm = ScriptedLLM(["18", lambda messages, menu: 24])
    llm.generate(ASKED)
    with pytest.raises(
        TypeError,
        match=r"^what the function at reply 2 gave is 24; a scripted reply is",
    ):
        llm.generate(ASKED)


@pytest.mark.parametrize("script", ["Paris: 64°F", PARIS])
def test_a_script_that_is_one_reply_and_no_list_is_refused(script):
    with pytest.raises(TypeError) as raised:
        ScriptedLLM(script)
    assert str(raised.value) == (
        f"The script is {script!r}; it is a list of replies. "
        "For a single reply write ScriptedLLM([reply])."
    )


def test_a_script_keeps_its_replies_when_the_list_changes():
    script = ["18"]
    llm = ScriptedLLM(script)
    script[0] = "24"
    assert llm.generate(ASKED).message.content == "18"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "18",
        "Paris: 64°F, Tokyo: 75°F",
        "  two\n\nlines\t",
        "a  b",
        "é —",
    ],
)
def test_the_pieces_of_a_text_joined_are_the_text(text):
    pieces: list[str] = []
    response = ScriptedLLM([text]).generate(ASKED, (), pieces.append)
    assert "".join(pieces) == text == response.message.content


def test_a_text_comes_in_more_than_one_piece():
    pieces: list[str] = []
    ScriptedLLM(["Paris: 64°F, Tokyo: 75°F"]).generate(ASKED, (), pieces.append)
    assert pieces == ["Paris: ", "64°F, ", "Tokyo: ", "75°F"]


def test_slips_alone_come_without_pieces_of_text():
    pieces: list[str] = []
    ScriptedLLM([[PARIS, TOKYO]]).generate(ASKED, (), pieces.append)
    assert pieces == []


def test_what_is_not_known_of_a_reply_is_none():
    response = LLMResponse(AssistantMessage("18"))
    assert response == LLMResponse(
        AssistantMessage("18"),
        reasoning=None,
        usage=None,
        finish_reason=None,
        model=None,
        refusal=None,
        notes=(),
    )
    assert Usage() == Usage(None, None, None, None)
