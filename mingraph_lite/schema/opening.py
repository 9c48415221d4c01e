"""A file that can be read from any place, or why not."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, Final

__all__: Final = ["opened"]


def opened(path: str, missing: str) -> BinaryIO:
    """The file; OSError where it is none, with `missing` where nothing is there.

    What can be read only once, a pipe, would not be there when a run is looked at; and
    of a device nobody knows whether it ever ends.
    """
    try:
        kind = os.stat(path).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise OSError(
                f"{path!r} is a pipe or a device, and is read more than once here. "
                "Write what comes from it into a file, and read that."
            )
        return open(path, "rb")
    except FileNotFoundError:
        raise FileNotFoundError(missing) from None
