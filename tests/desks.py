"""A desk laid out for a test, with a script for its model and a recorder."""

from collections.abc import Iterable

from mingraph_lite.desk import Desk
from mingraph_lite.limits import Limits
from mingraph_lite.llm import LLM, Reply, ScriptedLLM, TextListener
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.observers import Announcer, Observer, Recorder
from mingraph_lite.recovery import Retries
from tests.schema.adding import registry

NOW = ToolCall("now", {}, "c1")
LATER = ToolCall("now", {}, "c2")
PROMPT = "Be brief."
REFUSAL = "I can't help with that."


def now() -> str:
    return "noon"


def broken() -> str:
    raise OSError("no clock")


def laid_out(
    *script: Reply,
    llm: LLM | None = None,
    prompt: str = PROMPT,
    listeners: Iterable[Observer] = (),
    limits: Limits | None = None,
    retries: Retries | None = None,
    heard: TextListener | None = None,
) -> tuple[Desk, Recorder]:
    """A desk with two tools, a script for its model, and its recorder."""
    recorder = Recorder()
    desk = Desk(
        llm or ScriptedLLM(script),
        registry(now, broken),
        KeepAll(),
        prompt,
        Announcer([*listeners, recorder], run_id="r", agent="guide"),
        limits or Limits(),
        retries or Retries(most=0),
        on_text_delta=heard,
    )
    return desk, recorder


def said(desk: Desk) -> list[Message]:
    return list(desk.memory.folder)
