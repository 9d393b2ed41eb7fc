"""Reads lists from page to page: without input and output, so for both clients."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# As many items as every list of the service gives at once.
MAX_LIMIT = 200


class Pages:
    """If newer items move the list by less than a page, items of the page before come again, and are left out."""

    def __init__(self, query: Mapping[str, Any], items: str) -> None:
        """`items`: the field of `data` that has the array"""
        self._limit = min(query.get("limit") or MAX_LIMIT, MAX_LIMIT)
        self._offset = query.get("offset") or 0
        self._query = query
        self._items = items
        self._before: set[str] = set()
        self.is_last = False

    @property
    def query(self) -> dict[str, Any]:
        """The query of the next page."""
        return {**self._query, "limit": self._limit, "offset": self._offset}

    def new_items(self, answer: Mapping[str, Any]) -> list[Any]:
        """The items of a page that the page before did not have."""
        items: list[Any] = answer["data"][self._items]
        new = [item for item in items if _name_of(item) not in self._before]
        self._before = {_name_of(item) for item in items}
        self._offset += self._limit
        self.is_last = len(items) < self._limit
        return new


def _name_of(item: Any) -> str:
    """Tells the items of a list apart, also if other fields of an item have changed."""
    return json.dumps(item["id"] if isinstance(item, dict) and "id" in item else item, default=str)
