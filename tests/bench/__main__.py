"""What a step of the loop costs, here and elsewhere.

    python -m tests.bench [--only NAME] [--json FILE]

Run it from the project's folder, by the interpreter of a virtual environment. The peers
are measured if they are installed: pip install -e '.[compare]'. With all of them it
takes about two minutes.
"""

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.bench.bench import Bench, Say


def main(bench: Bench, say: Say, arguments: Sequence[str] | None = None) -> None:
    names = bench.names()
    options = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure what a step costs, here and elsewhere.",
    )
    options.add_argument(
        "--only", metavar="NAME", choices=names, help=f"one of: {'; '.join(names)}"
    )
    options.add_argument("--json", metavar="FILE", type=Path, help="keep the figures")
    chosen = options.parse_args(arguments)
    figures = bench.run(say, chosen.only)
    if chosen.json:
        text = json.dumps(figures, indent=2, ensure_ascii=False)
        chosen.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Bench(), partial(print, flush=True))
