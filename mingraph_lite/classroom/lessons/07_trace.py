"""What lesson 07 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code=var-annotated
# ruff: noqa: SIM105
# What is kept is written as a learner writes it: without types, and with what the
# lessons have shown so far.

import inspect
import json
import re
from typing import Any

from mingraph_lite.classroom import (
    Exercise,
    Lesson,
    function_of,
    replaced,
    written,
)
from mingraph_lite.classroom.checks.read_back import wrong_reading
from mingraph_lite.classroom.checks.traced_runs import wrong_end, wrong_first_line
from mingraph_lite.classroom.checks.written_lines import (
    announced,
    wrong_listener,
    wrong_writing,
)
from mingraph_lite.classroom.plain import no_function
from mingraph_lite.observers import Observer

# 1: a line for each announcement


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


class Told(LineWriter):
    """Keeps what it should write."""

    def __init__(self):
        self.lines = []

    def write(self, **line):
        self.lines.append(line)


def writes_lines(answer: Any) -> str | None:
    if wrong := wrong_listener(answer):
        return wrong
    told = Told()
    for event in announced():
        told.on_event(event)
    return wrong_writing(answer, told.lines)


# 2: reading it back


def reads_back(answer: Any) -> str | None:
    return no_function(answer) or wrong_reading(answer)


def read_lines(path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for text in file:
            try:
                lines.append(json.loads(text))
            except ValueError:
                pass
    return lines


# 3: it never finished


def tells_the_end(answer: Any) -> str | None:
    return no_function(answer) or wrong_end(answer)


def never_finished(lines):
    return lines[-1].get("answer") is None


# 4: the first wrong line


def finds_the_first(answer: Any) -> str | None:
    return no_function(answer) or wrong_first_line(answer)


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


# Answers, right and wrong. Ours, with some words changed.


SEEN = (
    *("LineWriter", "Observer", "first_wrong", "json", "never_finished"),
    *("numbers", "re", "read_lines"),
)


def names() -> dict[str, Any]:
    return {name: globals()[name] for name in SEEN}


def changed(of: Any, *changes: str) -> Any:
    """One of ours with some of its words changed: old, new, old, new."""
    code = replaced(inspect.getsource(of), *changes)
    return written(code, **names())[of.__name__]


def lines_for(code: str, name: str) -> Any:
    """A function that a learner wrote from nothing."""
    return function_of(code, name, **names())


WRITE = inspect.getsource(LineWriter.write)


def writer(*body: str, more: str = "") -> Any:
    """Our listener with these lines in write, and more lines behind it."""
    head = "    def write(self, **line):\n"
    lines = "".join(f"        {line}\n" for line in body)
    return changed(LineWriter, WRITE, head + lines + more)


APPEND = 'with open(self.path, "a") as file:'
ONE_LINE = 'file.write(json.dumps(line) + "\\n")'

TRY = """\
            try:
                lines.append(json.loads(text))
            except ValueError:
                pass
"""


def reader(*body: str) -> Any:
    """Our reader with these lines in its loop."""
    lines = "".join(f"            {line}\n" for line in body)
    return changed(read_lines, TRY, lines)


def ends(code: str) -> Any:
    return lines_for(f"def never_finished(lines):\n    {code}\n", "never_finished")


HEARD = """\
        if line["event"] == "tool_return":
            heard |= numbers(line["content"])
"""
BEGINS = '    heard = numbers(lines[0]["question"])\n'
HEARD_IN_ADVANCE = f"""\
{BEGINS}    for line in lines:
        if line["event"] == "tool_return":
            heard |= numbers(line["content"])
"""
HEARD_TOO = """\
        if line["event"] == "tool_return":
            heard.update(numbers(line["content"]))
"""
SAYS = """\
        if line["event"] == "model_reply" and numbers(line["content"]) - heard:
            return line["seq"], 3
"""
A_PART_WILL_DO = """\
        if line["event"] == "model_reply":
            for n in numbers(line["content"]):
                if not any(n in h for h in heard):
                    return line["seq"], 3
"""
BAD_SLIP = """\
        for call in line.get("tool_calls", ()):
            if numbers(str(call["arguments"])) - heard:
                return line["seq"], 1
"""
DEAD_TOOL = """\
        if line["event"] == "tool_error":
            return line["seq"], 2
"""
NO_END = """\
    if never_finished(lines):
        return lines[-1]["seq"], 4
