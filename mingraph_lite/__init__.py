"""Learn how an LLM agent loop works by building one.

The loop, in the order in which to read it:

    messages     what is said: four kinds of message, and the slips that models pass
    llm          who speaks: any model, or one that follows a script
    tools        what can be run: functions, offered to a model as a menu
    memory       what is read out: which lines of the folder the model hears
    cards        where we are: a card for each situation of the loop
    desk         where the work that a card asks for is done
    agent        the whole loop: run the card, take the one it gives

What makes it safe to run:

    errors       what can go wrong, as one tree
    endings      how a reply ended: an answer, slips, cut off, refused, broken
    limits       what a run may cost, in calls, tokens, money and seconds
    recovery     who tries again, how often, and after what wait
    observation  what a tool's result becomes before the model reads it
    observers    who is listening, and changes nothing
    record       what a run was, after it
    own_cards    a card of one's own, laid before another or gone on from
    mending      an old folder, put in order before it goes on
    telling      what a line of a trace says of each announcement
    trace        a run in a file, written and read
    transcripts  a line for each question, and which took unusually many rounds
    checkpoints  where a run is kept so that it can go on

What lessons use and do not teach:

    schema/      what a type hint becomes, on the menu and back
    adapters/    what talks to real models
    traces/      a trace, listed, shown, compared, and searched for its fault
    lab/         scripted models: scenarios, faults, and a fake server
    views/       folder and card, drawn side by side
    own_code/    a learner's file, run where it can be stopped and pointed at
    classroom/   what asks, checks and hints in a notebook
"""

from typing import TYPE_CHECKING, Any

from mingraph_lite.agent import Agent
from mingraph_lite.errors import (
    ContextOverflow,
    CostLimitReached,
    Interrupted,
    LimitReached,
    LineCut,
    ListenerFailed,
    MingraphError,
    ModelError,
    ModelMistake,
    ModelRefused,
    ReplyCutOff,
    RunInProgress,
    ScriptExhausted,
    StepLimitReached,
    TimeLimitReached,
    TokenLimitReached,
    ToolArgsError,
    ToolDefinitionError,
    UnknownToolError,
)
from mingraph_lite.llm import LLMResponse, ScriptedLLM
from mingraph_lite.memory import KeepAll, LastN, Summarise
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import ConsoleLogger, Observer, Recorder
from mingraph_lite.tools import ToolRegistry

if TYPE_CHECKING:
    from mingraph_lite.trace import TraceRecorder, read_trace
    from mingraph_lite.transcripts import Transcript

__all__ = [
    "Agent",
    "AssistantMessage",
    "ConsoleLogger",
    "ContextOverflow",
    "CostLimitReached",
    "Interrupted",
    "KeepAll",
    "LLMResponse",
    "LastN",
    "LimitReached",
    "LineCut",
    "ListenerFailed",
    "MingraphError",
    "ModelError",
    "ModelMistake",
    "ModelRefused",
    "Observer",
    "Recorder",
    "ReplyCutOff",
    "RunInProgress",
    "ScriptExhausted",
    "ScriptedLLM",
    "StepLimitReached",
    "Summarise",
    "SystemMessage",
    "TimeLimitReached",
    "TokenLimitReached",
    "ToolArgsError",
    "ToolCall",
    "ToolDefinitionError",
    "ToolMessage",
    "ToolRegistry",
    "TraceRecorder",
    "Transcript",
    "UnknownToolError",
    "UserMessage",
    "read_trace",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """What is asked for later: a module that is a command is loaded by nobody else."""
    if name in ("TraceRecorder", "read_trace"):
        from mingraph_lite import trace

        return getattr(trace, name)
    if name == "Transcript":
        from mingraph_lite import transcripts

        return transcripts.Transcript
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
