"""JSON that refuses change: what was said stays as said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from mingraph_lite.schema.jsonable import DEEPEST

__all__: Final = ["ReadOnly", "ReadOnlyList", "read_only"]


class ReadOnly(dict[str, Any]):
    """A dict that refuses to be changed; `copy.deepcopy` gives one that can.

    Why not a MappingProxyType? JSON, `copy` and `pickle` refuse one, and it prints as
    something else than the dict that a model sent.
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"{dict(self)} is part of the run and cannot be changed. "
            "Change a copy: copy.deepcopy(…)."
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """Copies are plain dicts: a copy was not said by anyone."""
        return dict, (dict(self),)


class ReadOnlyList(list[Any]):
    """A list that refuses to be changed, as `ReadOnly` does."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"{list(self)} is part of the run and cannot be changed. "
            "Change a copy: copy.deepcopy(…)."
        )

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        """Copies are plain lists."""
        return list, (list(self),)


def read_only(value: Any, depth: int = DEEPEST) -> Any:
    """The same JSON value, refusing to be changed down to a depth no tool asks for.

    Why not a copy for each listener? A listener that changed its copy of a slip or of
    the menu would believe in a run that never was.
    """
    if depth and isinstance(value, Mapping):
        return ReadOnly({k: read_only(item, depth - 1) for k, item in value.items()})
    if depth and isinstance(value, list):
        return ReadOnlyList(read_only(item, depth - 1) for item in value)
    return value