"""


def rule(*changes: str) -> Any:
    return changed(first_wrong, *changes)


WRITES = Exercise(
    check=writes_lines,
    stub=writer("..."),
    solution=LineWriter,
    mistakes={
        "After 7 announcements the file has 1 line: each took the place of the one "
        'before. Open it with "a", to append.': writer(
            'with open(self.path, "w") as file:', f"    {ONE_LINE}"
        ),
        "All announcements stand on one line. A line end goes behind each: "
        '+ "\\n".': writer(APPEND, "    json.dump(line, file)"),
        "Line 1 is how Python shows a dict: {'event': 'model_reply',… JSON is what "
        "json.dumps makes of the dict.": writer(
            APPEND, '    file.write(str(line) + "\\n")'
        ),
        "Line 1 is JSON of a str. Hand json.dumps line.": writer(
            APPEND, '    file.write(json.dumps(str(line)) + "\\n")'
        ),
        "One announcement takes several lines: leave the indent out.": writer(
            APPEND, '    file.write(json.dumps(line, indent=1) + "\\n")'
        ),
        "Behind the last line is no line end, so nobody can tell it from a torn one. "
        'Write "\\n" behind each.': writer(
            APPEND, '    file.write("\\n" + json.dumps(line))'
        ),
        "After 1 announcement the file has 0 lines. Who is killed there leaves no "
        "more: open, write and close for each line.": writer(
            'self.file = getattr(self, "file", None) or open(self.path, "a")',
            f"self.{ONE_LINE}",
            'self.file.close() if line["event"] == "finish" else None',
        ),
        "Opening the file raised FileExistsError: File exists. Open it to append, with "
        '"a", whether it is there or not.': writer(
            'with open(self.path, "x") as file:', f"    {ONE_LINE}"
        ),
        "Opening the file raised FileNotFoundError: No such file or directory. Open it "
        'to append, with "a", whether it is there or not.': writer(
            'with open(self.path, "r+") as file:', f"    {ONE_LINE}"
        ),
        "7 announcements, and 14 lines: one each.": writer(
            APPEND, f"    {ONE_LINE}", f"    {ONE_LINE}"
        ),
        "7 announcements, and 3 lines: one each.": writer(
            'if line["event"] != "model_reply":',
            "    return",
            APPEND,
            f"    {ONE_LINE}",
        ),
        "7 announcements, and 4 lines: one each. No model_reply among them: how is "
        "that method spelled?": changed(
            LineWriter, "on_model_reply", "on_model_replay"
        ),
        "A second run wrote to the same file, and the first one's lines are gone.": (
            writer(
                'self.all = getattr(self, "all", "") + json.dumps(line) + "\\n"',
                'with open(self.path, "w") as file:',
                "    file.write(self.all)",
            )
        ),
        "Line 1 does not say content.": writer(
            APPEND, '    file.write(json.dumps({"event": line["event"]}) + "\\n")'
        ),
        "Line 1 is no JSON: event=model_reply… JSON is what json.dumps makes of the "
        "dict.": writer(APPEND, "    file.write(f\"event={line['event']}\\n\")"),
        "The file is empty after a whole run.": writer(APPEND, "    json.dumps(line)"),
        "Hand in the class itself, without brackets behind it.": LineWriter("run"),
        "Hand in your class, made from Observer: class LineWriter(Observer).": (
            written("class LineWriter:\n    pass")["LineWriter"]
        ),
    },
    also_right={
        "without an encoding": writer(APPEND, f"    {ONE_LINE}"),
        "json.dump, then a line end": writer(
            APPEND, "    json.dump(line, file)", '    file.write("\\n")'
        ),
        "print to the file": writer(APPEND, "    print(json.dumps(line), file=file)"),
        "the path's own open": writer(
            'with self.path.open("a", encoding="utf-8") as file:',
            '    file.write(json.dumps(line, ensure_ascii=False) + "\\n")',
        ),
        "kept open, and flushed for each line": writer(
            'self.file = getattr(self, "file", None) or open(self.path, "a")',
            f"self.{ONE_LINE}",
            "self.file.flush()",
            'self.file.close() if line["event"] == "finish" else None',
        ),
        "closed by hand": writer(
            'file = open(self.path, "a")', ONE_LINE, "file.close()"
        ),
        "with a number of its own": writer(
            'self.count = getattr(self, "count", 0) + 1',
            APPEND,
            '    file.write(json.dumps({"seq": self.count, **line}) + "\\n")',
        ),
    },
    keeps=("LineWriter",),
    hints=(
        "with open(…) closes the file again. Which mode writes behind what is there?",
        'Mode "a", then file.write of json.dumps(line) and a "\\n" behind it.',
    ),
)
READS = Exercise(
    check=reads_back,
    stub=reader("lines.append(json.loads(text))"),
    solution=read_lines,
    mistakes={
        "A torn line stands in the middle: 2 whole lines of 3 did not come back.": (
            changed(read_lines, "pass", "break")
        ),
        "A file of three whole lines: 1 whole line of 3 did not come back.": changed(
            read_lines, "return lines", "return lines[:-1]"
        ),
        "A file of three whole lines: it hands back nothing. Is a return missing?": (
            changed(read_lines, "return lines", "print(lines)")
        ),
        "The last line is torn: it hands back nothing. Is a return missing?": changed(
            read_lines, "pass", "return"
        ),
        "The last line is torn: None is in the list. Only lines that were read.": (
            changed(read_lines, "pass", "lines.append(None)")
        ),
        'The last line is torn: \'{"event": "tool_call", "argum\' is in the list. '
        "Only lines that were read.": changed(read_lines, "pass", "lines.append(text)"),
        "The last line is torn: 3 came back, and 2 are whole.": changed(
            read_lines, "pass", 'lines.append({"torn": text})'
        ),
        "The last line is torn: 2 whole lines of 2 did not come back.": changed(
            read_lines, "pass", "return []"
        ),
        "A file of three whole lines: what it hands back is of kind int, and no "
        "list.": changed(read_lines, "return lines", "return len(lines)"),
        'A file of three whole lines: \'{"event": "tool_return", "content": "18 is '
        "in the list. Only lines that were read.": reader("lines.append(text)"),
        "The last line is torn behind a bracket: it still reaches json.loads, which "
        "raises JSONDecodeError.": reader(
            'if text.rstrip().endswith("}"):', "    lines.append(json.loads(text))"
        ),
        "A torn line stands in the middle: it still reaches json.loads, which raises "
        "JSONDecodeError.": reader(
            'if text.endswith("\\n"):', "    lines.append(json.loads(text))"
        ),
        "This is still as it came, or the error gets out all the same. The last line "
        "is torn: it raises JSONDecodeError, and nobody reads any line.": changed(
            read_lines, "except ValueError", "except KeyError"
        ),
        "A file of three whole lines: the lines that came back are not those of the "
        "file, in its order.": changed(
            read_lines,
            "lines.append(json.loads(text))",
            "lines[:0] = [json.loads(text)]",
        ),
        "The file is not what it was. Who reads it leaves it as it is.": changed(
            read_lines,
            "    return lines",
            '    open(path, "w").close()\n    return lines',
        ),
        "read_lines has a yield in it, so a call of it does nothing yet. Hand back "
        "with return.": changed(
            read_lines, "lines.append(json.loads(text))", "yield json.loads(text)"
        ),
        "A file of three whole lines: 3 whole lines of 3 did not come back.": changed(
            read_lines, "lines.append(json.loads(text))", "json.loads(text)"
        ),
    },
    also_right={
        "the error's own name": changed(
            read_lines, "ValueError", "json.JSONDecodeError"
        ),
        "continue": changed(read_lines, "pass", "continue"),
        "any exception": changed(read_lines, "except ValueError", "except Exception"),
        "an else": changed(
            read_lines,
            "                lines.append(json.loads(text))\n",
            "                line = json.loads(text)\n",
            "                pass\n",
            "                continue\n            lines.append(line)\n",
        ),
        "a tuple": changed(read_lines, "return lines", "return tuple(lines)"),
        "the whole text, split": lines_for(
            """
