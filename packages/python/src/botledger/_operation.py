"""What the generated methods call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Operation:
    """A call of the service.

    keyed: whether it takes an Idempotency-Key. harmless: whether it may be repeated after an unknown outcome.
    numbers: the fields of its body that are numbers. stream: whether its answer is read as it arrives.
    """

    method: str
    path: str
    keyed: bool
    harmless: bool
    numbers: tuple[str, ...] = ()
    stream: bool = False


Values = Mapping[str, Any]


class Calls(ABC):
    @abstractmethod
    def call(
        self,
        operation: str,
        *,
        body: Any = None,
        query: Values | None = None,
        path: Values | None = None,
        header: Values | None = None,
        idempotency_key: str | None = None,
    ) -> Any: ...

    @abstractmethod
    def _pages(self, operation: str, *, query: Values, items: str) -> Iterator[Any]: ...

    def _data(self, operation: str, **given: Any) -> Any:
        return self.call(operation, **given).get("data")

    def _receipt(self, operation: str, **given: Any) -> str | None:
        receipt: str | None = self.call(operation, **given).get("receipt")
        return receipt

    def _csv(self, operation: str, **given: Any) -> str:
        return str(self.call(operation, **as_csv(given)))


class AsyncCalls(ABC):
    @abstractmethod
    async def call(
        self,
        operation: str,
        *,
        body: Any = None,
        query: Values | None = None,
        path: Values | None = None,
        header: Values | None = None,
        idempotency_key: str | None = None,
    ) -> Any: ...

    @abstractmethod
    def _pages(self, operation: str, *, query: Values, items: str) -> AsyncIterator[Any]: ...

    async def _data(self, operation: str, **given: Any) -> Any:
        return (await self.call(operation, **given)).get("data")

    async def _receipt(self, operation: str, **given: Any) -> str | None:
        receipt: str | None = (await self.call(operation, **given)).get("receipt")
        return receipt

    async def _csv(self, operation: str, **given: Any) -> str:
        return str(await self.call(operation, **as_csv(given)))


def as_csv(given: dict[str, Any]) -> dict[str, Any]:
    """Asks for CSV in the body, where there is one, else in the query."""
    place = "body" if "body" in given else "query"
    return {**given, place: {**given[place], "format": "csv"}}
