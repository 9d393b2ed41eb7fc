"""Checks the requests by which the service announces payouts."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, cast

from typing_extensions import TypedDict

from . import _json

_PREFIX = "whsec_"


class PayoutCreatedData(TypedDict):
    payout_id: int
    user_id: int
    amount: Decimal
    unit_id: int | None
    unit: str | None
    bot: str


class PayoutCreated(TypedDict):
    """The notice of a payout that the service sends to the address of `webhook set`."""

    type: Literal["payout.created"]
    timestamp: str
    """When the payout was requested, ISO 8601"""
    data: PayoutCreatedData


class WebhookVerificationError(Exception):
    """The request is not one of the service's, is too old, or was changed on its way. Answer it with 400."""


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_s: float = 300,
    now: Callable[[], float] = time.time,
) -> PayoutCreated:
    """Checks the signature of a request and gives its body (Standard Webhooks; docs/decisions.md#webhook-signature).

    body: the bytes as they came, or their text, not the parsed JSON. secrets: one, or the old and the new one. During a
    rotation a request has two signatures: one that fits is enough.

    Raises WebhookVerificationError, and ValueError if a secret is none.
    """
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise WebhookVerificationError(f"the header {name} is missing")
    timestamp = given["webhook-timestamp"]
    # float, and not int: of many digits it is infinite and raises no error.
    if not (timestamp.isascii() and timestamp.isdigit() and abs(now() - float(timestamp)) <= tolerance_s):
        raise WebhookVerificationError("webhook-timestamp is not a moment of the last minutes: check the clock")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + content
    for key in [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]:
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for signature in given["webhook-signature"].split(" "):
            if signature.startswith("v1,") and hmac.compare_digest(expected, signature[3:].encode()):
                return cast(PayoutCreated, _json.parse("/v1/referral/", content.decode()))
    raise WebhookVerificationError("no signature fits: check the secret, and give the body as it came")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True) if secret.startswith(_PREFIX) else b""
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("a secret must begin with whsec_, as `webhook set` shows it")
    return key
