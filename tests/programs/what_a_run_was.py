"""What a run was, after it: errands, answer, tokens, money and their estimate."""

from mingraph_lite import Agent, AssistantMessage, LLMResponse, ScriptedLLM, ToolCall
from mingraph_lite.limits import Price
from mingraph_lite.llm import Usage


def get_weather(city: str) -> str:
    """Look up the weather."""
    return f"18 degrees in {city}"


def said(text: str, *calls: ToolCall) -> LLMResponse:
    return LLMResponse(AssistantMessage(text, calls), usage=Usage(100, 10))


errands = [ToolCall("get_weather", {"city": city}) for city in ("Paris", "Rome")]
counted = ScriptedLLM([said("", *errands), said("Both are mild.")])
price = Price(input=1.0, output=10.0)
agent = Agent(counted, [get_weather], "Be brief.", price=price)
print("before:", agent.last_run)
agent.run("How are Paris and Rome?")
run = agent.last_run
assert run is not None
print(run.turns, "turns;", *run.tool_calls)
print(run.results)
print(run.answer, f"({run.reason})")
print(f"{run.tokens} tokens, {run.cost:.6f} of money, {run.estimated_tokens} estimated")

plain = Agent(ScriptedLLM(["Mild."]), [], "", max_total_tokens=1000)
plain.run("How is Oslo?")
run = plain.last_run
assert run is not None
print(
    f"{run.tokens} tokens, {run.estimated_tokens} estimated, {run.uncounted} uncounted"
)
