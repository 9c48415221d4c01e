"""An ES module with those beside it inside, as one text.

A notebook's widget is sent as a text and has no address, so `import "./make.js"` has
nothing to lead from. Here each such import gets the module itself as its address. The
page imports the same files from where they lie.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Final

from mingraph_lite.views.sheets import VIEWS

__all__: Final = ["module"]

_IMPORT: Final = re.compile(r'(?<= from )"\./([\w-]+\.js)"(?=;)')


def module(name: str) -> str:
    """The text of a module that needs no other file."""
    text = (VIEWS / name).read_text(encoding="utf-8")
    return _IMPORT.sub(lambda found: f'"{_address(found[1])}"', text)


def _address(name: str) -> str:
    text = b64encode(module(name).encode()).decode()
    return f"data:text/javascript;charset=utf-8;base64,{text}"
