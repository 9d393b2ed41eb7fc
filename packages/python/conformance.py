"""Drives this client for the conformance tests of all clients (test/clients/README.md)."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

import botledger  # noqa: E402
from botledger.types import CustomEvent  # noqa: E402
from generate import snake  # noqa: E402

KINDS: dict[type[botledger.BotledgerError], str] = {
    botledger.NoAnswerError: "connection",
    botledger.InvalidRequestError: "invalid",
    botledger.AuthenticationError: "authentication",
    botledger.PermissionDeniedError: "permission",
    botledger.NotFoundError: "not_found",
    botledger.ConflictError: "conflict",
    botledger.RateLimitError: "rate_limit",
    botledger.UnavailableError: "unavailable",
    botledger.OutcomeUnknownError: "outcome_unknown",
    botledger.ServerError: "server",
}
REPORTS: list[botledger.RequestReport] = []
# Events that a program in Python may make.
ODD: dict[str, CustomEvent] = {
    "not_a_number": {"event": "odd", "user_id": 1, "value_num": Decimal("NaN")},
    "long_id": {"event": "odd", "user_id": 2**53},
}


def arguments(action: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the client's method for a call."""
    named = {snake(name): value for name, value in action.get("query", {}).items()}
    if "idempotency_key" in action:
        named["idempotency_key"] = action["idempotency_key"]
    return [action["body"]] if "body" in action else [], named


def perform(client: botledger.Client, factor: float, action: dict[str, Any]) -> Any:
    if action["do"] == "queue":
        # Only waits between attempts are shorter, not the queue's second for more events.
        queue = client.event_queue(
            max_batch=action["max_batch"], max_delay_s=1 / factor, spool=action.get("spool"), wait_for=shortened(factor)
        )
        refused = [refusal_of(lambda: queue.add(ODD[kind])) for kind in action.get("odd", [])]
        for event in action["events"]:
            if not queue.add(event):
                raise RuntimeError("the queue is full")
            if action.get("change"):
                event["event"] = "changed"
        if "kill_after_ms" in action:
            time.sleep(float(action["kill_after_ms"]) / 1000)
            os.kill(os.getpid(), signal.SIGKILL)
        return {**queue.close(60 / factor)._asdict(), **({"refused": refused} if "odd" in action else {})}
    if action["do"] == "construct":
        return [
            refusal_of(lambda: botledger.Client("http://127.0.0.1:1", None)),  # type: ignore[arg-type]
            refusal_of(lambda: botledger.Client(None, "key")),  # type: ignore[arg-type]
            refusal_of(lambda: client.event_queue(max_batch=5000)),
            refusal_of(lambda: client.event_queue(max_batch=0)),
        ]
    if action["do"] == "reports":
        taken = [shown(report) for report in REPORTS]
        REPORTS.clear()
        return taken
    if action["do"] == "verify":
        try:
            secrets = action["secrets"]
            return botledger.webhooks.verify(action["body"], action["headers"], secrets, now=lambda: action["now_s"])
        except botledger.WebhookVerificationError:
            return None
    given, named = arguments(action)
    name = snake(action["operation"])
    if action["do"] == "pages":
        return list(getattr(client, f"iterate_{name.replace('list_', '', 1)}")(*given, **named))
    return getattr(client, name)(*given, **named)


def shown(report: botledger.RequestReport) -> dict[str, Any]:
    return {
        "method": report.method,
        "path": report.path,
        "attempt": report.attempt,
        "status": report.status,
        "request_id": report.request_id,
        "error": report.error and report.error.request_id,
        "measured": report.duration_s >= 0,
    }


def refusal_of(call: Callable[[], Any]) -> str | None:
    """The text of the error that a call raises at once; None if it raises none."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def shortened(factor: float) -> Callable[[threading.Condition, Callable[[], bool], float], bool]:
    return lambda condition, predicate, seconds: condition.wait_for(predicate, seconds * factor)


def result_of(client: botledger.Client, factor: float, action: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": True, "data": perform(client, factor, action)}
    except botledger.BotledgerError as error:
        described = {"status": error.status, "message": error.message, "details": error.details}
        return {"ok": False, "error": {"kind": KINDS[type(error)], **described}}


def text(value: Any) -> str:
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"no JSON: {value!r}")


def main() -> None:
    task = json.load(sys.stdin, parse_float=Decimal)
    factor = float(task["delay_factor"])
    with botledger.Client(
        task["base_url"],
        task["api_key"],
        max_retries=task["max_retries"],
        timeout_s=task["timeout_ms"] / 1000,
        sleep=lambda seconds: time.sleep(seconds * factor),
        on_request=REPORTS.append,
    ) as client:
        results = [result_of(client, factor, action) for action in task["actions"]]
    json.dump({"results": results}, sys.stdout, default=text)


if __name__ == "__main__":
    main()
