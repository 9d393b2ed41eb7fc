"""Calls of both clients: repeats, keys, errors, pages."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import httpx
import pytest
from sides import Side
from stub import Answer, Drop, Stub, ok, refused

import botledger

PAYOUT = {"user_id": 1}
IN_PROGRESS = "a request with this Idempotency-Key is being worked on"
UNKNOWN = "outcome unknown, repeat with the same Idempotency-Key"


HTML = {"content-type": "text/html"}
# Answers that leave the outcome open: of something before the service, or not whole.
BROKEN = [
    Answer(502, "<h1>Bad Gateway</h1>", HTML),
    Answer(504, "<h1>Gateway Timeout</h1>", HTML),
    Answer(500, "Internal Server Error", HTML),
    refused(500, "internal error"),
    Answer(502, '{"error":{"code":502}}'),
    Answer(520, ""),
    refused(408, "the body came too slowly"),
    Answer(200, '{"ok":true,"data":{"payout_'),
    Answer(200, ""),
    Answer(200, "<h1>Log in</h1>", HTML),
    Answer(200, "null"),
    Answer(200, "[]"),
    Answer(200, '{"status":"fine"}'),
]


def pay(client: Any) -> Any:
    return client.request_referral_payout(PAYOUT)


def test_gives_the_receipt_that_a_call_asks_for(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(200, '{"ok":true,"receipt":"note"}'), Answer(200, '{"ok":true,"receipt":null}')]
    assert side.do(lambda client: client.send_event({"event": "x", "user_id": 1}, receipt="signed")) == "note"
    assert side.do(lambda client: client.send_batch_update([], receipt="signed")) is None
    assert side.do(lambda client: client.send_event({"event": "x", "user_id": 1})) is None
    assert [each.headers.get("receipt") for each in stub.arrived] == ["signed", "signed", None]


@pytest.mark.parametrize(
    "failure",
    [
        Drop(),
        refused(429, "too many requests with this key"),
        refused(503, "the log is not available, try again"),
        refused(500, UNKNOWN),
        refused(409, IN_PROGRESS),
        Answer(503, "<html>no gateway</html>", {"content-type": "text/html"}),
        *BROKEN,
    ],
)
def test_repeats_a_call_with_the_same_key_and_bytes(side: Side, stub: Stub, failure: Any) -> None:
    stub.answers = [failure, failure, ok('{"payout_id":7,"payout_ids":[7]}')]
    assert side.do(pay) == {"payout_id": 7, "payout_ids": [7]}
    assert [(each.key, each.body) for each in stub.arrived] == [("key-1", b'{"user_id":1}')] * 3
    assert side.waits == [0.25, 0.5]


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (refused(409, "the payout is paid"), botledger.ConflictError),
        (refused(400, "wrong"), botledger.InvalidRequestError),
        (refused(413, "too large"), botledger.InvalidRequestError),
        (refused(422, "another body"), botledger.InvalidRequestError),
        (refused(401, "API key missing"), botledger.AuthenticationError),
        (refused(403, "Premium plan required"), botledger.PermissionDeniedError),
        (refused(404, "no bot"), botledger.NotFoundError),
        (refused(502, "the report took longer than 15000 ms: narrow the period"), botledger.ServerError),
        (Answer(302, ""), botledger.ServerError),
        (Answer(403, '{"error":{"code":403}}'), botledger.PermissionDeniedError),
    ],
)
def test_raises_an_error_at_once_that_no_repeat_mends(
    side: Side, stub: Stub, failure: Answer, error: type[botledger.BotledgerError]
) -> None:
    stub.answers = [failure]
    with pytest.raises(botledger.BotledgerError) as raised:
        side.do(pay)
    assert type(raised.value) is error
    assert raised.value.status == failure.status
    assert raised.value.idempotency_key == "key-1"
    assert len(stub.arrived) == 1


@pytest.mark.parametrize("failure", BROKEN)
def test_repeats_no_message_after_an_answer_that_leaves_the_outcome_open(side: Side, stub: Stub, failure: Answer) -> None:
    stub.answers = [failure]
    with pytest.raises(botledger.ServerError):
        side.do(lambda client: client.test_send({"broadcast_id": 1, "chat_id": 2}))
    assert len(stub.arrived) == 1


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (403, '{"error":{"code":403}}', "the service answered 403"),
        (403, '{"error":{"code":403,"message":"Forbidden"}}', "the service answered 403: Forbidden"),
        (404, '{"message":"no route"}', "the service answered 404: no route"),
        (400, '{"error":[]}', "the service answered 400"),
        (400, '{"error":{"user_id":"wrong"}}', "the service answered 400"),
        (400, '{"error":{"user_id":[]}}', "the service answered 400"),
        (400, '{"error":{"user_id":[1]}}', "the service answered 400"),
        (422, '{"detail":[{"loc":["body",0],"msg":"wrong"}]}', "the service answered 422"),
        (400, "null", "the service answered 400"),
    ],
)
def test_tells_the_answer_of_a_gateway_as_what_it_is(
    side: Side, stub: Stub, status: int, body: str, message: str
) -> None:
    stub.answers = [Answer(status, body)]
    with pytest.raises(botledger.BotledgerError) as raised:
        side.do(pay)
    told = raised.value
    assert (told.status, told.message, told.details, told.is_from_service) == (status, message, [], False)
    assert len(stub.arrived) == 1


@pytest.mark.parametrize(
    "details",
    [None, {"path": "x", "message": "y"}, ["wrong"], [{"loc": ["body", 0], "msg": "wrong"}], [None, {"path": 3}], "wrong"],
)
def test_details_of_another_form_are_none(side: Side, stub: Stub, details: Any) -> None:
    stub.answers = [Answer(400, json.dumps({"ok": False, "error": "wrong", "error_code": 400, "details": details}))]
    with pytest.raises(botledger.InvalidRequestError, match="^wrong$") as raised:
        side.do(pay)
    assert raised.value.details == []
    assert raised.value.is_from_service


def test_a_redirect_is_named_and_the_key_does_not_go_there(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(302, "", {"location": "/login"})]
    http = httpx.AsyncClient if side.kind == "async" else httpx.Client
    side.client = side.make(http=http(verify=False, follow_redirects=True))
    with pytest.raises(botledger.ServerError, match="^the service answered 302, a redirect to /login: check base_url$"):
        side.do(pay)
    assert [each.path for each in stub.arrived] == ["/v1/referral/payout"]


def test_a_wait_that_outlives_the_key_ends_the_call(side: Side, stub: Stub) -> None:
    stub.answers = [refused(503, "maintenance", {"retry-after": str(24 * 60 * 60)})]
    side.client = side.make(max_retries=float("inf"))
    with pytest.raises(botledger.UnavailableError):
        side.do(pay)
    assert side.waits == []


def test_gives_up_after_two_repeats_with_the_last_error(side: Side, stub: Stub) -> None:
    stub.answers = [Drop(), Drop(), Drop()]
    with pytest.raises(botledger.NoAnswerError) as raised:
        side.do(pay)
    assert raised.value.status is None
    assert len(stub.arrived) == 3


def test_waits_twice_as_long_each_time_up_to_8_s(side: Side, stub: Stub) -> None:
    stub.answers = [Drop()] * 7
    side.client = side.make(max_retries=7, random=lambda: 0.5)
    side.do(pay)
    assert side.waits == [0.375, 0.75, 1.5, 3, 6, 6, 6]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0", 0.0), ("Thu, 01 Jan 2026 00:00:07 GMT", 7.0), ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0), ("soon", 0.25)],
)
def test_waits_as_long_as_retry_after_says(side: Side, stub: Stub, value: str, seconds: float) -> None:
    stub.answers = [refused(503, "starting", {"retry-after": value})]
    side.do(pay)
    assert side.waits == [seconds]


def test_gives_up_at_once_when_retry_after_is_longer_than_a_minute(side: Side, stub: Stub) -> None:
    stub.answers = [refused(429, "later", {"retry-after": "61"})]
    with pytest.raises(botledger.RateLimitError) as raised:
        side.do(pay)
    assert raised.value.retry_after_s == 61
    assert side.waits == []


def test_repeats_a_test_message_only_if_it_was_not_sent(side: Side, stub: Stub) -> None:
    def send(client: Any) -> Any:
        return client.test_send({"broadcast_id": 1, "chat_id": 2})

    stub.answers = [refused(503, "starting"), Drop()]
    with pytest.raises(botledger.NoAnswerError):
        side.do(send)
    assert [each.key for each in stub.arrived] == [None, None]


def test_sends_the_key_that_the_caller_gives(side: Side, stub: Stub) -> None:
    stub.answers = [Drop()]
    side.do(lambda client: client.request_referral_payout(PAYOUT, idempotency_key="payout 7"))
    assert [each.key for each in stub.arrived] == ["payout 7", "payout 7"]


def test_makes_a_key_for_each_call_also_for_the_get_that_makes_a_code(side: Side, stub: Stub) -> None:
    side.do(lambda client: client.create_referral_code_by_get(user_id=1))
    side.do(lambda client: client.create_referral_code_by_get(user_id=1))
    side.do(lambda client: client.get_referral_balance(user_id=1))
    assert [each.key for each in stub.arrived] == ["key-1", "key-2", None]


def test_refuses_a_key_where_the_service_takes_none(side: Side, stub: Stub) -> None:
    with pytest.raises(ValueError, match="takes no Idempotency-Key"):
        side.do(lambda client: client.call("listUnits", idempotency_key="a"))
    assert stub.arrived == []


def test_sends_keys_query_and_path(side: Side, stub: Stub) -> None:
    side.client = side.make(url=stub.url + "/behind/a/proxy/", resource_key="demo")
    side.do(lambda client: client.list_broadcasts(filters_status=3, orders_id="asc"))
    side.do(lambda client: client.list_exchange_rates(from_="EUR"))
    side.do(lambda client: client.admin_get_job(job_id="a/b"))
    side.do(lambda client: client.webhook({"update_id": 1}, bot_public_key="demo", secret_token="s"))
    first, second, third, fourth = stub.arrived
    assert (first.headers["api-key"], first.headers["resource-key"]) == ("key", "demo")
    assert (first.path, first.query) == (
        "/behind/a/proxy/v1/broadcast/list",
        {"filters[status]": "3", "orders[id]": "asc"},
    )
    assert second.query == {"from": "EUR"}
    assert third.path == "/behind/a/proxy/admin/v1/jobs/a%2Fb"
    assert (fourth.headers["x-telegram-bot-api-secret-token"], fourth.json) == ("s", {"update_id": 1})


@pytest.mark.parametrize("given", [{"url": "localhost:3000"}, {"url": "ftp://a"}, {"api_key": "a\nb"}, {"api_key": ""}, {"api_key": None},
     {"max_retries": -1}, {"max_retries": float("nan")}, {"timeout_s": 0}, {"timeout_s": float("nan")}])
def test_refuses_an_address_or_a_key_that_cannot_be_sent(side: Side, given: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        side.make(**given)


def test_changes_the_limits_of_a_client_for_some_calls(side: Side, stub: Stub) -> None:
    stub.answers = [Drop(), Drop()]
    with pytest.raises(botledger.NoAnswerError):
        side.do(lambda client: client.with_options(max_retries=0).list_units())
    side.do(lambda client: client.list_units())
    assert len(stub.arrived) == 3


def test_raises_no_answer_when_the_time_is_over(side: Side, stub: Stub) -> None:
    import threading

    late = threading.Event()
    stub.answers = [lambda _: (late.wait(5), Answer())[1]]
    with pytest.raises(botledger.NoAnswerError, match="no answer in time"):
        side.do(lambda client: client.with_options(max_retries=0, timeout_s=0.05).list_units())
    late.set()


def test_details_name_each_wrong_value(side: Side, stub: Stub) -> None:
    details = [{"path": "0.user_id", "message": "must be there"}, {"path": "1.unit", "message": "unknown", "allowed": ["A"]}]
    stub.answers = [refused(400, "must be there (at 0.user_id)", details=details)]
    with pytest.raises(botledger.InvalidRequestError, match="must be there") as raised:
        side.do(lambda client: client.send_event([]))
    assert raised.value.details == details


def test_details_of_send_target_are_those_of_its_form(side: Side, stub: Stub) -> None:
    stub.answers = [refused(422, {"0.unit": ["unknown", "too long"]})]
    with pytest.raises(botledger.InvalidRequestError, match=r"^unknown \(at 0.unit\)$") as raised:
        side.do(lambda client: client.send_target([]))
    assert raised.value.details == [{"path": "0.unit", "message": "unknown"}, {"path": "0.unit", "message": "too long"}]


def test_call_gives_what_stands_beside_data(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(body='{"ok":true,"data":{"payout_id":1,"payout_ids":[1]},"lagging":true}')]
    assert side.do(lambda client: client.call("requestReferralPayout", body=PAYOUT))["lagging"] is True


def test_csv_is_text(side: Side, stub: Stub) -> None:
    stub.answers = [Answer(body="a,b\r\n1,2\r\n", headers={"content-type": "text/csv; charset=utf-8"})] * 2
    assert side.do(lambda client: client.run_report_csv({"uuid": "u"})) == "a,b\r\n1,2\r\n"
    assert side.do(lambda client: client.list_recipients_csv(id=1, raw=True)) == "a,b\r\n1,2\r\n"
    assert stub.arrived[0].json == {"uuid": "u", "format": "csv"}
    assert stub.arrived[1].query == {"id": "1", "raw": "true", "format": "csv"}


def test_iterates_over_pages_until_one_is_not_full(side: Side, stub: Stub) -> None:
    pages = [[{"id": n} for n in numbers] for numbers in ([9, 8], [8, 7], [6])]  # 10 came while page 1 was read
    stub.answers = [ok(json.dumps({"items": page})) for page in pages]
    assert side.do(lambda client: client.iterate_broadcasts(limit=2, offset=4)) == [{"id": n} for n in (9, 8, 7, 6)]
    assert [each.query["offset"] for each in stub.arrived] == ["4", "6", "8"]


def test_iterates_by_pages_of_200(side: Side, stub: Stub) -> None:
    stub.answers = [ok('{"payouts":[]}')]
    assert side.do(lambda client: client.iterate_all_referral_payouts(limit=1000)) == []
    assert stub.arrived[0].query == {"limit": "200", "offset": "0"}


def test_amounts_keep_every_digit_both_ways(side: Side, stub: Stub) -> None:
    digits = "12345678901234567890.123456789012345678901234567890"
    row = f'{{"unit_id":1,"available":{digits},"reserved":5,"paid":12.50,"on_hold":0}}'
    stub.answers = [ok(f'{{"balance":[{row}]}}')]
    [balance] = side.do(lambda client: client.get_referral_balance(user_id=1))["balance"]
    assert [str(balance[name]) for name in ("available", "reserved", "paid", "on_hold")] == [digits, "5", "12.50", "0"]
    assert all(isinstance(balance[name], Decimal) for name in ("available", "reserved", "paid", "on_hold"))
    assert type(balance["unit_id"]) is int
    side.do(lambda client: client.send_event({"event": "a", "user_id": 1, "value_num": digits}))
    side.do(lambda client: client.send_event([{"event": "a", "user_id": 1, "value_num": Decimal(digits)}]))
    assert stub.arrived[1].body == b'{"event":"a","user_id":1,"value_num":%s}' % digits.encode()
    assert stub.arrived[2].body == b'[{"event":"a","user_id":1,"value_num":%s}]' % digits.encode()


@pytest.mark.parametrize("body", [{"event": "a", "user_id": 1, "value_num": 0.1}, [{"event": "a", "value_num": 2.0}]])
def test_refuses_a_float_as_an_amount(side: Side, stub: Stub, body: Any) -> None:
    with pytest.raises(TypeError, match="value_num must be a Decimal, an int or a str"):
        side.do(lambda client: client.send_event(body))
    assert stub.arrived == []


def test_text_that_is_no_number_goes_out_as_text(side: Side, stub: Stub) -> None:
    body = {"event": 'quote " and \\ and \n', "user_id": 1, "value_num": "1,5", "category": "15"}
    side.do(lambda client: client.send_event(body))
    assert stub.arrived[0].json == body
