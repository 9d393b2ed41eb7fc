"""`on_request`, and the request id that the service logs."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import pytest
from sides import Side
from stub import Drop, Stub, ok, refused

import botledger


def ids() -> Any:
    numbers = itertools.count(1)
    return lambda: f"request-{next(numbers)}"


def test_gets_each_attempt_with_its_status_error_and_number(side: Side, stub: Stub) -> None:
    reports: list[botledger.RequestReport] = []
    seconds = itertools.count(1_767_225_600.0, 0.25)
    options = {"on_request": reports.append, "new_request_id": ids(), "now": lambda: next(seconds)}
    side.client = side.make(**options)
    stub.answers = [refused(503, "busy"), Drop(), ok('{"payout_id":7,"payout_ids":[7]}')]
    side.do(lambda client: client.request_referral_payout({"user_id": 1}))
    assert [(r.method, r.path, r.attempt, r.status, r.request_id, type(r.error).__name__) for r in reports] == [
        ("POST", "/v1/referral/payout", 1, 503, "request-1", "UnavailableError"),
        ("POST", "/v1/referral/payout", 2, None, "request-1", "NoAnswerError"),
        ("POST", "/v1/referral/payout", 3, 200, "request-1", "NoneType"),
    ]
    assert all(report.duration_s > 0 for report in reports)
    assert [each.headers["x-request-id"] for each in stub.arrived] == ["request-1"] * 3


def test_an_error_has_the_request_id_of_its_call(side: Side, stub: Stub) -> None:
    side.client = side.make(new_request_id=ids())
    stub.answers = [refused(404, "unknown")]
    with pytest.raises(botledger.NotFoundError) as raised:
        side.do(lambda client: client.list_referral_codes(user_id=1))
    assert raised.value.request_id == "request-1"


def test_a_hook_that_fails_fails_no_call_and_is_logged(
    side: Side, stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: botledger.RequestReport) -> None:
        raise RuntimeError("no metrics")

    side.client = side.make(on_request=fail)
    stub.answers = [ok("[]")]
    with caplog.at_level(logging.ERROR, "botledger"):
        assert side.do(lambda client: client.list_resources()) == []
    assert [record.message for record in caplog.records] == ["on_request failed"]
