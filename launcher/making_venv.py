""".venv, made where it is missing or broken."""

import contextlib
import os
import shutil
import sys
from pathlib import Path

from launcher.alone import alone
from launcher.installing import look_for_room
from launcher.place import Place
from launcher.processes import Children, run
from start import Trouble, candidates, find_python, say, venv_works

__all__ = ["apt_install", "ensure", "inside", "real_folder"]


def inside(place: Place) -> bool:
    """Tell whether this very Python is .venv's."""
    return Path(sys.prefix).resolve() == place.venv.resolve()


def ensure(place: Place, children: Children) -> None:
    """Make .venv, unless it is there and works."""
    real_folder(place.venv)
    if venv_works(place.python):
        return
    with alone(place):
        if venv_works(place.python):  # another start.py has made it meanwhile
            return
        look_for_room(place)
        python, package = find_python(candidates())
        clear(place.venv)
        make(place, children, python, package)


def make(place: Place, children: Children, python: str, package: str | None) -> None:
    """Make .venv; `package` names what Debian may have left out."""
    command = [python, "-m", "venv", str(place.venv)]
    if package and not apt_install(place, children, package):
        uv = shutil.which("uv")
        if uv is None:
            raise Trouble(
                f"{python} cannot make a virtual environment: install Debian's "
                f"{package} (sudo apt-get install {package}), then start again."
            )
        command = [uv, "venv", "--seed", "--python", python, str(place.venv)]
    run(place, children, f"Making .venv with {python}", command)


def real_folder(path: Path) -> None:
    """Say in a sentence what stands where a folder is needed."""
    if path.is_symlink() and not path.exists():
        raise Trouble(
            f"{path.name} is a link to {os.readlink(path)}, which is not there: remove "
            "the link, then start again."
        )
    if path.exists() and not path.is_dir():
        raise Trouble(
            f"{path.name} is a file, where a folder is needed: move it away, then "
            "start again."
        )


def clear(venv: Path) -> None:
    """Remove a .venv that does not work, if it is ours."""
    if venv.is_symlink():
        raise Trouble(
            f"{venv.name} is a link to {os.readlink(venv)}, where no working "
            "environment is: remove the link, then start again."
        )
    if venv.exists():
        say("The .venv that is here does not work, so it is made anew.")
        shutil.rmtree(venv)


def apt_install(place: Place, children: Children, package: str) -> bool:
    """Install a Debian package where we may; tell whether it worked."""
    if not (shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0):
        return False
    script = f"apt-get update && apt-get install -y --no-install-recommends {package}"
    settings = {"env": dict(os.environ, DEBIAN_FRONTEND="noninteractive")}
    with contextlib.suppress(Trouble):
        command = ["sh", "-c", script]
        run(place, children, f"Installing {package}", command, **settings)
        return True
    return False
