"""What a model is asked, checked for its kind.

The first call of a newcomer ends in a sentence that says what is needed.
An agent hands in what fits; who asks a model without one may hand in a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mingraph_lite.schema.handed_in import in_words

__all__: Final = ["checked_menu", "checked_messages"]

_MESSAGES: Final = 'Hand in a list of messages, such as [UserMessage("Hello")].'


def checked_messages(messages: Any) -> None:
    """TypeError for what is no list of messages."""
    if isinstance(messages, str | bytes | Mapping) or not hasattr(messages, "__iter__"):
        raise TypeError(f"messages is {in_words(messages)}. {_MESSAGES}")
    for message in messages:
        if isinstance(message, Mapping):
            raise TypeError(
                f"One of the messages is {in_words(message)}. from_openai(…) makes "
                "messages of a list of dicts."
            )
        if not hasattr(message, "content"):
            raise TypeError(f"One of the messages is {in_words(message)}. {_MESSAGES}")


def checked_menu(menu: Any) -> None:
    """TypeError for a menu of functions, which a server would read as texts."""
    if not hasattr(menu, "__iter__"):
        raise TypeError(
            f"The menu is {in_words(menu)}. Hand in ToolRegistry([…]).menu()."
        )
    for entry in menu:
        if not isinstance(entry, Mapping):
            raise TypeError(
                f"The menu holds {in_words(entry)}. Hand in the functions to a "
                "registry, and its menu here: ToolRegistry([…]).menu()."
            )