def read_lines(path):
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            found += [json.loads(text)]
        except json.JSONDecodeError:
            print("torn:", text[:10])
    return found
""",
            "read_lines",
        ),
    },
    keeps=("read_lines",),
    hints=(
        "json.loads raises ValueError for a torn line. What did lesson 05 put around a "
        "call that may raise?",
        "try and except ValueError around the one line, inside of the for; then pass.",
    ),
)
NEVER = Exercise(
    check=tells_the_end,
    stub=ends("..."),
    solution=never_finished,
    mistakes={
        "A run that a limit stopped: your rule says that it finished.": ends(
            'return lines[-1]["event"] != "finish"'
        ),
        "A run that was killed in its middle: its last line has no 'answer'. .get "
        "gives None there.": ends('return lines[-1]["answer"] is None'),
        "A run that was killed in its middle: its last line has no 'reason'. .get "
        "gives None there.": ends('return lines[-1]["reason"] != "answered"'),
        "A run that answered: your rule says that it did not.": ends(
            'return lines[-1].get("answer") is not None'
        ),
        "A run that was killed in its middle: your rule says that it finished.": ends(
            'return lines[-1].get("reason") == "step limit"'
        ),
        "A run that a tool's error ended: your rule says that it finished.": ends(
            'return lines[-1].get("reason") in ("step limit", None)'
        ),
        "A run that answered: it says 'finish', and True or False was asked.": ends(
            'return lines[-1]["event"]'
        ),
        "A run that was killed behind its last reply: your rule says that it "
        "finished.": ends('return "64°F" not in str(lines)'),
        "A short run that answered: your rule says that it did not.": ends(
            "return len(lines) < 20 or lines[-1].get('answer') is None"
        ),
        "A wrong answer, but an answer: your rule says that it did not.": ends(
            'return "75" not in str(lines[-1]) and "70" not in str(lines[-1])'
        ),
        "A run that was killed in its middle: its last line has no 'content'. .get "
        "gives None there.": ends(
            'return not lines[-1]["content"] if lines[-1]["event"] != "finish" '
            'else lines[-1]["answer"] is None'
        ),
        "This is still as it came, or a return is missing: it hands back nothing.": (
            ends('print(lines[-1].get("answer") is None)')
        ),
        "A run whose answer is an empty text: your rule says that it did not.": ends(
            'return not lines[-1].get("answer")'
        ),
        "Hand in the function itself, without brackets behind it.": True,
        "never_finished is an async def, and nobody waits for it: a plain def.": (
            lines_for(
                "async def never_finished(lines):\n    return True\n",
                "never_finished",
            )
        ),
    },
    also_right={
        "by the reason": ends('return lines[-1].get("reason") != "answered"'),
        "both by hand": ends(
            'return lines[-1]["event"] != "finish" or lines[-1]["answer"] is None'
        ),
        "all lines": ends('return all(line.get("answer") is None for line in lines)'),
        "no text": ends('return not isinstance(lines[-1].get("answer"), str)'),
        "an if": ends('return False if lines[-1].get("answer") is not None else True'),
        "a number": ends(
            'return int("answer" not in lines[-1] or lines[-1]["answer"] is None)'
        ),
    },
    hints=(
        "Look at the last line alone. A killed run has no line that says finish.",
        "A dict's .get gives None for a key that is missing. What does a limit's "
        "finish say for answer?",
    ),
)
FIRST = Exercise(
    check=finds_the_first,
    stub=rule(HEARD + SAYS, "        ...\n"),
    solution=first_wrong,
    mistakes={
        "A good run: a slip converts 18, which a tool has said in line 10, and your "
        "rule calls that wrong. Does heard hold what every tool_return has said?": (
            rule("heard |= ", "heard = ")
        ),
        "This is still as it came, or nothing is heard: a slip converts 18, which a "
        "tool has said in line 10, and your rule calls that wrong.": (
            rule("tool_return", "tool_retun", SAYS, "")
        ),
        "A good run whose tool says 18°C, a number with its unit: there is nothing to "
        "find, and your rule says line 15, case 1.": rule(
            'heard |= numbers(line["content"])', 'heard.add(line["content"])'
        ),
        "The question says 18, and a slip converts it: there is nothing to find, and "
        "your rule says line 6, case 1.": rule(BEGINS, "    heard = set()\n"),
        "A reply says 8, and what was heard is 18: that is line 15, case 3, and your "
        "rule finds nothing.": rule(SAYS, A_PART_WILL_DO),
        "A reply says 76, which no tool has said: that is line 27, case 3, and your "
        "rule finds nothing.": rule(SAYS, ""),
        "A reply says 70, and no tool was run: that is line 6, case 3, and your rule "
        "finds nothing.": rule(
            ' - heard:\n            return line["seq"], 3',
            ' - heard and heard:\n            return line["seq"], 3',
        ),
        "A reply says 76, which no tool has said: that is line 27, case 3, and not "
        "line 30, case 3.": rule(
            '"model_reply" and numbers(line["content"])',
            '"finish" and numbers(line["answer"] or "")',
        ),
        "A good run: there is nothing to find, and your rule says line 6, case 3.": (
            rule(' and numbers(line["content"]) - heard', "")
        ),
        "A reply says 76, which no tool has said: it hands back 27. Hand back both: "
        "line['seq'], case.": rule('return line["seq"], 3', 'return line["seq"]'),
        "A reply says 76, which no tool has said: that is line 27, case 3, and not "
        "line 27, case 1.": rule('return line["seq"], 3', 'return line["seq"], 1'),
        "A slip asks to convert a 10 that nobody has said: that is line 6, case 1, and "
        "your rule finds nothing.": rule(BAD_SLIP, ""),
        "A tool fails, and later a reply says 68: that is line 13, case 2, and not "
        "line 27, case 3.": rule(DEAD_TOOL, ""),
        "A limit stops the run: that is line 95, case 4, and your rule finds "
        "nothing. (That is never_finished, exercise 3.)": rule(NO_END, ""),
        "A slip says 18 before any tool has said it: that is line 6, case 1, and "
        "your rule finds nothing.": rule(HEARD, "", BEGINS, HEARD_IN_ADVANCE),
        "A good run: there is nothing to find, and your rule says line 18, case 3.": (
            rule('numbers(line["content"]) - heard', 'heard - numbers(line["content"])')
        ),
        "A reply says 76, which no tool has said: that is line 27, case 3, and not "
        "line 3, case 27.": rule('line["seq"], 3', '3, line["seq"]'),
        "A reply says 76, which no tool has said: that is line 27, case 3, and not "
        "line 3, case 3.": rule('return line["seq"], 3', 'return line["step"], 3'),
    },
    also_right={
        "elif": rule(
            '        if line["event"] == "model_reply" and',
            '        elif line["event"] == "model_reply" and',
        ),
        "not a part of what was heard": rule(
            'numbers(line["content"]) - heard',
            'not numbers(line["content"]) <= heard',
        ),
        "one by one": rule(
            SAYS,
            """\
        if line["event"] == "model_reply":
            for number in numbers(line["content"]):
                if number not in heard:
                    return line["seq"], 3
