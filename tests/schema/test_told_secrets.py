import json

import pytest

from mingraph_lite.schema.masking import Mask
from mingraph_lite.schema.told_secrets import looks_like_a_key, without_scheme

IN_JSON = json.dumps({"a": json.dumps({"password": "two words", "n": 1})})


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # headers
        ("Authorization: Bearer zzz", "Authorization: Bearer ***"),
        ("Authorization: ApiKey zzz then", "Authorization: ApiKey *** then"),
        ("authorization=Basic zzz", "authorization=Basic ***"),
        ("Authorization: Negotiate YII==", "Authorization: Negotiate ***"),
        ("Authorization: Token zzz", "Authorization: Token ***"),
        (
            'Authorization: Digest username="M", response="6629" then',
            "Authorization: Digest *** then",
        ),
        (
            r'{"Authorization": "Digest username=\"M\", response=\"6\""}',
            '{"Authorization": "Digest ***"}',
        ),
        (
            "{'Authorization': 'Digest username=\"M\", response=\"6\"', 'x': 1}",
            "{'Authorization': 'Digest ***', 'x': 1}",
        ),
        ("Proxy-Authorization: New a b\nnext", "Proxy-Authorization: ***\nnext"),
        ("The Authorization: sk-1234 was bad", "The Authorization: *** was bad"),
        ('curl -H "X-Api-Key: zzz" x', 'curl -H "X-Api-Key: ***" x'),
        ("Cookie: a=1; b=2", "Cookie: ***"),
        ("Set-Cookie: id=3; Path=/", "Set-Cookie: ***; Path=/"),
        # schemes without a header
        ("401 for Bearer ghp_12345678.", "401 for Bearer ***."),
        ("Basic dXNlcjpwdw== is wrong", "Basic *** is wrong"),
        ("Negotiate YIIaBcDeFgHi", "Negotiate ***"),
        # addresses
        ("http://me:p@ss@host/?key=zzz&n=1", "http://***@host/?key=***&n=1"),
        ("https://x/?a=1&X-Amz-Signature=zz", "https://x/?a=1&X-Amz-Signature=***"),
        ("?token=zzz&n=1", "?token=***&n=1"),
        ("/a?sig=zzz&n=1", "/a?sig=***&n=1"),
        # names
        ('password: "two words"', 'password: "***"'),
        (IN_JSON, IN_JSON.replace("two words", "***")),
        ('{"api_key": {"value": "zzz", "n": [1]}, "m": 2}', '{"api_key": ***, "m": 2}'),
        ("api_key=['a', 'b'], n=1", "api_key=***, n=1"),
        ("api_key=['a', 'b", "api_key=***"),
        ("password: 'hun\nnext", "password: '***\nnext"),
        ("--api-key zzz --n 3", "--api-key *** --n 3"),
        ("['run', '--token', 'zzz']", "['run', '--token', '***']"),
        ("<password>zzz</password>", "<password>***</password>"),
        ('environ["API_KEY"] = "zzz"', 'environ["API_KEY"] = "***"'),
        ("spring.db.password=zzz", "spring.db.password=***"),
        ("key=password=zzz", "key=password=***"),
        ('log_in(password="zzz")', 'log_in(password="***")'),
        ("{'my_secret': b'zzz'}", "{'my_secret': b'***'}"),
        ("token: ghp_123456", "token: ***"),
        ('{"token": "abc"}', '{"token": "***"}'),
    ],
)
def test_what_a_text_tells_to_be_a_secret_is_masked(text, masked):
    mask = Mask()
    assert mask.suspects(json.dumps(text))
    assert mask.masked(text) == masked
    assert mask.masked(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Bearer of bad news",
        "Basic training, basic understanding",
        "Token count 12345",
        "Digest of the week, Basic größenordnung, Basic 12345678",
        "The token: Paris. The secret: be kind.",
        "Next token: 5, tokens: 300, max_tokens=3",
        "Author: Jane, key: a word",
        "api_key: , password=\n next",
        "api_keys: 3",
        '{"secret": null, "api_key": true}',
        "{'Authorization': None, 'api_key': False}",
        "a -> token -> b, a > b",
        "a@b.c is no address of a page: http://host/a@b",
    ],
)
def test_what_only_sounds_so_stays(text):
    assert Mask().masked(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key" * 100_000, "key" * 100_000),
        ("api_key=[" * 40_000, "api_key=***"),
        ("api_key='" * 40_000, "api_key='***'" * 20_000),
        ("token: a " * 30_000, "token: a " * 30_000),
        ("://" * 100_000, "://" * 100_000),
    ],
)
def test_a_text_of_300_000_characters_is_read_in_one_go(text, masked):
    """One that went back for each beginning would take minutes."""
    assert Mask().masked(text) == masked


def test_a_key_is_told_from_words_and_numbers():
    keys = ["hunter2", "ghp_abc", "correct horse battery", "12345678", "aBcDeF"]
    words = ["18", "true", "Paris", "Paris, Texas", "missing", "1234567", "not-needed"]
    assert [text for text in keys + words if looks_like_a_key(text)] == keys


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("Bearer zzz", "zzz"),
        ("ApiKey zzz", "zzz"),
        (" Digest a=1, b=2 ", "a=1, b=2"),
        ("zzz", "zzz"),
        ("New zzz", "New zzz"),
    ],
)
def test_the_secret_of_a_header_comes_without_its_scheme(value, secret):
    assert without_scheme(value) == secret
