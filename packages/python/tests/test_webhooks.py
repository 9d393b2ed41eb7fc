"""`webhooks.verify` takes the requests of the service, and no others."""

from __future__ import annotations

import base64
import hashlib
import hmac
from decimal import Decimal

import pytest

from botledger import WebhookVerificationError, webhooks

BODY = (
    '{"type":"payout.created","timestamp":"2026-01-15T00:00:00.000Z","data":{"payout_id":17,"user_id":42,'
    '"amount":12.50000000000000001,"unit_id":3,"unit":"ü","bot":"b"}}'
)
NOW = 1_768_435_200
FORMER, CURRENT, OTHER = (f"whsec_{base64.b64encode(bytes([n]) * 32).decode()}" for n in (1, 2, 3))


def signed(*secrets: str) -> dict[str, str]:
    def one(secret: str) -> str:
        key = base64.b64decode(secret[6:])
        return "v1," + base64.b64encode(hmac.digest(key, f"payout_17.{NOW}.{BODY}".encode(), hashlib.sha256)).decode()

    signatures = " ".join(one(secret) for secret in secrets)
    return {"webhook-id": "payout_17", "webhook-timestamp": str(NOW), "webhook-signature": signatures}


@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_takes_a_request_with_every_digit_of_its_amount(body: bytes | str) -> None:
    notice = webhooks.verify(body, signed(CURRENT), CURRENT, now=lambda: NOW)
    assert notice["data"]["amount"] == Decimal("12.50000000000000001")
    assert (notice["type"], notice["data"]["unit"]) == ("payout.created", "ü")


@pytest.mark.parametrize("secrets", [CURRENT, FORMER, [FORMER, CURRENT]])
def test_takes_a_request_with_two_signatures_during_a_rotation(secrets: str | list[str]) -> None:
    upper = {name.title(): value for name, value in signed(CURRENT, FORMER).items()}
    assert webhooks.verify(BODY, upper, secrets, now=lambda: NOW)["data"]["payout_id"] == 17


def test_takes_the_request_of_the_specification() -> None:
    # Of the library standardwebhooks of JavaScript.
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    notice = webhooks.verify('{"test": 2432232314}', headers, secret, now=lambda: 1_614_265_330)
    assert dict(notice) == {"test": 2432232314}


@pytest.mark.parametrize(
    ("changed", "now", "body"),
    [
        (signed(OTHER, FORMER), NOW, BODY),
        (signed(CURRENT), NOW, BODY.replace("17", "18")),
        ({**signed(CURRENT), "webhook-id": "payout_18"}, NOW, BODY),
        ({**signed(CURRENT), "webhook-timestamp": str(NOW + 1)}, NOW, BODY),
        (signed(CURRENT), NOW + 301, BODY),
        (signed(CURRENT), NOW - 301, BODY),
        ({**signed(CURRENT), "webhook-timestamp": "nan"}, NOW, BODY),
        ({**signed(CURRENT), "webhook-timestamp": "9" * 400}, NOW, BODY),
        ({**signed(CURRENT), "webhook-timestamp": "9" * 5000}, NOW, BODY),
        ({**signed(CURRENT), "webhook-signature": signed(CURRENT)["webhook-signature"].replace("v1,", "v2,")}, NOW, BODY),
        ({**signed(CURRENT), "webhook-signature": "v1,ü"}, NOW, BODY),
        ({**signed(CURRENT), "webhook-id": ""}, NOW, BODY),
    ],
)
def test_refuses_another_secret_a_change_and_an_old_request(changed: dict[str, str], now: int, body: str) -> None:
    with pytest.raises(WebhookVerificationError):
        webhooks.verify(body, changed, CURRENT, now=lambda: now)


@pytest.mark.parametrize("secret", ["secret", "whsec_", "whsec_%"])
def test_refuses_a_secret_in_another_form(secret: str) -> None:
    with pytest.raises(ValueError):
        webhooks.verify(BODY, signed(CURRENT), secret, now=lambda: NOW)
