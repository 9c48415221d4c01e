"""One right address from what people paste, by the table that the page walks too."""

import json
import re
from pathlib import Path

import pytest

from mingraph_lite.adapters import OpenAIChat, ollama_base, openai_base
from mingraph_lite.adapters.addresses import (
    endpoint,
    is_this_machine,
    key_header,
    patience,
)

CASES = json.loads(Path(__file__).with_name("address_cases.json").read_text("utf-8"))
NO_ADDRESS = (
    " is no address of a model server. One looks like http://localhost:11434/v1."
)
# What is refused, by the reason that the table names; only an address is quoted.
REASONS = {
    "key": "The address holds a user name or a key before the @. "
    "Leave it out of the address and give it as api_key=….",
    "swapped": "The address looks like a key. The address comes first and looks like "
    "http://localhost:11434/v1; the key is given as api_key=….",
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


@pytest.mark.parametrize("given", [None, 5, b"http://h", Path("http://h")])
@pytest.mark.parametrize("base", [openai_base, ollama_base])
def test_what_is_no_text_is_no_address(base, given):
    with pytest.raises(TypeError, match=f"The address is {type(given).__name__}"):
        base(given)


def test_G07_a_model_takes_what_people_paste():
    assert OpenAIChat("m", "127.0.0.1:8080").base_url == "http://127.0.0.1:8080/v1"


# H11: known hosts get their path. H05: a query is carried, behind the endpoint's path.
@pytest.mark.parametrize(("typed", "base"), CASES["known_hosts"])
def test_H11_a_known_host_gets_its_path_and_a_query_stays(typed, base):
    assert openai_base(typed) == base
    assert openai_base(endpoint(base, "/chat/completions")) == base


# Each row of the table is walked through, from each path that it mends.
def test_H11_every_known_host_mends_each_path_of_its_row():
    rows = json.loads(
        Path(openai_base.__code__.co_filename)
        .with_name("addresses.json")
        .read_text("utf-8")
    )["hosts"]
    hosts = {
        host
        for _, base in CASES["known_hosts"]
        if (host := base.split("//")[1].partition("/")[0])
    }
    for row in rows:
        host = next(host for host in hosts if re.fullmatch(row["host"], host))
        bases = {openai_base(f"https://{host}{path}") for path in row["instead_of"]}
        assert bases == {f"https://{host}{row['path']}"}


# H05, G05: a key in the address would be shown with it.
@pytest.mark.parametrize("typed", CASES["key_in_query"])
def test_G05_a_key_in_the_query_is_refused_unseen(typed):
    with pytest.raises(ValueError, match="holds a key after the") as caught:
        openai_base(typed)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("url", "header"), CASES["key_header"])
def test_H05_azure_has_a_header_of_its_own_for_the_key(url, header):
    assert key_header(url) == header


# H17: for loopback and private addresses the patience is long by default.
@pytest.mark.parametrize(
    ("url", "streamed", "whole"),
    [
        ("http://127.0.0.1:8080/v1/chat/completions", 600, 600),
        ("http://localhost:11434/api/chat", 600, 600),
        ("http://[::1]:8080/v1", 600, 600),
        ("http://192.168.1.5:11434/v1", 600, 600),
        ("http://10.0.0.2/v1", 600, 600),
        ("http://my-box:8080/v1", 600, 600),
        ("https://api.example.com/v1?a=1", 60, 300),
        ("https://api.example.com:8443/v1", 60, 300),
        ("http://8.8.8.8/v1", 60, 300),
    ],
)
def test_H17_a_near_server_is_given_more_time(url, streamed, whole):
    given = patience(url, streamed=True), patience(url, streamed=False)
    assert given == (streamed, whole)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://models.localhost/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://0.0.0.0:8000", True),
        ("http://192.168.1.5/v1", False),
        ("https://127.0.0.1.evil.example/v1", False),
    ],
)
def test_what_is_this_machine(url, here):
    assert is_this_machine(url) is here
