"""Programs that end without closing their queues."""

from __future__ import annotations

import threading
from pathlib import Path

from programs import run
from stub import Answer, Arrived, Stub


def users(stub: Stub) -> list[list[int]]:
    return [[item["user_id"] for item in each.json] for each in stub.arrived]


SYNC = """
queue = Client(URL, "key").event_queue(max_delay_s=60)
for n in (1, 2, 3): queue.add(event(n))
"""


def test_a_program_without_asyncio_sends_its_items_at_its_end_with_a_warning(stub: Stub) -> None:
    code, errors = run(SYNC, stub.url, "")
    assert code == 0
    assert users(stub) == [[1, 2, 3]]
    assert "a queue was never closed; sending its 3 items" in errors


def test_a_program_that_closed_its_queue_or_client_ends_without_a_warning(stub: Stub) -> None:
    code, errors = run(SYNC + "queue.close()", stub.url, "")
    assert (code, errors, users(stub)) == (0, "", [[1, 2, 3]])


def test_a_client_closes_its_queues(stub: Stub) -> None:
    code, errors = run(
        """
with Client(URL, "key") as client:
    queue = client.event_queue(max_delay_s=60)
    queue.add(event(1))
assert queue.close() == (1, 0)
""",
        stub.url,
        "",
    )
    assert (code, users(stub)) == (0, [[1]])
    assert "a queue was never closed; sending its 1 items" in errors


ASYNC = """
async def main():
    client = AsyncClient(URL, "key")
    queue = client.event_queue(max_batch=2, max_delay_s=60)
    for n in (1, 2, 3): queue.add(event(n))
    await asyncio.sleep({seconds})
asyncio.run(main())
"""


def test_the_end_of_asyncio_run_sends_what_waits_with_a_warning(stub: Stub) -> None:
    code, errors = run(ASYNC.format(seconds=0), stub.url, "")
    assert code == 0
    assert users(stub) == [[1, 2], [3]]
    assert "a queue was never closed; sending its 3 items" in errors


def test_the_end_of_asyncio_run_repeats_the_batch_on_its_way_with_its_key(stub: Stub) -> None:
    late = threading.Event()

    def answer(_: Arrived) -> Answer:
        late.wait(5)
        return Answer()

    stub.answers = [answer]
    code, errors = run(ASYNC.format(seconds=1), stub.url, "")
    late.set()
    assert code == 0, errors
    first, second, third = stub.arrived
    assert (first.key, first.body) == (second.key, second.body)
    assert third.key != first.key
    assert users(stub) == [[1, 2], [1, 2], [3]]


def test_an_asynchronous_client_closes_its_queues(stub: Stub) -> None:
    code, errors = run(
        """
async def main():
    async with AsyncClient(URL, "key") as client:
        client.event_queue(max_delay_s=60).add(event(1))
asyncio.run(main())
""",
        stub.url,
        "",
    )
    assert (code, users(stub)) == (0, [[1]])
    assert "a queue was never closed; sending its 1 items" in errors


def test_the_end_of_asyncio_run_sends_the_updates_of_a_middleware_before_its_events(stub: Stub) -> None:
    code, errors = run(
        """
from aiogram import Bot, Dispatcher
from botledger.aiogram import BotledgerMiddleware
sys.path.insert(0, SPOOL)
from platform_stub import message
async def handler(message, botledger):
    botledger.event("bought")
async def main():
    dispatcher = Dispatcher()
    BotledgerMiddleware(AsyncClient(URL, "key"), max_delay_s=60).setup(dispatcher)
    dispatcher.message.register(handler)
    bot = Bot("123:token")
    await dispatcher.feed_raw_update(bot, {"update_id": 1, "message": message(1, 42, "hello")})
    await bot.session.close()
asyncio.run(main())
""",
        stub.url,
        str(Path(__file__).parent),
    )
    assert code == 0, errors
    assert [each.path for each in stub.arrived] == ["/v1/send-batch-update", "/v1/send-event"]


def test_a_loop_that_ends_without_its_tasks_leaves_a_warning(stub: Stub) -> None:
    code, errors = run(
        """
async def main():
    global queue
    queue = AsyncClient(URL, "key").event_queue(max_delay_s=60)
    queue.add(event(1))
loop = asyncio.new_event_loop()
loop.run_until_complete(main())
""",
        stub.url,
        "",
    )
    assert code == 0
    assert "a queue was never closed; its 1 items are lost" in errors
