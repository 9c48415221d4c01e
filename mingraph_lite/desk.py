"""The desk: where the work that a card asks for is done.

Cards say what to do next; the desk is where it is done. Each thing that must happen to
every model call, every message or every slip has one place here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from mingraph_lite.endings import (
    CUT_SLIP,
    broken_off,
    cut_note,
    cut_off,
    ending_of,
    withheld,
)
from mingraph_lite.errors import (
    FinishReason,
    LimitReached,
    ListenerFailed,
    ModelError,
    ModelMistake,
    ReplyCutOff,
)
from mingraph_lite.limits import Limits, Spent, estimated, is_counted
from mingraph_lite.llm import (
    LLM,
    LLMResponse,
    Menu,
    TextListener,
    TextRelay,
    about_llm,
    ask_once,
    secrets_inside,
)
from mingraph_lite.memory import KeepAll, LastN, Memory, Reading, Summarise
from mingraph_lite.messages import (
    NOT_RUN,
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    open_slips,
    problems,
)
from mingraph_lite.observation import error_text, plain_text
from mingraph_lite.observers import Announcer
from mingraph_lite.record import RunRecord, tally
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.frozen import read_only
from mingraph_lite.schema.handed_in import in_words
from mingraph_lite.schema.jsonable import jsonable
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["Desk"]

_IN_ORDER: Final = (KeepAll, LastN, Summarise)
"""Memories of ours: what they read out need not be looked through."""
_NEVER_CHANGES: Final = (str, int, float, bool, type(None))


@dataclass
class Desk:
    """What a card works on: model, tools, folder, and who is told.

    The agent lays out a desk for each run. `ask` is the only door to the model and
    `observe` the only way from a tool's value into the folder, so that whatever must
    happen to every call or every value has one place.
    """

    llm: LLM
    tools: ToolRegistry
    memory: Memory
    system_prompt: str
    announcer: Announcer
    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    clock: Callable[[], float] = time.monotonic
    on_text_delta: TextListener | None = None
    tool_failures: Literal["raise", "answer"] = "raise"
    spent: Spent = field(init=False)
    ended: tuple[str | None, FinishReason] | None = field(default=None, init=False)
    leaving: FinishReason = field(default="abandoned", init=False)
    _begun_at: int = field(default=0, init=False)
    _ended_at: int | None = field(default=None, init=False)
    _answered: set[str] = field(default_factory=set, init=False)
    _counted_by: str = field(default="", init=False)
    _warned: set[str] = field(default_factory=set, init=False)
    _head: tuple[Message, ...] = field(init=False)
    _started: str | None = field(default=None, init=False)
    _known: ToolMessage | None = field(default=None, init=False)
    _ids: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        prompt = self.system_prompt
        self._head = (SystemMessage(prompt),) if prompt else ()
        self.spent = Spent(began=self.clock())
        self._counted_by = self.limits.need_counts
        for message in self.memory.folder:
            if isinstance(message, AssistantMessage):
                self._ids.update(call.id for call in message.tool_calls)

    def start(self, question: str) -> None:
        """Open the run: the question goes into the folder."""
        self._announce_start(question)
        self.answer_open_slips()
        self._begun_at = len(self.memory.folder)
        self.add(UserMessage(question))

    def go_on(self, step: int) -> None:
        """Open the run again, in this round: the folder holds its question already."""
        self.announcer.step = step
        asked = [
            place
            for place, message in enumerate(self.memory.folder)
            if isinstance(message, UserMessage)
        ]
        self._begun_at = asked[-1] if asked else 0
        question = self.memory.folder[asked[-1]].content if asked else ""
        self._announce_start(question)

    def read_out(self) -> Sequence[Message]:
        """What the model hears now: the system prompt, then what memory reads out."""
        messages = _as_now(self.memory.messages(), type(self.memory).__name__)
        if type(self.memory) not in _IN_ORDER and (found := problems(messages)):
            # Never mended on the way: what was read out would be nobody's.
            self._warn_once(
                f"What {type(self.memory).__name__} reads out is not in order, and "
                f"most providers refuse it: {found[0]}"
            )
        return Reading(messages, self._head)

    def ask(
        self, messages: Sequence[Message], menu: Menu = (), step: int = 0
    ) -> LLMResponse:
        """Ask the model, again where that may help, for whoever needs it.

        `step` is the round that this call begins, and `max_steps` limits; 0 is for a
        call within a round, which only tokens, money and time limit. Raises
        LimitReached before the call where a limit forbids it: calls are what you pay
        for. Raises ModelError with the number of tries once no other try is left.
        """
        if limit := self._limit_reached(step):
            raise limit
        if step:
            self.announcer.announce("step_start", step=step)
        messages = _as_now(messages, "The card")
        self.announcer.announce("model_call", messages=messages, menu=menu)
        response = self._ask_until_it_works(messages, menu)
        self.announcer.announce("model_reply", response=response)
        return response

    def file(self, response: LLMResponse) -> AssistantMessage:
        """Put the reply into the folder; each slip gets a number of its own."""
        message = response.message
        if message.tool_calls:
            calls = tuple(self._numbered(call) for call in message.tool_calls)
            if calls != message.tool_calls:
                message = replace(message, tool_calls=calls)
        elif response.refusal and not message.content.strip():
            # Providers refuse an empty message, and the folder tells what was said.
            message = replace(message, content=response.refusal)
        self.add(message)
        return message

    def add(self, message: Message) -> None:
        """Put a message into the folder and say so."""
        self.memory.add(message)
        if isinstance(message, ToolMessage):
            self._answered.add(message.tool_call_id)
        self.announcer.announce("message_added", message=message)

    def observe(self, call: ToolCall, value: object) -> ToolMessage:
        """What a tool's value becomes before the model reads it."""
        return ToolMessage(plain_text(value), call.id, call.name)

    def start_tool(self, call: ToolCall) -> None:
        """Say that a slip is about to be run; ValueError where it has its answer."""
        if call.id in self._answered:
            raise ValueError(
                f"The slip {call.id!r} is answered already, so it is not run. A card "
                "answers a slip, or hands it on to be run, and not both."
            )
        self.announcer.announce("tool_call", call=call)
        self._started = call.id

    def answer(self, call: ToolCall, value: object) -> None:
        """Answer a slip with what its tool gave back."""
        # Kept first: should a listener be interrupted, the outcome is not unknown.
        message = self._known = self.observe(call, value)
        if self.announcer.observers:
            picture = _picture(value)
            self.announcer.announce(
                "tool_return", call=call, value=picture, message=message
            )
        self.add(message)

    def answer_error(self, call: ToolCall, error: BaseException, text: str) -> None:
        """Answer a slip whose call went wrong."""
        message = self._known = ToolMessage(plain_text(text), call.id, call.name)
        self.announcer.announce("tool_error", call=call, error=error, message=message)
        self.add(message)

    def answer_open_slips(self) -> None:
        """Answer every slip that has no answer: providers refuse a folder with one."""
        # Why not keep a list of them? Ctrl-C may come between the folder and the list.
        for call in open_slips(self.memory.folder):
            # A tool that had begun may have sent its mail; one that had not, has not.
            begun = call.id == self._started
            text = "stopped while it ran: outcome unknown" if begun else NOT_RUN
            known = self._known
            if known is None or known.tool_call_id != call.id:
                known = ToolMessage(text, call.id, call.name)
            self.add(known)

    def finish(
        self,
        answer: str | None,
        reason: FinishReason,
        error: BaseException | None = None,
    ) -> None:
        """Close the run, once: no slip stays open, and all are told how it ended.

        Only a paused run leaves its slips open: whoever goes on answers them. Called
        again, it does what an interrupt kept it from. `error` is what ended the run.
        """
        self.announcer.ending = True
        why = None if error is None else error_text(error)
        if self.ended is None:
            self.ended = (answer, reason)
        try:
            if self._ended_at is None:
                if self.ended[1] != "paused":
                    try:
                        self.answer_open_slips()
                    except KeyboardInterrupt:
                        self.answer_open_slips()  # struck once, it is done once more
                        raise
                self._ended_at = len(self.memory.folder)
        except BaseException as error:
            if self.ended[0] is not None:  # an answer that could not be handed over
                failed = isinstance(error, Exception)
                self.ended = (None, "failed" if failed else "interrupted")
            raise
        finally:
            try:
                self.announcer.announce_finish(*self.ended, why)
            except ListenerFailed as failed:
                # An answer that its audit log does not hold is not handed over.
                self.ended = (None, "failed")
                self.announcer.announce_finish(*self.ended, error_text(failed))
                raise

    @property
    def record(self) -> RunRecord:
        """What the run was so far, or until its end."""
        lines = list(self.memory.folder)[self._begun_at : self._ended_at]
        priced = self.limits.price is not None
        answer, reason = self.ended or (None, None)
        return tally(lines, answer, reason, self.spent, priced=priced)

    def last_wish(self) -> str:
        """What the model asked for last in this run, in a sentence."""
        for message in reversed(list(self.memory.folder)[self._begun_at :]):
            if isinstance(message, AssistantMessage) and message.tool_calls:
                wishes = ", ".join(str(call) for call in message.tool_calls)
                return f"The model last asked for {wishes}."
        return "The model asked for no tool."

    def _announce_start(self, question: str) -> None:
        if not self.announcer.observers:
            return
        self.announcer.share(secrets_inside(self.llm, self.memory))
        self.announcer.announce(
            "run_start",
            question=question,
            model=read_only(about_llm(self.llm)),
            settings=read_only(self._settings()),
            folder=Reading(self.memory.folder),
        )

    def _settings(self) -> dict[str, object]:
        """What this run is told to be, for whoever writes it down."""
        limits = self.limits
        return {
            "system_prompt": self.system_prompt,
            "max_steps": limits.steps,
            "max_total_tokens": limits.tokens,
            "max_cost": limits.cost,
            "max_seconds": limits.seconds,
            "memory": type(self.memory).__name__,
            "tool_failures": self.tool_failures,
            "streamed": self.on_text_delta is not None,
        }

    def _limit_reached(self, step: int = 0, wait: float = 0) -> LimitReached | None:
        now = self.clock() + wait
        return self.limits.reached(step, self.spent, now, self.last_wish)

    def _ask_until_it_works(
        self, messages: Sequence[Message], menu: Menu
    ) -> LLMResponse:
        tries = 1
        listener = self.on_text_delta
        relay = None if listener is None else TextRelay(listener)
        while True:
            try:
                return self._ask_once(messages, menu, relay)
            except ModelError as error:
                wait = self.retries.wait(error, tries)
                if wait is None or self._limit_reached(wait=wait):
                    error.tries = tries
                    raise
                self.announcer.announce("retry", error=error, tries=tries, wait=wait)
                self.retries.sleep(wait)
                if relay is not None:
                    relay.new_attempt()
            tries += 1

    def _ask_once(
        self, messages: Sequence[Message], menu: Menu, relay: TextRelay | None
    ) -> LLMResponse:
        """A reply that says something: nothing at all is neither answer nor slip."""
        response = ask_once(self.llm, messages, menu, relay)
        # Counted before it is judged: an empty reply is paid for too.
        self._count(messages, menu, response)
        try:
            response = _as_it_ended(response)
        except ReplyCutOff:
            # It is never asked for again. Who listens sees what came, and its counts.
            note = cut_note(response.finish_reason)
            notes = dict.fromkeys((*response.notes, note))
            cut = replace(response, notes=tuple(notes))
            self.announcer.announce("model_reply", response=cut)
            raise
        message = response.message
        if message.tool_calls or message.content.strip():
            return response
        if response.refusal and response.refusal.strip():
            return response
        raise ModelError(
            "The model said nothing: no text and no slip "
            f"(finish reason: {response.finish_reason or 'not given'}). "
            "Ask again, or allow longer replies.",
            retryable=True,
        )

    def _count(
        self, messages: Sequence[Message], menu: Menu, response: LLMResponse
    ) -> None:
        estimate = None
        if self._counted_by and not is_counted(response.usage):
            estimate = estimated(messages, menu, response)
            self._warn_once(
                f"The model sends no token counts. For {self._counted_by} an estimate "
                "is counted: one token for every 4 bytes of text."
            )
        self.spent.add(response.usage, self.limits.price, estimate)

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self.announcer.warn(text)

    def _numbered(self, call: ToolCall) -> ToolCall:
        """The call under its tool's own name, with an id that no other call has."""
        try:
            name = self.tools.find(call.name).name
        except ModelMistake:
            name = call.name  # answered when it is run
        id, count = call.id, len(self._ids)
        while not id or id in self._ids:
            count += 1
            id = f"call_{count}"
        self._ids.add(id)
        if (id, name) == (call.id, call.name):
            return call
        return replace(call, name=name, id=id)


