"""Exports, row by row."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sides import Side
from stub import Answer, Drop, Stub, refused

import botledger

ROWS = '{"user_id":7,"value_amount":12.50,"event_name":"Ёж"}\n{"user_id":8,"value_amount":null,"event_name":"x"}\n'


def test_gives_each_row_and_names_the_dates(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(body=ROWS)]
    rows = side.do(lambda client: client.export_rows("events", from_date="2026-01-01", to_date="2026-01-31"))
    assert rows == [
        {"user_id": 7, "value_amount": Decimal("12.50"), "event_name": "Ёж"},
        {"user_id": 8, "value_amount": None, "event_name": "x"},
    ]
    [sent] = stub.arrived
    assert (sent.path, sent.headers["api-key"]) == ("/v1/export/events", "key")
    assert sent.query == {"format": "ndjson", "from": "2026-01-01", "to": "2026-01-31"}


def test_begins_again_while_no_row_has_come(side: Side, stub: Stub) -> None:
    stub.answers = [refused(429, "this key has an export under way", {"retry-after": "3"}), Drop(), Answer(body=ROWS)]
    assert len(side.do(lambda client: client.export_rows("users"))) == 2
    assert side.waits[0] == 3
    assert len(stub.arrived) == 3


def test_refuses_what_the_service_refuses(side: Side, stub: Stub) -> None:
    stub.answers = [refused(403, "this needs a personal key")]
    with pytest.raises(botledger.PermissionDeniedError, match="personal key"):
        side.do(lambda client: client.export_rows("accruals"))


def test_says_that_an_export_is_cut(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(body=ROWS[:-20])]
    with pytest.raises(botledger.ServerError, match="cut"):
        side.do(lambda client: client.export_rows("recipients"))
    assert len(stub.arrived) == 1
