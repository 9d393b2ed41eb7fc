"""JSON without floats where digits matter."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ._operations import AMOUNT_PATHS, AMOUNTS

_HAS_AMOUNTS = re.compile(AMOUNT_PATHS)
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def parse(path: str, text: str) -> Any:
    """Reads an answer without losing a digit: numbers with a fraction are Decimal, and amounts always are.

    Raises ValueError if it is no JSON.
    """
    if not _HAS_AMOUNTS.match(path):
        return json.loads(text, parse_float=Decimal)
    return json.loads(text, parse_float=Decimal, object_hook=_with_amounts)


def _with_amounts(fields: dict[str, Any]) -> dict[str, Any]:
    for name in AMOUNTS & fields.keys():
        if isinstance(fields[name], int) and not isinstance(fields[name], bool):
            fields[name] = Decimal(fields[name])
    return fields


class _Digits(str):
    """A text that goes out as a number with these digits."""


def dump(body: object, numbers: tuple[str, ...] = ()) -> bytes:
    """The bytes of a body. Text in one of the fields `numbers` becomes a number with the same digits.

    Raises TypeError if one of these fields is a float: it may have lost digits already. Raises TypeError or ValueError with the
    place of a value that JSON does not hold.
    """
    return _text(_exact(body, numbers)).encode()


def _exact(body: object, numbers: tuple[str, ...]) -> object:
    if not numbers:
        return body
    if isinstance(body, (list, tuple)):
        return [_exact(item, numbers) for item in body]
    if not isinstance(body, Mapping):
        return body
    return {name: _number(name, value) if name in numbers else value for name, value in body.items()}


def _number(name: str, value: object) -> object:
    if isinstance(value, float):
        raise TypeError(f"{name} must be a Decimal, an int or a str: the float {value} may have lost digits")
    return _Digits(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


def _text(value: object, path: tuple[str, ...] = ()) -> str:
    """Raises TypeError or ValueError with the place of a value that JSON does not hold."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no number of JSON{_at(path)}")
        return str(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"the name of a field must be a str, not {name!r}{_at(path)}")
        fields = (f"{_text(name, path)}:{_text(item, (*path, name))}" for name, item in value.items())
        return "{" + ",".join(fields) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_text(item, (*path, str(index))) for index, item in enumerate(value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number of JSON{_at(path)}")
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the text has half a character{_at(path)}") from error
    except TypeError as error:
        raise TypeError(f"a {type(value).__name__} is no JSON{_at(path)}") from error
    return text


def _at(path: tuple[str, ...]) -> str:
    return f" (at {'.'.join(path)})" if path else ""
