"""A model of one's own: it answers at once, or passes its text on as it comes."""

from collections.abc import Sequence

from mingraph_lite import Agent, AssistantMessage, LLMResponse
from mingraph_lite.llm import Menu, TextListener
from mingraph_lite.messages import Message


class Parrot:
    """A model that needs to be asked, and no more."""

    def generate(self, messages: Sequence[Message], menu: Menu) -> LLMResponse:
        return LLMResponse(AssistantMessage(f"You said: {messages[-1].content}"))


class SlowParrot:
    """A model that can be heard while it speaks."""

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu,
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        words = messages[-1].content.split()
        for word in words:
            if on_text_delta is not None:
                on_text_delta(word)
        return LLMResponse(AssistantMessage(" ".join(words)))


heard: list[str] = []
print(Agent(Parrot(), [], "").run("Hello there.")["answer"])
print(Agent(SlowParrot(), [], "").run("Hello there.")["answer"])
Agent(SlowParrot(), [], "").run("Hello there.", on_text_delta=heard.append)
print(heard)

whole: list[str] = []
Agent(Parrot(), [], "").run("Hello there.", on_text_delta=whole.append)
print(whole)
