"""What the README shows is what happens."""

import subprocess
import sys

from tests.launcher.folder import ROOT


def test_the_run_in_the_readme_prints_what_stands_below_it():
    text = (ROOT / "README.md").read_text("utf-8")
    code, shown = text.partition("```python\n")[2].split("```\n\n```\n")[:2]
    expected = shown.partition("```")[0]

    done = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert done == expected
    assert len([line for line in code.splitlines() if line]) <= 15
