"""A reply with something wrong in its structure."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any


def deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = {"d": value} if depth % 2 else [value]
    return value


ODD: list[Any] = [
    *(None, True, False, 0, -1, 10**400, 1.5, float("nan"), float("inf")),
    *("", " ", "null", "{", "[]", "\ud83d", "length", "429", "x" * 1000, "{" * 5000),
    *([], {}, [None], [[]], {"": ""}, {"error": {}}, {"type": "text"}, deep(90)),
    *(deep(2001), {"message": deep(500)}, [{"type": "text", "text": 7}]),
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a value, with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def mangled(reply: Any, chance: random.Random) -> Any:
    """A copy of a reply with one to three things wrong."""
    reply = copy.deepcopy(reply)
    for _ in range(chance.randint(1, 3)):
        spots = list(places(reply))
        if not spots:
            return reply
        holder, key = chance.choice(spots)
        part = holder[key]
        if isinstance(part, str) and part.startswith("{") and chance.random() < 0.5:
            holder[key] = mangled_inside(part, chance)
            continue
        match chance.randrange(7):
            case 0:
                del holder[key]
                continue
            case 1 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(part))
                continue
            case 2 if isinstance(part, str) and part:
                holder[key] = part[: chance.randrange(len(part))]
                continue
            case 3 if isinstance(part, str):
                holder[key] = part * 2
                continue
            case 4 if isinstance(holder, dict):
                holder[chance.choice(["args", "input", "error"])] = holder.pop(key)
                continue
            case 5:
                other, place = chance.choice(spots)
                odd = copy.deepcopy(other[place])
            case _:
                odd = chance.choice(ODD)
        holder[key] = odd
        if isinstance(odd, dict | list):
            return reply  # what follows could wander through something endless
    return reply


def mangled_inside(text: str, chance: random.Random) -> str:
    """The text of an object with one wrong value in it."""
    try:
        inner = json.loads(text)
    except ValueError:
        return text
    if spots := list(places(inner)):
        holder, key = chance.choice(spots)
        holder[key] = chance.choice([None, "", "null", "{}", "x", 7, [], {}, [1]])
    return json.dumps(inner)
