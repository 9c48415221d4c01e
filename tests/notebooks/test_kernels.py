import subprocess
import sys
from pathlib import Path

import nbval.kernel
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.kernels import HAS_PATHS, folder
from tests.notebooks.running import printed, run

TRANSPORT = (
    "import json\n"
    "from ipykernel.connect import get_connection_info\n"
    "print(json.loads(get_connection_info())['transport'])"
)
BY_PATH = "ipc" if HAS_PATHS else "tcp"


def test_a_kernel_of_ours_takes_no_port(tmp_path):
    ran = run(new_notebook(cells=[new_code_cell(TRANSPORT)]), tmp_path)
    assert printed(ran.cells[0]) == f"{BY_PATH}\n"


def test_a_kernel_of_nbval_takes_no_port_and_leaves_nothing():
    before = set(folder().iterdir())
    name = nbval.kernel.CURRENT_ENV_KERNEL_NAME
    manager, client = nbval.kernel.start_new_kernel(kernel_name=name)
    met = manager.transport, client.hb_channel.is_alive()
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert met == (BY_PATH, False)
    assert set(folder().iterdir()) == before


def test_a_kernel_writes_what_is_temporary_beside_its_sockets(tmp_path):
    cell = new_code_cell("import tempfile\nprint(tempfile.gettempdir())")
    assert printed(run(new_notebook(cells=[cell]), tmp_path).cells[0]) == f"{folder()}\n"


def test_what_a_lesson_has_written_goes_away_with_its_python():
    lines = (
        "from mingraph_lite.classroom import scratch",
        "path = scratch('a.jsonl')",
        "path.write_text('once')",
        "print(path)",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    path = Path(subprocess.check_output(command, text=True).strip())
    assert (path.name, path.parent.exists()) == ("a.jsonl", False)
