"""The queue of the client for programs without asyncio."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from typing_extensions import Self

from ._at_exit import unwatch, warn_open, watch
from ._delivery import (
    Closed,
    Entry,
    OnFailed,
    QueueClosedError,
    QueueFullError,
    check_limits,
    content_of,
    entry_left,
    entry_of,
    parts_after,
    report,
    reported,
)
from ._receipt import Receipt
from .spool import SpoolFolder, opened

if TYPE_CHECKING:
    from .client import Client

__all__ = ["Closed", "EventQueue", "OnFailed", "QueueClosedError", "WaitFor", "wait_for"]

T = TypeVar("T")
# Waits until the predicate holds, or for so many seconds; gives the predicate's value. As Condition.wait_for.
WaitFor = Callable[[threading.Condition, Callable[[], bool], float], bool]


def wait_for(condition: threading.Condition, predicate: Callable[[], bool], seconds: float) -> bool:
    return condition.wait_for(predicate, seconds)


class _Abandoned(Exception):
    """Ends the thread's call: the time of `close` is over."""


class EventQueue(Generic[T]):
    """Sends items in batches, in the order of `add`, one request at a time, from a separate thread.

    A batch keeps its Idempotency-Key and its bytes until its outcome is known. Close the queue before the program ends, best by
    `with`. If the program does not, its end waits up to 10 s for the items, with a warning.
    """

    def __init__(
        self,
        client: Client,
        operation: str,
        max_batch: int,
        max_delay_s: float,
        capacity: int,
        on_failed: OnFailed[T] | None,
        spool: SpoolFolder | None,
        wait_for: WaitFor,
    ) -> None:
        check_limits(max_batch, max_delay_s, capacity)
        self._client = client
        self._operation = operation
        self._max_batch = max_batch
        self._max_delay_s = max_delay_s
        self._capacity = capacity
        self._on_failed: OnFailed[T] = on_failed or report
        self._wait_for = wait_for
        self._changed = threading.Condition()
        self._waiting: deque[Entry[T]] = deque()
        # Without an outcome, in the order of `add`.
        self._on_their_way: list[Entry[T]] = []
        # How many refused items `on_failed` has at the moment.
        self._reported = 0
        self._thread: threading.Thread | None = None
        self._flushes = 0
        self._sent = 0
        self._failed = 0
        self._dropped = 0
        # Items without an outcome at the end. They are in the spool.
        self._left = 0
        self._is_closed = False
        self._is_abandoned = False
        self._spool = opened(spool, operation)
        if self._spool is not None and self._spool.left:
            self._waiting.extend(entry_left(kept) for kept in self._spool.left)
            self._start()
        watch(self)

    def add(self, item: T) -> bool:
        """Takes a copy of an item at once. False: the queue is full and did not take it.

        Raises RuntimeError after `close`, and TypeError or ValueError, with the field, if JSON does not hold the item or an amount
        is a float.
        """
        return bool(self.put(item))

    def put(self, item: T) -> Receipt:
        """As `add`, but `receipt.wait()` waits until the service has the item. A receipt is false if the queue is full."""
        entry = entry_of(self._operation, item, None if self._spool is None else self._client._settings.new_key)
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the queue is closed")
            is_full = len(self) >= self._capacity
            if not is_full and self._spool is not None:
                entry.kept = self._spool.keep(entry.content)
                is_full = entry.kept is None
            if is_full:
                self._dropped += 1
                return Receipt(None, QueueFullError("the queue is full"))
            self._waiting.append(entry)
            self._start()
            self._changed.notify_all()
            return Receipt(lambda timeout_s: self._wait_until_settled(entry, timeout_s))

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=f"botledger-{self._operation}", daemon=True)
            self._thread.start()

    def _wait_until_settled(self, entry: Entry[T], timeout_s: float | None) -> None:
        with self._changed:
            self._flushes += 1
            self._changed.notify_all()
            is_settled = self._changed.wait_for(lambda: entry.is_settled, timeout_s)
            self._flushes -= 1
        if not is_settled:
            raise TimeoutError(f"no outcome within {timeout_s} s; the item stays in the queue")
        if entry.error is not None:
            raise entry.error

    def __len__(self) -> int:
        """Items that wait or are on their way."""
        return len(self._waiting) + len(self._on_their_way) + self._reported + self._left

    @property
    def dropped(self) -> int:
        """Items that `add` did not take."""
        return self._dropped

    def flush(self) -> None:
        """Waits until every item taken so far is sent or has failed."""
        with self._changed:
            self._flushes += 1
            self._changed.notify_all()
            target = self._outcomes() + len(self) - self._left
            self._changed.wait_for(lambda: self._outcomes() >= target)
            self._flushes -= 1

    def close(self, timeout_s: float = 10.0) -> Closed:
        """Takes no more and flushes. Items without an outcome after `timeout_s` have failed.

        What the spool has stays there, neither sent nor failed, and `len` counts it.
        """
        unwatch(self)
        with self._changed:
            is_first = not self._is_closed
            self._is_closed = True
            self._changed.notify_all()
            lost: list[Entry[T]] = []
            kept: list[Entry[T]] = []
            if not self._wait_for(self._changed, lambda: len(self) == self._left, timeout_s):
                self._is_abandoned = True
                entries = [*self._on_their_way, *self._waiting]
                self._on_their_way.clear()
                self._waiting.clear()
                lost = [entry for entry in entries if not entry.is_on_disk]
                kept = [entry for entry in entries if entry.is_on_disk]
                self._failed += len(lost)
                self._left += len(kept)
                self._changed.notify_all()
            closed = Closed(self._sent, self._failed)
        error = QueueClosedError(f"the queue was closed, and {timeout_s} s later items had no outcome")
        if lost:
            reported(self._on_failed, error, [entry.item for entry in lost])
            self._settle(lost, error)
        if kept:
            self._settle(kept, error, is_known=False)
        if self._spool is not None and is_first:
            self._spool.close()
        return closed

    def _close_with_client(self) -> None:
        if not self._is_closed:
            if len(self) > 0:
                warn_open(len(self))
            self.close()

    def _close_at_exit(self, timeout_s: float) -> None:
        warn_open(len(self))
        self.close(timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _outcomes(self) -> int:
        return self._sent + self._failed

    def _work(self) -> None:
        try:
            while batch := self._next_batch():
                self._send_whole(batch)
        except _Abandoned:
            pass  # `close` has reported the items

    def _next_batch(self) -> list[Entry[T]]:
        """Waits for a batch. Empty: there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) > 0 or self._is_closed)
            self._wait_for(
                self._changed,
                lambda: len(self._waiting) >= self._max_batch or self._flushes > 0 or self._is_closed,
                self._max_delay_s,
            )
            size = min(self._max_batch, len(self._waiting))
            self._on_their_way = [self._waiting.popleft() for _ in range(size)]
            return list(self._on_their_way)

    def _send_whole(self, batch: list[Entry[T]]) -> None:
        batches = [batch]
        while batches:
            part = batches.pop(0)
            try:
                self._client._send_batch(self._operation, content_of(part), self._sleep)
            except _Abandoned:
                raise
            except Exception as error:
                refused, again = parts_after(error, part)
                batches[:0] = again
                if refused:
                    self._settle_refused(error, refused)
            else:
                with self._changed:
                    self._remove(part)
                    self._sent += len(part)
                    self._settle(part, None)

    def _settle_refused(self, error: Exception, entries: list[Entry[T]]) -> None:
        """Reports outside of the lock, so that `on_failed` may use the queue. `flush` and `close` wait for its end."""
        with self._changed:
            self._remove(entries)
            self._reported = len(entries)
        reported(self._on_failed, error, [entry.item for entry in entries])
        with self._changed:
            self._reported = 0
            self._failed += len(entries)
            self._settle(entries, error)

    def _settle(self, entries: list[Entry[T]], error: Exception | None, *, is_known: bool = True) -> None:
        with self._changed:
            for entry in entries:
                entry.settle(error, is_known=is_known)
            self._changed.notify_all()

    def _remove(self, entries: list[Entry[T]]) -> None:
        if self._is_abandoned:
            raise _Abandoned
        settled = {id(entry) for entry in entries}
        self._on_their_way = [entry for entry in self._on_their_way if id(entry) not in settled]

    def _sleep(self, seconds: float) -> None:
        with self._changed:
            if self._wait_for(self._changed, lambda: self._is_abandoned, seconds):
                raise _Abandoned
