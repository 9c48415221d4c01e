"""Kernels for tests: this interpreter, met without a port, left without a wait.

As a pytest plugin (`-p tests.notebooks.kernels`) it gives nbval such kernels too.

Why not ports, as Jupyter has them? Its manager looks for five free ones and lets them
go before the kernel takes them; beside another test, some other process takes one
first, and the kernel dies. A path in a folder of our own is nobody else's.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import nbval.kernel
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.client import KernelClient
from jupyter_client.connect import ConnectionFileMixin
from jupyter_client.manager import AsyncKernelManager, KernelManager

__all__ = ["NBVAL_ALONE", "ThisPython"]

NBVAL_ALONE = ("-p", "nbval", "-p", __name__, "--nbval", "--nbval-current-env")
"""What pytest is told in a process of its own, where it loads no plugin by itself."""

HAS_PATHS = os.name != "nt"  # where ZeroMQ speaks through ports alone
numbers = count(1)


@cache
def folder() -> Path:
    """Make one folder for the kernels of this process; a socket's path is short."""
    made = Path(tempfile.mkdtemp(prefix="kernels-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


class ByPath(ConnectionFileMixin):
    """Reaches its kernel by a path of its own."""

    def _transport_default(self) -> str:
        return "ipc" if HAS_PATHS else "tcp"

    def _ip_default(self) -> str:
        return str(folder() / str(next(numbers))) if HAS_PATHS else "127.0.0.1"

    async def _async_pre_start_kernel(self, **options: Any) -> Any:
        """Let it write what is temporary here too: killed, it takes nothing away."""
        env = {**options.pop("env", os.environ), "TMPDIR": str(folder())}
        start: Any = super()  # of the manager that this is mixed into
        return await start._async_pre_start_kernel(env=env, **options)


class NoHeartbeat(KernelClient):
    """Asks no heartbeat: the manager sees its process, and to end one takes a second."""

    def start_channels(self, *channels: bool, **named: bool) -> None:
        """Open all channels but this one."""
        super().start_channels(*channels, **named | {"hb": False})


class Client(NoHeartbeat, BlockingKernelClient):
    """What nbval speaks through."""


class AsyncClient(NoHeartbeat, AsyncKernelClient):
    """What nbclient speaks through."""


class ForNbval(ByPath, KernelManager):
    """Starts the kernels of nbval, which makes its manager by this class's old name."""

    def _client_factory_default(self) -> type[Client]:
        return Client


class ThisPython(ByPath, AsyncKernelManager):
    """Starts the interpreter that runs the tests, whatever is installed beside it."""

    def _kernel_spec_manager_default(self) -> nbval.kernel.NbvalKernelspecManager:
        return nbval.kernel.NbvalKernelspecManager()

    def _client_factory_default(self) -> type[AsyncClient]:
        return AsyncClient


def pytest_configure() -> None:
    """Let nbval start its kernels in this way."""
    nbval.kernel.KernelManager = ForNbval
