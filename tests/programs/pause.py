"""A run that is paused: saved between two cards, and gone on with elsewhere."""

import json
import subprocess
import sys
from pathlib import Path

from mingraph_lite import Agent, KeepAll, ScriptedLLM, ToolCall
from mingraph_lite.adapters import from_openai, to_openai
from mingraph_lite.cards import RunningTools
from mingraph_lite.checkpoints import card_from_dict, card_to_dict


def get_weather(city: str) -> str:
    """Look up the weather."""
    return f"18 degrees in {city}"


def begin(file: Path) -> None:
    errand = ToolCall("get_weather", {"city": "Paris"})
    agent = Agent(ScriptedLLM([errand]), [get_weather], "Be brief.")
    for card in agent.steps("How is Paris?"):
        if isinstance(card, RunningTools):
            agent.pause()
            folder = to_openai(agent.memory.folder)
            file.write_text(json.dumps({"folder": folder, "card": card_to_dict(card)}))
            print("paused before", card)
    print("not run" in file.read_text(), agent.last_run and agent.last_run.reason)


def go_on(file: Path) -> None:
    saved = json.loads(file.read_text())
    memory = KeepAll(from_openai(saved["folder"]))
    agent = Agent(ScriptedLLM(["Mild."]), [get_weather], "Be brief.", memory=memory)
    for card in agent.steps(card_from_dict(saved["card"])):
        print("goes on with", card)
    print([message.content for message in agent.memory.folder])


if len(sys.argv) == 1:
    begin(Path("saved.json"))
    subprocess.run([sys.executable, __file__, "saved.json"], check=True)
else:
    go_on(Path(sys.argv[1]))