def _as_it_ended(response: LLMResponse) -> LLMResponse:
    """The reply in the light of how it ended; raises where that makes it none."""
    reason, message = response.finish_reason, response.message
    if reason is None:
        return response
    ending = ending_of(reason)
    if ending == "error":
        raise broken_off(reason)
    if response.refusal or ending in {"end", "slips"}:
        return response
    if ending == "refusal":
        return replace(response, refusal=withheld(reason, message.content))
    if not message.tool_calls:
        hidden = response.usage is not None and response.usage.reasoning_tokens
        reasoned = bool(response.reasoning or hidden)
        raise cut_off(reason, message.content, reasoned=reasoned)
    calls = tuple(
        call if call.problem else replace(call, problem=CUT_SLIP)
        for call in message.tool_calls
    )
    return replace(response, message=replace(message, tool_calls=calls))


def _as_now(messages: Sequence[Message], whose: str) -> Sequence[Message]:
    """What is read out, safe from what its owner does to the list later."""
    if isinstance(messages, Reading):
        return messages
    if isinstance(messages, str | dict) or not hasattr(messages, "__iter__"):
        raise TypeError(
            f"{whose} reads out {in_words(messages)}. It must be a list of messages."
        )
    return tuple(messages)


def _picture(value: Any) -> object:
    """A tool's value as it is now: the tool may change its list later."""
    return value if type(value) in _NEVER_CHANGES else read_only(jsonable(value))
