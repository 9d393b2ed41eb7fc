"""What a queue gives for an item that it was asked to take."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class _Receipt:
    def __init__(self, error: Exception | None) -> None:
        self.error = error
        """Why the queue did not take the item; None if it did."""

    def __bool__(self) -> bool:
        return self.error is None


class Receipt(_Receipt):
    """True if the queue took the item."""

    def __init__(self, wait: Callable[[float | None], None] | None, error: Exception | None = None) -> None:
        super().__init__(error)
        self._wait = wait

    def wait(self, timeout_s: float | None = None) -> None:
        """Returns when the service has accepted the item, and raises the error if it never will. Ends the wait for more items.

        Raises TimeoutError after `timeout_s`: the item stays in the queue.
        """
        if self._wait is not None:
            self._wait(timeout_s)
        elif self.error is not None:
            raise self.error


class AsyncReceipt(_Receipt):
    """True if the queue took the item. `await receipt.sent` waits until the service has it."""

    def __init__(self, outcome: Callable[[], Awaitable[None]] | None, error: Exception | None = None) -> None:
        super().__init__(error)
        self._outcome = outcome

    @property
    def sent(self) -> Awaitable[None]:
        """Ends when the service has accepted the item, and raises the error if it never will. Ends the wait for more items."""
        return self._outcome() if self._outcome is not None else settled_future(self.error)


def settled_future(error: Exception | None) -> asyncio.Future[None]:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    settle(future, error)
    return future


def settle(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
        # `on_failed` also gets it: a receipt that no code awaits is no fault.
        future.exception()
