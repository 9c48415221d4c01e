"""What is told and asked before the run of a fault.

No brief says in which line the fault shows, nor what becomes of it: that is for the
reader to find. `Fault.what` says both, after the run.
"""

from __future__ import annotations

from typing import Final

from mingraph_lite.lab.asks import (
    ANSWERS_TO_THE_FIRST_REPLY,
    ENDING,
    FIRST_WRONG_LINE,
    LONGEST_READING,
    RUNS_OF_THE_FIRST_REPLY,
    TREATMENT,
    Ask,
)

__all__: Final = ["BRIEFS"]

BRIEFS: Final[dict[str, tuple[str, Ask]]] = {
    "bad_arguments": (
        "One slip does not fit its tool. Nobody stops the run for it: follow the slip.",
        FIRST_WRONG_LINE,
    ),
    "unknown_tool": (
        "One slip asks for a tool that nobody registered. Compare the slips with the "
        "menu.",
        FIRST_WRONG_LINE,
    ),
    "broken_json": (
        "One slip breaks off before its end. Look at what the model sent, and at what "
        "it is told.",
        FIRST_WRONG_LINE,
    ),
    "cut_reply": (
        "A reply is cut off: the first of its two slips is whole, the second is not.",
        RUNS_OF_THE_FIRST_REPLY,
    ),
    "cut_answer": (
        "All goes well until the answer, which stops in the middle of a number.",
        TREATMENT,
    ),
    "rate_limit": (
        "The server of the model is asked too often, and says for how long to wait.",
        TREATMENT,
    ),
    "busy_server": (
        "The server of the model has no room, and does not say when it will.",
        TREATMENT,
    ),
    "context_overflow": (
        "Tokyo's weather station talks so much that the next prompt does not fit.",
        TREATMENT,
    ),
    "html_page": (
        "Where a reply should be comes the login page of a wireless network.",
        TREATMENT,
    ),
    "error_in_200": (
        "A gateway says that all is well, and sends an error inside.",
        TREATMENT,
    ),
    "empty_reply": (
        "Once the model is read the folder and replies with nothing at all.",
        TREATMENT,
    ),
    "refusal": (
        "The model is read an innocent question, and declines to answer it.",
        TREATMENT,
    ),
    "tool_fails": (
        "One of the tools raises an error. The model has done nothing wrong.",
        FIRST_WRONG_LINE,
    ),
    "tool_times_out": (
        "One of the weather stations never sends anything, until its tool gives up.",
        ENDING,
    ),
    "huge_result": (
        "One of the weather stations sends its whole log instead of a number.",
        LONGEST_READING,
    ),
    "same_call": (
        "The model asks for something that it has been told already. No error says so.",
        FIRST_WRONG_LINE,
    ),
    "same_id": (
        "The model gives both slips of its first reply the same ticket number.",
        ANSWERS_TO_THE_FIRST_REPLY,
    ),
    "early_stop": (
        "The run ends with an answer and without an error, and still it is not right.",
        FIRST_WRONG_LINE,
    ),
    "invented_number": (
        "Every tool does its work, and the answer looks complete. Check its numbers.",
        FIRST_WRONG_LINE,
    ),
    "cut_stream": (
        "The answer comes in pieces, and half way the line goes dead.",
        TREATMENT,
    ),
}
