"""A stand-in for the platform's bot interface: gives updates to a bot that polls, and takes its messages."""

from __future__ import annotations

import itertools
import json
import threading
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

DATE = 1_767_225_600


class Platform:
    def __init__(self, port: int = 0) -> None:
        self.messages: list[tuple[int, str]] = []
        """Chat and text of each message, of the bot and of broadcasts."""
        self._updates: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        platform = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                method = self.path.rsplit("/", 1)[1]
                given = parameters(self.headers.get("content-type", ""), self.rfile.read(size))
                content = json.dumps({"ok": True, "result": platform._result(method, given)}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A bot that stops cuts its long poll."""

        self._server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, user_id: int, text: str) -> None:
        """A user writes to the bot."""
        with self._changed:
            number = next(self._numbers)
            self._updates.append({"update_id": number, "message": message(number, user_id, text)})
            self._changed.notify_all()

    def texts_to(self, user_id: int) -> list[str]:
        return [text for chat, text in self.messages if chat == user_id]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _result(self, method: str, given: dict[str, Any]) -> Any:
        if method == "getMe":
            return {"id": 123, "is_bot": True, "first_name": "Shop", "username": "shop_bot"}
        if method == "getUpdates":
            return self._updates_from(int(given.get("offset") or 0))
        if method == "sendMessage":
            chat = int(given["chat_id"])
            self.messages.append((chat, given["text"]))
            return message(len(self.messages), chat, given["text"])
        return True

    def _updates_from(self, offset: int) -> list[dict[str, Any]]:
        def new() -> list[dict[str, Any]]:
            return [update for update in self._updates if update["update_id"] >= offset]

        with self._changed:
            self._changed.wait_for(lambda: bool(new()), 0.2)
            return new()


def message(number: int, user_id: int, text: str) -> dict[str, Any]:
    entity = {"type": "bot_command", "offset": 0, "length": len(text.split(" ")[0])}
    return {
        "message_id": number,
        "date": DATE + number,
        "chat": {"id": user_id, "type": "private", "first_name": f"User {user_id}"},
        "from": {"id": user_id, "is_bot": False, "first_name": f"User {user_id}", "language_code": "en"},
        "text": text,
        **({"entities": [entity]} if text.startswith("/") else {}),
    }


def parameters(content_type: str, body: bytes) -> dict[str, Any]:
    """The parameters of a call: the bot sends forms, the service JSON."""
    if content_type.startswith("application/json"):
        parsed: dict[str, Any] = json.loads(body)
        return parsed
    if content_type.startswith("multipart/"):
        parts = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        return {
            str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True).decode()  # type: ignore[union-attr]
            for part in parts.walk()
            if not part.is_multipart()
        }
    return dict(parse_qsl(body.decode()))
