"""My agent, written lesson by lesson: keep(...) adds what I wrote."""

from mingraph_lite.messages import ToolMessage
from mingraph_lite.messages import UserMessage
from dataclasses import dataclass
from mingraph_lite.errors import ModelMistake
from mingraph_lite.observers import Observer
from copy import deepcopy
import json
import re


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


@dataclass
class Errands:
    calls: tuple
    step: int = 1

    def run(self, desk):
        for call in self.calls:
            value = str(desk.tools.run(call))
            desk.folder.append(ToolMessage(value, call.id, call.name))
        return Waiting(self.step + 1)


class HungUp:
    def run(self, desk):
        return None


@dataclass
class Waiting:
    step: int = 1

    def run(self, desk):
        if self.step > 10:
            return HungUp()
        reply = desk.llm.generate(desk.folder, desk.tools.menu()).message
        desk.folder.append(reply)
        return Errands(reply.tool_calls, self.step) if reply.tool_calls else HungUp()


def play(card, desk):
    stops = []
    while card is not None:
        stops.append((type(card).__name__, len(desk.folder)))
        card = card.run(desk)
    return stops


@dataclass
class AskingHuman:
    card: object
    otherwise: object
    ask: object

    def run(self, desk):
        if all(self.ask(call) for call in self.card.calls):
            return self.card
        for call in self.card.calls:
            desk.answer(call, "declined")
        return self.otherwise


class NoAnswer(Exception):
    """A run that ended without an answer."""


def run_slip(tools, call, folder):
    try:
        text = str(tools.run(call))
    except ModelMistake as error:
        text = f"Error: {error}"
    except Exception as error:
        folder.append(ToolMessage(f"Error: {error}", call.id, call.name))
        raise
    folder.append(ToolMessage(text, call.id, call.name))


def safe_errands(tools, calls, folder):
    for place, call in enumerate(calls, start=1):
        try:
            run_slip(tools, call, folder)
        except Exception:
            for left in calls[place:]:
                folder.append(ToolMessage("not run", left.id, left.name))
            raise


def safe_loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        safe_errands(tools, reply.tool_calls, folder)
    raise NoAnswer(f"no answer after {limit} calls")


class Tally(Observer):
    def __init__(self):
        self.sheet = {"turns": 0, "tool_calls": [], "results": []}

    def on_model_reply(self, response):
        self.sheet["turns"] += 1

    def on_tool_return(self, call, value):
        self.sheet["tool_calls"].append(call)
        self.sheet["results"].append(value)

    def on_finish(self, answer, reason):
        self.sheet.update(answer=answer, reason=reason)


class Announced:
    def __init__(self, tools, announce):
        self.tools, self.announce = tools, announce

    def run(self, call):
        self.announce("tool_call", call)
        value = self.tools.run(call)
        self.announce("tool_return", deepcopy(value))
        return value


def announcing_loop(llm, tools, folder, announce, limit=10):
    watched, answer = Announced(tools, announce), None
    try:
        for _ in range(limit):
            reply = llm.generate(folder, tools.menu()).message
            folder.append(reply)
            announce("model_reply", reply)
            if not reply.tool_calls:
                answer = reply.content
                return answer
            safe_errands(watched, reply.tool_calls, folder)
        raise NoAnswer(f"no answer after {limit} calls")
    finally:
        announce("finish", answer)


class SafePlatform:
    def __init__(self, *listeners):
        self.listeners = listeners
        self.lost = 0

    def announce(self, event, detail):
        for listener in self.listeners:
            try:
                listener.hear(event, detail)
            except Exception:
                self.lost += 1


class LineWriter(Observer):
    def __init__(self, path):
        self.path = path

    def write(self, **line):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def on_model_reply(self, response):
        self.write(event="model_reply", content=response.message.content)

    def on_tool_return(self, call, value, message):
        self.write(event="tool_return", content=message.content, number=call.id)

    def on_finish(self, answer, reason):
        self.write(event="finish", answer=answer, reason=reason)


def read_lines(path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for text in file:
            try:
                lines.append(json.loads(text))
            except ValueError:
                pass
    return lines


def never_finished(lines):
    return lines[-1].get("answer") is None


def numbers(text):
    return set(re.findall(r"\d+", text))


def first_wrong(lines):
    heard = numbers(lines[0]["question"])
    for line in lines:
        if line["event"] == "tool_error":
            return line["seq"], 2
        for call in line.get("tool_calls", ()):
            if numbers(str(call["arguments"])) - heard:
                return line["seq"], 1
        if line["event"] == "tool_return":
            heard |= numbers(line["content"])
        if line["event"] == "model_reply" and numbers(line["content"]) - heard:
            return line["seq"], 3
    if never_finished(lines):
        return lines[-1]["seq"], 4
