"""vLLM: odd pieces of calls, and errors without a key."""

from __future__ import annotations

from typing import Final

from mingraph_lite.errors import ContextOverflow, ModelError
from mingraph_lite.lab.habit import Asked, Habit, Server, named
from mingraph_lite.lab.shapes import (
    THOUGHT,
    calls_as_text,
    fault_of,
    flat_error,
    thought_as_reasoning,
)
from mingraph_lite.lab.stream_shapes import (
    HALF_A_TEXT,
    at_index_0,
    calls_repeated,
    event_stream,
    reasoning_in_chunks,
)
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["VLLM"]


def _without_flag(asked: Asked) -> ServerReply:
    return flat_error(
        400,
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser '
        "to be set",
        type="BadRequestError",
        param=None,
        code=400,
    )


def _dies(reply: ServerReply, asked: Asked) -> ServerReply:
    words = "EngineCore encountered an issue."
    if not asked.streamed:
        return flat_error(500, words, type="InternalServerError", param=None, code=500)
    told = {"object": "error", "message": words, "type": "InternalServerError"}
    return event_stream(HALF_A_TEXT, {**told, "param": None, "code": 500})


_HABITS: Final = (
    Habit(
        name="no_parser_flag",
        source="langchain4j/langchain4j#3475",
        shows="Tools are offered to the model no_parser_flag.",
        sends="400 without a key error, that names the flags of its command line.",
        sign="--enable-auto-tool-choice",
        is_model=True,
        when=lambda asked: asked.model == "no_parser_flag" and asked.offers_tools,
        refuses=_without_flag,
        ends=ModelError,
        ends_as_json=None,
    ),
    Habit(
        name="calls_in_the_text",
        source="Gitlawb/openclaude#433",
        shows="The model calls_in_the_text is asked: its parser does not fit it.",
        sends="Its calls as it wrote them, in the text.",
        sign="<tool_call>",
        is_model=True,
        whole=lambda whole: calls_as_text(whole, "<tool_call>\n", "\n</tool_call>"),
    ),
    Habit(
        name="arguments_twice",
        source="vllm-project/vllm#51697",
        shows="The model arguments_twice is asked, as a stream.",
        sends="All arguments of a call once more, behind their pieces.",
        sign=r'"function":{"arguments":"{\"city\": \"Paris\"}"}',
        is_model=True,
        when=lambda asked: asked.streamed and asked.model == "arguments_twice",
        chunks=lambda chunks, whole: calls_repeated(
            chunks, whole, named=False, arguments=True
        ),
        example={"stream": True},
    ),
    Habit(
        name="names_twice",
        source="vllm-project/vllm#44098",
        shows="The model names_twice is asked, as a stream.",
        sends="Id and name of a call once more, behind its pieces.",
        sign='{"index":0,"id":"call_1"',
        is_model=True,
        when=lambda asked: asked.streamed and asked.model == "names_twice",
        chunks=lambda chunks, whole: calls_repeated(
            chunks, whole, named=True, arguments=False
        ),
        example={"stream": True},
    ),
    Habit(
        name="one_index",
        source="InternLM/lmdeploy#3412",
        shows="The model one_index is asked, as a stream.",
        sends="Index 0 for each call, and an empty id in all pieces but the first.",
        sign='"id":""',
        is_model=True,
        when=lambda asked: asked.streamed and asked.model == "one_index",
        chunks=lambda chunks, _: at_index_0(chunks, id=""),
        example={"stream": True},
    ),
    Habit(
        name="thinks",
        source="vLLM docs, Reasoning Outputs; vllm-project/vllm#27755",
        shows="The model thinks is asked.",
        sends="What it thought, under reasoning.",
        sign=f'"reasoning":"{THOUGHT}"',
        is_model=True,
        whole=thought_as_reasoning,
        chunks=reasoning_in_chunks,
    ),
    Habit(
        name="prompt_too_long",
        source="ogx-ai/ogx#4534",
        shows="The model prompt_too_long is asked.",
        sends="400 that says how much fits and how much it was.",
        sign="maximum context length is 6048 tokens",
        is_model=True,
        refuses=lambda asked: flat_error(
            400,
            "This model's maximum context length is 6048 tokens. However, you "
            "requested 6616 tokens (568 in the messages, 6048 in the completion). "
            "Please reduce the length of the messages or completion.",
            type="BadRequestError",
            param=None,
            code=400,
        ),
        ends=ContextOverflow,
    ),
    Habit(
        name="dies_in_the_stream",
        source="pydantic/pydantic-ai#4350",
        shows="The model dies_in_the_stream is asked.",
        sends="Half a text, and an event without a key error that is one.",
        sign="EngineCore encountered an issue",
        is_model=True,
        sent=_dies,
        example={"stream": True},
        ends=ModelError,
    ),
    Habit(
        name="unknown_model",
        source="vLLM docs, OpenAI-Compatible Server",
        shows="A model is asked that is not there.",
        sends="404 without a key error.",
        sign="NotFoundError",
        when=named("nobody"),
        refuses=lambda asked: flat_error(
            404,
            f"The model `{asked.model}` does not exist.",
            type="NotFoundError",
            param=None,
            code=404,
        ),
        example={"model": "nobody"},
        ends=ModelError,
    ),
)

VLLM: Final = Server(
    "vllm",
    "vLLM",
    "/v1",
    lambda status, words: flat_error(
        status,
        words,
        type=fault_of(status, "BadRequestError", "InternalServerError"),
        param=None,
        code=status,
    ),
    _HABITS,
)
