"""What a docstring says of each parameter, and what is left."""

import pytest

from mingraph_lite.schema.docstrings import read_docstring
from mingraph_lite.tools import ToolRegistry
from tests.schema.adding import in_a_module

NAMES = ("query", "headers", "mode")

CASE = """Args:
    query: text to look for
        note: may contain a colon
    headers:
        Extra headers, e.g. "a: b".
    mode (str, optional): One of:
        - fast
Returns:
    list: x
"""
OF_THE_CASE = {
    "query": "text to look for note: may contain a colon",
    "headers": 'Extra headers, e.g. "a: b".',
    "mode": "One of: - fast",
}
LEFT = "Returns:\n    list: x"

NUMPY = """Find it.

Parameters
----------
query : str
    text to look for
    note: may contain a colon
mode, headers : {'a', 'b'}, optional
    One of:

    - fast
unknown
    Of nobody.

Returns
-------
mode
    x
"""

SPHINX = """Find it.

:param query: text to look for
    note: may contain a colon
:param str mode: One of:

    - fast
:type mode: str
:parameter dict[str, int] headers: a :class:`Map`: b
:param unknown: of nobody
:returns: list: x
"""


# C09. Right: each text comes whole, in one line; no name is invented, none is lost.
@pytest.mark.parametrize(
    ("docstring", "of", "text"),
    [
        (CASE, OF_THE_CASE, LEFT),
        (f"Find it.\n\n{CASE}", OF_THE_CASE, f"Find it.\n\n{LEFT}"),
        (f"Find it.\n{CASE}", OF_THE_CASE, f"Find it.\n{LEFT}"),
        (f"Find it.\n\n{CASE}".replace("\n", "\r\n"), OF_THE_CASE,
         f"Find it.\n\n{LEFT}"),
        (CASE.replace("\n", "\r"), OF_THE_CASE, LEFT),
        (CASE.replace("    ", "\t"), OF_THE_CASE, LEFT.replace("    ", " " * 8)),
        (CASE.replace("Args", "Arguments"), OF_THE_CASE, LEFT),
        (CASE.replace("Args", "Keyword Args"), OF_THE_CASE, LEFT),
        ("Args:\n        query: a\n            b: c\n        mode: d\n    ",
         {"query": "a b: c", "mode": "d"}, ""),
        ("Args:\n        query: a\n\n        mode: d\n\n        More: of it.",
         {"query": "a", "mode": "d"}, "More: of it."),
        ("Args:\n    query (dict[str, tuple[int, (x)]]): a (b): c\n    *mode: d",
         {"query": "a (b): c", "mode": "d"}, ""),
        ("F.\n\nArgs:\n    query - a\n    `mode` -- b\n    - headers: c",
         {"query": "a", "mode": "b", "headers": "c"}, "F."),
        ("F.\n\nArgs:\n    **query**: a\n    *mode* (str): b",
         {"query": "a", "mode": "b"}, "F."),
        ("F.\n\nArgs:\n    query: a\n    goes on.\n    other: b\n        mode: c",
         {"query": "a goes on."}, "F."),
        ("F.\n\nExample:\n    mode: fast\n\nArgs:\n    query: a\n\nNote:\n    mode: b",
         {"query": "a"}, "F.\n\nExample:\n    mode: fast\n\nNote:\n    mode: b"),
        ("F.\n\nExample:\n    Args:\n        mode: b", {},
         "F.\n\nExample:\n    Args:\n        mode: b"),
        ("F.\n\nArgs:\n    See the manual.\n\nDone.", {},
         "F.\n\nArgs:\n    See the manual.\n\nDone."),
        ("F.\n\nArgs:\n    query:\n    mode: b", {"mode": "b"}, "F."),
        ("Args:", {}, "Args:"),
        (NUMPY, {"query": "text to look for note: may contain a colon",
                 "mode": "One of: - fast", "headers": "One of: - fast"},
         "Find it.\n\nReturns\n-------\nmode\n    x"),
        ("Parameters\n==========\nquery\n    a\nmode: str\n    b\n\nThe rest of it.",
         {"query": "a", "mode": "b"}, "The rest of it."),
        (SPHINX, {"query": "text to look for note: may contain a colon",
                  "mode": "One of: - fast", "headers": "a :class:`Map`: b"},
         "Find it.\n\n:param unknown: of nobody\n:returns: list: x"),
        (":param query: a\nb\n:param mode: c\n\nmode: d",
         {"query": "a b", "mode": "c"}, "mode: d"),
        ("F.\n\n@param query: a\n  b\n@type query: str\n@return: c", {"query": "a b"},
         "F.\n\n@return: c"),
        ("Find it: query: a.", {}, "Find it: query: a."),
        ("", {}, ""),
        (None, {}, ""),
    ],
)  # fmt: skip
def test_C09_a_docstring_is_read_in_each_style(
    docstring: str | None, of: dict[str, str], text: str
) -> None:
    assert read_docstring(docstring, NAMES) == (text, of)


def test_C09_a_parameters_text_stands_with_it_on_the_menu() -> None:
    tool = in_a_module(f'def tool(query: str, headers, mode="fast"):\n    """{CASE}"""')
    tools = ToolRegistry([tool])
    function = tools.menu()[0]["function"]
    assert function["description"] == LEFT
    assert function["parameters"]["properties"] == {
        "query": {"type": "string", "description": OF_THE_CASE["query"]},
        "headers": {"description": OF_THE_CASE["headers"]},
        "mode": {"description": OF_THE_CASE["mode"], "default": "fast"},
    }
