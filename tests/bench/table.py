"""How figures are written: the table of steps, and lines with their limits."""

from collections.abc import Sequence
from typing import Final

from tests.bench.measure import Figure, Row

NAME: Final = 30
INSTALL: Final = "pip install -e '.[compare]'"


def heads(counts: Sequence[int]) -> str:
    """The two lines above the rows."""
    upper = "".join(f"{f'{steps:,} steps':>27}" for steps in counts)
    lower = f"{'µs':>9}{'x Agent':>9}{'x cards':>9}" * len(counts)
    return f"{'':{NAME}}{upper}\n{'':{NAME}}{lower}"


def row(name: str, figures: Row, agent: Row, cards: Row) -> str:
    """One system; a star says that it had fewer rounds than our Agent."""
    cells = [
        f"{short(figure.microseconds) + _star(figure, agent[steps]):>9}"
        f"{_ratio(figure, agent[steps]):>9}{_ratio(figure, cards[steps]):>9}"
        for steps, figure in figures.items()
    ]
    return f"{name:<{NAME}}{''.join(cells)}"


def reason(name: str, error: Exception) -> str:
    """Why a system has no figures."""
    if isinstance(error, ModuleNotFoundError):
        return f"not installed: {name} (no {error.name}); {INSTALL}"
    return f"failed: {name} ({type(error).__name__}: {error})"


def line(what: str, value: float, unit: str, most: float | None) -> str:
    """One figure by itself, and the limit it is held against where there is one."""
    text = f"{what:<42}{short(value):>9} {unit}"
    if most is None:
        return text
    return f"{text:<63}limit {most:g}: {'holds' if value <= most else 'OVER'}"


def short(value: float) -> str:
    """A number with about three digits that count."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def _ratio(figure: Figure, base: Figure) -> str:
    return short(figure.microseconds / base.microseconds)


def _star(figure: Figure, base: Figure) -> str:
    return "*" if figure.rounds < base.rounds else ""
