from __future__ import annotations

import json

import generate
import pytest

import botledger


def test_generated_files_are_current() -> None:
    for path, text in generate.generated().items():
        assert path.read_text(encoding="utf-8") == text, "run: python packages/python/generate.py"


@pytest.mark.parametrize("client", [botledger.Client, botledger.AsyncClient])
def test_each_operation_has_a_method(client: type) -> None:
    openapi = json.loads(generate.OPENAPI.read_text(encoding="utf-8"))
    ids = [spec["operationId"] for specs in openapi["paths"].values() for spec in specs.values()]
    assert len(ids) > 70
    # These answer no JSON: the rows of exports have `export_rows`, a statement is a PDF.
    files = {"exportEvents", "exportUsers", "exportAccruals", "exportRecipients", "getReferralStatement"}
    assert {name for name in ids if not callable(getattr(client, generate.snake(name), None))} == files
