"""WebKit as GTK has it, driven by selenium on a screen that nobody sees."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.engines.finding import WebKitPrograms

__all__ = ["WebKit", "running_webkit"]

# The result of an expression, awaited where it is a promise.
AWAIT = """
const done = arguments[0];
Promise.resolve().then(async () => (EXPRESSION)).then(
  (value) => done({ value: value ?? null }),
  (error) => done({ error: String(error) }),
);
"""


class WebKit:
    """A window of WebKit's own small browser."""

    def __init__(self, driver: webdriver.Remote) -> None:
        self._driver = driver

    def open(self, address: str) -> None:
        self._driver.get(address)

    def evaluate(self, expression: str) -> Any:
        script = AWAIT.replace("EXPRESSION", expression)
        answer = self._driver.execute_async_script(script)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def click(self, x: float, y: float) -> None:
        actions = ActionBuilder(self._driver)
        actions.pointer_action.move_to_location(int(x), int(y)).click()
        actions.perform()

    def type(self, text: str) -> None:
        ActionChains(self._driver).send_keys(text).perform()

    def select_all(self) -> None:
        keys = ActionChains(self._driver).key_down(Keys.CONTROL).send_keys("a")
        keys.key_up(Keys.CONTROL).perform()

    def resize(self, width: int, height: int) -> None:
        """Give the page this much room; the window has bars around it."""
        self._driver.set_window_size(width, height)
        inner = self.evaluate("[innerWidth, innerHeight]")
        self._driver.set_window_size(2 * width - inner[0], 2 * height - inner[1])

    def picture(self, path: Path) -> None:
        self._driver.save_screenshot(str(path))


@contextmanager
def running_webkit(programs: WebKitPrograms, folder: Path) -> Iterator[WebKit]:
    """Run WebKit's browser, which keeps what it keeps in this folder."""
    with screen(programs.xvfb) as display:
        quiet = {
            "DISPLAY": display,
            "GDK_BACKEND": "x11",
            # A desktop's services are not there, and not to be looked for.
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "GSETTINGS_BACKEND": "memory",
            "GIO_USE_VFS": "local",
            "NO_AT_BRIDGE": "1",
            # Its last compiler works longer than its code is run here.
            "JSC_useOMGJIT": "0",
        }
        places = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
        own = dict.fromkeys([*places, "XDG_RUNTIME_DIR"], str(folder))
        log = str(folder / "webkit.log")
        service = Service(programs.driver, env=os.environ | quiet | own, log_output=log)
        service.start()
        try:
            # Why not selenium's own WebKitGTK? It warns that it calls itself wrongly.
            here = RemoteConnection(client_config=ClientConfig(service.service_url))
            with webdriver.Remote(here, options=Options()) as driver:
                yield WebKit(driver)
        finally:
            service.stop()


@contextmanager
def screen(xvfb: str) -> Iterator[str]:
    """Run a screen in memory; gives its name, with a number that was free."""
    read, write = os.pipe()
    size = ["-screen", "0", "1600x1200x24"]
    command = [xvfb, "-displayfd", str(write), *size, "-nolisten", "tcp"]
    with subprocess.Popen(
        command, pass_fds=[write], stderr=subprocess.DEVNULL
    ) as server:
        os.close(write)
        with open(read, encoding="ascii") as told:
            number = told.readline().strip()
        assert number, f"{xvfb} has ended before it had a screen"
        try:
            yield f":{number}"
        finally:
            server.terminate()
