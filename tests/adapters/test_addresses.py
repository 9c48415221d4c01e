"""One right address from what people paste, by the table that the page walks too."""

import json
from pathlib import Path

import pytest

from mingraph_lite.adapters import OpenAIChat, ollama_base, openai_base

CASES = json.loads(Path(__file__).with_name("address_cases.json").read_text("utf-8"))
NO_ADDRESS = (
    " is no address of a model server. One looks like http://localhost:11434/v1."
)
# What is refused, by the reason that the table names; only an address is quoted.
REASONS = {
    "key": "The address holds a user name or a key before the @. "
    "Leave it out of the address and give it as api_key=….",
    "rest": "The address goes on after a ? or #. Give it up to there: the name of the "
    "endpoint is put behind it.",
}


# G07: one right URL, no /v1/v1 and no double slash, or a sentence says what is wrong.
@pytest.mark.parametrize(("typed", "openai", "ollama"), CASES["meant"])
def test_G07_what_people_paste_becomes_one_right_address(typed, openai, ollama):
    assert (openai_base(typed), ollama_base(typed)) == (openai, ollama)


# http://host means no path at all only where the endpoint stood behind it.
@pytest.mark.parametrize("case", [c for c in CASES["meant"] if c[1] != "http://host"])
def test_G07_a_right_address_stays_as_it_is(case):
    _, openai, ollama = case
    assert (openai_base(openai), ollama_base(ollama)) == (openai, ollama)


@pytest.mark.parametrize(("typed", "reason"), CASES["refused"])
@pytest.mark.parametrize("base", [openai_base, ollama_base])
def test_G07_what_is_no_address_is_refused_with_a_sentence(base, typed, reason):
    with pytest.raises(ValueError, match="address") as caught:
        base(typed)
    assert str(caught.value) == REASONS.get(reason, f"{typed!r}{NO_ADDRESS}")
    assert "secret" not in str(caught.value)


def test_G07_a_model_takes_what_people_paste():
    assert OpenAIChat("m", "127.0.0.1:8080").base_url == "http://127.0.0.1:8080/v1"
