"""The table of errors, row by row: each with a body as a server sends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mingraph_lite.adapters.error_table.grading import ROWS, row_for
from mingraph_lite.adapters.error_table.rows import IN_VAIN
from mingraph_lite.adapters.error_table.shapes import read_error
from mingraph_lite.errors import ContextOverflow, ModelError, ModelRefused
from tests.adapters.models import LATER, QUESTION, ollama, openai
from tests.adapters.wire import (
    FixedTransport,
    answering,
    as_events,
    as_lines,
    streaming,
)

CALL = '<function=temperature>{"town": "Oslo"}</function>'
PLAN = "You exceeded your current quota, please check your plan and billing details."


def said(message: str, code: Any = None, kind: Any = None, **more: Any) -> Any:
    return {"error": {"message": message, "type": kind, "code": code, **more}}


def gemini(quota: str) -> Any:
    quotas = {"violations": [{"quotaMetric": "requests", "quotaId": quota}]}
    details = [quotas, {"links": [{"description": "Learn more"}]}]
    details += [{"@type": "RetryInfo", "retryDelay": "21s"}]
    error = {"code": 429, "message": PLAN, "status": "RESOURCE_EXHAUSTED"}
    return [{"error": {**error, "details": details}}]


# For each row: the status, and bodies that belong to it.
EXAMPLES: dict[str, tuple[int, list[Any]]] = {
    "a call that the server could not read": (
        400,
        [
            said("Failed.", "tool_use_failed", failed_generation=CALL),
            said("tool call validation failed: parameters did not match schema"),
            said("Failed to generate JSON.", "json_validate_failed"),
            {"error": "error parsing tool call: raw='{\"a\"', err=unexpected end"},
        ],
    ),
    "a content filter": (
        400,
        [
            said("Filtered.", "content_filter", status=400),
            said("No.", None, innererror={"code": "ResponsibleAIPolicyViolation"}),
            said("litellm.ContentPolicyViolationError: AzureException", "400"),
            said("Content Exists Risk", "invalid_request_error"),
            said("Your request was rejected.", "moderation_blocked"),
            {"code": "DataInspectionFailed", "message": "Input data …"},
            said("openai/x requires moderation on OpenAI. Your input was flagged"),
        ],
    ),
    "a prompt beyond the window": (
        400,
        [
            said("Too long.", "context_length_exceeded"),
            said("m", "exceed_context_size_error", n_prompt_tokens=9, n_ctx=8),
            {"message": "Input is too long for requested model."},
            {"error": "the input length exceeds the context length"},
            said("Your input exceeds the context window of this model."),
            said("Please reduce the length of the messages or completion."),
            said("litellm.ContextWindowExceededError: BadRequestError", "400"),
        ],
    ),
    "no money": (
        429,
        [
            said(PLAN, "insufficient_quota", "insufficient_quota"),
            said("Billing hard limit has been reached", "billing_hard_limit_reached"),
            said("Your credit balance is too low to access the API."),
            said("You have either used all available credits or reached the limit."),
            said("Please check your plan.", None, "exceeded_current_quota_error"),
            said("You have reached your specified API usage limits."),
            said("Insufficient Balance", "invalid_request_error"),
            said("This request requires more credits, or fewer max_tokens.", 402),
        ],
    ),
    "the budget of a day": (
        429,
        [
            gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
            said("Rate limit exceeded: free-models-per-day.", 429),
            said("Limit 200 on requests per day (RPD). Try again in 7m12s.", "rate"),
            said("Rate limit on tokens per day (TPD)", "rate_limit_exceeded"),
        ],
    ),
    "tools are not taken": (
        400,
        [
            said('json: unknown field "tools"'),
            said("unknown field `tools`, expected one of `model`, `messages`"),
            said("Unknown parameter: 'tools'."),
            said("Unrecognized request argument supplied: tools"),
            {"error": "registry.ollama.ai/library/x:2b does not support tools"},
            {
                "object": "error",
                "message": '"auto" tool choice requires --enable-auto-tool-choice and '
                "--tool-call-parser to be set",
                "code": 400,
            },
            said("tools param requires --jinja flag", 500, "server_error"),
            said("Function calling is not enabled for models/x", 400),
            said("tools are not supported"),
            said("'tools' is not supported with this model."),
            said("This model doesn't support tool use."),
            said("No endpoints found that support tool use.", 404),
            said("Tool calling not supported"),
            said("Tool calls are not implemented for this model", 501),
            said("The model has no support for tools."),
            said("Unsupported parameter: 'tools'."),
        ],
    ),
    "no memory for the model": (
        500,
        [
            {"error": "model requires more system memory (5.6 GiB) than is available"},
            said("cudaMalloc failed: out of memory", 500),
        ],
    ),
    "no model is loaded": (
        400,
        [said("No models loaded. Please load a model.", "model_not_found")],
    ),
    "the model is being loaded": (
        503,
        [
            said("Loading model", 503, "unavailable_error"),
            {"error": "Model x is currently loading", "estimated_time": 20.0},
            {"error": {"message": "The model is still loading"}},
        ],
    ),
    "the model is not allowed to this key": (
        403,
        [
            said("You do not have access to model x", "model_access_denied"),
            said("Project `p` does not have access to model `x`", "model_not_found"),
            said("No.", None, "permission_error"),
            {"Message": "User is not authorized to access this resource"},
        ],
    ),
    "no such model": (
        404,
        [
            {"error": "model 'x' not found, try pulling it first"},
            {"error": "model 'x:7b' not found"},
            said("The model `x` does not exist", "model_not_found"),
            said("The model `x` does not exist or you do not have access to it."),
            said("Model Not Exist", "invalid_request_error"),
            said("x is not a valid model ID", 400),
            said("The model `x` has been decommissioned", "model_decommissioned"),
            said("The API deployment for this does not exist.", "DeploymentNotFound"),
        ],
    ),
    "the place is not served": (
        403,
        [
            said("No.", "unsupported_country_region_territory", "request_forbidden"),
            said("User location is not supported for the API use.", 400),
        ],
    ),
    "the key": (
        401,
        [
            said("Incorrect API key provided", "invalid_api_key"),
            said("No auth credentials found", 401),
            {"fault": {"faultstring": "Invalid API Key"}},
            [{"error": {"message": "API key not valid.", "status": "INVALID"}}],
            said("litellm.AuthenticationError: wrong", "500"),
            said("No connected db.", "400", "no_db_connection"),
        ],
    ),
    "too much at once": (
        429,
        [
            gemini("GenerateRequestsPerMinutePerProjectPerModel"),
            said("Slow down.", "rate_limit_exceeded", "tokens"),
            {"__type": "ThrottlingException", "message": "Please wait."},
            said("litellm.RateLimitError: GroqException", "429"),
            {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        ],
    ),
    "no quota, and no time named": (429, [{"error": f"429 {PLAN}"}]),
    "overloaded": (
        503,
        [
            {"error": "The engine is currently overloaded, so it cannot answer"},
            "no healthy upstream",
            said("We are experiencing high demand"),
            {"error": "server busy, please try again"},
            said("The model is currently busy"),
        ],
    ),
    "a template that cannot write these messages": (
        500,
        [
            said("Value is not callable: Jinja Exception", 500, "server_error"),
            said("Conversation roles must alternate user/assistant/…", 500),
        ],
    ),
    "a fault of the server, named": (
        200,
        [
            said("m", None, "server_error"),
            said("m", "timeout"),
            said("Internal server error"),
            said("The request to the upstream timed out"),
            said("The service is temporarily unavailable"),
            {"error": {"message": "no slot available"}},
        ],
    ),
    "nothing there by that name": (200, [said("m", None, "not_found_error")]),
    "the request's own fault, with a server's status": (
        500,
        [
            said("litellm.BadRequestError: OpenAIException - Invalid schema"),
            said("m", None, "invalid_request_error"),
        ],
    ),
    "401": (401, [{"detail": "no"}]),
    "402": (402, [{"detail": "no"}]),
    "404": (404, [{"detail": "Not Found"}]),
    "405": (405, [{"detail": "Method Not Allowed"}]),
    "407": (407, ["no"]),
    "413": (413, [{"detail": "no"}]),
    "451": (451, ["no"]),
    "511": (511, ["no"]),
    "what may pass": (502, ["no", said("no", 502)]),
    "no status": (200, [{"error": "no"}]),
    "another status": (422, [{"detail": [{"loc": ["body", "n"], "msg": "no"}]}]),
}
CASES = [
    pytest.param(row, status, body, id=f"{row.name}: {json.dumps(body)[:40]}")
    for row in ROWS
    for status, bodies in [EXAMPLES[row.name]]
    for body in bodies
]


def test_each_row_has_a_source_a_name_of_its_own_and_an_example() -> None:
    assert [row.name for row in ROWS] == list(EXAMPLES)
    assert [row.name for row in ROWS if not row.source] == []


@pytest.mark.parametrize(("row", "status", "body"), CASES)
def test_H06_each_example_falls_under_its_row(row: Any, status: int, body: Any) -> None:
    told = read_error(body, None if status == 200 else status)
    assert row_for(told.status, told.codes, told.words).name == row.name


KINDS = {"overflow": ContextOverflow, "refusal": ModelRefused, "error": ModelError}


# H06: status, code and words decide together, in both adapters and in every form.
@pytest.mark.parametrize("model", [openai, ollama])
@pytest.mark.parametrize("listen", [None, lambda piece: None])
@pytest.mark.parametrize(("row", "status", "body"), CASES)
def test_H06_both_adapters_grade_an_error_by_the_table(
    row: Any, status: int, body: Any, listen: Any, model: Any
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    transport = FixedTransport(text.encode(), status=status)
    with pytest.raises((ModelError, ModelRefused)) as caught:
        model(transport).generate(QUESTION, on_text_delta=listen)
    assert type(caught.value) is KINDS[row.becomes]
    assert getattr(caught.value, "retryable", False) == row.retry
    assert ("may succeed" in str(caught.value)) == row.retry


INSIDE = [
    ({"object": "error", "message": "full", "code": 503}, True),
    ({"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, 0),
    ({"error": {"message": "full", "code": 429}}, True),
    ({"error": "full", "status": 503}, True),
    ([{"error": {"code": 503, "message": "full", "status": "UNAVAILABLE"}}], True),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "full"}}, True),
    ({"message": "full", "statusCode": 503}, True),
    ({"errors": [{"message": "full", "code": 503}]}, True),
]


# H06: half a text before an error is no answer.
@pytest.mark.parametrize(("error", "retryable"), INSIDE)
def test_H06_an_error_in_the_middle_of_a_stream_is_raised(
    error: Any, retryable: Any
) -> None:
    half = {"choices": [{"index": 0, "delta": {"content": "Os"}}]}
    line = {"message": {"content": "Os"}, "done": False}
    for model, transport in (
        (openai, streaming(half, error)),
        (openai, streaming(error)),
        (openai, answering(error)),
        (openai, as_events(json.dumps(error, indent=1).encode())),
        (ollama, as_lines(line, error)),
        (ollama, as_lines(error)),
        (ollama, answering(error)),
    ):
        heard: list[str] = []
        with pytest.raises(ModelError) as caught:
            model(transport).generate(QUESTION, on_text_delta=heard.append)
        assert caught.value.retryable == bool(retryable)
        assert ("'full'" in str(caught.value)) == bool(retryable)


BARE = [
    {"error": "an error was encountered while running the model"},  # Ollama
    {"error": {"message": "The engine has stopped."}},
    {"error": {"message": "unexpected EOF", "type": None, "code": None}},
    {"detail": "It broke"},
]


# H06. Right: what breaks off a reply and names no status is the server's trouble, to be
# asked again. The address and the model were right, or nothing would have come.
@pytest.mark.parametrize("error", BARE)
@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_H06_an_error_without_a_status_behind_half_a_reply_may_pass(
    error: Any, tools_as: Any
) -> None:
    half = {"choices": [{"index": 0, "delta": {"content": "Os"}}]}
    line = {"message": {"content": "Os"}, "done": False}
    for model in (
        openai(streaming(half, error), tools_as=tools_as),
        ollama(as_lines(line, error)),
    ):
        with pytest.raises(ModelError, match="may succeed later") as caught:
            model.generate(QUESTION, on_text_delta=lambda piece: None)
        assert caught.value.retryable
        assert "Check the base URL" not in str(caught.value)


@pytest.mark.parametrize("error", BARE)
def test_H06_an_error_without_a_status_in_place_of_a_reply_asks_for_a_look(
    error: Any,
) -> None:
    for model in (openai(streaming(error)), ollama(as_lines(error))):
        with pytest.raises(ModelError, match="Check the base URL") as caught:
            model.generate(QUESTION, on_text_delta=lambda piece: None)
        assert not caught.value.retryable


# H06. Right: what is known by its words or codes is so, wherever it comes.
def test_H06_a_known_error_behind_half_a_reply_keeps_its_row() -> None:
    half = {"choices": [{"index": 0, "delta": {"content": "Os"}}]}
    error = {"error": {"message": "m", "code": "context_length_exceeded"}}
    with pytest.raises(ContextOverflow):
        openai(streaming(half, error)).generate(QUESTION)


@pytest.mark.parametrize("end", [True, False])
def test_H06_a_lone_detail_in_a_stream_is_an_error(end: bool) -> None:
    half = {"choices": [{"index": 0, "delta": {"content": "Os"}}]}
    with pytest.raises(ModelError, match="answered an error: 'Internal error'"):
        openai(streaming(half, {"detail": "Internal error"}, done=end)).generate(
            QUESTION
        )


def test_H06_the_attempt_is_shown_and_asked_again() -> None:
    body = said("See 'failed_generation'.", "tool_use_failed", failed_generation=CALL)
    with pytest.raises(ModelError) as caught:
        openai(answering(body, status=400)).generate(QUESTION)
    assert f"; the model had written {CALL!r}. " in str(caught.value)
    assert str(caught.value).endswith(f"could not read. {LATER}")


def test_H06_a_long_attempt_is_shown_in_part() -> None:
    body = said("m", "tool_use_failed", failed_generation="x" * 10_000)
    with pytest.raises(ModelError) as caught:
        openai(answering(body, status=400)).generate(QUESTION)
    assert len(str(caught.value)) < 600


# H06: the wrapped reason stands in the sentence, and is what grades.
@pytest.mark.parametrize(
    ("status", "body", "quoted"),
    [
        (
            400,
            said("Upstream failed.", 400, metadata={"raw": "The schema is wrong."}),
            "'Upstream failed.' ('The schema is wrong.')",
        ),
        (
            502,
            said(
                "Upstream failed.", 502, metadata={"raw": json.dumps(said("No", 400))}
            ),
            "'Upstream failed.' ('No')",
        ),
        (
            400,
            said(json.dumps(said("Inner", 400)), 400),
            "'Inner'",
        ),
        (
            500,
            said(f"XException - {json.dumps(said('Inner', 400))}", "500"),
            "'XException' ('Inner')",
        ),
        (
            400,
            said(
                "Filtered",
                400,
                innererror={"inner_error": {"message": "by rule 7"}},
            ),
            "'Filtered' ('by rule 7')",
        ),
        (
            400,
            {"error": {"error": {"message": "Inner"}}},
            "'Inner'",
        ),
        (
            400,
            {"title": "Bad Request", "status": 400, "detail": "n is no number"},
            "'Bad Request' ('n is no number')",
        ),
        (422, {"errors": {"n": ["must be 1"]}}, "'n: [\"must be 1\"]'"),
    ],
)
def test_H06_the_wrapped_reason_is_in_the_sentence(
    status: int, body: Any, quoted: str
) -> None:
    with pytest.raises(ModelError) as caught:
        openai(answering(body, status=status)).generate(QUESTION)
    assert f": {quoted}. {IN_VAIN}" in str(caught.value)


def test_what_is_deep_or_long_is_read_no_further() -> None:
    deep: Any = {"message": "too deep"}
    for _ in range(60):
        deep = {"error": deep}
    many = {"errors": [{"message": f"n{place}"} for place in range(5000)]}
    for body in (deep, many):
        with pytest.raises(ModelError) as caught:
            openai(answering(body, status=400)).generate(QUESTION)
        assert len(str(caught.value)) < 600


def test_H06_a_filter_of_azure_says_which_it_was() -> None:
    inner = {"hate": {"filtered": True}, "violence": {"filtered": False}}
    body = said(
        "The prompt was filtered.",
        "content_filter",
        innererror={
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": inner,
        },
    )
    with pytest.raises(ModelRefused, match=r"\('filtered: hate'\)"):
        openai(answering(body, status=400)).generate(QUESTION)


def test_a_prompt_that_gemini_blocks_is_a_refusal() -> None:
    body = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}
    with pytest.raises(ModelRefused, match="'SAFETY'"):
        openai().parse(body)


# H01: the advice names the way that works without tools.
@pytest.mark.parametrize("body", EXAMPLES["tools are not taken"][1])
@pytest.mark.parametrize("model", [openai, ollama])
def test_H01_a_server_without_tools_gets_advice(model: Any, body: Any) -> None:
    with pytest.raises(ModelError, match='tools_as="json"') as caught:
        model(answering(body, status=400)).generate(QUESTION)
    assert not caught.value.retryable


def test_an_unknown_model_at_ollama_is_to_be_pulled() -> None:
    body = {"error": "model 'x:7b' not found"}
    with pytest.raises(ModelError, match=r"ollama pull x:7b$"):
        ollama(answering(body, status=404)).generate(QUESTION)


def test_a_page_inside_an_error_is_told_by_its_title() -> None:
    html = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    with pytest.raises(ModelError) as caught:
        openai(answering(said(html, 502), status=502)).generate(QUESTION)
    words = " answered 502 Bad Gateway with a page titled '502 Bad Gateway' (nginx). A"
    assert words in str(caught.value)
    assert caught.value.retryable


def test_a_quota_of_a_day_counts_however_deep_it_is_wrapped() -> None:
    (inner,) = gemini("GenerateRequestsPerDay")
    body = said(f"litellm.RateLimitError: XException - {json.dumps(inner)}.", "429")
    with pytest.raises(ModelError, match="budget of this day") as caught:
        openai(answering(body, status=429)).generate(QUESTION)
    assert not caught.value.retryable


KEY = "sk-very-secret-0123456789"


# The key is hidden in each quotation before it is cut.
@pytest.mark.parametrize("before", range(170, 200, 3))
def test_the_key_is_shown_in_no_part_of_an_error(before: int) -> None:
    text = "x" * before + KEY
    bodies: list[Any] = [
        said("m", 400, metadata={"raw": text}),
        said("m", "tool_use_failed", failed_generation=text),
        {"message": text},
        f"<html><title>{text}</title>",
    ]
    for body in bodies:
        sent = (body if isinstance(body, str) else json.dumps(body)).encode()
        with pytest.raises(ModelError) as caught:
            openai(FixedTransport(sent, status=400), api_key=KEY).generate(QUESTION)
        assert KEY[:8] not in str(caught.value)
