"""A service that answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Arrived:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def key(self) -> str | None:
        return self.headers.get("idempotency-key")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: str = '{"ok":true}'
    headers: dict[str, str] = field(default_factory=dict)


class Drop:
    """Ends the connection without an answer."""


def ok(data: str) -> Answer:
    return Answer(body=f'{{"ok":true,"data":{data}}}')


def refused(status: int, error: Any, headers: dict[str, str] | None = None, details: Any = None) -> Answer:
    body = {"ok": False, "error": error, "error_code": status, **({} if details is None else {"details": details})}
    return Answer(status, json.dumps(body), headers or {})


class Stub:
    """`answers` are for the next requests, in order; after the last one each request gets `{"ok": true}`."""

    def __init__(self) -> None:
        self.arrived: list[Arrived] = []
        self.answers: list[Answer | Drop | Callable[[Arrived], Answer | Drop]] = []
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                url = urlsplit(self.path)
                size = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                arrived = Arrived(
                    self.command, url.path, dict(parse_qsl(url.query)), headers, self.rfile.read(size)
                )
                answer = stub._answer_to(arrived)
                if isinstance(answer, Drop):
                    self.close_connection = True
                    return
                content = answer.body.encode()
                self.send_response(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def _answer_to(self, arrived: Arrived) -> Answer | Drop:
        with self._lock:
            self.arrived.append(arrived)
            answer = self.answers.pop(0) if self.answers else Answer()
        return answer(arrived) if callable(answer) else answer

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
