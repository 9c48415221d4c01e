"""Text as it comes, for one run; a stream that is cut is asked for again."""

from collections.abc import Sequence

from mingraph_lite import Agent, AssistantMessage, LLMResponse, ModelError
from mingraph_lite.llm import Menu, TextListener
from mingraph_lite.messages import Message
from mingraph_lite.recovery import Retries


class CutOnce:
    """A model whose first stream breaks off."""

    def __init__(self) -> None:
        self.asked = 0

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu,
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        self.asked += 1
        say = on_text_delta or (lambda text: None)
        say("The capital is ")
        if self.asked == 1:
            raise ModelError("The stream was cut.", retryable=True)
        say("Paris.")
        return LLMResponse(AssistantMessage("The capital is Paris."))


class Screen:
    """Shows what came so far, and clears when that is void."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, text: str) -> None:
        self.text += text

    def new_attempt(self) -> None:
        print("void:", repr(self.text))
        self.text = ""


screen, pieces = Screen(), list[str]()
agent = Agent(CutOnce(), [], "", retries=Retries(sleep=lambda seconds: None))
answer = agent.run("The capital of France?", on_text_delta=screen)["answer"]
print("shown:", screen.text, screen.text == answer)
agent.run("Once more?")  # nobody listens to this run
print("shown:", screen.text)
agent.run("And again?", on_text_delta=pieces.append)
print(pieces)
