"""The environment in which cells print the same on every machine."""

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["OFFLINE", "ROOT", "lesson_environment"]

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = ROOT / "tests" / "notebooks" / "offline"

FIXED = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "COLUMNS": "80",
    "NO_COLOR": "1",
    "MPLCONFIGDIR": str(ROOT / "build" / "matplotlib"),
}
UNWANTED = (
    "FORCE_COLOR",
    "MINGRAPH_KEEP_IN",
    "MINGRAPH_LEARNER",
    "MPLBACKEND",
    "OPENAI_API_KEY",
    "PYTHONWARNINGS",
)


def lesson_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with all that could change an output fixed, and the network shut."""
    kept = {name: value for name, value in base.items() if name not in UNWANTED}
    paths = [path for path in kept.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(OFFLINE) not in paths:
        paths.insert(0, str(OFFLINE))
    return kept | FIXED | {"PYTHONPATH": os.pathsep.join(paths)}
