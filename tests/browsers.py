"""Which browser drives the tests, and how it is started."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["LAUNCH_ARGS", "NoBrowser", "find_chromium"]

# The last list of features wins, so it says again what Playwright does without.
PLAYWRIGHT_WITHOUT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
# Chromium draws what drops down below its address bar as pages, hidden ones, for each
# context anew. Nobody sees them here, and they take longer than a page of ours.
ADDRESS_BAR = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")

LAUNCH_ARGS = [
    "--no-sandbox",  # CI runs as root, where the sandbox refuses to start
    "--disable-gpu",
    # A browser that is new on a machine asks its maker for many things; a test asks for
    # nothing beyond this machine.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join((*PLAYWRIGHT_WITHOUT, *ADDRESS_BAR))}",
]

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
)


class NoBrowser(LookupError):
    """No browser that starts was found; the message says how to get one."""


def find_chromium(candidates: Iterable[str] | None = None) -> str:
    """Return the path of a Chromium or Chrome that starts."""
    for path in installed() if candidates is None else candidates:
        if starts(path):
            return path
    raise NoBrowser(
        "No Chromium or Chrome that starts was found (on the path, where they are "
        "usually installed, or Playwright's own): install Debian's chromium, or run "
        "`python -m playwright install chromium` with .venv's python."
    )


def installed() -> Iterator[str]:
    """Name the browsers that are here, Playwright's own last."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from (place for place in PLACES if Path(place).exists())
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).exists():
        yield own


def starts(path: str) -> bool:
    """Run it: on Ubuntu `chromium-browser` can be a note that says where to get one."""
    if sys.platform == "win32":  # where asking for the version opens a window
        return Path(path).exists()
    try:
        command = [path, "--version"]
        return not subprocess.run(command, capture_output=True, timeout=30).returncode
    except (OSError, subprocess.SubprocessError):
        return False