""",
        ),
        "update": rule(HEARD, HEARD_TOO),
        "a reply without slips": rule(
            '"model_reply" and', '"model_reply" and not line["tool_calls"] and'
        ),
        "the slips' numbers heard too, once they have run": rule(
            HEARD,
            HEARD
            + """\
        if line["event"] == "tool_call":
            heard |= numbers(str(line["arguments"]))
""",
        ),
        "a case as a text": rule('line["seq"], 3', 'line["seq"], "3"'),
        "None at the end, said": rule(NO_END, f"{NO_END}    return None\n"),
    },
    keeps=("first_wrong",),
    hints=(
        "heard grows where a tool has returned something: heard |= numbers(…).",
        'The rule for slips, once more: for line["content"] of a model_reply.',
    ),
)

LESSON = Lesson(
    "07_trace",
    sentences={
        "thoughts": {
            "in the file alone": "It came beside the message. The message went into "
            "the folder; what comes beside it goes to whoever listens.",
            "in the folder alone": "The folder holds what is read out again, and this "
            "is not. It came beside the message, for listeners.",
            "in both of them": "The folder holds the message alone. What comes beside "
            "it is not read out again, and costs no tokens in the next round.",
        },
        "reply": {
            "2": "Two: sums done in the head. Above the other replies stands a line "
            "that was wrong already, or no reply came at all.",
            "6": "None of the six has a right answer, and one has none at all. A wrong "
            "end can begin anywhere: only sums in the head begin in the reply.",
            "5": "Five of them answered, and three of these replies repeat what was "
            "wrong before: numbers that a slip made up, a tool that failed.",
            "4": "Two are. The other replies repeat what was wrong above them: numbers "
            "that a slip made up, a tool that failed.",
            "3": "Two are. Where the tool failed, the reply is wrong too, but not "
            "first: the failure stands above it.",
            "1": "One more: in two runs the tools had said what was right, and then a "
            "sum was done in the head.",
            "0": "Two are: what the tools had said was right, and then a sum was done "
            "in the head.",
        },
        "again": {
            "1": "One other. Eight of the twelve came to no answer at all, and two "
            "said something else.",
            "11": "Same model, same question, same settings, but with a temperature "
            "above 0 each token is drawn by chance.",
            "0": "Chance brings some answers twice; one other run said the same.",
        },
    },
    exercises=(WRITES, READS, NEVER, FIRST),
)
