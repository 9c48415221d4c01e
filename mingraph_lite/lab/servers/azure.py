"""Azure OpenAI: a version, a header of its own, filters."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError, ModelRefused
from mingraph_lite.lab.habit import Asked, Habit, Server, ended, fails_once
from mingraph_lite.lab.shapes import nested_error
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["AZURE"]

_DEPLOYMENT: Final = "/openai/deployments/paris_and_tokyo/chat/completions"
_SAFE: Final = {
    kind: {"filtered": False, "severity": "safe"}
    for kind in ("hate", "self_harm", "sexual", "violence")
}


_FILTERED: Final = {
    "message": "The response was filtered due to the prompt triggering Azure OpenAI's "
    "content management policy. Please modify your prompt and retry.",
    "type": None,
    "param": "prompt",
    "code": "content_filter",
    "status": 400,
    "innererror": {
        "code": "ResponsibleAIPolicyViolation",
        "content_filter_result": {
            **_SAFE,
            "violence": {"filtered": True, "severity": "medium"},
        },
    },
}


def _to_a_deployment(asked: Asked) -> bool:
    return asked.path.startswith("/openai/deployments/")


def _filter_results_first(chunks: list[Body], _: Body) -> list[Body]:
    results = [{"prompt_index": 0, "content_filter_results": _SAFE}]
    first = {"id": "", "object": "", "created": 0, "model": "", "choices": []}
    return [{**first, "prompt_filter_results": results}, *chunks]


_HABITS: Final = (
    Habit(
        name="wants_a_version",
        source="Azure OpenAI docs, REST API reference: api-version",
        shows="A deployment's address without ?api-version=.",
        sends="404 that names nothing.",
        sign="Resource not found",
        when=lambda asked: (
            _to_a_deployment(asked) and "api-version=" not in asked.query
        ),
        refuses=lambda asked: nested_error(404, "Resource not found", code="404"),
        path=_DEPLOYMENT,
        ends=ModelError,
    ),
    Habit(
        name="wants_its_own_header",
        source="Azure OpenAI docs, REST API reference: authentication",
        shows="A deployment's address without the header api-key.",
        sends="401.",
        sign="invalid subscription key",
        when=lambda asked: _to_a_deployment(asked) and not asked.headers.get("api-key"),
        refuses=lambda asked: nested_error(
            401,
            "Access denied due to invalid subscription key or wrong API endpoint.",
            code="401",
        ),
        path=f"{_DEPLOYMENT}?api-version=2024-10-21",
        ends=ModelError,
        helped_by={"headers": {"api-key": "a-key-of-azure-0123456789"}},
    ),
    Habit(
        name="filters_the_prompt",
        source="compl-ai/compl-ai#20",
        shows="The model filters_the_prompt is asked.",
        sends="400 with the code content_filter and an innererror.",
        sign="ResponsibleAIPolicyViolation",
        is_model=True,
        refuses=lambda asked: ServerReply.json({"error": _FILTERED}, 400),
        ends=ModelRefused,
    ),
    Habit(
        name="filters_the_reply",
        source="Azure OpenAI docs, Content filtering",
        shows="The model filters_the_reply is asked.",
        sends="Half a reply with the finish reason content_filter.",
        sign='"finish_reason":"content_filter"',
        is_model=True,
        script=lambda: ended("content_filter"),
        ends=ModelRefused,
    ),
    Habit(
        name="filter_results_first",
        source="AbanteAI/archive-old-cli-mentat#429",
        shows="Any stream.",
        sends="A first chunk without choices.",
        sign='"prompt_filter_results"',
        when=lambda asked: asked.streamed,
        chunks=_filter_results_first,
        example={"stream": True},
    ),
    Habit(
        name="rate_limited",
        source="microsoft/sample-app-aoai-chatGPT#406",
        shows="The model rate_limited is asked, the first time.",
        sends="429 that says in its words alone how long to wait.",
        sign="Please retry after 26 seconds",
        is_model=True,
        script=lambda: fails_once(
            nested_error(
                429,
                "Requests to the ChatCompletions_Create Operation under Azure OpenAI "
                "API version 2024-10-21 have exceeded token rate limit of your current "
                "OpenAI S0 pricing tier. Please retry after 26 seconds.",
                code="429",
            )
        ),
    ),
)

AZURE: Final = Server(
    "azure",
    "Azure OpenAI",
    "/openai/v1",
    lambda status, words: nested_error(status, words, code=str(status)),
    _HABITS,
)
