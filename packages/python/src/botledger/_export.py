"""Reads exports row by row: without input and output, so for both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import httpx

from . import _json
from ._attempts import retries_after, retry_after_s, wait_s
from .errors import BotledgerError, NoAnswerError, ServerError, error_of

ExportKind = Literal["events", "users", "accruals", "recipients"]


def export_path(kind: ExportKind) -> str:
    return f"/v1/export/{kind}"


def export_query(from_date: str | None, to_date: str | None) -> dict[str, str]:
    dates = {"from": from_date, "to": to_date}
    return {"format": "ndjson", **{name: value for name, value in dates.items() if value is not None}}


def refusal_of(response: httpx.Response, now: Callable[[], float]) -> BotledgerError:
    """The error of an answer that has been read and is no success."""
    try:
        body = _json.parse("", response.text)
    except ValueError:
        body = None
    headers = response.headers
    return error_of(
        response.status_code, body, headers.get("location"), retry_after_s(headers.get("retry-after"), now)
    )


def begin_again_after_s(
    error: BotledgerError, attempt: int, max_retries: float, random: Callable[[], float]
) -> float | None:
    """How long to wait before the next attempt to begin an export; None: the error is final."""
    return None if attempt >= retries_after(error, True, max_retries) else wait_s(attempt, error, random)


def broken_off(cause: Exception) -> NoAnswerError:
    error = NoAnswerError(f"the export did not come to its end: {cause}")
    error.__cause__ = cause
    return error


class Lines:
    """Cuts the bytes of an export into rows."""

    def __init__(self, kind: ExportKind) -> None:
        self._path = export_path(kind)
        self._rest = b""

    def rows(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield _json.parse(self._path, line.decode())

    def end(self) -> None:
        """Raises ServerError if the last line has no end: something before the service has cut the answer."""
        if self._rest:
            raise ServerError("the export is cut", status=200)
