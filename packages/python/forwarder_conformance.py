"""Drives the middleware of aiogram for the tests of all middlewares (test/clients/README.md)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from aiogram import Bot, Dispatcher  # noqa: E402
from aiogram.types import TelegramObject  # noqa: E402

from botledger import AsyncClient, BotledgerError  # noqa: E402
from botledger.aiogram import BotledgerMiddleware, BotledgerOfUser  # noqa: E402

Handler = Callable[[BotledgerOfUser], Awaitable[None]]


class HandlerFails(Exception):
    """An error of a handler."""


async def event_of(tools: BotledgerOfUser, event: dict[str, Any]) -> dict[str, Any]:
    fields = event.get("fields", {})
    if fields.get("value_num") == "NaN":
        fields["value_num"] = float("nan")
    try:
        receipt = tools.event(event["name"], **fields)
        if event.get("await_sent"):
            await receipt.sent
        return {"taken": bool(receipt)}
    except (BotledgerError, TypeError, ValueError) as error:
        return {"error": str(error)}


async def link_of(tools: BotledgerOfUser) -> dict[str, Any]:
    try:
        return {"link": await tools.referral_link()}
    except ValueError as error:
        return {"error": str(error)}


async def run(task: dict[str, Any]) -> dict[str, Any]:
    results: list[dict[str, Any]] = []
    failed: list[str] = []
    async with AsyncClient(task["base_url"], task["api_key"]) as client:
        middleware = BotledgerMiddleware(
            client,
            forward_updates=task.get("forward_updates", True),
            capacity=task.get("capacity", 10_000),
            max_delay_s=task["max_delay_ms"] / 1000,
            spool=task.get("spool"),
            on_failed=lambda error, items: failed.extend(str(error) for _ in items),
        )
        dispatcher = Dispatcher()
        middleware.setup(dispatcher)
        current: list[Handler] = []

        async def handler(_: TelegramObject, botledger: BotledgerOfUser) -> None:
            await current[0](botledger)

        dispatcher.message.register(handler)
        dispatcher.channel_post.register(handler)
        bot = Bot("123:token")
        await dispatcher.emit_startup()
        for step in task["steps"]:
            results.append(await perform(step, dispatcher, bot, middleware, current))
        await bot.session.close()
    return {"results": results, "failed": failed}


async def perform(
    step: dict[str, Any], dispatcher: Dispatcher, bot: Bot, middleware: BotledgerMiddleware, current: list[Handler]
) -> dict[str, Any]:
    if step["do"] == "kill":
        await asyncio.sleep(step["after_ms"] / 1000)
        os.kill(os.getpid(), signal.SIGKILL)
    if step["do"] == "flush":
        await middleware.flush()
        return {}
    if step["do"] == "close":
        await middleware.close()
        return {}
    handled: list[dict[str, Any]] = []

    async def handle(tools: BotledgerOfUser) -> None:
        for event in step.get("events", []):
            handled.append(await event_of(tools, event))
        handled.extend(await asyncio.gather(*(link_of(tools) for _ in range(step.get("links", 0)))))
        if step.get("fails"):
            raise HandlerFails

    current[:] = [handle]
    try:
        await dispatcher.feed_raw_update(bot, step["update"])
    except HandlerFails:
        pass
    return {"handled": handled}


if __name__ == "__main__":
    json.dump(asyncio.run(run(json.load(sys.stdin))), sys.stdout)
