"""A folder saved and restored, and gone on with on one model and another."""

import json
import logging
import sys

from mingraph_lite import Agent, KeepAll, ScriptedLLM, ToolCall
from mingraph_lite.adapters import OllamaChat, OpenAIChat, from_openai, to_openai
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.messages import problems

logging.basicConfig(format="%(levelname)s: %(message)s", stream=sys.stdout)


def get_weather(city: str) -> str:
    """Look up the weather."""
    return f"18 degrees in {city}"


def server(request: Request) -> Response:
    sent = json.loads(request.body)["messages"]
    reply = {"role": "assistant", "content": f"I was read {len(sent)} messages."}
    openai = request.url.endswith("/chat/completions")
    body = {"choices": [{"message": reply}]} if openai else {"message": reply}
    return Response(200, {}, iter([json.dumps(body).encode()]))


errand = ToolCall("get_weather", {"city": "Paris"})
first = Agent(ScriptedLLM([errand, "Mild."]), [get_weather], "Be brief.")
first.run("How is Paris?")
text = json.dumps(to_openai(first.memory.folder))
print(from_openai(json.loads(text)) == list(first.memory.folder))

for llm in (
    OpenAIChat("small", "http://127.0.0.1:1/v1", transport=server),
    OllamaChat("small", transport=server),
):
    memory = KeepAll(from_openai(json.loads(text)))
    print(Agent(llm, [get_weather], "Be brief.", memory=memory).run("And?")["answer"])

broken = [line for line in json.loads(text) if line["role"] != "tool"]
mended = KeepAll(from_openai(broken))
print([message.content for message in mended.folder], problems(mended.folder))
