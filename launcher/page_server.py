"""The server of the built page: for this machine only, packed, and with its walls."""

import gzip
import http.server
import io
import ipaddress
import re
import socketserver
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from launcher.ports import HOST

__all__ = ["PAGE_TYPES", "page_server"]

# Browsers refuse a module of the wrong type, and Windows may have ideas of its own.
PAGE_TYPES = {
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
}
# What gets smaller; wheels and zips are packed already.
PACKED = {
    *(".css", ".html", ".js", ".json", ".map"),
    *(".md", ".mjs", ".svg", ".txt", ".wasm"),
}
LEVEL = 4  # four percent more than 9 leaves, in a fifth of the time
# Their names change with what is in them, so a browser may keep them for good.
NAMED_BY_CONTENT = re.compile(r"assets/[^/]+-[\w-]{8}\.\w+|python-[0-9a-f]{12}/[^/]+")
ASKED = re.compile(r"(?P<name>[\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?")
KEPT = "public, max-age=31536000, immutable"
# Some file systems take this name in any case.
WORKER = re.compile(r"assets/worker-[\w-]+\.js", re.IGNORECASE)


def page_server(folder: Path, port: int = 0) -> http.server.HTTPServer:
    """Make a server of one folder, for this machine only."""
    packed = cache(pack)

    class Page(PageHandler):
        def __init__(self, *arguments):
            self.packed = packed
            super().__init__(*arguments, directory=str(folder))

    class Server(http.server.ThreadingHTTPServer):
        def server_bind(self):
            # HTTPServer's own would ask a name server who 127.0.0.1 is.
            socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = self.server_address

    return Server((HOST, port), Page)


def pack(path: str, changed: int) -> bytes:
    """What a file is when packed, without a date that would make it another."""
    return gzip.compress(Path(path).read_bytes(), LEVEL, mtime=0)


class PageHandler(http.server.SimpleHTTPRequestHandler):
    """Answers one request for a file of the page."""

    extensions_map = PAGE_TYPES
    packed: Callable[[str, int], bytes]
    status = 0

    def send_head(self):
        """Send the head of an answer, and give what its body is read from."""
        if not is_here(self.host()):
            told = "This server is for the browser on its own machine"
            return self.send_error(421, explain=f"{told}: ask for {HOST}.")
        file = self.file()
        wanted = file.suffix in PACKED and file.is_file()
        if not (wanted and takes_gzip(self.headers.get("Accept-Encoding", ""))):
            return super().send_head()
        return self.send_packed(file)

    def file(self) -> Path:
        """Find the file that is asked for, however its name is written."""
        path = Path(self.translate_path(self.path))
        return path / "index.html" if urlsplit(self.path).path.endswith("/") else path

    def send_packed(self, file: Path) -> io.BytesIO | None:
        """Answer with a packed file, or with the news that it has not changed."""
        state = file.stat()
        if not self.changed_since(state.st_mtime):
            self.send_response(304)
            self.end_headers()
            return None
        body = self.packed(str(file), state.st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string(state.st_mtime))
        self.end_headers()
        return io.BytesIO(body)

    def changed_since(self, changed: float) -> bool:
        """Tell whether a browser's copy of a file is older, to the second."""
        try:
            told = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
            return int(changed) > told.timestamp()
        except (OverflowError, ValueError):
            return True

    def host(self) -> str:
        """Whom the browser means to ask: a name, or an address, and a port."""
        asked = self.headers.get("Host") if self.headers else None
        return asked or f"{HOST}:{self.server.server_port}"

    def send_response(self, code, message=None):
        """Remember the status: only what is there may be kept."""
        self.status = code
        super().send_response(code, message)

    def end_headers(self):
        """End the head with what holds for every answer."""
        # The first two give the page shared memory, by which Stop reaches a busy
        # Python; the third lets a rebuilt page show at once.
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        name = self.name() if self.status in {200, 304} else ""
        kept = NAMED_BY_CONTENT.fullmatch(name)
        self.send_header("Cache-Control", KEPT if kept else "no-cache")
        if Path(name).suffix in PACKED:
            self.send_header("Vary", "Accept-Encoding")
        if WORKER.fullmatch(name):
            policy = walls(self.host(), Path(self.directory))
            self.send_header("Content-Security-Policy", policy)
        super().end_headers()

    def name(self) -> str:
        """Name the file that is asked for, as seen from the page's folder."""
        return self.file().relative_to(self.directory).as_posix()

    def list_directory(self, path):
        """Give a folder away by no list of what is in it."""
        self.send_error(404)

    def log_message(self, *_):
        """Say nothing: the terminal is for the learner."""


def takes_gzip(accepted: str) -> bool:
    """Tell whether a browser that accepts these encodings can unpack gzip."""
    for each in accepted.lower().split(","):
        name, _, weight = each.replace(" ", "").partition(";q=")
        if name in {"gzip", "*"}:
            return weight.strip("0.") != "" or not weight
    return False


def is_here(host: str) -> bool:
    """Tell whether a browser that asks for this host means this machine.

    Why not answer anybody? Only this machine can connect, but a page from elsewhere can
    have its own name point here, and would then read this page as if it were its own.
    """
    asked = ASKED.fullmatch(host)
    try:
        name = asked["name"].strip("[]") if asked else ""
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def walls(host: str, folder: Path) -> str:
    """Write the policy of the file that holds Python: its own files, nothing else.

    The page's own policy does not reach a worker. This closes the network, `eval` and
    further workers to Python; model calls go through the page.
    """
    pythons = sorted(path.name for path in folder.glob("python-*") if path.is_dir())
    own = " ".join(f"http://{host}/{name}/" for name in pythons) or "'none'"
    rules = (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        f"connect-src {own}",
        "worker-src 'none'",
    )
    return "; ".join(rules)
