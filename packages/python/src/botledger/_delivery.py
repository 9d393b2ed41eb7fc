"""What both queues do with batches."""

from __future__ import annotations

import copy
import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

from . import _json
from ._operations import OPERATIONS
from .errors import BotledgerError, InvalidRequestError
from .spool import Kept

T = TypeVar("T")
# Gets an error, and the items that it kept from being sent.
OnFailed = Callable[[Exception, Sequence[T]], None]

# The operation whose items are events.
EVENTS = "sendEvent"
# The largest id that the service takes: JSON readers keep every digit of it.
MAX_ID = 2**53 - 1

logger = logging.getLogger("botledger")


class Closed(NamedTuple):
    """How many items of a queue were sent, and how many have failed."""

    sent: int
    failed: int


class QueueClosedError(BotledgerError):
    """The time of `close` was over before the outcome of these items was known: they may have been carried out.

    With a spool they stay there for the next program.
    """


class QueueFullError(BotledgerError):
    """The queue had no room for the item."""


@dataclass(eq=False)
class Entry(Generic[T]):
    """A copy of an item, and its bytes, until its outcome is known."""

    item: T
    content: bytes
    is_settled: bool = False
    error: Exception | None = None
    """Why it was not sent; None before that, and if it was."""
    kept: Kept | None = None
    """Its place in the spool; None without a spool."""
    on_settled: list[Callable[[], None]] = field(default_factory=list)

    @property
    def is_on_disk(self) -> bool:
        return self.kept is not None and self.kept.is_on_disk

    def settle(self, error: Exception | None, *, is_known: bool = True) -> None:
        """`is_known`: whether this is the outcome, so that the spool may forget the item."""
        if is_known and self.kept is not None:
            self.kept.release()
        self.is_settled = True
        self.error = error
        for call in self.on_settled:
            call()


def entry_of(operation: str, item: T, new_key: Callable[[], str] | None) -> Entry[T]:
    """Copies an item. Raises TypeError or ValueError, with the field, if JSON or the service does not hold it.

    new_key: gives an event without a key one, for a spool: so a repeat after a kill counts once.
    """
    if not isinstance(item, Mapping):
        raise TypeError(f"an item must be a dictionary, not a {type(item).__name__}")
    user_id = item.get("user_id")
    if isinstance(user_id, int) and user_id > MAX_ID:
        raise ValueError(f"must be at most {MAX_ID} (at user_id)")
    copied: Any = copy.deepcopy(item)
    if new_key is not None and operation == EVENTS and copied.get("event_key") is None:
        copied["event_key"] = f"spool {new_key()}"
    return Entry(copied, _json.dump(copied, OPERATIONS[operation].numbers))


def entry_left(kept: Kept) -> Entry[Any]:
    """The entry of an item that an earlier program left in the spool."""
    return Entry(json.loads(kept.content, parse_float=Decimal), kept.content, kept=kept)


def content_of(batch: Sequence[Entry[T]]) -> bytes:
    return b"[" + b",".join(entry.content for entry in batch) + b"]"


def parts_after(
    error: Exception, batch: list[Entry[T]]
) -> tuple[list[Entry[T]], list[list[Entry[T]]]]:
    """Which entries of a batch have failed, and the batches to send instead. The service took nothing of the batch."""
    if not isinstance(error, InvalidRequestError):
        return batch, []
    if error.status == 413 and len(batch) > 1:
        half = (len(batch) + 1) // 2
        return [], [batch[:half], batch[half:]]
    named = {index for problem in error.details if (index := index_of(problem["path"])) is not None}
    refused = [entry for index, entry in enumerate(batch) if index in named]
    others = [entry for index, entry in enumerate(batch) if index not in named]
    if not refused:
        return batch, []
    return refused, [others] if others else []


def index_of(path: str) -> int | None:
    first = path.split(".", 1)[0]
    return int(first) if first.isascii() and first.isdigit() else None


def report(error: Exception, items: Sequence[Any]) -> None:
    logger.error("failed to send %d items", len(items), exc_info=error)


def reported(on_failed: OnFailed[Any], error: Exception, items: Sequence[Any]) -> None:
    """Hands items back. An error of the callback must end neither a queue, whose other items wait, nor a handler."""
    try:
        on_failed(error, items)
    except Exception:
        logger.exception("failed to report %d items that were not sent", len(items))


def check_limits(max_batch: int, max_delay_s: float, capacity: int) -> None:
    if not isinstance(max_batch, int) or not 1 <= max_batch <= 1000:
        raise ValueError("max_batch must be an int from 1 to 1000")
    # Not `<`: no comparison with NaN is true.
    if not 0 <= max_delay_s < math.inf:
        raise ValueError("max_delay_s must be 0 or more, and finite")
    if not capacity >= 1:
        raise ValueError("capacity must be 1 or more")
