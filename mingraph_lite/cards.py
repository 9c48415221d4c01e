"""Where we are: one card for each situation the loop can be in, and the desk.

    CallingModel ──the reply passes slips──▶ RunningTools
         ▲  │                                     │
         │  └──no slips, or the limit──▶ Finished │
         └───────────every slip answered──────────┘

Do what the card says, then pick up the card it hands back: that is the whole loop. No
line of it asks "where are we?", since the card in the hand is the answer.

Why not one function with an `if` for each situation? It works, and every new situation
edits it. A card is a page of the rulebook; a new one leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

from mingraph_lite.errors import Interrupted, ModelMistake, StepLimitReached
from mingraph_lite.llm import LLM, LLMResponse, Menu, TextListener
from mingraph_lite.memory import Memory, Reading
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observation import plain_text
from mingraph_lite.observers import Announcer
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["CallingModel", "Card", "Desk", "Finished", "RunningTools"]

NOT_RUN: Final = "not run: stopped"


@dataclass(frozen=True)
class Card:
    """One situation: `run` does its work and hands back the next card.

    `because` is why the card before picked this one, for whoever watches.
    """

    _: KW_ONLY
    because: str = field(default="", repr=False)

    def run(self, desk: Desk) -> Card | None:
        """Do what the card says; hand back the next card, or None to end the run."""
        raise TypeError(f"{type(self).__name__} has no rule: give it a run(desk).")


@dataclass(frozen=True)
class CallingModel(Card):
    """Read the folder out to the model; its reply decides which card is next."""

    step: int

    def run(self, desk: Desk) -> Card:
        """Ask once. Slips lead to RunningTools, a reply without slips to Finished."""
        # The limit counts model calls: those are what you pay for.
        if self.step > desk.max_steps:
            why = f"{desk.max_steps} model calls are the limit"
            return Finished(None, "step limit", because=why)
        desk.announcer.announce("step_start", step=self.step)
        reply = desk.file(desk.ask(desk.read_out(), desk.tools.menu()))
        if reply.tool_calls:
            why = f"the reply passed {_count(reply.tool_calls)}"
            return RunningTools(reply.tool_calls, self.step, because=why)
        return Finished(reply.content, "answered", because="the reply passed no slip")


@dataclass(frozen=True)
class RunningTools(Card):
    """Run each slip, put its answer into the folder under the same number."""

    calls: tuple[ToolCall, ...]
    step: int

    def run(self, desk: Desk) -> Card:
        """Answer every slip; a tool that fails is answered too, then raised."""
        for call in self.calls:
            desk.start_tool(call)
            try:
                value = desk.tools.run(call)
            except ModelMistake as mistake:
                # The model can mend this if it is told, so the loop goes on.
                desk.answer_error(call, mistake, f"Error: {mistake} Mend the call.")
            except Interrupted:
                raise  # The tool did not fail: somebody stopped the run while it ran.
            except Exception as error:
                # No other slip would bring the tool back, so the caller is told.
                desk.answer_error(call, error, f"Error: {call.name} failed: {error}")
                raise
            else:
                desk.answer(call, value)
        return CallingModel(self.step + 1, because="every slip has its answer")


@dataclass(frozen=True)
class Finished(Card):
    """Hand over the answer; without one, say so by raising."""

    answer: str | None
    reason: str

    def run(self, desk: Desk) -> None:
        """End the run; raises StepLimitReached where there is no answer.

        Why not an answer such as "Stopped"? Whoever reads it next cannot tell it from
        an answer without parsing the words.
        """
        desk.finish(self.answer, self.reason)
        if self.answer is None:
            raise StepLimitReached(
                f"No answer after {desk.max_steps} model calls. "
                f"{desk.last_wish()} Allow more with max_steps=…, or read in the "
                "folder what the model could not get."
            )


@dataclass
class Desk:
    """What a card works on: the model, the tools, the folder, who is told.

    The agent lays out a desk for each run. `ask` is the only door to the model and
    `observe` the only way from a tool's value into the folder, so that whatever must
    happen to every call or every value has one place.
    """

    llm: LLM
    tools: ToolRegistry
    memory: Memory
    system_prompt: str
    announcer: Announcer
    max_steps: int
    on_text_delta: TextListener | None = None
    finished: bool = field(default=False, init=False)
    _open: dict[str, ToolCall] = field(default_factory=dict, init=False)
    _started: str | None = field(default=None, init=False)
    _known: dict[str, ToolMessage] = field(default_factory=dict, init=False)
    _ids: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        for message in self.memory.folder:
            self._keep_count(message)

    def start(self, question: str) -> None:
        """Open the run: the question goes into the folder."""
        self.announcer.announce("run_start", question=question)
        self.answer_open_slips()
        self.add(UserMessage(question))

    def read_out(self) -> Sequence[Message]:
        """What the model hears now: the system prompt, then what memory reads out."""
        head = (SystemMessage(self.system_prompt),) if self.system_prompt else ()
        return Reading(_as_now(self.memory.messages()), head)

    def ask(self, messages: Sequence[Message], menu: Menu = ()) -> LLMResponse:
        """Ask the model once, for whoever needs it."""
        messages = _as_now(messages)
        # Listeners get a menu of their own: what they do to it never reaches the model.
        shown = deepcopy(menu) if self.announcer.observers else ()
        self.announcer.announce("model_call", messages=messages, menu=shown)
        response = self.llm.generate(messages, menu, self.on_text_delta)
        self.announcer.announce("model_reply", response=response)
        return response

    def file(self, response: LLMResponse) -> AssistantMessage:
        """Put the reply into the folder; each slip gets a number of its own."""
        message = response.message
        if message.tool_calls:
            calls = tuple(self._numbered(call) for call in message.tool_calls)
            message = replace(message, tool_calls=calls)
        self.add(message)
        return message

    def add(self, message: Message) -> None:
        """Put a message into the folder and say so."""
        self.memory.add(message)
        self._keep_count(message)
        self.announcer.announce("message_added", message=message)

    def observe(self, call: ToolCall, value: object) -> ToolMessage:
        """What a tool's value becomes before the model reads it."""
        return ToolMessage(plain_text(value), call.id, call.name)

    def start_tool(self, call: ToolCall) -> None:
        """Say that a slip is about to be run."""
        self.announcer.announce("tool_call", call=call)
        self._started = call.id

    def answer(self, call: ToolCall, value: object) -> None:
        """Answer a slip with what its tool gave back."""
        # Kept first: should a listener be interrupted, the outcome is not unknown.
        message = self._known[call.id] = self.observe(call, value)
        self.announcer.announce("tool_return", call=call, value=value, message=message)
        self.add(message)

    def answer_error(self, call: ToolCall, error: BaseException, text: str) -> None:
        """Answer a slip whose call went wrong."""
        message = self._known[call.id] = ToolMessage(text, call.id, call.name)
        self.announcer.announce("tool_error", call=call, error=error, message=message)
        self.add(message)

    def answer_open_slips(self) -> None:
        """Answer every slip that has no answer: providers refuse a folder with one."""
        for call in list(self._open.values()):
            # A tool that had begun may have sent its mail; one that had not, has not.
            begun = call.id == self._started
            text = "stopped while it ran: outcome unknown" if begun else NOT_RUN
            self.add(self._known.get(call.id) or ToolMessage(text, call.id, call.name))

    def finish(self, answer: str | None, reason: str) -> None:
        """Close the run, once: no slip stays open, and all are told how it ended."""
        if not self.finished:
            self.finished = True
            self.answer_open_slips()
            self.announcer.announce("finish", answer=answer, reason=reason)

    def last_wish(self) -> str:
        """What the model asked for last, in a sentence."""
        for message in reversed(self.memory.folder):
            if isinstance(message, AssistantMessage) and message.tool_calls:
                wishes = ", ".join(str(call) for call in message.tool_calls)
                return f"The model last asked for {wishes}."
        return "The model asked for no tool."

    def _numbered(self, call: ToolCall) -> ToolCall:
        """The call with an id that no other call in the folder has."""
        id, count = call.id, len(self._ids)
        while not id or id in self._ids:
            count += 1
            id = f"call_{count}"
        self._ids.add(id)
        return call if id == call.id else replace(call, id=id)

    def _keep_count(self, message: Message) -> None:
        if isinstance(message, AssistantMessage):
            self._open.update((call.id, call) for call in message.tool_calls)
            self._ids.update(call.id for call in message.tool_calls)
        elif isinstance(message, ToolMessage):
            self._open.pop(message.tool_call_id, None)
            self._known.pop(message.tool_call_id, None)


def _as_now(messages: Sequence[Message]) -> Sequence[Message]:
    """What is read out, safe from what its owner does to the list later."""
    return messages if isinstance(messages, Reading) else tuple(messages)


def _count(calls: Sequence[ToolCall]) -> str:
    words = {1: "one slip", 2: "two slips", 3: "three slips"}
    return words.get(len(calls), f"{len(calls)} slips")
