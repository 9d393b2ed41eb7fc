"""The middleware of aiogram, and the example bot on the service and a stand-in for the platform."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiogram import Bot, Dispatcher
from aiogram.types import Message, Update
from platform_stub import Platform, message
from service import Service, awaited
from stub import Answer, Stub, ok

from botledger import AsyncClient
from botledger.aiogram import BotledgerMiddleware, BotledgerOfUser

FOLDER = Path(__file__).resolve().parents[1]
NOW = datetime(2026, 1, 15, 12, tzinfo=timezone.utc)
DATE = "2026-01-15T12:00:00.000Z"


def with_middleware(
    stub: Stub, act: Callable[[Dispatcher, BotledgerMiddleware], Awaitable[None]], **options: Any
) -> None:
    async def run() -> None:
        async with AsyncClient(stub.url, "key", http=httpx.AsyncClient(verify=False)) as client:
            middleware = BotledgerMiddleware(client, now=lambda: NOW, **options)
            dispatcher = Dispatcher()
            middleware.setup(dispatcher)
            await act(dispatcher, middleware)
            await dispatcher.emit_shutdown()

    asyncio.run(run())


BOT = Bot("123:token")


def raw(number: int = 1) -> dict[str, Any]:
    return {"update_id": number, "message": {**message(number, 42, "/start abc"), "new_field": {"deep": [1]}}}


def sent_to(stub: Stub, path: str) -> list[Any]:
    return [item for each in stub.arrived if each.path == path for item in each.json]


def test_forwards_each_update_as_the_platform_sent_it(stub: Stub) -> None:
    posted = {"update_id": 3, "channel_post": {"message_id": 1, "date": 1_767_225_600, "chat": {"id": -1, "type": "channel"}}}
    left = {
        "date": 1_767_225_600,
        "chat": {"id": 42, "type": "private"},
        "from": {"id": 42, "is_bot": False, "first_name": "Ada"},
        "old_chat_member": {"user": {"id": 123, "is_bot": True, "first_name": "b"}, "status": "member"},
        "new_chat_member": {"user": {"id": 123, "is_bot": True, "first_name": "b"}, "status": "kicked", "until_date": 0},
    }
    updates = [raw(1), {"update_id": 2, "my_chat_member": left}, posted]

    async def act(dispatcher: Dispatcher, _: BotledgerMiddleware) -> None:
        for update in updates[:2]:
            await dispatcher.feed_raw_update(BOT, update)
        await dispatcher.feed_update(BOT, Update.model_validate(updates[2]))

    with_middleware(stub, act)
    assert sent_to(stub, "/v1/send-batch-update") == [{"date": DATE, "update": update} for update in updates]
    assert len(stub.arrived) == 1


def test_a_handler_gets_botledger_for_the_user_of_its_update(stub: Stub) -> None:
    async def handler(_: Message, botledger: BotledgerOfUser) -> None:
        assert botledger.event("order_paid", value_num=Decimal("19.990"), unit="USD")
        with pytest.raises(TypeError, match="value_num"):
            botledger.event("order_paid", value_num=19.99)  # type: ignore[arg-type]

    async def act(dispatcher: Dispatcher, _: BotledgerMiddleware) -> None:
        dispatcher.message.register(handler)
        await dispatcher.feed_update(BOT, Update.model_validate(raw()))

    with_middleware(stub, act)
    event = {
        "event": "order_paid",
        "user_id": 42,
        "date": DATE,
        "value_num": 19.99,
        "unit": "USD",
        "event_key": "update 1 order_paid 0",
    }
    assert sent_to(stub, "/v1/send-event") == [event]
    assert b'"value_num":19.990' in stub.arrived[-1].body


def test_does_not_delay_the_bot_while_the_service_does_not_answer(stub: Stub) -> None:
    late = threading.Event()
    stub.answers = [lambda _: (late.wait(30), Answer())[1]] * 2
    handled: list[int] = []

    async def handler(given: Message) -> None:
        handled.append(given.message_id)

    async def act(dispatcher: Dispatcher, _: BotledgerMiddleware) -> None:
        dispatcher.message.register(handler)
        await dispatcher.feed_update(BOT, Update.model_validate(raw(1)))
        while not stub.arrived:
            await asyncio.sleep(0.002)
        await dispatcher.feed_update(BOT, Update.model_validate(raw(2)))
        assert handled == [1, 2]
        late.set()

    with_middleware(stub, act, max_delay_s=0)
    assert [item["update"]["update_id"] for item in sent_to(stub, "/v1/send-batch-update")] == [1, 2]


def test_the_bot_goes_on_when_the_queue_is_full_or_closed(stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    handled: list[int] = []

    async def handler(given: Message) -> None:
        handled.append(given.message_id)

    async def act(dispatcher: Dispatcher, middleware: BotledgerMiddleware) -> None:
        dispatcher.message.register(handler)
        for number in (1, 2):
            await dispatcher.feed_update(BOT, Update.model_validate(raw(number)))
        await middleware.close()
        await dispatcher.feed_update(BOT, Update.model_validate(raw(3)))

    with_middleware(stub, act, capacity=1)
    assert handled == [1, 2, 3]
    assert "the queue is full" in caplog.text
    assert "the queue is closed" in caplog.text


@pytest.mark.parametrize("codes", ["[]", '[{"code":"c","link":"https://t.me/shop_bot?start=c","date_create":"d"}]'])
def test_a_user_has_one_referral_link(stub: Stub, codes: str) -> None:
    stub.answers = [ok(f'{{"total_referrals":0,"codes":{codes}}}'), ok('{"code":"c","link":"https://t.me/shop_bot?start=c"}')]
    links: list[str | None] = []

    async def handler(_: Message, botledger: BotledgerOfUser) -> None:
        links.append(await botledger.referral_link())

    async def act(dispatcher: Dispatcher, _: BotledgerMiddleware) -> None:
        dispatcher.message.register(handler)
        await dispatcher.feed_update(BOT, Update.model_validate(raw()))

    with_middleware(stub, act)
    assert links == ["https://t.me/shop_bot?start=c"]
    made = [each for each in stub.arrived if each.path == "/v1/referral/create-code"]
    assert [(each.key, each.json) for each in made] == (
        [("referral link of 42", {"user_id": 42})] if codes == "[]" else []
    )


@contextmanager
def running_example(platform: Platform, service: Service) -> Iterator[None]:
    env = {
        **os.environ,
        "PYTHONPATH": str(FOLDER / "src"),
        "TELEGRAM_API_ROOT": platform.url,
        "BOT_TOKEN": "123:token",
        "BOTLEDGER_URL": service.url,
        "BOTLEDGER_KEY": service.key,
    }
    bot = subprocess.Popen(
        [sys.executable, str(FOLDER / "examples/aiogram_bot.py")], env=env, stderr=subprocess.PIPE, text=True
    )
    try:
        yield
    finally:
        bot.send_signal(signal.SIGTERM)
        _, errors = bot.communicate(timeout=30)
    assert bot.returncode == 0, errors


def test_the_example_bot_from_a_referral_link_to_a_payout_and_a_broadcast(service: Service) -> None:
    assert len((FOLDER / "examples/aiogram_bot.py").read_text().splitlines()) < 60
    service.cli("bot", "set", "--bot", "demo", "--username", "shop_bot", "--token", "123:token")
    client = service.client()
    platform = Platform(service.platform_port)

    def answer_to(user: int, text: str) -> str:
        before = len(platform.texts_to(user))
        platform.says(user, text)
        return awaited(lambda: platform.texts_to(user)[before:], f"the answer to {text}")[0]

    def count_of(event: str) -> int:
        return next((item["count"] for item in client.list_report_events()["items"] if item["name"] == event), 0)

    with running_example(platform, service):
        assert answer_to(1, "/start").startswith("Welcome")
        answer_to(1, "/buy")
        awaited(lambda: count_of("order_paid") == 1, "the order of user 1 is counted")
        [order] = [item for item in client.list_report_events()["items"] if item["name"] == "order_paid"]
        rule = ["--type", "percent", "--percent", "10", "--trigger-event-id", str(order["event_id"])]
        service.cli("rule", "create", "--bot", "demo", "--name", "Orders", *rule)

        link = answer_to(1, "/invite").removeprefix("Your link: ")
        assert answer_to(1, "/invite") == f"Your link: {link}"
        assert link.startswith("https://t.me/shop_bot?start=")
        assert answer_to(1, "/payout").startswith("No payout: ")

        assert answer_to(2, f"/start {link.partition('=')[2]}").startswith("Welcome")
        assert answer_to(2, "/buy") == "Thank you for your order."
        awaited(lambda: list(client.iterate_referrals(user_id=1)), "user 2 is a referral of user 1")
        balance = awaited(lambda: client.get_referral_balance(user_id=1)["balance"], "user 1 has earned")
        assert [row["available"] for row in balance] == [Decimal("2.49")]

        assert answer_to(1, "/payout").startswith("Your payout has the number ")
        [payout] = awaited(lambda: list(client.iterate_referral_payouts(user_id=1)), "the payout is listed")
        assert payout["amount"] == Decimal("2.49")

        client.create_broadcast(
            {
                "type": "sendMessage",
                "name": "Spring sale",
                "message": {"text": "Spring sale!"},
                "segmentations": {"include": [{"type": "all", "config": {}}]},
                "activate": True,
            }
        )
        for user in (1, 2):
            awaited(lambda: "Spring sale!" in platform.texts_to(user), f"the broadcast arrives at {user}")
        assert platform.texts_to(1).count("Spring sale!") == 1
        answer_to(2, "/buy")
    # What waited when the bot ended was sent.
    awaited(lambda: count_of("order_paid") == 3, "the last order is counted")
    platform.close()
