"""Secrets kept out of the frames of a traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__: Final = ["unseen", "without_frames"]


def without_frames[T](
    act: Callable[[], T], explain: Callable[[BaseException], BaseException | None]
) -> T:
    """What `act` gives; what `explain` makes of an error is raised without its frames.

    Some notebooks show the variables of each frame, and some hold a header or a
    server's own words. So nothing that was explained leaves here with them: no cause
    and no context. What is explained by None leaves as it is.
    """
    try:
        return act()
    except BaseException as error:
        failure = explain(error)
        if failure is None:
            raise
    failure.__cause__ = failure.__context__ = None
    raise failure.with_traceback(None)


def unseen[A, T](act: Callable[[A], T], argument: A) -> Callable[[], T]:
    """A call to be made later; where it raises, no frame shows the argument."""

    def call() -> T:
        return act(argument)

    return lambda: without_frames(call, lambda error: error)
