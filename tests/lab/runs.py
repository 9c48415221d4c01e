"""One run of a scenario, with all that came of it."""

from collections.abc import Iterable
from typing import Any

from mingraph_lite.lab.scenarios import Scenario
from mingraph_lite.llm import LLM
from mingraph_lite.messages import AssistantMessage, Message, ToolMessage
from mingraph_lite.observers import Recorder
from mingraph_lite.recovery import Retries

ANSWER = "Paris: 64°F, Tokyo: 75°F"


class Run:
    """A run from question to end, on the script or on another model.

    Nothing waits for real: the waits between tries are kept in `waits`.
    """

    def __init__(
        self, scenario: Scenario, llm: LLM | None = None, **options: Any
    ) -> None:
        self.recorder = Recorder()
        self.waits: list[float] = []
        self.agent = scenario.agent(
            llm,
            observers=[self.recorder],
            retries=Retries(sleep=self.waits.append, chance=lambda: 0.0),
            **options,
        )
        self.answer: object = None
        self.error: Exception | None = None
        try:
            self.answer = self.agent.run(scenario.question)["answer"]
        except Exception as error:
            self.error = error

    @property
    def end(self) -> tuple[object, type, list[float]]:
        """The answer, the kind of the error, and the waits between tries."""
        return self.answer, type(self.error), self.waits

    @property
    def slips(self) -> list[tuple[str, str]]:
        """Each slip of the folder, with the answer under its number."""
        return slips_in(self.agent.memory.folder)

    def heard(self, name: str) -> list[Any]:
        """What was announced under a name."""
        return [e.payload for e in self.recorder.events if e.name == name]


def slips_in(folder: Iterable[Message]) -> list[tuple[str, str]]:
    """Each slip with the answer under its number."""
    lines = list(folder)
    answers = {m.tool_call_id: m.content for m in lines if isinstance(m, ToolMessage)}
    return [
        (str(call), answers[call.id])
        for message in lines
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
