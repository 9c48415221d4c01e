"""What the figures depend on besides the code."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

PACKAGES: Final = (
    "pydantic",
    "pocketflow",
    "pydantic-graph",
    "langgraph",
    "smolagents",
)


def machine() -> str:
    """Python, processor and packages, in two lines."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return f"{python} on {system}\n{', '.join(map(_version, PACKAGES))}"


def load() -> str:
    """How busy the machine is: its load over 1, 5 and 15 minutes."""
    if not hasattr(os, "getloadavg"):
        return "not told by this system"
    return ", ".join(f"{average:.2f}" for average in os.getloadavg())


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"
