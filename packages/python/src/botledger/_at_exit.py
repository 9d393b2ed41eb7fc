"""The end of a program that left queues open."""

from __future__ import annotations

import atexit
import time
from typing import Protocol
from weakref import WeakSet

from ._delivery import logger

# As `close` waits by default.
TIMEOUT_S = 10.0


class Closable(Protocol):
    def __len__(self) -> int: ...

    def _close_at_exit(self, timeout_s: float) -> None: ...


_open: WeakSet[Closable] = WeakSet()


def watch(queue: Closable) -> None:
    """Closes the queue at the end of the program, with a warning, if the program did not."""
    _open.add(queue)


def unwatch(queue: Closable) -> None:
    _open.discard(queue)


def warn_open(count: int) -> None:
    logger.warning("a queue was never closed; sending its %d items. Call close() before the program ends", count)


@atexit.register
def _close_all() -> None:
    until = time.monotonic() + TIMEOUT_S
    for queue in list(_open):
        if len(queue) > 0:
            queue._close_at_exit(max(0.0, until - time.monotonic()))
