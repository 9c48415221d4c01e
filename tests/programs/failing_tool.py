"""A tool that fails: the caller is told, or the model is and the run goes on."""

from mingraph_lite import Agent, Recorder, ScriptedLLM, ToolCall


def get_weather(city: str) -> str:
    """Look up the weather."""
    raise ConnectionError(f"no line to {city}")


def model() -> ScriptedLLM:
    errand = ToolCall("get_weather", {"city": "Paris"})
    return ScriptedLLM([errand, lambda messages, menu: messages[-1].content])


raising = Agent(model(), [get_weather], "")
try:
    raising.run("How is Paris?")
except ConnectionError as error:
    print("raised:", error)
print("folder:", raising.memory.folder[-1].content)
print("reason:", raising.last_run and raising.last_run.reason)

recorder = Recorder()
answering = Agent(
    model(), [get_weather], "", tool_failures="answer", observers=[recorder]
)
print("answer:", answering.run("How is Paris?")["answer"])
failures = [event for event in recorder.events if event.name == "tool_error"]
print("heard:", [repr(event.payload["error"]) for event in failures])

# A mistake of the model is told to the model either way.
mistaken = ScriptedLLM([ToolCall("get_wether", {}), "Sorry."])
agent = Agent(mistaken, [get_weather], "")
print("answer:", agent.run("How is Paris?")["answer"])
print("folder:", agent.memory.folder[-2].content)
