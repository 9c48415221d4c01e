"""A small model server on loopback, of the kind people run beside the page."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Seen:
    """One request as the server received it."""

    method: str
    path: str
    authorization: str | None
    headers: set[str]
    body: Any


@dataclass
class Endpoint:
    """Answers chat completions with what a test puts into `replies`, in that order.

    With no reply left it keeps the caller waiting until `let_go` is set.
    """

    replies: list[dict[str, Any]] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)
    base_url: str = ""

    def __post_init__(self) -> None:
        endpoint = self

        class Answers(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self) -> None:
                self.send_response(204)
                self.allow()
                self.send_header("Access-Control-Allow-Methods", "GET, POST")
                # As strict servers do: what is not named here is refused.
                self.send_header(
                    "Access-Control-Allow-Headers", "Authorization, Content-Type"
                )
                self.end_headers()

            def do_GET(self) -> None:
                endpoint.record(self, None)
                self.reply({"data": [{"id": "tiny"}, {"id": "small"}]})

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                endpoint.record(self, json.loads(self.rfile.read(length)))
                endpoint.asked.set()
                if not endpoint.replies:
                    endpoint.let_go.wait()
                    self.close_connection = True
                    return
                self.reply(endpoint.replies.pop(0))

            def reply(self, content: dict[str, Any]) -> None:
                body = json.dumps(content, ensure_ascii=False).encode()
                busy = "error" in content
                self.send_response(503 if busy else 200)
                self.allow()
                if busy:
                    self.send_header("Retry-After", "20")
                    self.send_header("Access-Control-Expose-Headers", "Retry-After")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def allow(self) -> None:
                origin = self.headers.get("Origin", "null")
                self.send_header("Access-Control-Allow-Origin", origin)

            def log_message(self, *_: object) -> None:
                """Say nothing: a test reads `seen`."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.server.daemon_threads = True

    def record(self, request: BaseHTTPRequestHandler, body: Any) -> None:
        headers = request.headers
        names = {name.lower() for name in headers}
        authorization = headers.get("Authorization")
        seen = Seen(request.command, request.path, authorization, names, body)
        self.seen.append(seen)

    def says(self, text: str) -> None:
        """Queue an answer without slips."""
        self._queue({"role": "assistant", "content": text}, "stop")

    def calls(self, name: str, arguments: dict[str, object], id: str) -> None:
        """Queue a reply that passes one slip."""
        function = {"name": name, "arguments": json.dumps(arguments)}
        slip = {"id": id, "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [slip]}
        self._queue(message, "tool_calls")

    def is_busy(self) -> None:
        """Queue a refusal that asks to come back in 20 seconds."""
        self.replies.append({"error": {"message": "The model is busy."}})

    def _queue(self, message: dict[str, Any], reason: str) -> None:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28}
        self.replies.append({"model": "tiny", "choices": [choice], "usage": usage})
