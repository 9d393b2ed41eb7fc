"""The spool of both queues, with real kills of a program."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import run
from queues import QueueSide
from stub import Answer, Arrived, Drop, Stub, refused

import botledger

SIGKILLED = -9


@pytest.fixture(params=["sync", "async"])
def queue(request: Any, stub: Stub) -> Iterator[QueueSide]:
    side = QueueSide(request.param, stub.url)
    yield side
    side.end()


def event(n: int) -> dict[str, Any]:
    return {"event": "e", "user_id": n}


def files(spool: Path) -> list[Path]:
    return sorted((spool / "sendEvent").iterdir())


PROGRAMS = {
    "sync": """
queue = Client(URL, "key").event_queue(max_batch=2, max_delay_s={delay}, spool=SPOOL)
for n in {events}: queue.add(event(n))
{end}
""",
    "async": """
async def main():
    queue = AsyncClient(URL, "key").event_queue(max_batch=2, max_delay_s={delay}, spool=SPOOL)
    for n in {events}: queue.add(event(n))
    queue.start()
    await asyncio.sleep({seconds})
    {end_async}
asyncio.run(main())
""",
}


def program(kind: str, *, events: list[int], kill: bool, delay: float = 60, seconds: float = 0.5) -> str:
    end = f"time.sleep({seconds}); kill()" if kill else "queue.close()"
    end_async = "kill()" if kill else "await queue.close()"
    return PROGRAMS[kind].format(events=events, end=end, end_async=end_async, delay=delay, seconds=seconds)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_killed_program_loses_nothing_that_its_queue_took(kind: str, stub: Stub, tmp_path: Path) -> None:
    stub.answers = [refused(503, "down")] * 50
    code, errors = run(program(kind, events=[1, 2, 3, 4, 5], kill=True), stub.url, str(tmp_path))
    assert code == SIGKILLED, errors
    stub.answers.clear()
    refused_before = len(stub.arrived)
    code, errors = run(program(kind, events=[6], kill=False), stub.url, str(tmp_path))
    assert (code, errors) == (0, "")
    sent = [item for each in stub.arrived[refused_before:] for item in each.json]
    assert [item["user_id"] for item in sent] == [1, 2, 3, 4, 5, 6]
    assert len({item["event_key"] for item in sent}) == 6
    assert files(tmp_path) == []


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_batch_that_was_accepted_when_its_program_was_killed_comes_again_with_the_same_keys(
    kind: str, stub: Stub, tmp_path: Path
) -> None:
    late = threading.Event()

    def answer(_: Arrived) -> Answer:
        late.wait(5)
        return Answer()

    stub.answers = [answer]
    code, _ = run(program(kind, events=[1, 2], kill=True, seconds=1), stub.url, str(tmp_path))
    late.set()
    assert (code, len(stub.arrived)) == (SIGKILLED, 1)
    run(program(kind, events=[], kill=False), stub.url, str(tmp_path))
    first, second = stub.arrived
    assert first.json == second.json
    assert all(item["event_key"].startswith("spool ") for item in first.json)


def test_an_item_is_on_the_disk_before_add_returns_until_it_has_its_outcome(
    queue: QueueSide, stub: Stub, tmp_path: Path
) -> None:
    queue.open(spool=tmp_path).add(event(1), event(2))
    [file] = files(tmp_path)
    assert [json.loads(line)["user_id"] for line in file.read_bytes().splitlines()] == [1, 2]
    assert file.stat().st_mode & 0o777 == 0o600
    queue.flush()
    assert files(tmp_path) == []
    assert queue.close() == (2, 0)


def test_amounts_keep_their_digits_and_a_cut_line_is_left_out(queue: QueueSide, stub: Stub, tmp_path: Path) -> None:
    amount = b'"value_num":0.1000000000000000000001'
    (tmp_path / "sendEvent").mkdir()
    whole = b'{"event":"e","user_id":1,"event_key":"k",' + amount + b"}\n"
    (tmp_path / "sendEvent/000000000007.ndjson").write_bytes(whole + whole[:20])
    (tmp_path / "sendEvent/000000000008.ndjson").write_bytes(b"")
    assert len(queue.open(spool=str(tmp_path)).queue) == 1
    assert queue.close() == (1, 0)
    assert stub.arrived[0].body == b"[" + whole.strip() + b"]"
    assert files(tmp_path) == []


def test_damaged_lines_are_left_out_and_logged(
    queue: QueueSide, stub: Stub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sendEvent").mkdir()
    file = tmp_path / "sendEvent/000000000001.ndjson"
    file.write_bytes(b'\0\0\n"text"\n' + json.dumps(event(1)).encode() + b"\n")
    queue.open(spool=tmp_path)
    assert queue.close() == (1, 0)
    assert f"left out 2 damaged lines of {file}" in caplog.text
    assert files(tmp_path) == []


def test_a_spool_is_bounded_and_has_room_again(queue: QueueSide, stub: Stub, tmp_path: Path) -> None:
    taken = queue.open(spool=botledger.FolderSpool(tmp_path, max_bytes=200)).add(*(event(n) for n in range(1, 10)))
    assert taken[0] is True
    assert taken[-1] is False
    queue.flush()
    assert queue.add(event(10)) == [True]


def test_close_leaves_in_the_spool_what_it_had_no_time_for(queue: QueueSide, stub: Stub, tmp_path: Path) -> None:
    stub.answers = [refused(503, "stopping", {"retry-after": "1"})]
    queue.open(max_batch=1, spool=tmp_path).add(event(1), event(2))
    queue.until(lambda: len(stub.arrived) == 1)
    queue.begin_close()
    queue.elapse(10.0)
    assert queue.closed() == (0, 0)
    assert (queue.failures, len(queue.queue)) == ([], 2)
    next_queue = queue.open(spool=tmp_path)
    assert next_queue.close() == (2, 0)


def test_what_the_service_refused_leaves_the_spool(queue: QueueSide, stub: Stub, tmp_path: Path) -> None:
    stub.answers = [refused(403, "no")]
    queue.open(spool=tmp_path).add(event(1))
    assert queue.close() == (0, 1)
    assert len(queue.failures) == 1
    assert files(tmp_path) == []


def test_a_spool_serves_one_queue_of_a_program_at_a_time(queue: QueueSide, tmp_path: Path) -> None:
    queue.open(spool=tmp_path)
    with pytest.raises(RuntimeError, match="is in use by another queue"):
        queue.open(spool=tmp_path)
    queue.close()
    queue.open(spool=tmp_path).close()


def test_a_spool_that_the_disk_refuses_is_logged_once_and_its_items_are_sent(
    queue: QueueSide, stub: Stub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    queue.open(spool=tmp_path / "spool")
    shutil.rmtree(tmp_path / "spool")
    queue.add(event(1), event(2))
    assert queue.close() == (2, 0)
    assert caplog.text.count("failed to write to the spool; items are in memory only") == 1


def test_close_hands_back_what_only_the_memory_had_since_the_disk_failed(
    queue: QueueSide, stub: Stub, tmp_path: Path
) -> None:
    stub.answers = [refused(503, "stopping", {"retry-after": "1"})]
    queue.open(max_batch=1, spool=tmp_path)
    shutil.rmtree(tmp_path / "sendEvent")
    queue.add(event(1))
    (tmp_path / "sendEvent").mkdir()
    queue.add(event(2))
    queue.until(lambda: len(stub.arrived) == 1)
    queue.begin_close()
    queue.elapse(10.0)
    assert queue.closed() == (0, 1)
    [(_, items)] = queue.failures
    assert ([item["user_id"] for item in items], len(queue.queue)) == ([1], 1)
    assert queue.open(spool=tmp_path).close() == (1, 0)


def test_a_spool_whose_files_cannot_be_deleted_is_logged_once_and_the_queue_continues(
    queue: QueueSide, stub: Stub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    queue.open(spool=tmp_path)
    for n in (1, 2):
        queue.add(event(n))
        file = files(tmp_path)[-1]
        file.unlink()
        file.mkdir()
        queue.flush()
    queue.add(event(3))
    assert queue.close() == (3, 0)
    assert ([item["user_id"] for each in stub.arrived for item in each.json], queue.failures) == ([1, 2, 3], [])
    assert caplog.text.count("failed to delete from the spool") == 1


def test_a_lost_connection_keeps_the_items(queue: QueueSide, stub: Stub, tmp_path: Path) -> None:
    stub.answers = [Drop()]
    queue.open(spool=tmp_path).add(event(1))
    assert queue.close() == (1, 0)
    assert files(tmp_path) == []
