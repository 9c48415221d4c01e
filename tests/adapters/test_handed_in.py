"""What a newcomer hands in first: each ends in a sentence that says what is needed."""

from typing import Any

import pytest

from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.messages import UserMessage
from tests.adapters.models import no_transport

LIST = 'Hand in a list of messages, such as [UserMessage("Hello")].'
HELLO = UserMessage("Hello")


def get_weather(city: str) -> str:
    """The temperature in a city."""
    return city


def models() -> list[Any]:
    return [
        OpenAIChat("m", transport=no_transport),
        OpenAIChat("m", tools_as="json", transport=no_transport),
        OllamaChat("m", transport=no_transport),
    ]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ("Hi", f"messages is 'Hi'. {LIST}"),
        (None, f"messages is None. {LIST}"),
        (HELLO, f"messages is an UserMessage. {LIST}"),
        ({"role": "user"}, f"messages is a dict. {LIST}"),
        (["Hi"], f"One of the messages is 'Hi'. {LIST}"),
        (
            [HELLO, {"role": "user", "content": "Hi"}],
            "One of the messages is a dict. from_openai(…) makes messages of a list of "
            "dicts.",
        ),
    ],
)
def test_what_is_no_list_of_messages_is_told(messages: Any, told: str) -> None:
    for model in models():
        for ask in (model.generate, model.payload):
            with pytest.raises(TypeError) as caught:
                ask(messages)
            assert str(caught.value) == told


@pytest.mark.parametrize(
    ("menu", "told"),
    [
        (
            [get_weather],
            "The menu holds the function get_weather. Hand in the functions to a "
            "registry, and its menu here: ToolRegistry([…]).menu().",
        ),
        (
            get_weather,
            "The menu is the function get_weather. Hand in ToolRegistry([…]).menu().",
        ),
    ],
)
def test_functions_are_no_menu(menu: Any, told: str) -> None:
    for model in models():
        for ask in (model.generate, model.payload):
            with pytest.raises(TypeError) as caught:
                ask([HELLO], menu)
            assert str(caught.value) == told


KINDS = "It is a number of seconds, such as 30, or None where the address is to decide."


@pytest.mark.parametrize(
    ("options", "kind", "told"),
    [
        ({"timeout": "5"}, TypeError, f"timeout is '5'. {KINDS}"),
        ({"timeout": True}, TypeError, f"timeout is True. {KINDS}"),
        (
            {"timeout": 0},
            ValueError,
            "timeout is 0. It is a number of seconds above 0.",
        ),
        (
            {"timeout": -1.5},
            ValueError,
            "timeout is -1.5. It is a number of seconds above 0.",
        ),
        (
            {"headers": "X-Title: lessons"},
            TypeError,
            "headers= is of the kind str. It is a dict of names and values, such as "
            '{"X-Title": "lessons"}.',
        ),
        (
            {"headers": [("X-Title", "lessons")]},
            TypeError,
            "headers= is of the kind list. It is a dict of names and values, such as "
            '{"X-Title": "lessons"}.',
        ),
        (
            {"model": None},
            TypeError,
            "The model is None. It is its name, as the server lists it.",
        ),
    ],
)
def test_a_model_is_made_of_what_it_can_use(options: Any, kind: Any, told: str) -> None:
    for make in (OpenAIChat, OllamaChat):
        with pytest.raises(kind) as caught:
            make(**{"model": "m", **options})
        assert str(caught.value) == told
