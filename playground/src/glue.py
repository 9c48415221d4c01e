"""What the page's worker asks of Python: open a run, turn one card, close the run.

All that passes between JavaScript and Python is text in JSON, so that neither side
holds on to the other's objects.
"""

import inspect
import json
import linecache
import sys
import time
import traceback

import page
from pyodide.ffi import JsException, can_run_sync, run_sync, to_js

from mingraph_lite import agent, tools
from mingraph_lite.errors import Interrupted, ModelError
from mingraph_lite.lab import faults, scenarios
from mingraph_lite.llm import LLMResponse
from mingraph_lite.recovery import Retries
from mingraph_lite.views import frames

TOOLS_FILE = "tools.py"
runs = {}


def describe():
    """The scenarios and this Python, for the page's menus."""
    found = [
        {
            "name": scenario.name,
            "title": scenario.title,
            "question": scenario.question,
            "systemPrompt": scenario.system_prompt,
            "tools": scenario.tools_source(),
            "script": [said(reply) for reply in scenario.script()],
            "kind": "fault" if hasattr(scenario, "what") else "script",
            "what": getattr(scenario, "what", ""),
            "ask": None,
            "maxSteps": 10,
        }
        for scenario in faults.ALL_SCENARIOS.values()
    ]
    return json.dumps({"scenarios": found, "python": sys.version.split()[0], "version": "0.1.0"})


async def live():
    """Whether a synchronous `generate` can wait for the page here."""
    return can_run_sync()


def said(reply):
    """A line of a script as a reader sees it."""
    match reply:
        case list():
            return ", ".join(map(said, reply))
        case LLMResponse(message=message):
            return message.content or said(list(message.tool_calls))
        case _:
            return str(reply)


def functions_of(code):
    """The functions that edited code defines at its top level, in their order."""
    # Tracebacks and `inspect.getsource` look here for the lines of a file that is none.
    linecache.cache[TOOLS_FILE] = (len(code), None, code.splitlines(True), TOOLS_FILE)
    names = dict(vars(scenarios)) | {"__name__": "tools"}
    exec(compile(code, TOOLS_FILE, "exec"), names)
    return [
        value
        for name, value in names.items()
        if inspect.isfunction(value)
        and value.__code__.co_filename == TOOLS_FILE
        and not name.startswith("_")
    ]


def open_run(run, setup):
    """Begin a run, held before its first card."""
    close_run(run)
    scenario = faults.ALL_SCENARIOS[setup["scenario"]]
    if setup["tools"] is None:
        registry = scenario.registry()
    else:
        registry = tools.ToolRegistry()
        for function in functions_of(setup["tools"]):
            registry.add(function)
    llm = scenario.llm() if setup["model"] is None else model(**setup["model"])
    retries = Retries(sleep=pause)
    runner = agent.Agent(llm, registry, setup["systemPrompt"], retries=retries)
    runs[run] = frames.frames(runner, {"question": setup["question"]})


def turn(run, setup=None):
    """Run the card in the hand, of a new run where a set-up is given."""
    try:
        if setup is not None:
            open_run(run, json.loads(setup))
        frame = next(runs.get(run, iter(())), None)
        if frame is None:
            return json.dumps({"over": True})
        if frame["card"] is None:
            close_run(run)  # its interrupt is drawn, and would be raised by another turn
        return json.dumps({"frame": frame})
    except KeyboardInterrupt as error:
        return json.dumps({"stopped": line_of(error)})
    except (
        BaseException
    ) as error:  # the learner's code may raise anything, sys.exit too
        return json.dumps({"refused": trouble(error)})


def close_run(run):
    """End the run, if it is open, so that nothing of it goes on."""
    if run in runs:
        runs.pop(run).close()


def trouble(error):
    """What went wrong, for a reader who wrote tools.py and not this file."""
    if isinstance(error, SyntaxError) and error.filename == TOOLS_FILE:
        return f"{TOOLS_FILE}, line {error.lineno}: {error.msg}"
    where = line_of(error)
    return f"{where and where + ': '}{type(error).__name__}: {error}"


def line_of(error):
    """The line of the learner's code where this happened, if it was there."""
    lines = [
        step.lineno
        for step in traceback.extract_tb(error.__traceback__)
        if step.filename == TOOLS_FILE
    ]
    return f"{TOOLS_FILE}, line {lines[-1]}" if lines else ""


def model(name, baseUrl, kind):
    """A real model, reached through the page."""
    # Imported here: the page opens sooner, and most runs follow a script.
    from mingraph_lite.adapters import OpenAIChat
    from mingraph_lite.adapters.addresses import endpoint

    # The page took this address to mean what it means. With the endpoint behind it,
    # one without a path is not taken to lack its /v1 here.
    whole = endpoint(baseUrl, "/chat/completions")
    return OpenAIChat(name, base_url=whole, tools_as=kind, transport=transport)


def transport(request):
    """Let the page send the request: it owns the network and the key."""
    from mingraph_lite.adapters.transports import Response

    asked = page.ask(request.method, request.url, to_js(request.body), request.timeout)
    answer = wait(asked)
    return Response(answer.status, dict(answer.headers), chunks(answer.id))


def chunks(number):
    """The body of a reply, as it arrives; the page is told when no more is wanted."""
    try:
        while (piece := wait(page.chunk(number))) is not None:
            yield piece.to_bytes()
    finally:
        page.drop(number)


def pause(seconds):
    """Wait before another try, in a way that Stop can end."""
    if can_run_sync():
        wait(page.pause(seconds))
    else:
        time.sleep(seconds)


def wait(promise):
    """Hold Python until the page has an answer, or Stop was pressed."""
    try:
        return run_sync(promise)
    except JsException as error:
        if error.name == "Stopped":
            raise Interrupted("Stopped while waiting for the model.") from None
        retryable = error.name != "Silent"
        raise ModelError(str(error.message), retryable=retryable) from None
