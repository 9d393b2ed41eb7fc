"""What both clients are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from . import _json
from ._attempts import OnRequest, Steps, attempts, request_of
from ._operation import Operation, Values


class Settings:
    """The settings of a client, and the calls that it makes of them."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        resource_key: str | None,
        max_retries: float,
        timeout_s: float,
        random: Callable[[], float],
        new_key: Callable[[], str],
        now: Callable[[], float],
        on_request: OnRequest | None,
        new_request_id: Callable[[], str],
    ) -> None:
        url = httpx.URL(base_url)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError(f"base_url must be an address like https://botledger.example.org, not {base_url!r}")
        headers = {"api-key": api_key} if resource_key is None else {"api-key": api_key, "resource-key": resource_key}
        for name, value in headers.items():
            if not value or not value.isascii() or not value.isprintable():
                raise ValueError(f"{name} must be printable ASCII")
        if not max_retries >= 0:
            raise ValueError("max_retries must be 0 or more")
        if not timeout_s > 0:
            raise ValueError("timeout_s must be more than 0")
        self.base_url = base_url.rstrip("/")
        self.headers = headers
        self.max_retries = max_retries
        self.timeout_s = timeout_s
        self._random = random
        self.new_key = new_key
        self._now = now
        self._on_request = on_request
        self._new_request_id = new_request_id

    def steps(
        self,
        operation: Operation,
        *,
        body: Any = None,
        content: bytes | None = None,
        query: Values | None = None,
        path: Values | None = None,
        header: Values | None = None,
        idempotency_key: str | None = None,
        max_retries: float | None = None,
    ) -> Steps:
        """The steps of a call. `content`: the bytes of a body that is not in `body`."""
        if idempotency_key is not None and not operation.keyed:
            raise ValueError(f"{operation.path} takes no Idempotency-Key")
        key = (idempotency_key or self.new_key()) if operation.keyed else None
        request = request_of(
            operation,
            content=_json.dump(body, operation.numbers) if body is not None else content,
            query=query or {},
            path=path or {},
            header=header or {},
            key=key,
            request_id=self._new_request_id(),
        )
        retries = self.max_retries if max_retries is None else max_retries
        return attempts(
            operation, request, max_retries=retries, random=self._random, now=self._now, on_request=self._on_request
        )
