"""Runs a test with both queues, on a clock that moves only when the test says so."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx

import botledger
from botledger._at_exit import unwatch

# Waits for these seconds end by `elapse`: the queue's delay, and the time that `close` has. Others end at once.
HELD = (1.0, 10.0)


class QueueSide:
    """A queue for events, and the waits of its client. Keys are key-1, key-2 and so on."""

    def __init__(self, kind: str, url: str) -> None:
        self.kind = kind
        self.waits: list[float] = []
        self.failures: list[tuple[Exception, list[Any]]] = []
        self._url = url
        self._keys = 0
        self._loop = asyncio.new_event_loop()
        self._held: dict[float, list[Any]] = {seconds: [] for seconds in HELD}
        self._close: Any = None
        self.queue: Any = None
        self._opened: list[Any] = []

    def open(self, **options: Any) -> QueueSide:
        injected: dict[str, Any] = {"random": lambda: 0.1, "new_key": self._new_key}
        given: dict[str, Any] = {"on_failed": lambda error, items: self.failures.append((error, list(items))), **options}
        if self.kind == "sync":
            client = botledger.Client(self._url, "key", http=httpx.Client(verify=False), **injected)
            self.queue = client.event_queue(**given, wait_for=self._wait_for)
        else:
            http = httpx.AsyncClient(verify=False)
            async_client = botledger.AsyncClient(self._url, "key", http=http, sleep=self._sleep, **injected)
            self.queue = async_client.event_queue(**given)
        self._opened.append(self.queue)
        return self

    def add(self, *items: Any) -> list[bool]:
        async def add() -> list[bool]:
            return [self.queue.add(item) for item in items]

        return self._loop.run_until_complete(add())

    def put(self, item: Any) -> Any:
        async def put() -> Any:
            return self.queue.put(item)

        return self._loop.run_until_complete(put())

    def settled(self, receipt: Any) -> None:
        """Waits for the outcome of an item; raises its error."""

        async def sent() -> None:
            await receipt.sent

        if self.kind == "sync":
            receipt.wait()
        else:
            self._loop.run_until_complete(sent())

    def elapse(self, seconds: float) -> None:
        """Ends the wait for so many seconds. It must have begun or begin soon."""
        self.until(lambda: bool(self._held[seconds]))
        held = self._held[seconds].pop()
        if isinstance(held, asyncio.Future):
            held.set_result(None)
        else:
            condition, elapsed = held
            with condition:
                elapsed.set()
                condition.notify_all()

    def until(self, predicate: Callable[[], bool]) -> None:
        """Waits for a state."""
        end = time.monotonic() + 30
        while not predicate():
            assert time.monotonic() < end, "the state does not come"
            self._loop.run_until_complete(asyncio.sleep(0.002))

    def flush(self) -> None:
        if self.kind == "sync":
            self.queue.flush()
        else:
            self._loop.run_until_complete(self.queue.flush())

    def begin_close(self) -> None:
        """Closes in the background; `closed` gives the result."""
        results: list[Any] = []
        if self.kind == "sync":
            threading.Thread(target=lambda: results.append(self.queue.close()), daemon=True).start()
        else:
            self._close = self._loop.create_task(self.queue.close())
            self._close.add_done_callback(lambda task: results.append(task.result()))
        self._results = results

    def closed(self) -> Any:
        self.until(lambda: bool(self._results))
        return self._results[0]

    def close(self) -> Any:
        self.begin_close()
        return self.closed()

    def _new_key(self) -> str:
        self._keys += 1
        return f"key-{self._keys}"

    def _wait_for(self, condition: threading.Condition, predicate: Callable[[], bool], seconds: float) -> bool:
        if seconds not in HELD:
            self.waits.append(seconds)
            return predicate()
        if predicate():
            return True
        elapsed = threading.Event()
        held = (condition, elapsed)
        self._held[seconds].append(held)
        condition.wait_for(lambda: predicate() or elapsed.is_set())
        if held in self._held[seconds]:
            self._held[seconds].remove(held)
        return predicate()

    async def _sleep(self, seconds: float) -> None:
        if seconds not in HELD:
            self.waits.append(seconds)
            return
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held[seconds].append(held)
        try:
            await held
        finally:
            if held in self._held[seconds]:
                self._held[seconds].remove(held)

    def end(self) -> None:
        """Ends the work of queues that the test left open."""
        for queue in self._opened:
            unwatch(queue)
            queue._is_closed = True
            if self.kind == "sync":
                with queue._changed:
                    queue._is_abandoned = True
                    queue._changed.notify_all()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
