"""How a call is attempted, repeated and answered: without input and output, so for both clients."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Union
from urllib.parse import quote

import httpx

from . import _json
from ._operation import Operation
from .errors import (
    BotledgerError,
    ConflictError,
    NoAnswerError,
    OutcomeUnknownError,
    RateLimitError,
    ServerError,
    UnavailableError,
    error_of,
)

logger = logging.getLogger("botledger")

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 8.0
# A longer Retry-After ends a call whose attempts are limited: its caller can wait better.
MAX_RETRY_AFTER_S = 60.0
# A batch that the service itself cannot take must not hold up a queue: it is repeated for about a minute.
MAX_RETRIES_OF_INTERNAL_ERROR = 10
# The service keeps a key for 24 hours. A call that takes longer ends before its key does.
KEY_LIFE_S = 23 * 60 * 60.0

# The text of a 409 that passes; other conflicts stay (docs/decisions.md#idempotency-key).
IN_PROGRESS = "a request with this Idempotency-Key is being worked on"


@dataclass(frozen=True)
class Request:
    """A request, the same for each attempt."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None
    stream: bool = False


@dataclass(frozen=True)
class RequestReport:
    """One attempt of a call, when it has ended."""

    method: str
    path: str
    """Without the query."""
    attempt: int
    """The number of the attempt, from 1."""
    status: int | None
    """The HTTP status; None: no answer came."""
    duration_s: float
    request_id: str
    """The `X-Request-Id` that all attempts of the call were sent with. The service writes it to its log."""
    error: BotledgerError | None
    """None: the call succeeded. The call may be repeated after an error."""


OnRequest = Callable[[RequestReport], None]


@dataclass(frozen=True)
class Wait:
    seconds: float


Step = Union[Request, Wait]
# What came of a step: the answer or the failure of a request, None after a wait.
Outcome = Union[httpx.Response, httpx.TransportError, httpx.DecodingError, None]
Steps = Generator[Step, Outcome, Any]


def request_of(
    operation: Operation,
    *,
    content: bytes | None,
    query: Mapping[str, Any],
    path: Mapping[str, Any],
    header: Mapping[str, Any],
    key: str | None,
    request_id: str,
) -> Request:
    filled = operation.path.format_map({name: quote(str(value), safe="") for name, value in path.items()})
    headers = {name: str(value) for name, value in header.items() if value is not None}
    headers["x-request-id"] = request_id
    if key is not None:
        headers["idempotency-key"] = key
    if content is not None:
        headers["content-type"] = "application/json"
    return Request(operation.method, filled, _texts(query), headers, content, operation.stream)


def _texts(query: Mapping[str, Any]) -> dict[str, str]:
    """The query's fields as text, without those that are None."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }


def attempts(
    operation: Operation,
    request: Request,
    *,
    max_retries: float,
    random: Callable[[], float],
    now: Callable[[], float],
    on_request: OnRequest | None,
) -> Steps:
    """The steps of a call. Returns the parsed body of its answer, the text of a CSV, or a stream. Raises BotledgerError."""
    started = now()
    attempt = 0
    while True:
        began = now()
        outcome = yield request
        try:
            answer = _answer_of(operation, outcome, now)
            _report(on_request, request, attempt + 1, outcome, now() - began, None)
            return answer
        except BotledgerError as error:
            error.idempotency_key = request.headers.get("idempotency-key")
            error.request_id = request.headers["x-request-id"]
            _report(on_request, request, attempt + 1, outcome, now() - began, error)
            wait = Wait(wait_s(attempt, error, random))
            retries = retries_after(error, operation.harmless, max_retries)
            if attempt >= retries or now() + wait.seconds - started > KEY_LIFE_S:
                raise
        yield wait
        attempt += 1


def _report(
    on_request: OnRequest | None,
    request: Request,
    attempt: int,
    outcome: Outcome,
    duration_s: float,
    error: BotledgerError | None,
) -> None:
    """An error that `on_request` raises is logged: the call continues."""
    if on_request is None:
        return
    status = outcome.status_code if isinstance(outcome, httpx.Response) else None
    request_id = request.headers["x-request-id"]
    try:
        on_request(RequestReport(request.method, request.path, attempt, status, duration_s, request_id, error))
    except Exception:
        logger.exception("on_request failed")


def retries_after(error: BotledgerError, harmless: bool, max_retries: float) -> float:
    """How often a call may be repeated after an error, without doing anything twice."""
    if (error.retry_after_s or 0) > MAX_RETRY_AFTER_S and math.isfinite(max_retries):
        return 0
    if isinstance(error, (RateLimitError, UnavailableError)):
        return max_retries
    if isinstance(error, ConflictError):
        return max_retries if error.message == IN_PROGRESS else 0
    if not harmless:
        return 0
    if isinstance(error, (NoAnswerError, OutcomeUnknownError)):
        return max_retries
    return _retries_after_answer(error, max_retries) if isinstance(error, ServerError) else 0


def _retries_after_answer(error: ServerError, max_retries: float) -> float:
    """After an answer of something before the service, or one that is not whole, the outcome is open."""
    status = error.status
    if status is None or (300 <= status < 500 and status != 408):
        return 0
    if not error.is_from_service or status == 408:
        return max_retries
    # The service's own 502 says that a report took too long.
    return min(max_retries, MAX_RETRIES_OF_INTERNAL_ERROR) if status == 500 else 0


def wait_s(attempt: int, error: BotledgerError, random: Callable[[], float]) -> float:
    """How long to wait before the next attempt. `attempt`: the number of the last one, from 0."""
    if error.retry_after_s is not None:
        return error.retry_after_s
    return min(MAX_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt, 10)) * (0.5 + random() / 2)


def _answer_of(operation: Operation, outcome: Outcome, now: Callable[[], float]) -> Any:
    if not isinstance(outcome, httpx.Response):
        text = "no answer in time" if isinstance(outcome, httpx.TimeoutException) else f"the connection failed: {outcome}"
        raise NoAnswerError(text) from outcome
    if outcome.is_success and operation.stream:
        return outcome
    if outcome.is_success and outcome.headers.get("content-type", "").startswith("text/csv"):
        return outcome.text
    try:
        body = _json.parse(operation.path, outcome.text)
    except ValueError as cause:
        if outcome.is_success:
            raise ServerError("the answer is no JSON", status=outcome.status_code) from cause
        body = None
    if not outcome.is_success:
        headers = outcome.headers
        raise error_of(
            outcome.status_code, body, headers.get("location"), _retry_after_s(headers.get("retry-after"), now)
        )
    if not isinstance(body, dict) or body.get("ok") is not True:
        raise ServerError("the answer is not in the form of the service", status=outcome.status_code)
    return body


def _retry_after_s(value: str | None, now: Callable[[], float]) -> float | None:
    """Seconds or a date (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now())
    except ValueError:
        return None
