"""OpenAI: newer names for old fields, and an empty account as 429."""

from __future__ import annotations

from typing import Final

from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import Habit, Server, named
from mingraph_lite.lab.shapes import (
    fault_of,
    nested_error,
)

__all__: Final = ["OPENAI"]

_INVALID: Final = "invalid_request_error"

_HABITS: Final = (
    Habit(
        name="newer_limit",
        source="koosoli/ESPHomeDesigner#379",
        shows="max_tokens is sent to the model newer_limit.",
        sends="400 that names the field it wants instead.",
        sign="Use 'max_completion_tokens' instead.",
        is_model=True,
        when=lambda asked: asked.model == "newer_limit" and "max_tokens" in asked.body,
        refuses=lambda asked: nested_error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            type=_INVALID,
            param="max_tokens",
            code="unsupported_parameter",
        ),
        example={"max_tokens": 50},
    ),
    Habit(
        name="no_quota",
        source="OpenAI API docs, Error codes",
        shows="The model no_quota is asked.",
        sends="429, although no waiting helps.",
        sign="insufficient_quota",
        is_model=True,
        refuses=lambda asked: nested_error(
            429,
            "You exceeded your current quota, please check your plan and billing "
            "details.",
            type="insufficient_quota",
            param=None,
            code="insufficient_quota",
        ),
        ends=ModelError,
    ),
    Habit(
        name="unknown_model",
        source="OpenAI API docs, Error codes",
        shows="A model is asked that is not there.",
        sends="404 with the code model_not_found.",
        sign="model_not_found",
        when=named("nobody"),
        refuses=lambda asked: nested_error(
            404,
            f"The model `{asked.model}` does not exist or you do not have access to "
            "it.",
            type=_INVALID,
            param=None,
            code="model_not_found",
        ),
        example={"model": "nobody"},
        ends=ModelError,
    ),
)

OPENAI: Final = Server(
    "openai",
    "OpenAI",
    "/v1",
    lambda status, words: nested_error(
        status, words, type=fault_of(status, _INVALID), param=None, code=None
    ),
    _HABITS,
)
