"""Prompts beyond the window: each server's sentence, and the numbers in it."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite.adapters.error_table.sizes import SENTENCES, sizes_in
from mingraph_lite.errors import ContextOverflow
from tests.adapters.models import QUESTION, ollama, openai
from tests.adapters.wire import answering, as_lines, streaming

# For each row: what a server says, how long the prompt was, how much fits.
EXAMPLES: dict[str, list[tuple[str, int | None, int | None]]] = {
    "vLLM, DeepSeek, OpenRouter: prompt and reply counted apart": [
        (
            "This model's maximum context length is 4096 tokens. However, you "
            "requested 5000 tokens (4900 in the messages, 100 in the completion).",
            4900,
            4096,
        ),
        (
            "This endpoint's maximum context length is 8192 tokens. However, you "
            "requested about 9000 tokens (8800 of text input, 200 in the output).",
            8800,
            8192,
        ),
        (
            "This model's maximum context length is 4097 tokens, however you requested "
            "4569 tokens (3545 in your prompt; 1024 for the completion).",
            3545,
            4097,
        ),
    ],
    "SGLang: prompt and reply together": [
        (
            "Requested token count exceeds the model's maximum context length of 64000 "
            "tokens. You requested a total of 71897 tokens: 7897 tokens from the input "
            "messages and 64000 tokens for the completion.",
            7897,
            64000,
        )
    ],
    "OpenAI": [
        (
            "This model's maximum context length is 8192 tokens. However, your "
            "messages resulted in 9000 tokens.",
            9000,
            8192,
        ),
        (
            "This model's maximum context length is 131072 tokens. However, you "
            "requested 351430 tokens. Please reduce the length.",
            351430,
            131072,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, your request "
            "has 5000 input tokens.",
            5000,
            4096,
        ),
    ],
    "xAI": [
        (
            "This model's maximum prompt length is 131072 but the request contains "
            "136973 tokens.",
            136973,
            131072,
        )
    ],
    "Anthropic": [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208310, 200000)
    ],
    "Anthropic: prompt and reply together": [
        (
            "input length and `max_tokens` exceed context limit: 86888 + 119866 > "
            "204648, decrease input length",
            86888,
            204648,
        )
    ],
    "Gemini": [
        (
            "The input token count (1200000) exceeds the maximum number of tokens "
            "allowed (1048576).",
            1200000,
            1048576,
        )
    ],
    "Gemini, without the length": [
        (
            "The input token count exceeds the maximum number of tokens allowed "
            "1,048,576.",
            None,
            1048576,
        )
    ],
    "Vertex AI": [
        (
            "Unable to submit request because the input token count is 1200000 but "
            "model only supports up to 1048576. Reduce the input token count.",
            1200000,
            1048576,
        )
    ],
    "Cohere": [
        (
            "too many tokens: size limit exceeded by 11326 tokens. Try using shorter "
            "or fewer inputs. The limit for this model is 128000 tokens.",
            None,
            128000,
        )
    ],
    "Workers AI": [
        (
            "The estimated number of input and maximum output tokens (37207) exceeded "
            "this model context window limit (24000).",
            37207,
            24000,
        )
    ],
    "DashScope": [("Range of input length should be [1, 30720]", None, 30720)],
    "Mistral": [
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with "
            "32768 maximum context length",
            40000,
            32768,
        )
    ],
    "llama.cpp": [
        (
            "request (9000 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            9000,
            4096,
        )
    ],
    "llama.cpp from Python": [
        ("Requested tokens (516) exceed context window of 512", 516, 512)
    ],
    "LM Studio": [
        (
            "Trying to keep the first 15857 tokens when context the overflows. "
            "However, the model is loaded with context length of only 4096 tokens.",
            15857,
            4096,
        )
    ],
    "LM Studio, newer": [
        (
            "The number of tokens to keep from the initial prompt is greater than the "
            "context length (n_keep: 5000>= n_ctx: 4096).",
            5000,
            4096,
        )
    ],
    "SGLang": [
        (
            "The input (61709 tokens) is longer than the model's context length "
            "(40960 tokens).",
            61709,
            40960,
        )
    ],
    "SGLang, newer": [
        (
            "Input length (160062 tokens) exceeds the maximum allowed length (59862 "
            "tokens).",
            160062,
            59862,
        )
    ],
    "vLLM: what the model was trained on": [
        (
            "The decoder prompt (length 10127) is longer than the maximum model length "
            "of 8192.",
            10127,
            8192,
        )
    ],
    "Text Generation Inference, prompt alone": [
        ("`inputs` must have less than 1024 tokens. Given: 1872", 1872, 1024)
    ],
    "Text Generation Inference": [
        (
            "`inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` "
            "tokens and 1024 `max_new_tokens`",
            1000,
            1512,
        )
    ],
    "vLLM: prompt and reply named apart": [
        (
            "You passed 30721 input tokens and requested 2048 output tokens. However, "
            "the model's context length is only 32768 tokens, resulting in a maximum "
            "input length of 30720 tokens.",
            30721,
            32768,
        )
    ],
    "GitHub Copilot": [
        ("prompt token count of 93854 exceeds the limit of 90000", 93854, 90000)
    ],
    "GitHub Models": [
        ("Request body too large for x model. Max size: 8000 tokens.", None, 8000)
    ],
    "Cerebras": [("Current length is 9000 while limit is 8192", 9000, 8192)],
    "Fireworks": [
        ("The prompt is too long: 9000, model maximum context length: 8191", 9000, 8191)
    ],
    "Moonshot": [
        ("Your request exceeded model token limit: 8192 (requested: 9000)", 9000, 8192),
        ("Your request exceeded model token limit: 8192", None, 8192),
    ],
    "OpenAI and Groq: more than a minute allows": [
        (
            "Request too large for model `x` in organization `o` on tokens per minute "
            "(TPM): Limit 6000, Requested 14810, please reduce your message size",
            14810,
            6000,
        )
    ],
    "sentences without numbers": [
        (words, None, None)
        for words in (
            "Input is too long for requested model.",
            "the input length exceeds the context length",
            "prompt too long; exceeded max context length by 123 tokens",
            "Your input exceeds the context window of this model.",
            "the request exceeds the available context size. try increasing it",
            "Please reduce the length of the messages or completion.",
            "400 Prompt exceeds maximum context length",
            "Input length exceeds maximum allowed length",
            "The prompt does not fit into the context of this model",
            # Counted in characters, which are no tokens.
            "Invalid 'messages[1].content': string too long. Expected a string with "
            "maximum length 10485760, but got a string with length 10485761 instead.",
        )
    ],
}
CASES = [(row, *case) for row in SENTENCES for case in EXAMPLES[row.name]]


def test_each_sentence_has_a_source_and_an_example() -> None:
    assert [row.name for row in SENTENCES] == list(EXAMPLES)
    assert [row.name for row in SENTENCES if not row.source] == []


@pytest.mark.parametrize(("row", "words", "prompt", "window"), CASES)
def test_the_first_row_that_fits_is_the_sentences_own(
    row: Any, words: str, prompt: Any, window: Any
) -> None:
    assert next(r.name for r in SENTENCES if r.found_in(words)) == row.name
    assert sizes_in(words, {}) == (prompt, window)


# Right: one typed error with both numbers, never asked again, in each form.
@pytest.mark.parametrize(("words", "prompt", "window"), [case[1:] for case in CASES])
def test_a_prompt_that_does_not_fit_is_an_error_of_its_own(
    words: str, prompt: Any, window: Any
) -> None:
    body = {"error": {"message": words, "type": "invalid_request_error"}}
    for model, transport in (
        (openai, answering(body, status=400)),
        (openai, answering({"object": "error", "message": words}, status=500)),
        (openai, streaming(body)),
        (ollama, answering({"error": words}, status=400)),
        (ollama, as_lines({"error": words})),
    ):
        with pytest.raises(ContextOverflow) as caught:
            model(transport).generate(QUESTION, on_text_delta=lambda piece: None)
        error = caught.value
        assert (error.prompt_tokens, error.context_window) == (prompt, window)
        assert not error.retryable
        for number in (prompt, window):
            assert number is None or f" {number} " in str(error)
        assert "LastN" in str(error)


def test_the_numbers_may_stand_in_fields() -> None:
    body = {
        "code": 400,
        "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 1407,
        "n_ctx": 256,
    }
    for sent in (body, {"error": body}):
        with pytest.raises(ContextOverflow) as caught:
            openai(answering(sent, status=400)).generate(QUESTION)
        error = caught.value
        assert (error.prompt_tokens, error.context_window) == (1407, 256)


def test_a_reply_that_wants_too_much_room_is_said_as_such() -> None:
    words = (
        "This model's maximum context length is 4096 tokens. However, you requested "
        "4472 tokens (376 in the messages, 4096 in the completion)."
    )
    with pytest.raises(ContextOverflow) as caught:
        openai(answering({"message": words}, status=400)).generate(QUESTION)
    assert caught.value.prompt_tokens == 376
    told = (
        "The prompt is 376 tokens long; it shares a window of 4096 with the reply: a "
        "smaller max_tokens=… leaves it more."
    )
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 5000. This model supports at most 4096 tokens.",
        "The context deadline was exceeded.",
        "Rate limit reached on tokens per min: Limit 10000, Requested 200.",
        "Invalid schema for function 'f': context is no type.",
    ],
)
def test_other_sentences_about_tokens_are_no_overflow(words: str) -> None:
    assert [row.name for row in SENTENCES if row.found_in(words)] == []


# Of two numbers in a sentence that no row knows, the larger is the prompt.
@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        ("Prompt tokens (5,000) exceed the context window (4096).", (5000, 4096)),
        ("Error code: 400 - token limit exceeded: 5000 > 4096", (5000, 4096)),
        ("The model's context length is 4096, but it was 5000 tokens", (5000, 4096)),
        ("Context window of 4096 tokens exceeded", (None, None)),
        (
            "The sum of prompt tokens (5010) and max_tokens (1000) exceeds the context "
            "window (4096)",
            (5010, 4096),
        ),
        (
            "5010 tokens of input and 1000 of output exceed the context length 4096",
            (5010, 4096),
        ),
        ("x-7b-2024: 5000 and 96 exceed the context length 4096", (None, None)),
    ],
)
def test_the_sizes_in_an_unknown_sentence_are_found(words: str, sizes: Any) -> None:
    assert [row.name for row in SENTENCES if row.found_in(words)] != []
    assert sizes_in(words, {}) == sizes
