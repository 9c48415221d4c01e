"""The same job done by other systems, each as its own documentation shows.

The job: in each step the model is asked once, asks for one tool, and the tool is run
once; after so many steps the model answers. Every fake model hands out replies that
were made before the clock starts, in the type its system asks for: making one is an
adapter's work and no loop's. Building a graph is not timed either. No system keeps
checkpoints, prints or traces.

What can be compared: what one more step costs in the smallest program that loops.
What cannot: what the step does besides, which each function says of its system. Beside
a real model, which takes a second, none of these figures would be felt; they matter
where many steps are replayed, and they show how much happens between two calls.
"""

import asyncio
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypedDict

from tests.bench.measure import Job, Run
from tests.bench.work import ANSWER, WORD, Work


def pocketflow(steps: int) -> Run:
    """PocketFlow: two nodes and an end, joined by the names of actions.

    It has neither messages nor tools of its own: the conversation is a list, the tool
    is called as a function and its arguments are not checked.
    """
    from pocketflow import Flow, Node

    replies = iter([*[WORD] * steps, None])
    work = Work()

    class Ask(Node):
        def prep(self, shared: dict[str, Any]) -> list[str]:
            return shared["said"]

        def exec(self, prep_res: list[str]) -> str | None:
            return next(replies)

        def post(
            self, shared: dict[str, Any], prep_res: list[str], exec_res: str | None
        ) -> str:
            shared["said"].append(exec_res or ANSWER)
            return "tool" if exec_res else "answer"

    class Look(Node):
        def prep(self, shared: dict[str, Any]) -> str:
            return shared["said"][-1]

        def exec(self, prep_res: str) -> str:
            return work.look_up(prep_res)

        def post(self, shared: dict[str, Any], prep_res: str, exec_res: str) -> str:
            shared["said"].append(exec_res)
            return "ask"

    ask, look = Ask(), Look()
    ask.next(look, "tool")
    ask.next(Node(), "answer")  # an action that leads nowhere is warned of
    look.next(ask, "ask")
    flow = Flow(start=ask)

    def run() -> int:
        flow.run({"said": []})
        return work.runs

    return run


def pydantic_graph(steps: int) -> Run:
    """pydantic-graph: two steps and a decision between tool and end.

    It is asynchronous, so an event loop is started for the run. It has neither messages
    nor tools of its own: the conversation is a list, arguments are not checked.
    """
    from pydantic_graph import GraphBuilder, StepContext

    @dataclass
    class Said:
        lines: list[str] = field(default_factory=list)

    @dataclass(frozen=True)
    class Wish:
        word: str

    replies = iter([*[Wish(WORD) for _ in range(steps)], ANSWER])
    work = Work()
    builder = GraphBuilder(state_type=Said, output_type=str)

    @builder.step
    async def ask(context: StepContext[Said, None, None]) -> Wish | str:
        reply = next(replies)
        context.state.lines.append(reply if isinstance(reply, str) else reply.word)
        return reply

    @builder.step
    async def look(context: StepContext[Said, None, Wish]) -> None:
        context.state.lines.append(work.look_up(context.inputs.word))

    builder.add(
        builder.edge_from(builder.start_node).to(ask),
        builder.edge_from(ask).to(
            builder.decision()
            .branch(builder.match(Wish).to(look))
            .branch(builder.match(str).to(builder.end_node))
        ),
        builder.edge_from(look).to(ask),
    )
    graph = builder.build()

    def run() -> int:
        asyncio.run(graph.run(state=Said()))
        return work.runs

    return run


def langgraph(steps: int) -> Run:
    """LangGraph at its leanest: two nodes, a conditional edge, a list that is added to.

    The conversation is a plain list, the tool is called as a function and its arguments
    are not checked. `operator.add` copies the list in every node.
    """
    from langgraph.graph import END, START, StateGraph

    class Said(TypedDict):
        lines: Annotated[list[str], operator.add]

    replies = iter([*[WORD] * steps, ANSWER])
    work = Work()

    def ask(state: Said) -> dict[str, list[str]]:
        return {"lines": [next(replies)]}

    def look(state: Said) -> dict[str, list[str]]:
        return {"lines": [work.look_up(state["lines"][-1])]}

    def route(state: Said) -> str:
        return END if state["lines"][-1] == ANSWER else "look"

    builder = StateGraph(Said)
    builder.add_node("ask", ask)
    builder.add_node("look", look)
    builder.add_edge(START, "ask")
    builder.add_conditional_edges("ask", route, ["look", END])
    builder.add_edge("look", "ask")
    graph = builder.compile()

    def run() -> int:
        graph.invoke({"lines": []}, {"recursion_limit": 2 * steps + 2})
        return work.runs

    return run


def langgraph_messages(steps: int) -> Run:
    """LangGraph with its own messages and tools: add_messages and ToolNode.

    This is the nearest to our Agent's job: arguments are checked by pydantic, and slips
    and answers carry numbers. It does more: ids for all messages, callbacks, a thread
    pool for the tools.
    """
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    def wish(number: int) -> AIMessage:
        call = {"name": "look_up", "args": {"word": WORD}, "id": f"call_{number}"}
        return AIMessage("", tool_calls=[call])

    replies = iter([*map(wish, range(steps)), AIMessage(ANSWER)])
    work = Work()

    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        return work.look_up(word)

    def ask(state: MessagesState) -> dict[str, list[AIMessage]]:
        return {"messages": [next(replies)]}

    builder = StateGraph(MessagesState)
    builder.add_node("ask", ask)
    builder.add_node("tools", ToolNode([look_up]))
    builder.add_edge(START, "ask")
    builder.add_conditional_edges("ask", tools_condition)
    builder.add_edge("tools", "ask")
    graph = builder.compile()

    def run() -> int:
        question = {"messages": [HumanMessage("Go.")]}
        graph.invoke(question, {"recursion_limit": 2 * steps + 2})
        return work.runs

    return run


def smolagents(steps: int) -> Run:
    """smolagents: a ToolCallingAgent whose model asks for `final_answer` at the end.

    It writes the whole conversation anew for every call and keeps each of them, so that
    a step costs more the longer the run. Our loop hands the folder over as it is; an
    adapter then writes the request, and no adapter is measured here.
    """
    from smolagents import ChatMessage, MessageRole, Model, Tool, ToolCallingAgent
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
    from smolagents.monitoring import LogLevel

    def wish(number: int, name: str, arguments: Mapping[str, str]) -> ChatMessage:
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(
            function=function, id=f"call_{number}", type="function"
        )
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

    wishes = [wish(number, "look_up", {"word": WORD}) for number in range(steps)]
    replies = iter([*wishes, wish(steps, "final_answer", {"answer": ANSWER})])
    work = Work()

    class Scripted(Model):
        def generate(self, messages: list[ChatMessage], **options: Any) -> ChatMessage:
            return next(replies)

    class LookUp(Tool):
        name = "look_up"
        description = "Look a word up."
        inputs: Final = {"word": {"type": "string", "description": "The word."}}
        output_type = "string"

        def forward(self, word: str) -> str:
            return work.look_up(word)

    agent = ToolCallingAgent(
        tools=[LookUp()],
        model=Scripted(),
        max_steps=steps + 1,
        verbosity_level=LogLevel.OFF,
    )

    def run() -> int:
        agent.run("Go.")
        return work.runs

    return run


PEERS: Final[dict[str, Job]] = {
    "PocketFlow": pocketflow,
    "pydantic-graph": pydantic_graph,
    "LangGraph": langgraph,
    "LangGraph + ToolNode": langgraph_messages,
    "smolagents": smolagents,
}
