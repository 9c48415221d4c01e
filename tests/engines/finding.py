"""Where the engines are on this machine, and how to get one that is not there."""

import shutil
from dataclasses import dataclass

from tests.browsers import NoBrowser, starts

__all__ = [
    "FIREFOX_PACKAGES",
    "WEBKIT_PACKAGES",
    "WebKitPrograms",
    "find_firefox",
    "find_webkit",
]

FIREFOX_PACKAGES = "firefox-esr"
MAC = "/Applications/Firefox.app/Contents/MacOS/firefox"
WEBKIT_PACKAGES = "webkit2gtk-driver xvfb"


@dataclass(frozen=True)
class WebKitPrograms:
    """What WebKit needs to run under a test: its driver, and a screen in memory."""

    driver: str
    xvfb: str


def find_firefox() -> str:
    """Return the path of a Firefox that starts."""
    for name in ("firefox-esr", "firefox", MAC):
        if (path := shutil.which(name)) and starts(path):
            return path
    raise NoBrowser(
        "No Firefox that starts was found, so the page is not tried in it: install "
        f"Debian's {FIREFOX_PACKAGES}."
    )


def find_webkit() -> WebKitPrograms:
    """Return the programs with which the page is tried in WebKit."""
    found = {name: shutil.which(name) for name in ("WebKitWebDriver", "Xvfb")}
    if missing := [name for name, path in found.items() if not path]:
        raise NoBrowser(
            f"No {' and no '.join(missing)} on the path, so the page is not tried in "
            f"WebKit: install Debian's {WEBKIT_PACKAGES.replace(' ', ' and ')}."
        )
    return WebKitPrograms(found["WebKitWebDriver"], found["Xvfb"])
