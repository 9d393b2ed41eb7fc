"""The queue of the client for asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import Self

from ._delivery import (
    Closed,
    Entry,
    OnFailed,
    QueueClosedError,
    QueueFullError,
    check_limits,
    content_of,
    entry_of,
    parts_after,
    report,
    reported,
)
from ._receipt import AsyncReceipt, settle, settled_future

if TYPE_CHECKING:
    from .async_client import AsyncClient

T = TypeVar("T")


class AsyncEventQueue(Generic[T]):
    """Sends items in batches, in the order of `add`, one request at a time, from a task of its own.

    A batch keeps its Idempotency-Key and its bytes until its outcome is known. Close the queue before the program ends, best by
    `async with`.
    """

    def __init__(
        self,
        client: AsyncClient,
        operation: str,
        max_batch: int,
        max_delay_s: float,
        capacity: int,
        on_failed: OnFailed[T] | None,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        check_limits(max_batch, max_delay_s, capacity)
        self._client = client
        self._operation = operation
        self._max_batch = max_batch
        self._max_delay_s = max_delay_s
        self._capacity = capacity
        self._on_failed: OnFailed[T] = on_failed or report
        self._sleep = sleep
        self._waiting: deque[Entry[T]] = deque()
        # Without an outcome, in the order of `add`.
        self._on_their_way: list[Entry[T]] = []
        self._task: asyncio.Task[None] | None = None
        # Set when a batch is to be sent without a wait for more.
        self._due = asyncio.Event()
        # Set, and replaced, when items got their outcome.
        self._settled = asyncio.Event()
        self._flushes = 0
        self._sent = 0
        self._failed = 0
        self._dropped = 0
        self._is_closed = False
        # Awaited before the first attempt of each batch.
        self._before_batch: Callable[[], Awaitable[None]] | None = None

    def add(self, item: T) -> bool:
        """Takes a copy of an item at once. False: the queue is full and did not take it.

        Raises RuntimeError after `close` or without a running loop, and TypeError or ValueError, with the field, if JSON does not
        hold the item or an amount is a float.
        """
        return bool(self.put(item))

    def put(self, item: T) -> AsyncReceipt:
        """As `add`, but `await receipt.sent` waits until the service has the item. A receipt is false if the queue is full."""
        entry = entry_of(self._operation, item)
        if self._is_closed:
            raise RuntimeError("the queue is closed")
        if len(self) >= self._capacity:
            self._dropped += 1
            return AsyncReceipt(None, QueueFullError("the queue is full"))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work(), name=f"botledger-{self._operation}")
        self._waiting.append(entry)
        self._wake_if_due()
        return AsyncReceipt(lambda: self._outcome_of(entry))

    def _outcome_of(self, entry: Entry[T]) -> Awaitable[None]:
        if entry.is_settled:
            return settled_future(entry.error)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._flushes += 1
        self._wake_if_due()

        def settled() -> None:
            self._flushes -= 1
            settle(future, entry.error)

        entry.on_settled.append(settled)
        return future

    def __len__(self) -> int:
        """Items that wait or are on their way."""
        return len(self._waiting) + len(self._on_their_way)

    @property
    def dropped(self) -> int:
        """Items that `add` did not take."""
        return self._dropped

    async def flush(self) -> None:
        """Waits until every item taken so far is sent or has failed."""
        target = self._sent + self._failed + len(self)
        self._flushes += 1
        self._wake_if_due()
        try:
            while self._sent + self._failed < target:
                await self._settled.wait()
        finally:
            self._flushes -= 1

    async def close(self, timeout_s: float = 10.0) -> Closed:
        """Takes no more and flushes. Items without an outcome after `timeout_s` have failed."""
        self._is_closed = True
        self._wake_if_due()
        if self._task is not None:
            await self._first_of(self._task, asyncio.ensure_future(self._sleep(timeout_s)))
        entries = [*self._on_their_way, *self._waiting]
        if entries:
            self._waiting.clear()
            self._fail(QueueClosedError(f"the queue was closed, and {timeout_s} s later items had no outcome"), entries)
        return Closed(self._sent, self._failed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _wake_if_due(self) -> None:
        if len(self._waiting) >= self._max_batch or self._flushes > 0 or self._is_closed:
            self._due.set()

    async def _work(self) -> None:
        """Sends until nothing waits; `add` starts the next task."""
        while self._waiting:
            if not self._due.is_set():
                due = asyncio.ensure_future(self._due.wait())
                await self._first_of(due, asyncio.ensure_future(self._sleep(self._max_delay_s)))
            self._due.clear()
            size = min(self._max_batch, len(self._waiting))
            self._on_their_way = [self._waiting.popleft() for _ in range(size)]
            self._wake_if_due()
            await self._send_whole(list(self._on_their_way))
        self._due.clear()
        self._task = None

    async def _first_of(self, *futures: asyncio.Future[Any]) -> None:
        """Waits for one, and ends the others."""
        try:
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in futures:
                future.cancel()
            await asyncio.gather(*futures, return_exceptions=True)

    async def _send_whole(self, batch: list[Entry[T]]) -> None:
        batches = [batch]
        while batches:
            part = batches.pop(0)
            try:
                if self._before_batch is not None:
                    await self._before_batch()
                await self._client._send_batch(self._operation, content_of(part), self._sleep)
            except Exception as error:
                refused, again = parts_after(error, part)
                batches[:0] = again
                if refused:
                    self._fail(error, refused)
            else:
                self._sent += len(part)
                self._settle(part, None)

    def _fail(self, error: Exception, entries: list[Entry[T]]) -> None:
        reported(self._on_failed, error, [entry.item for entry in entries])
        self._failed += len(entries)
        self._settle(entries, error)

    def _settle(self, entries: list[Entry[T]], error: Exception | None) -> None:
        settled = {id(entry) for entry in entries}
        self._on_their_way = [entry for entry in self._on_their_way if id(entry) not in settled]
        for entry in entries:
            entry.settle(error)
        self._settled.set()
        self._settled = asyncio.Event()
