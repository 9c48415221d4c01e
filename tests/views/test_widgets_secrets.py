"""What a picture in a notebook shows of keys: nothing."""

import json

from mingraph_lite.observers import ConsoleLogger
from mingraph_lite.views.frames import frames
from mingraph_lite.views.widgets import FolderAndCard
from tests.test_observers_secrets import (
    HANDED_IN,
    HEADER,
    KEY,
    SAID,
    agent_of,
    replies,
)


def test_E07_a_canary_is_in_no_live_picture():
    agent = agent_of(replies(*SAID), ConsoleLogger(str, secrets=[HANDED_IN]))
    picture = FolderAndCard(lambda: frames(agent, f"Is {KEY} mine?"))
    picture.play()
    doors = {
        "text": picture.text(),
        "frames": json.dumps(picture.frames),
        "repr": repr(picture),
    }
    keys = [KEY, HEADER, HANDED_IN]
    found = {door: [key for key in keys if key in text] for door, text in doors.items()}
    assert found == {"text": [], "frames": [], "repr": []}
    assert "Is *** mine?" in doors["text"]
    # What is shown is masked; the folder has what was said.
    assert KEY in agent.memory.folder[0].content
