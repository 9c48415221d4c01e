"""One broken line of the package each, and the lesson that is likely to notice first.

    name: (file, the line, what it becomes, the lesson)

A lesson's number is where one looks first; any other may notice too.
"""

__all__ = ["BREAKS"]

type Break = tuple[str, str, str, str]

BREAKS: dict[str, Break] = {
    # the loop
    "the loop ends after the errands": (
        "cards.py",
        'CallingModel(self.step + 1, because="every slip has its answer")',
        'Finished("done", "answered", because="every slip has its answer")',
        "04",
    ),
    "rounds are not counted": (
        "cards.py",
        "CallingModel(self.step + 1,",
        "CallingModel(1,",
        "04",
    ),
    "the card that answers is played for ever, until the limit": (
        "cards.py",
        'return Finished(reply.content, "answered", because="the reply passed no slip")',
        'return CallingModel(self.step + 1, because="the reply passed no slip")',
        "04",
    ),
    "slips are taken for an answer": (
        "cards.py",
        "        if reply.tool_calls:\n            why",
        "        if not reply.tool_calls:\n            why",
        "04",
    ),
    "only the first slip is run": (
        "cards.py",
        "for call in self.calls:",
        "for call in self.calls[:1]:",
        "00",
    ),
    "slips are run from the last to the first": (
        "cards.py",
        "for call in self.calls:",
        "for call in self.calls[::-1]:",
        "04",
    ),
    "the loop forgets to run a card": (
        "agent.py",
        "card = _next(card, desk, before)",
        "card = None",
        "04",
    ),
    "the loop shows no card but the last": (
        "agent.py",
        "            yield card\n            card = _next(card, desk, before)",
        "            if isinstance(card, Finished):\n                yield card\n"
        "            card = _next(card, desk, before)",
        "04",
    ),
    # the folder
    "the question is not put into the folder": (
        "desk.py",
        "self.add(UserMessage(question))",
        "self.add(UserMessage(''))",
        "00",
    ),
    "the reply is not put into the folder": (
        "desk.py",
        "        self.add(message)\n        return message",
        "        return message",
        "00",
    ),
    "answer slips are not put into the folder": (
        "desk.py",
        '"tool_return", call=call, value=picture, message=message\n'
        "            )\n        self.add(message)",
        '"tool_return", call=call, value=picture, message=message\n            )',
        "00",
    ),
    "answer slips get no number": (
        "desk.py",
        "ToolMessage(plain_text(value), call.id, call.name)",
        'ToolMessage(plain_text(value), "", call.name)',
        "00",
    ),
    "number and name of an answer slip are swapped": (
        "desk.py",
        "ToolMessage(plain_text(value), call.id, call.name)",
        "ToolMessage(plain_text(value), call.name, call.id)",
        "00",
    ),
    "the answers of two slips swap their numbers": (
        "cards.py",
        "value = desk.tools.run(call)",
        "value = desk.tools.run(self.calls[-1 - self.calls.index(call)])",
        "00",
    ),
    "every message is put into the folder twice": (
        "memory.py",
        "        self._said.append(message)",
        "        self._said += [message, message]",
        "00",
    ),
    "an answer slip quotes a text": (
        "observation.py",
        "        return valid_text(value)",
        "        return repr(value)",
        "01",
    ),
    # memory
    "only the newest message is read out": (
        "memory.py",
        'Every message so far."""\n        return Reading(self._said)',
        'Every message so far."""\n        return Reading(self._said[-1:])',
        "01",
    ),
    "a number is given to two slips": (
        "desk.py",
        "while not id or id in self._ids:",
        "while not id:",
        "03",
    ),
    "the last n are one too few": (
        "memory.py",
        "if start < end and end - group > ",
        "if start < end and end - group > -1 + ",
        "03",
    ),
    "the last n may begin with an answer": (
        "memory.py",
        "        while not _is_user(self._said[start]):",
        "        while False:",
        "03",
    ),
    "agents without a memory share one": (
        "agent.py",
        "KeepAll() if memory is None else memory",
        "globals().setdefault('_SHARED', KeepAll()) if memory is None else memory",
        "03",
    ),
    # tools and their slips
    "a slip is shown without the names of its arguments": (
        "messages.py",
        'pairs = (f"{key}={write_json(value)}" for',
        'pairs = (f"{value}" for',
        "01",
    ),
    "a slip that is answered counts as open": (
        "messages.py",
        "            slips.pop(message.tool_call_id, None)",
        "            slips.get(message.tool_call_id)",
        "04",
    ),
    "no tool is on the menu": (
        "tools.py",
        "read_only([tool.menu_entry() for tool in tools.values()])",
        "read_only([])",
        "00",
    ),
    "a tool runs twice": (
        "tools.py",
        "        return tool.run(call.arguments)",
        "        tool.run(call.arguments)\n        return tool.run(call.arguments)",
        "01",
    ),
    "a tool that is not there is not named": (
        "tools.py",
        'return f"No tool named {name[:100]!r}. Registered: {known}.{guess}"',
        'return f"No such tool. Registered: {known}.{guess}"',
        "05",
    ),
    # limits
    "the limit is one too high": (
        "limits.py",
        "if step > self.steps:",
        "if step > self.steps + 1:",
        "04",
    ),
    "the limit is one too low": (
        "limits.py",
        "if step > self.steps:",
        "if step >= self.steps:",
        "04",
    ),
    "a limit is handed over as an answer": (
        "cards.py",
        "return Finished(None, limit.reason, limit, because=limit.because)",
        'return Finished("Stopped", limit.reason, limit, because=limit.because)',
        "04",
    ),
    # failures
    "a model's mistake ends the run": (
        "cards.py",
        "                desk.answer_error(call, mistake, text)",
        "                desk.answer_error(call, mistake, text)\n                raise",
        "05",
    ),
    "a tool that fails is not told to the caller": (
        "cards.py",
        '                if desk.tool_failures == "raise":',
        '                if desk.tool_failures == "never":',
        "05",
    ),
    "slips that were not run stay open": (
        "desk.py",
        'if self.ended[1] != "paused":',
        'if self.ended[1] == "nobody":',
        "05",
    ),
    "a run that ends in an error says that it answered": (
        "agent.py",
        '            reason = "failed"',
        '            reason = "answered"',
        "05",
    ),
    # the trace
    "a trace leaves out what the model thought": (
        "telling.py",
        "self._or_none(response.reasoning, seq",
        "self._or_none(None, seq",
        "07",
    ),
    "a trace names no tool of the menu": (
        "telling.py",
        'body["menu"] = list(menu)',
        'body["menu"] = []',
        "07",
    ),
    "the moment a run began is not asked of the clock": (
        "trace.py",
        '"started": iso(self._now()),',
        '"started": iso(0),',
        "07",
    ),
    "a secret that was named is written down": (
        "schema/line_file.py",
        "secrets = checked_secrets(secrets)",
        "secrets = []",
        "07",
    ),
    "a number that nobody has said is found in no reply": (
        "traces/rules.py",
        "return [x for x in new if abs(x) not in rounded[digits_behind(x)]]",
        "return []",
        "07",
    ),
    "a tool that failed counts as one that answered": (
        "traces/rules.py",
        "return line.is_error or without_text(line.text) is not None",
        "return False",
        "07",
    ),
    "nobody is asked about a bare number": (
        "traces/asking.py",
        "if _BARE.fullmatch(said.text):",
        "if not said.text:",
        "07",
    ),
    "a number of one's own counts as one of a tool's": (
        "traces/many_runs.py",
        'way = "in the head" if looked_up else "invented"',
        'way = "by tool"',
        "07",
    ),
    "a comparison shows what is the same": (
        "traces/comparing.py",
        "if _changed(a or {}, b or {})",
        "if a or b",
        "07",
    ),
    # cards of one's own, and the record of a run
    "no card is laid before another": (
        "agent.py",
        "return laid_before(following, card, before) if before else following",
        "return following",
        "04",
    ),
    "a card is laid before another again and again": (
        "own_cards.py",
        "        if type(laid) is type(came_from):\n            return card",
        "        if laid is came_from:\n            return card",
        "04",
    ),
    "a pause answers the slips that it should leave open": (
        "desk.py",
        'if self.ended[1] != "paused":',
        "if True:",
        "04",
    ),
    "a record begins two messages too late": (
        "desk.py",
        "self._begun_at = len(self.memory.folder)\n        self.add",
        "self._begun_at = len(self.memory.folder) + 2\n        self.add",
        "02",
    ),
    "a record counts results as turns": (
        "record.py",
        "isinstance(line, AssistantMessage)]",
        "isinstance(line, ToolMessage)]",
        "02",
    ),
    "a record pairs results in their order and not by id": (
        "record.py",
        "tuple(texts.get(call.id) for call in calls)",
        "tuple(texts.values())[::-1]",
        "02",
    ),
    # who listens
    "a listener that fails ends the run": (
        "observers.py",
        "                    broken = self._failed(observer, event, error) or broken",
        "                    raise",
        "06",
    ),
    "behind a listener that fails nobody hears": (
        "observers.py",
        "                    broken = self._failed(observer, event, error) or broken",
        "                    broken = self._failed(observer, event, error)\n"
        "                    break",
        "06",
    ),
    "a listener's failure is counted once, however often it fails": (
        "schema/failures.py",
        "self._counts.get(kind, 0) + 1",
        "1",
        "06",
    ),
    "a listener is called under another name": (
        "observers.py",
        'f"on_{event.name}"',
        'f"at_{event.name}"',
        "06",
    ),
    "a strict listener is like any other": (
        "schema/failures.py",
        'return getattr(listener, "strict", False) is True',
        "return False",
        "06",
    ),
    "a round is not announced": (
        "desk.py",
        'self.announcer.announce("step_start", step=step)',
        "pass",
        "06",
    ),
    "listeners hear of a value as a text": (
        "desk.py",
        "picture = _picture(value)",
        "picture = str(value)",
        "06",
    ),
    "a listener may write on what a tool gave": (
        "desk.py",
        "picture = _picture(value)",
        "picture = value",
        "06",
    ),
}
