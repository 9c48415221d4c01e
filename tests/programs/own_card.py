"""Cards of one's own: one asks a human, one checks the answer, one is an end."""

from dataclasses import dataclass

from mingraph_lite import Agent, Recorder, ScriptedLLM, ToolCall
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.desk import Desk
from mingraph_lite.views.frames import frames


def send_mail(to: str) -> str:
    """Send a mail."""
    return f"sent to {to}"


@dataclass(frozen=True)
class AskingHuman(Card):
    tools: RunningTools

    def run(self, desk: Desk) -> Card:
        if all(call.arguments["to"] == "Ann" for call in self.tools.calls):
            return self.tools
        for call in self.tools.calls:
            desk.answer(call, "declined: a human said no")
        return CallingModel(self.tools.step + 1, because="a human declined")


@dataclass(frozen=True)
class Praised(Finished):
    """An end of one's own."""


@dataclass(frozen=True)
class Checking(Card):
    end: Finished

    def run(self, desk: Desk) -> Card:
        return Praised(self.end.answer, self.end.reason, because="it was checked")


def agent() -> Agent:
    mails = [ToolCall("send_mail", {"to": name}) for name in ("Ann", "Bob")]
    before = {RunningTools: AskingHuman, Finished: Checking}
    return Agent(ScriptedLLM([*mails, "Done."]), [send_mail], "", before=before)


one, heard = agent(), Recorder()
print([type(card).__name__ for card in one.steps("Mail.", observers=[heard])])
print([message.content for message in one.memory.folder if message.content])
picked = [e.payload["card"] for e in heard.events if e.name == "card_start"]
print([type(card).__name__ for card in picked])
shown = list(frames(agent(), "Mail."))
print([frame["card"]["name"] for frame in shown if frame["card"]])
print(shown[-1]["outcome"])
