"""The clients on the service of this repository."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from service import Service, awaited

import botledger

FOLDER = Path(__file__).resolve().parents[1]


def test_events_of_a_queue_count_once_and_a_refused_one_comes_back(service: Service) -> None:
    refused: list[object] = []
    client = service.client()
    with client.event_queue(on_failed=lambda error, items: refused.extend(items)) as queue:
        for n in range(501, 551):
            queue.add({"event": "clicked", "user_id": n, "event_key": f"click {n}"})
        queue.add({"event": "", "user_id": 1})
    assert refused == [{"event": "", "user_id": 1}]
    # The users are unknown until the platform names them; their events then count.
    client.send_batch_update([{"update": update(n)} for n in range(501, 551)])
    awaited(lambda: count_of(client, "clicked") == 50, "50 events are counted")


def update(user: int) -> dict[str, object]:
    chat = {"id": user, "type": "private"}
    sender = {"id": user, "is_bot": False, "first_name": "Ada"}
    return {
        "update_id": 1000 + user,
        "message": {"message_id": 1, "date": 1_767_225_600, "chat": chat, "from": sender, "text": "hello"},
    }


def count_of(client: botledger.Client, event: str) -> int:
    return next((item["count"] for item in client.list_report_events()["items"] if item["name"] == event), 0)


def test_an_amount_keeps_its_digits_through_the_service(service: Service) -> None:
    client = service.client()
    awaited(lambda: count_of(client, "clicked"), "an event for the rule")
    [event] = [item["event_id"] for item in client.list_report_events()["items"] if item["name"] == "clicked"]
    amount = "1234567890123.45"
    service.cli(
        *("rule", "create", "--bot", "demo", "--name", "Clicks", "--type", "fixed", "--amount", amount),
        *("--trigger-event-id", str(event)),
    )
    client.mark_referral({"referral_user_id": 502, "referrer_user_id": 501})
    client.send_event({"event": "clicked", "user_id": 502})
    balance = awaited(lambda: client.get_referral_balance(user_id=501)["balance"], "user 501 has earned")
    assert [row["available"] for row in balance] == [Decimal(amount)]
    key = "payout of January"
    paid = client.request_referral_payout({"user_id": 501, "method": "manual"}, idempotency_key=key)
    assert client.request_referral_payout({"user_id": 501, "method": "manual"}, idempotency_key=key) == paid


def test_errors_of_the_service_have_their_classes(service: Service) -> None:
    with pytest.raises(botledger.InvalidRequestError) as raised:
        service.client().send_event({"event": "x", "user_id": -1})
    assert [problem["path"] for problem in raised.value.details] == ["user_id"]
    with pytest.raises(botledger.AuthenticationError):
        botledger.Client(service.url, "no-key", http=httpx.Client(verify=False)).list_units()

    async def act() -> None:
        async with botledger.AsyncClient(service.url, service.key, http=httpx.AsyncClient(verify=False)) as client:
            with pytest.raises(botledger.NotFoundError):
                await client.get_broadcast(id=999)

    asyncio.run(act())


def test_the_examples_of_the_readme_run(service: Service, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (FOLDER / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 3
    program = tmp_path / "readme.py"
    program.write_text("\n".join(blocks))
    env = {**os.environ, "BOTLEDGER_URL": service.url, "BOTLEDGER_KEY": service.key, "PYTHONPATH": str(FOLDER / "src")}
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Closed(sent=2500, failed=0)" in done.stdout
