"""Middleware for aiogram 3: forwards updates in batches, and gives handlers a `botledger` (docs/forwarder.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

from aiogram import BaseMiddleware, Dispatcher
from aiogram.types import TelegramObject, Update, User

from ._delivery import OnFailed
from ._forwarder import BotledgerOfUser, Forwarder
from .async_client import AsyncClient
from .spool import SpoolFolder

__all__ = ["BotledgerMiddleware", "BotledgerOfUser"]


class BotledgerMiddleware(BaseMiddleware):
    """Forwards every update to Botledger in batches, without a delay for the bot.

    forward_updates: False where the platform calls Botledger's own webhook. on_failed gets what was not sent: refused, or found
    the queue full. spool: a folder that keeps updates and events until their outcome, so that a kill of the bot does not lose
    them. `now` gives the time of events, and of updates without a date.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        forward_updates: bool = True,
        max_batch: int = 1000,
        max_delay_s: float = 1.0,
        capacity: int = 10_000,
        on_failed: OnFailed[Any] | None = None,
        spool: SpoolFolder | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.client = client
        self._forwarder = Forwarder(
            client,
            forward_updates=forward_updates,
            max_batch=max_batch,
            max_delay_s=max_delay_s,
            capacity=capacity,
            on_failed=on_failed,
            spool=spool,
            now=now,
        )

    def setup(self, dispatcher: Dispatcher) -> None:
        """Sees each update of the dispatcher, and sends what waits when the dispatcher shuts down."""
        dispatcher.update.outer_middleware(self)
        dispatcher.startup.register(self._start)
        dispatcher.shutdown.register(self.close)

    async def _start(self) -> None:
        self._forwarder.start()

    async def flush(self) -> None:
        """Sends what waits, and leaves the queues open."""
        await self._forwarder.flush()

    async def close(self, timeout_s: float = 10.0) -> None:
        """Sends what waits, for `timeout_s` at most. Does not close the client."""
        await self._forwarder.close(timeout_s)

    async def __call__(
        self,
        handler: Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]],
        event: TelegramObject,
        data: dict[str, Any],
    ) -> Any:
        if not isinstance(event, Update):
            raise TypeError("BotledgerMiddleware is an outer middleware of dispatcher.update; use its setup(dispatcher)")
        user: User | None = data.get("event_from_user")
        user_id = None if user is None else user.id
        data["botledger"] = self._forwarder.received(event.update_id, lambda: as_sent(event), user_id)
        return await handler(event, data)


def as_sent(update: Update) -> dict[str, Any]:
    """An update as the platform sent it: without the fields that aiogram adds, with those that it does not know.

    An update that was given to the dispatcher without its bot is copied there, with None for what it lacks.
    """
    return update.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
