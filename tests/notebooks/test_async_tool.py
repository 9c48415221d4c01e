"""H02: a refused async tool names a way that works in a cell, where a loop runs."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.running import printed, run

REFUSED = """\
import asyncio
from concurrent.futures import ThreadPoolExecutor
from mingraph_lite import MingraphError, ToolCall, ToolRegistry

async def twice(n):
    await asyncio.sleep(0)
    return 2 * n

try:
    ToolRegistry([twice])
except MingraphError as error:
    print("ThreadPoolExecutor().submit(asyncio.run, …).result()" in str(error))
"""
IN_A_THREAD = """\
def in_a_thread(n: int) -> int:
    return ThreadPoolExecutor().submit(asyncio.run, twice(n)).result()

print(ToolRegistry([in_a_thread]).run(ToolCall("in_a_thread", {"n": 21})))
"""


def test_H02_the_way_that_the_refusal_names_works_in_a_cell(tmp_path: Path) -> None:
    cells = [new_code_cell(REFUSED), new_code_cell(IN_A_THREAD)]
    ran = run(new_notebook(cells=cells), tmp_path)
    assert [printed(cell) for cell in ran.cells] == ["True\n", "42\n"]
