"""Who tries again: how often, and after what wait.

Only what may work the second time is repeated: a busy server, a lost connection. A
wrong key stays wrong. An adapter says which is which with `ModelError.retryable`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Final

from mingraph_lite.errors import ModelError

__all__: Final = ["Retries"]


@dataclass(frozen=True)
class Retries:
    """How a failed model call is tried again.

    `most` is the number of extra tries. The wait doubles from `base` seconds and never
    exceeds `cap`; a random part of up to half of it keeps many clients from coming back
    at the same moment. `sleep` waits, `chance` gives a number from 0 to 1: hand in your
    own and nothing waits, nothing is random.
    """

    most: int = 2
    base: float = 1.0
    cap: float = 30.0
    sleep: Callable[[float], object] = field(default=time.sleep, repr=False)
    chance: Callable[[], float] = field(default=random.random, repr=False)

    def __post_init__(self) -> None:
        if not (self.most >= 0 and 0 <= self.base < inf and 0 <= self.cap < inf):
            raise ValueError(
                f"{self} cannot be kept: each number is 0 or more, and finite. "
                "0 means: not at all."
            )

    def wait(self, error: ModelError, tries: int) -> float | None:
        """Seconds to wait after so many tries, or None to give up.

        A server may say how long to wait. If that is longer than `cap`, coming back
        earlier would be in vain, and waiting would look like a hang: so give up. One
        that says 0 wants no wait at all, and is taken at its word.
        """
        if not error.retryable or tries > self.most:
            return None
        if error.retry_after == 0:
            return 0.0
        asked = error.retry_after or 0.0
        if not asked <= self.cap:  # NaN is no time to come back at
            return None
        # Doubling stops long before the number grows too large for a float.
        doubled = min(self.cap, self.base * 2.0 ** min(tries - 1, 60))
        return max(asked, doubled * (1 - self.chance() / 2))
