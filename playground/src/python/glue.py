"""What the page's worker asks of Python: open runs, turn a card of one, close it.

All that passes between JavaScript and Python is text in JSON, so that neither side
holds on to the other's objects. A run is known by its number; several may be open.
"""

import json
import linecache
import sys

import page
from pyodide.ffi import JsException, can_run_sync, run_sync, to_js

from mingraph_lite import __version__, agent
from mingraph_lite.errors import Interrupted, ModelError
from mingraph_lite.lab import asks, faults
from mingraph_lite.llm import LLMResponse
from mingraph_lite.memory import KeepAll
from mingraph_lite.observation import error_text
from mingraph_lite.own_code.guarding import BuiltinsChanged, Guard
from mingraph_lite.own_code.pointing import (
    Places,
    line_now,
    place_of_change,
    pointed,
)
from mingraph_lite.own_code.printing import Printed
from mingraph_lite.own_code.sleeping import Stopped, sleep_that_can_be_stopped
from mingraph_lite.own_code.tools_file import TOOLS_FILE, ToolsFile
from mingraph_lite.own_code.unbroken import Unbroken
from mingraph_lite.own_code.watching import Watch
from mingraph_lite.recovery import Retries
from mingraph_lite.views import frames

MOST_STEPS = 2000
MOST_SHOWN = 12  # lines of a script; one has a line for each round there can be
MOST_KEPT = 50  # folders of runs that are over, for whoever asks again on one
runs = {}


def describe():
    """The scenarios and this Python, for the page's menus."""
    return json.dumps(
        {
            "scenarios": [described(each) for each in faults.DECK.values()],
            "liveAsk": asked(asks.MODEL_CALLS),
            "python": sys.version.split()[0],
            "version": __version__,
        }
    )


def described(scenario):
    """One scenario; of a long script its beginning, and how long it is."""
    script = scenario.script()
    return {
        "name": scenario.name,
        "title": scenario.title,
        "kind": scenario.kind,
        "question": scenario.question,
        "systemPrompt": scenario.system_prompt,
        "tools": scenario.tools_source(),
        "maxSteps": scenario.max_steps,
        "script": [said(reply) for reply in script[:MOST_SHOWN]],
        "scriptLines": len(script),
        "what": scenario.brief,
        "ask": asked(scenario.ask),
    }


def asked(ask):
    """A question for the page: its choices, and never which of them is right."""
    return ask and {"question": ask.question, "choices": list(ask.choices)}


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


class Refused(Exception):
    """A set-up that cannot run, in words for who made it."""


class Broken(Exception):
    """Something of the package is not what it was."""


class Run:
    """One run: its agent, its frames so far, and the code of its tools."""

    def __init__(self, setup):
        self.scenario = scenario_named(setup["scenario"])
        self.question = setup["question"]
        if not self.question.strip():
            example = self.scenario.question
            raise Refused(f"The question is empty. Write one, such as: {example}")
        self.live = setup["model"] is not None
        self.tools = ToolsFile(setup["tools"] or "")
        if setup["tools"] is None:
            self.tools = ToolsFile(self.scenario.tools_source())
        self.errors, self.drawn, self.open = Places(), [], True
        self.agent = self.frames = None

    def begin(self, setup):
        """Run tools.py, and hold the run before its first card."""
        most = steps_in(setup.get("maxSteps", self.scenario.max_steps))
        code = self.tools.compiled()
        with watch.on(self.tools.codes):
            registry = self.tools.registry(code)
        if what := unbroken.changed():
            raise Broken(what)
        llm = model(**setup["model"]) if self.live else self.scenario.llm()
        self.agent = agent.Agent(
            llm,
            registry,
            setup["systemPrompt"],
            memory=KeepAll(folder_of(setup.get("after"))),
            observers=[self.errors],
            max_steps=most,
            retries=Retries(sleep=pause),
        )
        self.frames = frames.frames(
            self.agent, {"question": self.question}, on_error=self.errors.add
        )

    def turn(self):
        """The next frame, or None where the run is over."""
        if not self.open:
            return None
        self.tools.remember()
        try:
            with watch.on(self.tools.codes):
                frame = next(self.frames)
        except BaseException as error:  # struck beside its cards, or broken by a tool
            self.errors.add(error)
            frame = frames.broken(error, self.drawn)
        self.drawn.append(frame)
        frame["printed"], frame["pointed"] = printed.take(), self.errors.take()
        return frame

    def measured(self):
        """The answer to what was asked before the run, as this run gave it."""
        if self.live:
            found = asks.MODEL_CALLS.measured(self.drawn)
        else:
            found = self.scenario.measured(self.drawn)
        return found and {"fact": found.fact, "told": found.told}

    def close(self):
        """End it, so that nothing of it goes on; its folder stays."""
        self.open, self.drawn = False, []
        if self.frames is not None:
            self.frames.close()


def turn(number, setup=None):
    """Run the card in the hand of a run, of a new one where a set-up is given."""
    try:
        with Guard(printed, sleep):
            answer = turned(number, setup)
    except BuiltinsChanged as error:
        answer = broken(str(error))
        close_run(number)
    except KeyboardInterrupt as error:
        place = pointed(error)
        answer = {"stopped": place_in_words(place), "pointed": place}
        forget(number, setup)
    except BaseException as error:  # tools.py may raise anything, sys.exit too
        answer = refusal(error)
        forget(number, setup)
    return json.dumps(answer)


