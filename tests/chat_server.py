"""A local HTTP server that speaks the OpenAI chat protocol by script: it stands for the paid model in every test.

    with ChatServer(["hello", Step(status=429, headers={"Retry-After": "1"}), {"action": "stop()"}]) as server:
        spec = ModelSpec(model="scripted", base_url=server.base_url)

A script is a list, one step a request (the last one repeats), or a function from the request's body to a step.
A step is a `Step`, a text (the reply), or a dict (the reply as JSON).
"""

from __future__ import annotations

import email.utils
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Step:
    """What the server does with one request: the first of `reset`, `raw`, `body`, `message`, `reply` that is set.

    `delay` seconds pass before it. A `Retry-After` header `date+N` becomes the HTTP date N seconds ahead.
    """

    reply: str | None = None
    message: dict[str, Any] | None = None
    finish_reason: str = "stop"
    usage: dict[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10})
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    raw: str | None = None
    delay: float = 0.0
    reset: bool = False
    choices: list[Any] | None = None


Answer = Step | str | dict[str, Any]
Script = Sequence[Answer] | Callable[[dict[str, Any]], Answer]


class ChatServer:
    """The server, on a free port of this machine while the `with` block lasts.

    Args:
        script: What it answers.
        models: What it says it serves; nothing by default, as servers that do not tell.

    Attributes:
        requests: The bodies of all chat requests, in order of arrival.
        headers: Their headers, names in lower case.
        times: When each arrived, by the monotonic clock.
    """

    def __init__(self, script: Script, *, models: Sequence[str] = ()) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.models = tuple(models)
        self._script = script
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def take(self, request: dict[str, Any], headers: dict[str, str]) -> Step:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
        answer = self._script(request) if callable(self._script) else self._script[min(number, len(self._script) - 1)]
        if isinstance(answer, Step):
            return answer
        return Step(reply=answer if isinstance(answer, str) else json.dumps(answer))


def tool_call(name: str, arguments: dict[str, Any]) -> Step:
    """A reply that calls a tool and says nothing."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return Step(message={"role": "assistant", "content": None, "tool_calls": [call]}, finish_reason="tool_calls")


def error(status: int, message: str, *, code: str = "", headers: dict[str, str] | None = None) -> Step:
    """A refusal in OpenAI's form."""
    body = {"error": {"message": message, "type": "error", "code": code or None}}
    return Step(status=status, body=body, headers=headers or {})


def last_user_text(request: dict[str, Any]) -> str:
    """The text of the last message of the user, for scripts that answer by what was asked."""
    texts = [m.get("content") or "" for m in request.get("messages", []) if m.get("role") == "user"]
    return str(texts[-1]) if texts else ""


def _handler(owner: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            served = [{"id": name, "object": "model"} for name in owner.models]
            self._send(200, json.dumps({"object": "list", "data": served}), {})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            step = owner.take(request, {name.lower(): value for name, value in self.headers.items()})
            time.sleep(step.delay)
            if step.reset:
                # A zero linger makes the kernel send a reset in place of an orderly end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            if step.raw is not None:
                text = step.raw
            elif step.body is not None or step.status != 200:
                text = step.body if isinstance(step.body, str) else json.dumps(step.body or {})
            else:
                text = json.dumps(self._completion(step, request))
            self._send(step.status, text, step.headers)

        def _completion(self, step: Step, request: dict[str, Any]) -> dict[str, Any]:
            message = step.message or {"role": "assistant", "content": step.reply}
            choice = {"index": 0, "message": message, "finish_reason": step.finish_reason}
            out = {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": request.get("model", ""),
                "choices": [choice] if step.choices is None else step.choices,
            }
            return out if step.usage is None else out | {"usage": step.usage}

        def _send(self, status: int, text: str, headers: dict[str, str]) -> None:
            data = text.encode("utf-8", "surrogatepass")
            try:
                self.send_response(status)
                sent = {"Content-Type": "application/json", "Content-Length": str(len(data))} | headers
                for name, value in sent.items():
                    if value.startswith("date+"):
                        value = email.utils.formatdate(time.time() + float(value[5:]), usegmt=True)
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up waiting, as some tests want it to

    return Handler
