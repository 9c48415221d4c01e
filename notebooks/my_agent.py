"""My agent, written lesson by lesson: keep(...) adds what I wrote."""

from mingraph_lite.messages import ToolMessage
from mingraph_lite.messages import UserMessage


def my_tool(name: str):
    """How many letters a name has."""
    return len(name)


def loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return f"Stopped after {limit} calls."


def quiet(kind, text):
    """Nobody listens."""


def tally_loop(llm, tools, folder, limit=5, note=quiet):
    tally = {"turns": 0, "tool_calls": [], "results": []}
    tally["answer"], tally["reason"] = None, "the turns are used up"
    for _ in range(limit):
        tally["turns"] += 1
        note("model call", f"turn {tally['turns']}")
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            tally["answer"], tally["reason"] = reply.content, "answered"
            break
        for call in reply.tool_calls:
            result = tools.run(call)
            tally["tool_calls"].append(call)
            tally["results"].append(result)
            note("tool result", f"{call}: {result}")
            folder.append(ToolMessage(str(result), call.id, call.name))
    note("end", tally["reason"])
    return tally


class LastTurns:
    def __init__(self, n):
        self.n, self.folder = n, []

    def add(self, message):
        self.folder.append(message)

    def messages(self):
        begins = [at for at, m in enumerate(self.folder) if isinstance(m, UserMessage)]
        first = begins[-self.n] if self.n <= len(begins) else 0
        return self.folder[first:]
