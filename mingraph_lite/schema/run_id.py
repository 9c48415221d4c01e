"""The name of a run, and what is secret in it."""

from __future__ import annotations

from typing import Final

from mingraph_lite.schema.masking import Mask

__all__: Final = ["RunId", "key_of"]


class RunId(str):
    """The name of a run: one object for each run.

    Two agents may both be at their "run-1", and one listener may hear both of them: it
    knows by the object which of them speaks. It knows what `mask` hides of its run.
    """

    __slots__ = ("mask",)

    mask: Mask

    def __new__(cls, name: str, mask: Mask | None = None) -> RunId:
        """A name; where no mask is handed in, only what tells of itself is hidden."""
        made = super().__new__(cls, name)
        made.mask = Mask() if mask is None else mask
        return made

    def __copy__(self) -> RunId:
        return self

    def __deepcopy__(self, memo: object) -> RunId:
        return self

    def __reduce__(self) -> tuple[type[RunId], tuple[str]]:
        """In a file it is a name alone: what the mask knows has no place there."""
        return RunId, (str(self),)


def key_of(run_id: str) -> object:
    """What tells a run from others of its name, as long as it lasts."""
    return id(run_id) if type(run_id) is RunId else run_id
