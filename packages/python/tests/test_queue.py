"""The queues of both clients."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from queues import QueueSide
from stub import Answer, Drop, Stub, refused

import botledger


@pytest.fixture(params=["sync", "async"])
def queue(request: Any, stub: Stub) -> Iterator[QueueSide]:
    side = QueueSide(request.param, stub.url)
    yield side
    side.end()


def event(n: int) -> dict[str, Any]:
    return {"event": "e", "user_id": n}


def events(count: int) -> list[dict[str, Any]]:
    return [event(n) for n in range(1, count + 1)]


def users(stub: Stub) -> list[list[int]]:
    """The users of each request."""
    return [[item["user_id"] for item in each.json] for each in stub.arrived]


def test_sends_after_a_second_what_has_come_until_then(queue: QueueSide, stub: Stub) -> None:
    queue.open().add(event(1))
    queue.add(event(2))
    assert stub.arrived == []
    queue.elapse(1.0)
    queue.until(lambda: len(queue.queue) == 0)
    assert users(stub) == [[1, 2]]
    assert stub.arrived[0].path == "/v1/send-event"
    queue.add(event(3))
    queue.elapse(1.0)
    queue.until(lambda: len(stub.arrived) == 2)
    assert users(stub)[1] == [3]
    assert queue.close() == (3, 0)


def test_sends_1000_events_at_once_in_their_order(queue: QueueSide, stub: Stub) -> None:
    queue.open().add(*events(2500))
    queue.until(lambda: len(stub.arrived) == 2)
    assert [len(batch) for batch in users(stub)] == [1000, 1000]
    assert queue.close() == (2500, 0)
    assert [user for batch in users(stub) for user in batch] == list(range(1, 2501))


def test_keeps_key_and_bytes_of_a_batch_until_its_outcome_is_known(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [Drop(), refused(503, "starting"), refused(500, "outcome unknown, repeat"), Drop(), Drop()]
    queue.open(max_batch=2).add(*events(3))
    assert queue.close() == (3, 0)
    assert [each.key for each in stub.arrived] == ["key-1"] * 6 + ["key-2"]
    assert len({each.body for each in stub.arrived[:6]}) == 1
    assert queue.waits == [0.275, 0.55, 1.1, 2.2, 4.4]


def test_is_bounded_and_says_so(queue: QueueSide, stub: Stub) -> None:
    assert queue.open(capacity=2).add(*events(3)) == [True, True, False]
    assert (len(queue.queue), queue.queue.dropped) == (2, 1)
    assert queue.close() == (2, 0)
    assert users(stub) == [[1, 2]]


def test_hands_back_refused_events_and_sends_the_others_with_a_new_key(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(400, "wrong", details=[{"path": "1.user_id", "message": "wrong"}])]
    queue.open().add(*events(3))
    assert queue.close() == (2, 1)
    assert users(stub) == [[1, 2, 3], [1, 3]]
    assert [each.key for each in stub.arrived] == ["key-1", "key-2"]
    [(error, items)] = queue.failures
    assert isinstance(error, botledger.InvalidRequestError)
    assert items == [event(2)]


def test_halves_a_batch_that_is_too_large(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(413, "too large"), refused(413, "too large"), refused(413, "too large")]
    queue.open().add(*events(3))
    assert queue.close() == (2, 1)
    assert users(stub) == [[1, 2, 3], [1, 2], [1], [2], [3]]
    assert [items for _, items in queue.failures] == [[event(1)]]


def test_an_error_that_no_repeat_mends_fails_its_batch_alone(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(403, "Premium plan required")]
    queue.open(max_batch=2).add(*events(3))
    assert queue.close() == (1, 2)
    assert [items for _, items in queue.failures] == [[event(1), event(2)]]


@pytest.mark.parametrize("details", [None, {}, ["wrong"], [{"loc": ["body", 0, "user_id"], "msg": "wrong"}], "wrong"])
def test_details_of_any_form_fail_their_batch_and_the_queue_lives_on(queue: QueueSide, stub: Stub, details: Any) -> None:
    stub.answers = [Answer(422, json.dumps({"error": "wrong", "details": details}))]
    queue.open(max_batch=2).add(*events(4))
    assert queue.close() == (2, 2)
    assert users(stub) == [[1, 2], [3, 4]]
    assert [items for _, items in queue.failures] == [[event(1), event(2)]]


@pytest.mark.parametrize("status", [302, 401, 403, 404])
def test_a_refusal_of_a_gateway_fails_its_batch_after_one_request(queue: QueueSide, stub: Stub, status: int) -> None:
    stub.answers = [Answer(status, json.dumps({"error": {"code": status}}))]
    queue.open(max_batch=1).add(*events(2))
    assert queue.close() == (1, 1)
    assert users(stub) == [[1], [2]]


def test_repeats_a_batch_with_its_key_while_a_proxy_answers(queue: QueueSide, stub: Stub) -> None:
    answers = [Answer(502, "Bad Gateway"), Answer(504, ""), Answer(200, ""), Answer(200, '{"ok":')]
    stub.answers = [*answers * 10]
    queue.open().add(event(1))
    assert queue.close() == (1, 0)
    assert [each.key for each in stub.arrived] == ["key-1"] * 41


def test_an_internal_error_of_the_service_fails_its_batch_after_ten_repeats(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(500, "internal error")] * 11
    queue.open(max_batch=1).add(*events(2))
    assert queue.close() == (1, 1)
    assert [each.key for each in stub.arrived] == ["key-1"] * 11 + ["key-2"]
    assert [items for _, items in queue.failures] == [[event(1)]]


def test_flush_waits_for_what_is_there(queue: QueueSide, stub: Stub) -> None:
    queue.open().flush()
    queue.add(event(1))
    queue.flush()
    assert users(stub) == [[1]]
    assert len(queue.queue) == 0
    queue.add(event(2))
    queue.flush()
    assert users(stub) == [[1], [2]]


def test_close_gives_up_when_its_time_is_over(queue: QueueSide, stub: Stub) -> None:
    late = threading.Event()
    stub.answers = [lambda _: (late.wait(30), Answer())[1]]
    queue.open(max_batch=1).add(*events(2))
    queue.until(lambda: len(stub.arrived) == 1)
    queue.begin_close()
    queue.elapse(10.0)
    assert queue.closed() == (0, 2)
    late.set()
    [(error, items)] = queue.failures
    assert isinstance(error, botledger.QueueClosedError)
    assert items == [event(1), event(2)]


def test_close_ends_the_wait_between_attempts(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(503, "stopping", {"retry-after": "1"})]
    queue.open(max_batch=1).add(event(1))
    queue.until(lambda: len(stub.arrived) == 1)
    queue.begin_close()
    queue.elapse(10.0)
    assert queue.closed() == (0, 1)
    assert len(stub.arrived) == 1


def test_a_receipt_ends_the_wait_for_more_and_returns_when_the_service_has_the_item(queue: QueueSide, stub: Stub) -> None:
    queue.open().add(event(1))
    receipt = queue.put(event(2))
    assert receipt
    queue.settled(receipt)
    assert users(stub) == [[1, 2]]
    queue.settled(receipt)


def test_a_receipt_of_a_refused_item_raises_its_error_and_another_of_the_batch_does_not(
    queue: QueueSide, stub: Stub
) -> None:
    stub.answers = [refused(400, "wrong", details=[{"path": "0.user_id", "message": "wrong"}])]
    queue.open()
    bad, good = queue.put(event(1)), queue.put(event(2))
    with pytest.raises(botledger.InvalidRequestError):
        queue.settled(bad)
    queue.settled(good)


def test_a_receipt_of_an_item_that_finds_the_queue_full_is_false_and_raises(queue: QueueSide, stub: Stub) -> None:
    queue.open(capacity=1).add(event(1))
    receipt = queue.put(event(2))
    assert not receipt
    with pytest.raises(botledger.QueueFullError):
        queue.settled(receipt)


def test_a_receipt_of_an_item_that_is_left_at_the_end_of_close_raises(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(503, "stopping", {"retry-after": "1"})]
    receipt = queue.open(max_batch=1).put(event(1))
    queue.until(lambda: len(stub.arrived) == 1)
    queue.begin_close()
    queue.elapse(10.0)
    queue.closed()
    with pytest.raises(botledger.QueueClosedError):
        queue.settled(receipt)


def test_takes_nothing_after_close(queue: QueueSide) -> None:
    queue.open()
    assert queue.close() == (0, 0)
    with pytest.raises(RuntimeError, match="the queue is closed"):
        queue.add(event(1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"value_num": 0.1}, "value_num must be a Decimal"),
        ({"value_num": Decimal("NaN")}, r"NaN is no number of JSON \(at value_num\)"),
        ({"properties": {"price": float("nan")}}, r"nan is no number of JSON \(at properties.price\)"),
        ({"properties": {"price": [1, float("inf")]}}, r"inf is no number of JSON \(at properties.price.1\)"),
        ({"user_id": 2**53}, r"must be at most 9007199254740991 \(at user_id\)"),
        ({"user_id": {1}}, r"a set is no JSON \(at user_id\)"),
        ({"category": b"x"}, r"a bytes is no JSON \(at category\)"),
        ({"properties": {1: 2}}, r"the name of a field must be a str, not 1 \(at properties\)"),
        ({"event": "\ud800"}, r"the text has half a character \(at event\)"),
    ],
)
def test_refuses_an_item_that_json_cannot_hold_by_its_field(
    queue: QueueSide, stub: Stub, wrong: dict[str, Any], message: str
) -> None:
    queue.open().add(event(1))
    with pytest.raises((TypeError, ValueError), match=message):
        queue.add({**event(2), **wrong})
    queue.add(event(3))
    assert queue.close() == (2, 0)
    assert users(stub) == [[1, 3]]


@pytest.mark.parametrize("item", [None, "text", [{"event": "e"}]])
def test_refuses_what_is_no_item(queue: QueueSide, item: Any) -> None:
    with pytest.raises(TypeError, match="an item must be a dictionary"):
        queue.open().add(item)


def test_hands_an_event_back_as_it_was_when_it_was_added(queue: QueueSide, stub: Stub) -> None:
    stub.answers = [refused(403, "no")]
    given = {**event(1), "properties": {"color": "red"}}
    queue.open().add(given)
    given["properties"]["color"] = "blue"
    queue.close()
    assert [items for _, items in queue.failures] == [[{**event(1), "properties": {"color": "red"}}]]


def test_sends_an_event_as_it_was_when_it_was_added(queue: QueueSide, stub: Stub) -> None:
    given = event(1)
    queue.open().add(given)
    given["user_id"] = 2
    queue.close()
    assert users(stub) == [[1]]


def test_an_error_in_on_failed_does_not_end_the_queue(
    queue: QueueSide, stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    def on_failed(error: Exception, items: Any) -> None:
        raise RuntimeError("the callback fails")

    stub.answers = [refused(403, "no")]
    queue.open(max_batch=1, on_failed=on_failed).add(*events(2))
    assert queue.close() == (1, 1)
    assert "the callback fails" in caplog.text


def test_failures_are_logged_by_default(queue: QueueSide, stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    stub.answers = [refused(403, "Premium plan required")]
    queue.open(on_failed=None).add(event(1))
    with caplog.at_level(logging.ERROR, "botledger"):
        queue.close()
    assert "failed to send 1 items" in caplog.text
    assert "Premium plan required" in caplog.text


@pytest.mark.parametrize(
    "options",
    [
        *({"max_batch": size} for size in (0, 1001, 5000, 1.5)),
        *({"max_delay_s": delay} for delay in (-1, float("nan"))),
        *({"capacity": size} for size in (0, float("nan"))),
    ],
)
def test_refuses_limits_that_make_no_sense(queue: QueueSide, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        queue.open(**options)
