"""Which of the caller's settings pip, npm and JupyterLab hear of.

Where packages come from is the caller's to say: an index, a proxy, a certificate. Where
they are put, and what our JupyterLab shows, is ours.
"""

import ast
import os
from collections.abc import Mapping
from pathlib import Path

from launcher.place import Place

__all__ = ["for_jupyter", "for_npm", "for_pip", "own_folders", "readable"]

type Environment = dict[str, str]

# Why a list of what is kept and not of what is not? pip has a setting for each of its
# options, and half of them can take an installation somewhere else or stop it.
PIP_KEPT = {
    "cache_dir",
    "cert",
    "client_cert",
    "constraint",
    "extra_index_url",
    "find_links",
    "index_url",
    "keyring_provider",
    "no_cache_dir",
    "no_index",
    "proxy",
    "trusted_host",
    "use_deprecated",
    "use_feature",
}
# Tries are few and short, so that a bad network is named while somebody still looks.
PIP_PATIENCE, PIP_RETRIES = 15, 1
NPM_PATIENCE = {
    "fetch_retries": "1",
    "fetch_retry_mintimeout": "1000",
    "fetch_retry_maxtimeout": "3000",
    "fetch_timeout": "15000",
}
NPM_UNWANTED = (
    "dry_run",
    "global",
    "include",
    "location",
    "omit",
    "only",
    "package_lock",
    "prefix",
    "production",
)


def readable(environment: Mapping[str, str]) -> Environment:
    """Let a process write in UTF-8, which is how we read."""
    kept = {k: v for k, v in environment.items() if k != "PYTHONIOENCODING"}
    return kept | {"PYTHONUTF8": "1"}


def for_pip(environment: Mapping[str, str], config: str = "") -> Environment:
    """Keep of pip's settings those that say where packages come from.

    `config` is what `pip config list` prints. The files themselves are shut out, since
    an empty setting in the environment does not undo a target that a file names.
    """
    own = {k: v for k, v in environment.items() if k.startswith("PIP_")}
    others = {k: v for k, v in environment.items() if k not in own}
    named = {k.removeprefix("PIP_").lower(): v for k, v in own.items()}
    kept = {k: v for k, v in (from_files(config) | named).items() if k in PIP_KEPT}
    if not Path(kept.get("constraint", "")).is_file():
        kept.pop("constraint", None)
    patience = named.get("timeout") or named.get("default_timeout") or ""
    seconds = int(patience) if patience.isdigit() else PIP_PATIENCE
    kept |= {
        "config_file": os.devnull,
        "timeout": str(min(seconds, PIP_PATIENCE)),
        "retries": str(PIP_RETRIES),
    }
    ours = {f"PIP_{name.upper()}": value for name, value in kept.items()}
    return readable(others | ours | {"PYTHONNOUSERSITE": "1"})


def from_files(config: str) -> dict[str, str]:
    """Read what pip's own files say for every command, and for `install`."""
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}}
    for line in config.splitlines():
        key, equals, value = line.partition("=")
        section, _, name = key.partition(".")
        if equals and section in found:
            words = str(ast.literal_eval(value)).split()
            found[section][name.replace("-", "_")] = " ".join(words)
    return found["global"] | found["install"]


def for_npm(environment: Mapping[str, str], place: Place) -> Environment:
    """Leave out what would make npm skip packages or put them elsewhere."""
    unwanted = {"node_env", "node_options", "node_path"}
    unwanted |= {f"npm_config_{name}" for name in (*NPM_UNWANTED, *NPM_PATIENCE)}
    kept = {k: v for k, v in environment.items() if k.lower() not in unwanted}
    kept |= {f"npm_config_{name}": value for name, value in NPM_PATIENCE.items()}
    home = Path(os.path.expanduser("~"))
    if not os.access(home, os.W_OK) and "npm_config_cache" not in kept:
        kept["npm_config_cache"] = str(place.build / "npm")
    return kept | {"PYTHON": str(place.python), "PATH": place.path()}


def own_folders(place: Place) -> Environment:
    """Name folders that JupyterLab would else look for at home."""
    own = place.build / "jupyter"
    return {
        # With JUPYTER_NO_CONFIG this is the one folder that is read: .venv's, in which
        # the packages switch on what belongs to JupyterLab. /etc/jupyter is not.
        "JUPYTER_NO_CONFIG": "1",
        "JUPYTER_CONFIG_DIR": str(place.venv / "etc" / "jupyter"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(own / "settings"),
        # Not "workspaces": there an earlier start.py left the side bar open.
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "layouts"),
        "IPYTHONDIR": str(own / "ipython"),
        "MPLCONFIGDIR": str(place.build / "matplotlib"),
    }


def for_jupyter(
    environment: Mapping[str, str], place: Place, token: str, *, projector: bool = False
) -> Environment:
    """Give JupyterLab its own configuration and kernel, whatever the learner has."""
    foreign = ("JUPYTER", "JPY_", "IPYTHON", "MPL", "KERNEL_", "MINGRAPH_PROJECTOR")
    kept = {k: v for k, v in environment.items() if not k.startswith(foreign)}
    ours = own_folders(place) | {
        "JUPYTER_TOKEN": token,  # here it stays out of the list of processes
        "MINGRAPH_LEARNER": "1",
        "PATH": place.path(),
    }
    if projector:  # the views read it: their type is not JupyterLab's
        ours["MINGRAPH_PROJECTOR"] = "1"
    return readable(kept | ours)
