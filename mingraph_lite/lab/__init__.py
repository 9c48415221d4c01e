"""Models that need no network: scripts, faults, and a server for them.

In reading order:

    reading_llm   a model that reads what it is handed, for lessons about the loop
    clock         a clock on the menu, and a model that reckons with it
    scenarios     a question, its tools, and what a model might say to it
    asks          what a reader is asked before a run
    measures      the answer, measured on the frames of that run
    faults        the same question, with one thing that goes wrong
    briefs        what a reader is told before it
    faulty        the replies and tools of which faults are made
    wrong_runs    four runs that end wrong, each in its own way
    wire          what a server sends: the bytes of OpenAI's chat API
    turns         where a script is, as the folder of a request tells it
    reply_source  which reply is due: scripts for many clients, or a test's queue
    fake_server   scripted models behind OpenAI's chat API, on this machine
    listener      its socket: who may ask, what came, how a reply is sent

What makes that server one like Groq, Ollama or others:

    habit         what a habit is: a request that shows it, and what is sent then
    servers/      each server's habits, a file each, with the source of each habit
    habits        the table of all, by the server's name
    played        a server with another one's habits, with a socket or without
    shapes, stream_shapes, ollama_wire    pieces from which habits are made

Lessons and learners import from these:

    from mingraph_lite.lab import ReadingLLM
    from mingraph_lite.lab.clock import ReckoningLLM, now_on
    from mingraph_lite.lab.scenarios import paris_and_tokyo
    from mingraph_lite.lab.faults import FAULTS

Any client, in any language, is tried on `python -m mingraph_lite.lab.fake_server`; a
test in Python starts the same server with `FakeServer`.
"""

from typing import Final

from mingraph_lite.lab.reading_llm import ReadingLLM

__all__: Final = ["ReadingLLM"]
