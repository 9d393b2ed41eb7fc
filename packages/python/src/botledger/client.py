"""The client for programs without asyncio."""

from __future__ import annotations

import copy
import random as random_module
import time
import uuid
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any
from weakref import WeakSet

import httpx
from typing_extensions import Self

from ._attempts import OnRequest, Outcome, Request, Steps
from ._export import Export, ExportKind, broken_off
from ._operation import Values
from ._operations import OPERATIONS, Methods
from ._pages import Pages
from ._settings import Settings
from .queue import EventQueue, OnFailed, WaitFor, wait_for
from .spool import SpoolFolder
from .types import CustomEvent, ForwardedUpdate


class Client(Methods):
    """A client of one service and one key. Threads may share it.

    base_url: the address of the service. resource_key: the bot, for a key of several bots. max_retries: how often a call is
    repeated after a failure that may pass. timeout_s: how long to wait for a connection, and for each part of an answer.
    on_request: gets each attempt of each call when it has ended, for logs, metrics and traces.
    http: a client of httpx of your own, such as one with a proxy. The rest is for tests: `sleep` waits for seconds, `random`
    gives a number from 0 up to 1, `new_key` makes an Idempotency-Key, `now` gives seconds since 1970.

    Raises ValueError if the address or a key cannot be sent.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        resource_key: str | None = None,
        max_retries: float = 2,
        timeout_s: float = 30.0,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = random_module.random,
        new_key: Callable[[], str] = lambda: str(uuid.uuid4()),
        now: Callable[[], float] = time.time,
        on_request: OnRequest | None = None,
        new_request_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        limits = (max_retries, timeout_s)
        self._settings = Settings(
            base_url, api_key, resource_key, *limits, random, new_key, now, on_request, new_request_id
        )
        self._http = http or httpx.Client()
        self._sleep = sleep
        self._queues: WeakSet[EventQueue[Any]] = WeakSet()

    def with_options(self, *, max_retries: float | None = None, timeout_s: float | None = None) -> Self:
        """A client with other limits, on the same connections."""
        changed = copy.copy(self)
        changed._settings = copy.copy(self._settings)
        if max_retries is not None:
            changed._settings.max_retries = max_retries
        if timeout_s is not None:
            changed._settings.timeout_s = timeout_s
        return changed

    def call(
        self,
        operation: str,
        *,
        body: Any = None,
        query: Values | None = None,
        path: Values | None = None,
        header: Values | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls an operation by its `operationId`, and gives the whole answer, with the fields beside `data`."""
        steps = self._settings.steps(
            OPERATIONS[operation], body=body, query=query, path=path, header=header, idempotency_key=idempotency_key
        )
        return self._run(steps, self._sleep)

    def export_rows(
        self, kind: ExportKind, *, from_date: str | None = None, to_date: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of an export, as they arrive, from one snapshot. Amounts and numbers with a fraction are Decimal.

        from_date, to_date: dates of the bot's time zone, the last one included. An export that breaks off after its first row is
        not repeated.
        """
        export = Export(kind, from_date, to_date)
        response = self._run(self._settings.steps(export.operation, query=export.query), self._sleep)
        try:
            for chunk in response.iter_bytes():
                for row in export.rows(chunk):
                    yield row
        except (httpx.TransportError, httpx.DecodingError) as cause:
            raise broken_off(cause) from cause
        finally:
            response.close()
        export.end()

    def event_queue(
        self,
        *,
        max_batch: int = 1000,
        max_delay_s: float = 1.0,
        capacity: int = 10_000,
        on_failed: OnFailed[CustomEvent] | None = None,
        spool: SpoolFolder | None = None,
        wait_for: WaitFor = wait_for,
    ) -> EventQueue[CustomEvent]:
        """A queue for `send-event` with a thread of its own.

        spool: a folder that keeps items until their outcome, so that a kill of the program does not lose them. Events without an
        `event_key` get one, so that a repeat after a kill counts once.
        """
        queue: EventQueue[CustomEvent] = EventQueue(
            self, "sendEvent", max_batch, max_delay_s, capacity, on_failed, spool, wait_for
        )
        self._queues.add(queue)
        return queue

    def update_queue(
        self,
        *,
        max_batch: int = 1000,
        max_delay_s: float = 1.0,
        capacity: int = 10_000,
        on_failed: OnFailed[ForwardedUpdate] | None = None,
        spool: SpoolFolder | None = None,
        wait_for: WaitFor = wait_for,
    ) -> EventQueue[ForwardedUpdate]:
        """A queue for `send-batch-update` with a thread of its own."""
        queue: EventQueue[ForwardedUpdate] = EventQueue(
            self, "sendBatchUpdate", max_batch, max_delay_s, capacity, on_failed, spool, wait_for
        )
        self._queues.add(queue)
        return queue

    def close(self) -> None:
        """Closes its queues that are still open, with a warning if one has items, then the connections."""
        for queue in list(self._queues):
            queue._close_with_client()
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send_batch(self, operation: str, content: bytes, sleep: Callable[[float], None]) -> None:
        self._run(self._settings.steps(OPERATIONS[operation], content=content, max_retries=float("inf")), sleep)

    def _pages(self, operation: str, *, query: Values, items: str) -> Iterator[Any]:
        pages = Pages(query, items)
        while not pages.is_last:
            yield from pages.new_items(self.call(operation, query=pages.query))

    def _run(self, steps: Steps, sleep: Callable[[float], None]) -> Any:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as stop:
                return stop.value
            if isinstance(step, Request):
                outcome = self._attempt(step)
            else:
                sleep(step.seconds)
                outcome = None

    def _attempt(self, request: Request) -> Outcome:
        try:
            built = self._http.build_request(
                request.method,
                self._settings.base_url + request.path,
                params=request.query,
                headers={**self._settings.headers, **request.headers},
                content=request.content,
                timeout=self._settings.timeout_s,
            )
            # A redirect would send the key to another address.
            response = self._http.send(built, stream=request.stream, follow_redirects=False)
            if request.stream and not response.is_success:
                response.read()
            return response
        except (httpx.TransportError, httpx.DecodingError) as error:
            return error
