"""My agent, written lesson by lesson: keep(...) adds what I wrote."""

from mingraph_lite.messages import ToolMessage


def my_tool(name: str) -> int:
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
