"""The queue of the client for asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import Self

from ._at_exit import TIMEOUT_S, unwatch, warn_open, watch
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
    logger,
    parts_after,
    report,
    reported,
)
from ._operation import Values
from ._receipt import AsyncReceipt, settle, settled_future
from .spool import SpoolFolder, opened

if TYPE_CHECKING:
    from .async_client import AsyncClient

T = TypeVar("T")


class AsyncEventQueue(Generic[T]):
    """Sends items in batches, in the order of `add`, one request at a time, from a separate task.

    A batch keeps its Idempotency-Key and its bytes until its outcome is known. Close the queue before the program ends, best by
    `async with`. If the program does not, the end of `asyncio.run` waits up to 10 s for the items, with a warning.
    """

    def __init__(
        self,
        client: AsyncClient,
        operation: str,
        max_batch: int,
        max_delay_s: float,
        capacity: int,
        on_failed: OnFailed[T] | None,
        spool: SpoolFolder | None,
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
        # The parts of the batch that is on its way, each with its Idempotency-Key.
        self._parts: deque[tuple[list[Entry[T]], str]] = deque()
        self._task: asyncio.Task[None] | None = None
        # Set when a batch is to be sent without a wait for more.
        self._due = asyncio.Event()
        # Set, and replaced, when items got their outcome.
        self._settled = asyncio.Event()
        self._flushes = 0
        self._sent = 0
        self._failed = 0
        self._dropped = 0
        # Items without an outcome at the end. They are in the spool.
        self._left = 0
        self._is_closed = False
        self._spool = opened(spool, operation)
        if self._spool is not None:
            self._waiting.extend(entry_left(kept) for kept in self._spool.left)
        watch(self)
        # Awaited before the first attempt of each batch.
        self._before_batch: Callable[[], Awaitable[None]] | None = None
        self._query: Values = {}
        self._on_answer: Callable[[Any], None] | None = None

    def add(self, item: T) -> bool:
        """Takes a copy of an item at once. False: the queue is full and did not take it.

        Raises RuntimeError after `close` or without a running loop, and TypeError or ValueError, with the field, if JSON does not
        hold the item or an amount is a float.
        """
        return bool(self.put(item))

    def put(self, item: T) -> AsyncReceipt:
        """As `add`, but `await receipt.sent` waits until the service has the item. A receipt is false if the queue is full."""
        entry = entry_of(self._operation, item, None if self._spool is None else self._client._settings.new_key)
        if self._is_closed:
            raise RuntimeError("the queue is closed")
        asyncio.get_running_loop()  # raises RuntimeError before the item is in the spool
        is_full = len(self) >= self._capacity
        if not is_full and self._spool is not None:
            entry.kept = self._spool.keep(entry.content)
            is_full = entry.kept is None
        if is_full:
            self._dropped += 1
            return AsyncReceipt(None, QueueFullError("the queue is full"))
        self._waiting.append(entry)
        self.start()
        self._wake_if_due()
        return AsyncReceipt(lambda: self._outcome_of(entry))

    def start(self) -> None:
        """Sends what an earlier program left in the spool. `add` and `flush` do so too. Raises RuntimeError without a running loop."""
        if self._task is None and self._waiting:
            self._task = asyncio.get_running_loop().create_task(self._work(), name=f"botledger-{self._operation}")

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
        return len(self._waiting) + len(self._on_their_way) + self._left

    @property
    def dropped(self) -> int:
        """Items that `add` did not take."""
        return self._dropped

    async def flush(self) -> None:
        """Waits until every item taken so far is sent or has failed."""
        target = self._sent + self._failed + len(self) - self._left
        self._flushes += 1
        self.start()
        self._wake_if_due()
        try:
            while self._sent + self._failed < target:
                await self._settled.wait()
        finally:
            self._flushes -= 1

    async def close(self, timeout_s: float = 10.0) -> Closed:
        """Takes no more and flushes. Items without an outcome after `timeout_s` have failed.

        What the spool has stays there, neither sent nor failed, and `len` counts it.
        """
        is_first = not self._is_closed
        self._is_closed = True
        self.start()
        self._wake_if_due()
        if self._task is not None:
            await self._first_of(self._task, asyncio.ensure_future(self._sleep(timeout_s)))
        self._give_up(f"the queue was closed, and {timeout_s} s later items had no outcome")
        if is_first:
            self._end()
        return Closed(self._sent, self._failed)

    def _give_up(self, reason: str) -> None:
        """Ends the wait for the items that are left: they have failed, or stay in the spool."""
        entries = [*self._on_their_way, *self._waiting]
        self._waiting.clear()
        self._parts.clear()
        lost = [entry for entry in entries if not entry.is_on_disk]
        kept = [entry for entry in entries if entry.is_on_disk]
        if lost:
            self._fail(QueueClosedError(reason), lost)
        self._left += len(kept)
        self._settle(kept, QueueClosedError(reason), is_known=False)

    def _end(self) -> None:
        unwatch(self)
        if self._spool is not None:
            self._spool.close()

    async def _close_with_client(self) -> None:
        if not self._is_closed:
            if len(self) > 0:
                warn_open(len(self))
            await self.close()

    def _close_at_exit(self, timeout_s: float) -> None:
        """Without its loop, a queue cannot send."""
        where = "are lost" if self._spool is None else "stay in the spool"
        logger.warning("a queue was never closed; its %d items %s. Await close() before the loop ends", len(self), where)

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
        try:
            while self._waiting:
                if not self._due.is_set():
                    due = asyncio.ensure_future(self._due.wait())
                    await self._first_of(due, asyncio.ensure_future(self._sleep(self._max_delay_s)))
                await self._send_next()
            self._due.clear()
            self._task = None
        except asyncio.CancelledError:
            # `close` has ended its wait, or the loop ends: `asyncio.run` cancels all tasks, and waits for their end.
            if not self._is_closed and len(self) > 0:
                await self._finish()
            raise

    async def _finish(self) -> None:
        warn_open(len(self))
        self._is_closed = True
        try:
            await asyncio.wait_for(self._send_all(), TIMEOUT_S)
        except asyncio.TimeoutError:
            self._give_up(f"the program has ended, and {TIMEOUT_S} s later items had no outcome")
        self._end()

    async def _send_all(self) -> None:
        await self._send_parts()
        while self._waiting:
            await self._send_next()

    async def _send_next(self) -> None:
        """Sends a batch of the items that have waited longest."""
        self._due.clear()
        size = min(self._max_batch, len(self._waiting))
        self._on_their_way = [self._waiting.popleft() for _ in range(size)]
        self._wake_if_due()
        self._parts.append((list(self._on_their_way), self._client._settings.new_key()))
        await self._send_parts()

    async def _first_of(self, *futures: asyncio.Future[Any]) -> None:
        """Waits for one, and ends the others."""
        try:
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in futures:
                future.cancel()
            await asyncio.gather(*futures, return_exceptions=True)

    async def _send_parts(self) -> None:
        while self._parts:
            part, key = self._parts[0]
            try:
                if self._before_batch is not None:
                    await self._before_batch()
                content = content_of(part)
                answer = await self._client._send_batch(self._operation, content, key, self._sleep, self._query)
            except Exception as error:
                refused, again = parts_after(error, part)
                self._parts.popleft()
                self._parts.extendleft((other, self._client._settings.new_key()) for other in reversed(again))
                if refused:
                    self._fail(error, refused)
            else:
                self._parts.popleft()
                self._sent += len(part)
                self._settle(part, None)
                if self._on_answer is not None:
                    self._on_answer(answer)

    def _fail(self, error: Exception, entries: list[Entry[T]]) -> None:
        reported(self._on_failed, error, [entry.item for entry in entries])
        self._failed += len(entries)
        self._settle(entries, error)

    def _settle(self, entries: list[Entry[T]], error: Exception | None, *, is_known: bool = True) -> None:
        settled = {id(entry) for entry in entries}
        self._on_their_way = [entry for entry in self._on_their_way if id(entry) not in settled]
        for entry in entries:
            entry.settle(error, is_known=is_known)
        self._settled.set()
        self._settled = asyncio.Event()
