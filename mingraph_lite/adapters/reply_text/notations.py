"""What a reply's text may hide: thoughts, calls and control tokens.

A server without a parser for its model hands on what the model wrote. `NOTATIONS` says
how each kind looks; `read_text` takes it off and gives what it was.
"""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.reply_text.call_notations import CALL_ROWS
from mingraph_lite.adapters.reply_text.notation import Notation, marks, one_of
from mingraph_lite.adapters.reply_text.thought_notations import THOUGHT_ROWS
from mingraph_lite.schema.tool_names import CONTROL_TOKENS

__all__: Final = [
    "CALLS",
    "NOTATIONS",
    "SIGNS",
    "THOUGHTS",
    "Notation",
    "marks",
    "one_of",
]

NOTATIONS: Final = (
    *THOUGHT_ROWS,
    *CALL_ROWS,
    *(
        Notation(
            *(token.text, token.source, "control", (token.text,), ()),
            f"Oslo is colder.{token.text}",
        )
        for token in CONTROL_TOKENS
    ),
)
"""What is taken off a text, row by row.

A thought becomes reasoning, and nothing in it is run. A call is run, whether or not
its tool is on the menu: the loop says what there is. A control token is dropped at the
start and the end of a text. All of it stays text inside of a quotation: backticks, a
fenced block, or quotation marks.
"""

THOUGHTS: Final = tuple(row for row in NOTATIONS if row.kind == "thought")
CALLS: Final = tuple(row for row in NOTATIONS if row.kind == "call")

SIGNS: Final = "<>[{=:`~◁✿"
"""A text without any of these hides nothing: each mark, call and fence has one."""
