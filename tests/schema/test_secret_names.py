import json

import pytest

from mingraph_lite.schema.masking import Mask
from mingraph_lite.schema.secret_names import is_secret_name, is_secret_under

SECRET = """
    token TOKEN github_token my_secret secrets api_keys db_pwd clientSecret X-Api-Key
    access-token private_key passphrase session_cookie OPENAI_API_KEY apikey APIKey
    OPENAI_API_KEY_2 GITHUB_TOKEN_PROD password1 userPassword passwordConfirmation
    new_password PGPASSWORD authToken authtoken accessTokens api_tokens refresh_tokens
    SECRET_KEY_BASE aws_secret_access_key Secret pwd Cookie set-cookie cookies
    Proxy-Authorization openai_key ssh_key credentials db_pass x-goog-api-key
    X-Auth-Token jwt password_hash hf_token personalAccessToken csrfToken
    Ocp-Apim-Subscription-Key bearer_token id_token signing_key _token_ tokenValue
"""
NONE = """
    input_tokens max_tokens max_total_tokens total_tokens tokens user_tokens token_count
    tokenCount maxOutputTokens tokens_per_second token_ids token_type token_url
    cost_per_token next_token page_token nextPageToken eos_token stop_token
    prompt_tokens_details key keys primary_key public_key foreign_key cache_key sort_key
    key_name author authors author_name authority auth_url keyboard monkey secretary
    secret_name tokenizer password_length password_hint passenger pass passed compass
    options
"""


def test_a_name_is_a_secret_by_what_its_words_say():
    names = [*SECRET.split(), *NONE.split()]
    assert [name for name in names if is_secret_name(name)] == SECRET.split()


@pytest.mark.parametrize("name", SECRET.split())
def test_a_line_with_the_name_of_a_secret_is_looked_at(name):
    mask = Mask()
    assert mask.suspects(json.dumps({name: "zzz"}))
    assert mask.masked(f"{name}=zzz") == f"{name}=***"
    assert mask.masked(json.dumps({name: "zzz"})) == json.dumps({name: "***"})


@pytest.mark.parametrize("name", NONE.split())
def test_what_stands_under_another_name_is_shown(name):
    text = json.dumps({name: "a1b2c3d4"}) + f" {name}=a1b2c3d4"
    assert Mask().masked(text) == text


def test_a_name_without_a_word_or_without_an_end_is_no_secret():
    assert [is_secret_name(n) for n in ("", "_", "17", "a" * 300 + "_token")] == [
        False
    ] * 4


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("api_keys", ["a", "b"], True),
        ("api_keys", 3, False),
        ("cookies", "12", False),
        ("cookies", "a=12", True),
        ("api_key", 4711, True),
        ("session_tokens", 4_312.5, False),
        ("password", None, False),
        ("password", True, False),
        ("password", "", True),
    ],
)
def test_a_number_under_a_plural_is_a_count_and_yes_and_no_are_no_secrets(
    name, value, is_secret
):
    assert is_secret_under(name, value) is is_secret
