"""Plain functions as tools: a list of them, a registry, and what is no tool."""

from typing import Any

from mingraph_lite import Agent, ScriptedLLM, ToolCall, ToolRegistry


def get_weather(city: str) -> str:
    """Look up the weather."""
    return f"18 degrees in {city}"


def to_fahrenheit(celsius: float) -> int:
    """Convert a temperature."""
    return round(celsius * 9 / 5 + 32)


def model() -> ScriptedLLM:
    return ScriptedLLM([ToolCall("get_weather", {"city": "Paris"}), "It is mild."])


agent = Agent(model(), [get_weather], "Be brief.")
print(agent.run("How is Paris?")["answer"])
print([message.content for message in agent.memory.folder])

registry = ToolRegistry([get_weather, to_fahrenheit])
print(Agent(model(), registry, "Be brief."))

wrong: list[Any] = [get_weather, "get_weather", None, [get_weather("Rome")]]
for tools in wrong:
    try:
        Agent(model(), tools, "Be brief.")
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
