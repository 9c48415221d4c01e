"""Many questions at once: an agent each; one agent for two threads says no."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from mingraph_lite import Agent, RunInProgress, ScriptedLLM, ToolCall

CITIES = [f"Town {number}" for number in range(1, 11)]


def get_weather(city: str) -> str:
    """Look up the weather."""
    return f"18 degrees in {city}"


def ask(city: str) -> str:
    errand = ToolCall("get_weather", {"city": city})
    llm = ScriptedLLM([errand, lambda messages, menu: messages[-1].content])
    return Agent(llm, [get_weather], "Be brief.").run(f"How is {city}?")["answer"]


begun, go_on = Event(), Event()


def wait() -> str:
    """Wait until the other thread has tried."""
    begun.set()
    return "waited" if go_on.wait(10) else "nobody came"


with ThreadPoolExecutor() as pool:
    for answer in pool.map(ask, CITIES):
        print(answer)

    shared = Agent(ScriptedLLM([ToolCall("wait", {}), "Done."]), [wait], "")
    first = pool.submit(shared.run, "Wait.")
    begun.wait(10)
    try:
        shared.run("Me too?")
    except RunInProgress as error:
        print("RunInProgress:", error)
    go_on.set()
    print(first.result()["answer"])
