import json

import pytest

from mingraph_lite.schema.key_looks import is_no_word, looks_like_a_key
from mingraph_lite.schema.masking import Mask
from mingraph_lite.schema.told_secrets import without_scheme

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
        ("Password: hunter2", "Password: ***"),
        ("Authorization: New a1b2c3\nnext", "Authorization: ***\nnext"),
        ("The Authorization: sk-1234 was bad", "The Authorization: *** was bad"),
        ('curl -H "X-Api-Key: zzz" x', 'curl -H "X-Api-Key: ***" x'),
        ("Cookie: a=1; b=2", "Cookie: ***"),
        ("Set-Cookie: id=3; Path=/", "Set-Cookie: ***; Path=/"),
        # schemes without a header
        ("401 for Bearer ghp_12345678.", "401 for Bearer ***."),
        ("Basic dXNlcjpwdw== is wrong", "Basic *** is wrong"),
        ("Negotiate YIIaBcDeFgHi", "Negotiate ***"),
        # names of two words, and what is said of them
        ("API key: Zq81LmNo90PqRs.", "API key: ***"),
        ("my api key = 'Zq81LmNo90PqRs'", "my api key = '***'"),
        ("Incorrect API key provided: Zq81LmNo90", "Incorrect API key provided: ***"),
        ("At the start. Token: a1b2c3", "At the start. Token: ***"),
        ("Invalid token given: Zq81LmNo90", "Invalid token given: ***"),
        ("session token: hunter2 then", "session token: *** then"),
        ("otp=123456", "otp=***"),
        # letters written another way
        ("?q=api_key%3Dzzz%26n=1", "?q=api_key%3D***%26n=1"),
        ("Authorization%3A%20Bearer%20zzz", "Authorization%3A%20Bearer%20***"),
        ("api%255Fkey=zzz", "api%255Fkey=***"),
        (r"api\u005fkey=zzz", r"api\u005fkey=***"),
        (r"password\x3dzzz", r"password\x3d***"),
        # pairs
        ('[["token", "Zq81LmNo90PqRs"]]', '[["token", "***"]]'),
        ("('db_password', 'hunter2')", "('db_password', '***')"),
        # addresses
        ("http://me:p@ss@host/?key=zzz&n=1", "http://***@host/?key=***&n=1"),
        ("postgres://me:pa/ss1word@db/x", "postgres://***@db/x"),
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
        "Authorization: see below",
        "Password: at least 12 characters",
        "Bearer authentication2 explained, token Covid-19",
        "The API key: see below. Page token: a1b2c3, cookie recipe: 250g-sugar",
        'one of ["token", "temperature"], ("secret", "agent")',
        "100%20 of 50%3D",
        "Add cookie: oatmeal-raisin",
        "token New-York, Daily digest 2026-11-30: all is well",
        "api_key: , password=\n next",
        "api_keys: 3",
        '{"secret": null, "api_key": true}',
        "{'Authorization': None, 'api_key': False}",
        "a -> token -> b, a > b",
        "a@b.c is no address of a page: http://host/a@b, http://host:80/a@b",
        "if password == stored and token == tokens[0]",
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
        ("api key " * 40_000, "api key " * 40_000),
        ("%41" * 100_000, "%41" * 100_000),
        ('["token", ' * 40_000, '["token", ' * 40_000),
        ("page token: [" * 30_000, "page token: [" * 30_000),
        ("token_count=[" * 30_000, "token_count=[" * 30_000),
        ("Authorization: New " * 20_000, "Authorization: New " * 20_000),
    ],
)
def test_a_text_of_300_000_characters_is_read_in_one_go(text, masked):
    """One that went back for each beginning would take minutes."""
    assert Mask().masked(text) == masked


ORDINARY = """
    2026-11-30 2026-11-30T10:15:00Z 20261130T101500Z log-20261130T101500Z
    10:15:30 3.14159265 12345678
    +49-30-1234567 opening_hours oatmeal-raisin chocolate-chip New-York bitcoin-cash
    authentication2 front-door-7 get_weather to_fahrenheit paris_and_tokyo temperature
    hunter2 swordfish getWeatherInParis GetWeatherInParisAndTokyo base64encode utf8mb4
    gpt-4o-mini returns_18.jsonl 192.168.10.245 v1.12.3-rc1 report-2026-11-30
    https://example.com/a someone@example.com room-1204-floor-12 not-needed
"""
KEYS = """
    sk-test-canary-key sk-proj-Ab12Cd34Ef56 ghp_abcdefghijkl github_pat_11ABCDEFG0
    gsk_abcdefghijk hf_abcdefghijklmn glpat-abcdefghij xoxb-abcdefghij npm_abcdefghijk
    AKIAIOSFODNN7EXAMPLE AIzaSyA-abcdefghijk eyJhbGciOiJIUzI1NiJ9 Zq81LmNo90PqRs
    s3cr3t/1 Tr0ub4dor3 550e8400-e29b-41d4-a716-446655440000
    da39a3ee5e6b4b0d3255bfef95601890afd80709 wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
    1234567890abcdef hdr-canary-0987654321 123456789:AAFabcdefg tok_a1b2c3d4
    aBcDeFgHiJkL dGhpcyBpcyBhIGtleSE0Mg== abcdefghijklmnopqrstuvwxyz 9f86d081884c7d65
    pwd-canary-2468013579 a1b2-c3d4-e5f6 Kq7vX2mN9pR4 x8Kf03mZq17Lw92T
"""


def test_a_key_is_told_from_words_names_dates_and_counts():
    ordinary, keys = ORDINARY.split(), KEYS.split()
    assert [text for text in ordinary + keys if looks_like_a_key(text)] == keys
    assert looks_like_a_key(f"-----BEGIN PRIVATE KEY-----\n{keys[-1]}\n")
    assert not looks_like_a_key(ORDINARY)


@pytest.mark.parametrize("value", ORDINARY.split())
@pytest.mark.parametrize(
    "told", ['{{"token": "{}"}}', "secret={}", "--api-key {}", "?key={}", "Bearer {}"]
)
def test_an_ordinary_value_is_shown_in_all_later_lines(told, value):
    mask = Mask()
    mask.learn(mask.masked_and_told(told.format(value))[1])
    assert mask.masked(f"It is {value}.") == f"It is {value}."


@pytest.mark.parametrize("value", KEYS.split())
@pytest.mark.parametrize("told", ['{{"token": "{}"}}', "--api-key {}", "?key='{}'"])
def test_a_key_is_shown_in_no_later_line(told, value):
    mask = Mask()
    mask.learn(mask.masked_and_told(told.format(value).replace("?key", "api_key"))[1])
    assert mask.masked(f"It is {value}.") == "It is ***."


def test_in_prose_more_than_words_and_dates_are_masked():
    said = ["hunter2", "sk-1234", "a#b$cd", "12345678"]
    plain = ["18", "Paris", "New-York", "at", "opening_hours", "2026-11-30", "missing"]
    assert [text for text in said + plain if is_no_word(text)] == said


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
