"""The forwarder of a bot's updates and events. The numbers of rules refer to docs/forwarder.md."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any, TypeVar

from typing_extensions import Unpack

from ._delivery import OnFailed, report, reported
from ._receipt import AsyncReceipt
from .async_client import AsyncClient
from .async_queue import AsyncEventQueue
from .spool import SpoolFolder
from .types import CustomEventFields, CustomEvent, ForwardedUpdate

logger = logging.getLogger("botledger")

T = TypeVar("T", bound=Mapping[str, Any])

# So many characters of an event's name are in its key. A key may have 250.
NAME_LENGTH = 200


class BotledgerOfUser:
    """What handlers get as `botledger`: Botledger for the user of their update."""

    def __init__(self, forwarder: Forwarder, update_id: int, user_id: int | None) -> None:
        self.client = forwarder.client
        self._forwarder = forwarder
        self._update_id = update_id
        self._user_id = user_id
        self._counts: Counter[str] = Counter()

    @property
    def user_id(self) -> int:
        """The user of the update. Raises ValueError if it has none, as a channel's post."""
        if self._user_id is None:
            raise ValueError(f"the update {self._update_id} has no user")
        return self._user_id

    def event(self, name: str, **fields: Unpack[CustomEventFields]) -> AsyncReceipt:
        """Puts an event of the user into the queue, at once. `await botledger.event(…).sent` waits until the service has it.

        Its key has the id of the update, so that it counts once, however often the platform delivers the update. The receipt is
        false if the queue is full or closed and did not take the event.

        Raises TypeError or ValueError if JSON does not hold a field or an amount is a float, and ValueError without a user.
        """
        given: dict[str, Any] = {"event": name, "date": self._forwarder.date(), **fields}
        if "user_id" not in given:
            given["user_id"] = self.user_id
        if "event_key" not in given:
            given["event_key"] = self._next_key(name)
        item: CustomEvent = given  # type: ignore[assignment]
        return self._forwarder.put_event(item)

    def _next_key(self, name: str) -> str:
        """Rules 5 and 6."""
        kept = name[:NAME_LENGTH]
        count = self._counts[kept]
        self._counts[kept] += 1
        return f"update {self._update_id} {kept} {count}"

    async def referral_link(self) -> str | None:
        """The link by which the user refers others: the newest, else a new one. None: the bot has no username.

        Raises BotledgerError, and ValueError without a user.
        """
        codes = (await self.client.list_referral_codes(user_id=self.user_id))["codes"]
        if codes:
            return codes[0]["link"]
        # With the same key at each call, calls at the same time make one code.
        made = await self.client.create_referral_code(
            {"user_id": self.user_id}, idempotency_key=f"referral link of {self.user_id}"
        )
        return made["link"]


class Forwarder:
    """Forwards the updates of a bot, and sends events of its users."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        forward_updates: bool,
        max_batch: int,
        max_delay_s: float,
        capacity: int,
        on_failed: OnFailed[Any] | None,
        spool: SpoolFolder | None,
        now: Callable[[], datetime],
    ) -> None:
        self.client = client
        self._forward_updates = forward_updates
        self._on_failed: OnFailed[Any] = on_failed or report
        self._now = now
        self._is_closed = False
        options: dict[str, Any] = {
            "max_batch": max_batch,
            "max_delay_s": max_delay_s,
            "capacity": capacity,
            "on_failed": on_failed,
            "spool": spool,
        }
        self._updates: AsyncEventQueue[ForwardedUpdate] = client.update_queue(**options)
        self._events: AsyncEventQueue[CustomEvent] = client.event_queue(**options)
        # Rule 7: an update may make the user, or the visit, that an event needs.
        self._events._before_batch = self._updates.flush
        self._events._query = {"report": "unknown_users"}
        self._events._on_answer = self._log_unknown
        self._has_logged = False

    def _log_unknown(self, answer: Mapping[str, Any]) -> None:
        """Rule 13: such events count nothing until the user appears, and nothing else says so to the bot."""
        users = answer.get("unknown_users")
        if not users or self._has_logged:
            return
        self._has_logged = True
        named = ", ".join(str(user) for user in users[:10])
        logger.warning("the bot has not met the users %s: their events do not count yet", named)

    def date(self) -> str:
        return self._now().astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def received(self, update_id: int, update: Callable[[], Mapping[str, Any]], user_id: int | None) -> BotledgerOfUser:
        """Queues an update and gives the tools for its handlers, without a wait."""
        if self._forward_updates:
            self._forward(update)
        return BotledgerOfUser(self, update_id, user_id)

    def put_event(self, event: CustomEvent) -> AsyncReceipt:
        return self._put(self._events, event)

    def start(self) -> None:
        """Sends what a killed bot left in the spool."""
        self._updates.start()
        self._events.start()

    async def flush(self) -> None:
        await asyncio.gather(self._updates.flush(), self._events.flush())

    async def close(self, timeout_s: float) -> None:
        self._is_closed = True
        await asyncio.gather(self._updates.close(timeout_s), self._events.close(timeout_s))

    def _forward(self, update: Callable[[], Mapping[str, Any]]) -> None:
        item: Any = {"date": self.date(), "update": None}
        try:
            item["update"] = update()
            self._put(self._updates, item)
        except Exception as error:
            # Rule 2: the bot answers its user, whatever becomes of the statistics.
            reported(self._on_failed, error, [item])

    def _put(self, queue: AsyncEventQueue[T], item: T) -> AsyncReceipt:
        """Rule 2: an item that finds its queue full or closed is reported, and the bot continues."""
        closed = RuntimeError("the queue is closed")
        receipt = AsyncReceipt(None, closed) if self._is_closed else queue.put(item)
        if receipt.error is not None:
            reported(self._on_failed, receipt.error, [item])
        return receipt
