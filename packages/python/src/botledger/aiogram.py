"""Middleware for aiogram 3: forwards updates in batches, and gives handlers a `botledger`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

from aiogram import BaseMiddleware, Dispatcher
from aiogram.types import TelegramObject, Update, User
from typing_extensions import Unpack

from ._delivery import OnFailed, logger
from .async_client import AsyncClient
from .async_queue import AsyncEventQueue
from .types import CustomEventFields, CustomEventInput, ForwardedUpdateInput

__all__ = ["BotledgerMiddleware", "BotledgerOfUser"]


class BotledgerOfUser:
    """What handlers get as `botledger`: Botledger for the user of their update."""

    def __init__(self, client: AsyncClient, events: AsyncEventQueue[CustomEventInput], user: User, date: str) -> None:
        self.client = client
        self.user_id = user.id
        self._events = events
        self._date = date

    def event(self, name: str, **fields: Unpack[CustomEventFields]) -> bool:
        """Puts an event of the user into the queue, at once. False: the queue is full and did not take it.

        Raises TypeError if an amount is a float.
        """
        return self._events.add({"event": name, "user_id": self.user_id, "date": self._date, **fields})

    async def referral_link(self) -> str | None:
        """The link by which the user refers others: always that of the user's first code. None: the bot has no username.

        Raises BotledgerError.
        """
        codes = (await self.client.list_referral_codes(user_id=self.user_id))["codes"]
        if codes:
            return codes[0]["link"]
        # With the same key at each call, calls at the same time make one code.
        made = await self.client.create_referral_code(
            {"user_id": self.user_id}, idempotency_key=f"referral link of {self.user_id}"
        )
        return made["link"]


class BotledgerMiddleware(BaseMiddleware):
    """Forwards every update to Botledger in batches, without a delay for the bot.

    `now` gives the time at which an update counts if it has no date of its own. on_failed gets what was not sent.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        max_delay_s: float = 1.0,
        capacity: int = 10_000,
        on_failed: OnFailed[Any] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.client = client
        self._updates: AsyncEventQueue[ForwardedUpdateInput] = client.update_queue(
            max_delay_s=max_delay_s, capacity=capacity, on_failed=on_failed
        )
        self._events: AsyncEventQueue[CustomEventInput] = client.event_queue(
            max_delay_s=max_delay_s, capacity=capacity, on_failed=on_failed
        )
        self._now = now

    def setup(self, dispatcher: Dispatcher) -> None:
        """Sees each update of the dispatcher, and sends what waits when the dispatcher shuts down."""
        dispatcher.update.outer_middleware(self)
        dispatcher.shutdown.register(self.close)

    async def close(self, timeout_s: float = 10.0) -> None:
        """Sends what waits. Does not close the client."""
        await self._updates.close(timeout_s)
        await self._events.close(timeout_s)

    async def __call__(
        self,
        handler: Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]],
        event: TelegramObject,
        data: dict[str, Any],
    ) -> Any:
        if not isinstance(event, Update):
            raise TypeError("BotledgerMiddleware is an outer middleware of dispatcher.update; use its setup(dispatcher)")
        date = self._now().isoformat(timespec="milliseconds")
        self._forward(event, date)
        user: User | None = data.get("event_from_user")
        if user is not None:
            data["botledger"] = BotledgerOfUser(self.client, self._events, user, date)
        return await handler(event, data)

    def _forward(self, update: Update, date: str) -> None:
        try:
            # What the platform sent: without the fields that aiogram adds, with those that it does not know. An update
            # that was given to the dispatcher without its bot is copied there, with None for what it lacks.
            raw = update.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
            if not self._updates.add({"date": date, "update": raw}):
                logger.warning("the queue is full; update %d is not forwarded", update.update_id)
        except Exception:
            # The bot answers its user, whatever becomes of the statistics.
            logger.exception("failed to forward update %d", update.update_id)