def turned(number, setup):
    """What came of turning a card, where nothing kept it from it."""
    if setup is not None:
        setup = json.loads(setup)
        if number in runs:
            runs.pop(number).close()
        run = Run(setup)
        run.tools.remember()
        run.begin(setup)
        runs[number] = run
    run = runs.get(number)
    frame = run and run.turn()
    if frame is None:
        return {"over": True}
    answer = {"frame": frame}
    if frame["card"] is None:
        if found := run.measured():
            answer["measured"] = found
        run.close()  # its interrupt is drawn, and would be raised by another turn
        let_go()
        if what := unbroken.changed():
            answer |= broken(what)
    return answer


def broken(changed):
    """What is said where the code has changed what the page stands on."""
    return {"broken": broken_by(changed), "pointed": place_of_change(changed)}


def close_run(number):
    """End a run, if it is open; another may still go on with its folder."""
    if number in runs:
        runs[number].close()
        let_go()


def forget(number, setup):
    """A set-up that did not begin leaves nothing behind."""
    printed.take()
    if setup is not None:
        close_run(number)
        runs.pop(number, None)


def let_go():
    """Of the runs that are over, keep the newest."""
    over = [number for number, run in runs.items() if not run.open]
    for number in over[:-MOST_KEPT]:
        del runs[number]


def scenario_named(name):
    """The scenario; refused where there is none."""
    if name not in faults.DECK:
        known = ", ".join(faults.DECK)
        raise Refused(f"There is no scenario {name!r}. There are: {known}.")
    return faults.DECK[name]


def steps_in(most):
    """The limit on rounds; refused where it is none."""
    if type(most) is int and 1 <= most <= MOST_STEPS:
        return most
    raise Refused(
        f"The limit on rounds (max_steps) is {most!r}. It is a whole number from 1 to "
        f"{MOST_STEPS}."
    )


def folder_of(number):
    """What was said in a run, which is ended here; a copy, since it may go on twice."""
    if number is None:
        return ()
    run = runs.get(number)
    if run is None:
        raise Refused(
            "The folder of that run is not here any more: Python was restarted, or "
            f"{MOST_KEPT} runs have ended since. Press Reset to begin a fresh run."
        )
    run.close()
    return list(run.agent.memory.folder)


def refusal(error):
    """Why a set-up cannot run, for a reader who wrote tools.py and not this file."""
    place = pointed(error)
    if isinstance(error, Refused):
        words = str(error)
    elif isinstance(error, SyntaxError) and place:
        words = error.msg
    elif what := str(error) if isinstance(error, Broken) else unbroken.changed():
        return broken(what)
    else:
        words = place["what"] if place else error_text(error)
    if place:
        words = f"{place_in_words(place)}: {words}"
    if before := printed.take():
        words += f"\nPrinted before that: {before[-1000:].strip()}"
    return {"refused": words, "pointed": place}


def broken_by(what):
    """What to do where only a new Python helps."""
    return (
        f"{TOOLS_FILE} has changed {what}, which this page stands on. Take that line "
        "back, or it happens again."
    )


def place_in_words(place):
    """A place as a sentence begins with it."""
    return f"{place['file']}, line {place['line']}" if place else ""


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


def wait(promise):
    """Hold Python until the page has an answer, or Stop was pressed."""
    value, error = run_sync(outcome(promise))
    if error is None:
        return value
    if error.name == "Stopped":
        raise Interrupted("Stopped while waiting for the model.") from None
    raise ModelError(str(error.message), retryable=error.name != "Silent") from None


async def outcome(promise):
    """What a promise gives, and what it is broken with.

    Pyodide prints a broken promise for which `run_sync` alone has waited, and what is
    printed here counts as printed by tools.py.
    """
    try:
        return await promise, None
    except JsException as error:
        return None, error


def pause(seconds):
    """Wait before another try, in a way that Stop can end."""
    if can_run_sync():
        wait(page.pause(seconds, ""))
    else:
        sleep(seconds)


def sleep_in_page(seconds, frame):
    """Let the page hold the sleep of a tool, where Python can wait for it."""
    if not can_run_sync():
        return False
    place = line_now(frame)
    where = f"{TOOLS_FILE}, line {place}" if place else ""
    _, error = run_sync(outcome(page.pause(seconds, where)))
    if error is not None:
        raise Stopped(f"Stopped in a sleep{where and f' ({where})'}.")
    return True


def tell(line, sleeping=False):
    """Tell the page at once where tools.py is: Python may have to be ended there."""
    text = linecache.getline(TOOLS_FILE, line).strip()
    page.at(TOOLS_FILE, line, text, sleeping)


def tell_of_sleep(frame, sleeping):
    """Tell the page that tools.py sleeps, or woke."""
    if line := line_now(frame):
        tell(line, sleeping)


printed = Printed()
sleep = sleep_that_can_be_stopped(sleep_in_page, tell_of_sleep)
watch = Watch(tell)
unbroken = Unbroken()
