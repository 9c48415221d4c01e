"""What a type hint says beside its type.

It has words for its reader, and says whether null fits. `Annotated[str, "a city"]` and
`Annotated[str, Doc("a city")]` are the same words as
`Annotated[str, Field(description="a city")]`, which alone pydantic reads.
"""

from __future__ import annotations

import types
import typing
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, Required, Union

from pydantic import Field

__all__: Final = ["own_text", "takes_null", "with_texts_read"]

_CONTAINERS: Final = {dict, frozenset, list, set, tuple}


def own_text(hint: Any) -> str | None:
    """The words that a hint has for its reader, if it has any."""
    if isinstance(hint, typing.TypeAliasType):
        return own_text(hint.__value__)
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if kind is Annotated:
        texts = filter(None, map(_text, hint.__metadata__))
        return next(texts, None) or own_text(inside[0])
    if kind in {Union, UnionType, Required, NotRequired, typing.Final}:
        return next(filter(None, map(own_text, inside)), None)
    return None


def with_texts_read(hint: Any) -> Any:
    """The same hint, its words where pydantic reads them."""
    if isinstance(hint, typing.TypeAliasType):
        text = own_text(hint)
        return Annotated[hint, Field(description=text)] if text else hint
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if kind is Annotated:
        texts = [text for note in hint.__metadata__ if (text := _text(note))]
        notes = [note for note in hint.__metadata__ if not _text(note)]
        if texts:  # in front: a Field with a description of its own keeps it
            notes.insert(0, Field(description=texts[0]))
        return Annotated[with_texts_read(inside[0]), *notes or [None]]
    read = tuple(map(with_texts_read, inside))
    if all(new is old for new, old in zip(read, inside, strict=True)):
        return hint
    if kind in {Union, UnionType}:
        return Union[read]  # noqa: UP007
    return types.GenericAlias(kind, read) if kind in _CONTAINERS else hint


def takes_null(hint: Any) -> bool:
    """Whether None is among the values of a type already."""
    if isinstance(hint, typing.TypeAliasType):
        return takes_null(hint.__value__)
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if kind is Annotated:
        return takes_null(inside[0])
    if kind is Literal:
        return None in inside
    if kind in {Union, UnionType}:
        return any(map(takes_null, inside))
    return any(hint is one for one in (Any, None, NoneType, object))


def _text(note: object) -> str | None:
    """A note of Annotated that is words: a text, or a Doc of typing_extensions."""
    said = note if isinstance(note, str) else getattr(note, "documentation", None)
    return " ".join(said.split()) or None if isinstance(said, str) else None
