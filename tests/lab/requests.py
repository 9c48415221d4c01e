"""Asking a source of replies as a server would, and reading what it sends."""

import json
from typing import Any

from mingraph_lite.lab.reply_source import ReplySource
from mingraph_lite.lab.wire import ServerReply

QUESTION = {"role": "user", "content": "How warm is it?"}


def ask(
    source: ReplySource, *messages: Any, key: str = "", **beside: Any
) -> ServerReply:
    body = {"model": "mine", "messages": list(messages), **beside}
    return source.reply(json.dumps(body).encode(), key)


def content(reply: ServerReply) -> Any:
    """The text of the completion in a reply."""
    return reply.completion()["choices"][0]["message"]["content"]


def error_in(reply: ServerReply) -> tuple[int, str, str]:
    """The status, the code and the message of an error."""
    told = json.loads(reply.body())["error"]
    return reply.status, told["code"], told["message"]
