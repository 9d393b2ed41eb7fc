"""Reads exports row by row: without input and output, so for both clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from . import _json
from ._operation import Operation
from .errors import NoAnswerError, ServerError

ExportKind = Literal["events", "users", "accruals", "recipients"]


class Export:
    """The call of an export, and its answer cut into rows."""

    def __init__(self, kind: ExportKind, from_date: str | None, to_date: str | None) -> None:
        self.operation = Operation("GET", f"/v1/export/{kind}", keyed=False, harmless=True, stream=True)
        self.query = {"format": "ndjson", "from": from_date, "to": to_date}
        self._rest = b""

    def rows(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield _json.parse(self.operation.path, line.decode())

    def end(self) -> None:
        """Raises ServerError if the last line has no end: something before the service has cut the answer."""
        if self._rest:
            raise ServerError("the export is cut", status=200)


def broken_off(cause: Exception) -> NoAnswerError:
    return NoAnswerError(f"the export did not come to its end: {cause}")
