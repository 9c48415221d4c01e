"""What a forked child must not take over from its parent.

A child has one thread. A lock that another thread of the parent held is locked in the
child as well, and nobody is left who would unlock it.
"""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet

__all__: Final = ["renewed_in_a_child"]


class _Renewed(Protocol):
    def renew(self) -> None:
        """Have a lock of its own, and nothing half done."""


_all: Final[WeakSet[_Renewed]] = WeakSet()


def renewed_in_a_child(thing: _Renewed) -> None:
    """See to it that a thing is renewed in each child, as long as it lives."""
    _all.add(thing)


def _renew() -> None:
    for thing in list(_all):
        thing.renew()


if hasattr(os, "register_at_fork"):  # elsewhere there is no fork
    os.register_at_fork(after_in_child=_renew)
