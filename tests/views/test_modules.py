"""An ES module that is sent as a text finds those beside it."""

import re
from base64 import b64decode

from mingraph_lite.views.modules import module
from mingraph_lite.views.sheets import VIEWS

ADDRESS = re.compile(r' from "data:text/javascript;charset=utf-8;base64,([\w+/=]+)";')
NEIGHBOUR = re.compile(r' from "\./([\w-]+\.js)";')


def unpacked(text: str) -> list[str]:
    """The texts of the modules that a text imports."""
    return [b64decode(found).decode() for found in ADDRESS.findall(text)]


def test_a_module_alone_is_its_own_text() -> None:
    assert module("make.js") == (VIEWS / "make.js").read_text("utf-8")


def test_each_import_becomes_the_module_itself_all_the_way_down() -> None:
    written = (VIEWS / "windowed.js").read_text("utf-8")
    assert NEIGHBOUR.findall(written) == ["make.js"]
    assert unpacked(module("windowed.js")) == [module("make.js")]
    names = NEIGHBOUR.findall((VIEWS / "folder_and_card.js").read_text("utf-8"))
    assert unpacked(module("folder_and_card.js")) == [module(name) for name in names]


def test_no_import_of_a_file_is_left_in_any_of_them() -> None:
    texts = [module(path.name) for path in sorted(VIEWS.glob("*.js"))]
    while texts:
        text = texts.pop()
        assert not re.search(r'^(import|export)\b.*"\./', text, re.MULTILINE)
        texts += unpacked(text)
