"""Runs a test with both clients."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx

import botledger


class Side:
    """A client without real waits. `waits` are the seconds that it would have waited."""

    def __init__(self, kind: str, url: str) -> None:
        self.kind = kind
        self.waits: list[float] = []
        self._keys = 0
        self._loop = asyncio.new_event_loop()
        self._url = url
        self.client: Any = self.make()

    def make(self, *, url: str | None = None, api_key: str = "key", **options: Any) -> Any:
        # Without TLS, whose certificates take 0.2 s to load.
        http = httpx.AsyncClient(verify=False) if self.kind == "async" else httpx.Client(verify=False)
        injected: dict[str, Any] = {"http": http, "random": lambda: 0.0, "new_key": self._new_key, "now": lambda: 1_767_225_600.0}
        if self.kind == "async":
            return botledger.AsyncClient(url or self._url, api_key, sleep=self._wait, **{**injected, **options})
        return botledger.Client(url or self._url, api_key, sleep=self.waits.append, **{**injected, **options})

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def _new_key(self) -> str:
        self._keys += 1
        return f"key-{self._keys}"

    def do(self, act: Callable[[Any], Any]) -> Any:
        """The result of a call of the client; the items of an iterator."""

        async def run() -> Any:
            result = act(self.client)
            if isinstance(result, AsyncIterator):
                return [item async for item in result]
            if isinstance(result, Iterator):
                return list(result)
            return await result if inspect.isawaitable(result) else result

        return self._loop.run_until_complete(run())

    def close(self) -> None:
        self.do(lambda client: client.close())
        self._loop.close()
