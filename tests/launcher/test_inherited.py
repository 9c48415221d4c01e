"""A caller's settings say where packages come from, and nothing else."""

import os

import pytest

from launcher.inherited import for_jupyter, for_npm, for_pip

CONFIG = r"""
:env:.index-url='https://not.read/again'
global.index-url='https://mirror.example/simple'
global.target='/somewhere/else'
global.timeout='600'
install.user='true'
install.trusted-host='mirror.example\nother.example'
install.require-hashes='true'
"""
PATIENT = {"PIP_TIMEOUT": "15", "PIP_RETRIES": "1", "PIP_CONFIG_FILE": os.devnull}


def of_pip(environment: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if k.startswith("PIP_")}


def test_pip_hears_of_a_mirror_and_not_of_another_place_to_install():
    settings = {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "PIP_PROXY": "http://proxy.example:3128",
        "PIP_USER": "1",
        "PIP_TARGET": "/somewhere/else",
        "PIP_PREFIX": "/somewhere/else",
        "PIP_REQUIRE_HASHES": "1",
        "PIP_NO_DEPS": "1",
        "PIP_DRY_RUN": "1",
    }

    assert of_pip(for_pip(settings)) == PATIENT | {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "PIP_PROXY": "http://proxy.example:3128",
    }


def test_of_pips_own_files_too_only_the_mirror_is_kept():
    assert of_pip(for_pip({}, CONFIG)) == PATIENT | {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "PIP_TRUSTED_HOST": "mirror.example other.example",
    }
    nearer = {"PIP_INDEX_URL": "https://nearer.example/simple"}
    assert for_pip(nearer, CONFIG)["PIP_INDEX_URL"] == nearer["PIP_INDEX_URL"]


@pytest.mark.parametrize(
    ("set_to", "heard"), [("5", "5"), ("180", "15"), ("never", "15")]
)
def test_nobody_waits_for_minutes_whatever_patience_is_set(set_to, heard):
    assert for_pip({"PIP_DEFAULT_TIMEOUT": set_to})["PIP_TIMEOUT"] == heard
    assert "PIP_DEFAULT_TIMEOUT" not in for_pip({"PIP_DEFAULT_TIMEOUT": set_to})


def test_a_companys_constraints_are_kept_where_they_exist(tmp_path):
    there, absent = tmp_path / "constraints.txt", str(tmp_path / "absent.txt")
    there.write_text("")

    kept = for_pip({"PIP_CONSTRAINT": str(there)})
    assert kept["PIP_CONSTRAINT"] == str(there)
    assert "PIP_CONSTRAINT" not in for_pip({"PIP_CONSTRAINT": absent})


def test_npm_hears_of_a_registry_and_not_of_packages_to_leave_out(place):
    settings = {
        "NODE_ENV": "production",
        "NODE_OPTIONS": "--require /absent.js",
        "npm_config_omit": "dev",
        "NPM_CONFIG_GLOBAL": "true",
        "NPM_CONFIG_FETCH_RETRIES": "9",
        "npm_config_registry": "https://mirror.example/npm",
    }

    found = for_npm(settings, place)

    assert {k: v for k, v in found.items() if k in settings or "FETCH" in k} == {
        "npm_config_registry": "https://mirror.example/npm"
    }
    assert found["npm_config_fetch_retries"] == "1"
    assert found["PATH"].startswith(f"{place.scripts}{os.pathsep}")


def test_npm_keeps_its_cache_here_where_the_home_cannot_be_written(
    place, tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "absent"))
    assert for_npm({}, place)["npm_config_cache"] == str(place.build / "npm")

    monkeypatch.setenv("HOME", str(tmp_path))
    assert "npm_config_cache" not in for_npm({}, place)


# H14. Right: the lessons open with our own configuration and kernel.
def test_jupyterlab_hears_of_none_of_the_learners_own_settings(place):
    theirs = {
        "JUPYTER_CONFIG_DIR": "/theirs",
        "JUPYTER_CONFIG_PATH": "/theirs",
        "JUPYTER_PATH": "/theirs",
        "JUPYTER_TOKEN": "theirs",
        "JUPYTER_PORT": "1",
        "JUPYTERLAB_DIR": "/theirs",
        "JUPYTERLAB_SETTINGS_DIR": "/theirs",
        "JUPYTERHUB_SERVICE_PREFIX": "/theirs",
        "IPYTHONDIR": "/theirs",
        "JPY_PARENT_PID": "1",
        "MPLBACKEND": "theirs",
        "MINGRAPH_PROJECTOR": "theirs",
        "LANG": "de_DE.UTF-8",
    }

    found = for_jupyter(theirs, place, "ours")

    assert found["JUPYTER_TOKEN"] == "ours"
    assert [name for name, value in found.items() if "theirs" in value] == []
    assert found["LANG"] == "de_DE.UTF-8"
    assert {"JUPYTER_PORT", "JPY_PARENT_PID", "JUPYTERLAB_DIR"} & set(found) == set()


def test_all_that_jupyterlab_writes_is_in_the_projects_folder(place):
    found = for_jupyter({}, place, "ours")
    folders = [v for k, v in found.items() if k.endswith(("_DIR", "DIR"))]

    assert len(folders) == 7
    assert [x for x in folders if not x.startswith(str(place.root))] == []
