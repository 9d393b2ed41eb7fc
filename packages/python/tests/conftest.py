from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from service import Service, start_service
from sides import Side
from stub import Stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.close()


@pytest.fixture(params=["sync", "async"])
def side(request: Any, stub: Stub) -> Iterator[Side]:
    side = Side(request.param, stub.url)
    yield side
    side.close()


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    service = start_service()
    yield service
    service.close()
