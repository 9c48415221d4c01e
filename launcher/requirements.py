"""What pyproject.toml asks for, and what of it is missing."""

import importlib.metadata
import json
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from launcher.place import Place

__all__ = ["Find", "asked_for", "builds_the_package", "installed_from", "missing"]

type Find = Callable[[str], importlib.metadata.Distribution]


def asked_for(place: Place, *extras: str, core: bool = True) -> list[str]:
    """Read the requirements of the package and of these of its extras."""
    with open(place.root / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    lines = list(project["dependencies"]) if core else []
    waiting = list(extras)
    for extra in waiting:
        for line in project["optional-dependencies"][extra]:
            own, _, inner = line.partition("[")
            if own == project["name"]:  # as in test = ["mingraph_lite[lessons,page]"]
                waiting += inner.rstrip("]").split(",")
            else:
                lines.append(line)
    return lines


def builds_the_package(place: Place) -> list[str]:
    """Read what installs the package in place, without a network then."""
    with open(place.root / "pyproject.toml", "rb") as file:
        requires = tomllib.load(file)["build-system"]["requires"]
    return requires + asked_for(place, "editable", core=False)


def installed_from(place: Place, find: Find = importlib.metadata.distribution) -> bool:
    """Tell whether the installed package is the one in this folder."""
    try:
        origin = json.loads(find("mingraph_lite").read_text("direct_url.json") or "{}")
    except importlib.metadata.PackageNotFoundError:
        return False
    editable = origin.get("dir_info", {}).get("editable", False)
    return editable and origin["url"] == place.root.as_uri()


def missing(
    lines: Iterable[str],
    *,
    deep: bool = True,
    find: Find = importlib.metadata.distribution,
) -> list[str]:
    """List what is not installed as it is asked for here.

    Why not a note that pip was run for these very lines? Because what is installed
    may do although the lines have changed, and then no network is needed.
    """
    try:  # pip brings this along; nothing else is installed when we begin
        from pip._vendor.packaging.requirements import Requirement
    except ImportError:
        return list(lines)
    waiting = [(Requirement(line), ("",)) for line in lines]
    seen, wanting = set(), []
    for requirement, extras in waiting:  # grows while it is walked
        if (requirement, extras) in seen or not applies(requirement, extras):
            continue
        seen.add((requirement, extras))
        distribution = found(requirement, find)
        if distribution is None:
            wanting.append(str(requirement))
        elif deep:
            inner = tuple(sorted(requirement.extras)) or ("",)
            needed = distribution.requires or []
            waiting += [(Requirement(line), inner) for line in needed]
    return wanting


def applies(requirement: Any, extras: Iterable[str]) -> bool:
    """Tell whether a requirement is meant for this machine and these extras."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": e}) for e in extras)


def found(requirement: Any, find: Find) -> importlib.metadata.Distribution | None:
    """Find a whole package in a version that will do.

    Its list of files is the last that pip writes: without it, it is half installed.
    """
    try:
        distribution = find(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return None
    whole = distribution.files is not None
    fits = requirement.specifier.contains(distribution.version, prereleases=True)
    return distribution if whole and fits else None
