"""Keeps the items of queues in a folder, so that a kill of the program does not lose them."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union

__all__ = ["FolderSpool", "Kept", "QueueSpool", "SpoolFolder"]

# A file has so many items at most. It is deleted when all of them have their outcome.
FILE_ITEMS = 1000

logger = logging.getLogger("botledger")

# Folders that queues of this program use.
_in_use: set[Path] = set()


class FolderSpool:
    """A folder for the queues of one program at a time. max_bytes: what all items of a queue may take.

    Files are written without fsync: a power failure may lose the last seconds.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 64 * 1024 * 1024) -> None:
        if not max_bytes > 0:
            raise ValueError("max_bytes must be more than 0")
        self._folder = Path(folder)
        self._max_bytes = max_bytes

    def open(self, name: str) -> QueueSpool:
        """Raises OSError, and RuntimeError if another queue of this program uses the folder."""
        return QueueSpool((self._folder / name).resolve(), self._max_bytes)


SpoolFolder = Union[str, "os.PathLike[str]", FolderSpool]


def opened(spool: SpoolFolder | None, operation: str) -> QueueSpool | None:
    if spool is None:
        return None
    return (spool if isinstance(spool, FolderSpool) else FolderSpool(spool)).open(operation)


@dataclass
class _File:
    path: Path
    # Open while items are added.
    descriptor: int | None
    items: int = 0
    # Items without an outcome.
    left: int = 0


class Kept:
    """An item on the disk, or in memory only if the disk failed."""

    def __init__(self, spool: QueueSpool, file: _File | None, content: bytes) -> None:
        self.content = content
        self._spool = spool
        self._file = file

    @property
    def is_on_disk(self) -> bool:
        return self._file is not None

    def release(self) -> None:
        """Forgets the item: its outcome is known. Raises no error: an item that stays comes again."""
        if self._file is not None:
            self._spool._release(self._file, self.content)


class QueueSpool:
    """The items of one queue. Its queue calls it from one thread at a time."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        if folder in _in_use:
            raise RuntimeError(f"the spool {folder} is in use by another queue of this program")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _in_use.add(folder)
        self._folder = folder
        self._max_bytes = max_bytes
        self._bytes = 0
        self._current: _File | None = None
        self._is_failing = False
        self._is_stuck = False
        self.left = list(self._read())
        """The items that an earlier program left, the oldest first."""

    def keep(self, content: bytes) -> Kept | None:
        """Keeps an item until its release. None: the spool is full. Raises no error of the disk: the item is in memory, too."""
        if self._bytes + len(content) + 1 > self._max_bytes:
            return None
        try:
            kept = self._append(content)
        except OSError:
            if not self._is_failing:
                logger.exception("failed to write to the spool; items are in memory only")
            self._is_failing = True
            # A line that was cut stays the last one of its file.
            self._seal()
            return Kept(self, None, content)
        self._is_failing = False
        return kept

    def close(self) -> None:
        """Ends the use. What was not released stays for the next program."""
        self._seal()
        _in_use.discard(self._folder)

    def _read(self) -> Iterator[Kept]:
        for path in self._paths():
            lines = _lines_of(path)
            if not lines:
                path.unlink()
            file = _File(path, None, len(lines))
            for content in lines:
                yield self._kept(file, content)

    def _append(self, content: bytes) -> Kept:
        if self._current is not None and self._current.items >= FILE_ITEMS:
            self._seal()
        if self._current is None:
            self._current = self._create()
        file = self._current
        file.items += 1
        line = content + b"\n"
        assert file.descriptor is not None
        if os.write(file.descriptor, line) < len(line):
            raise OSError("the line was written in part")
        return self._kept(file, content)

    def _kept(self, file: _File, content: bytes) -> Kept:
        self._bytes += len(content) + 1
        file.left += 1
        return Kept(self, file, content)

    def _release(self, file: _File, content: bytes) -> None:
        self._bytes -= len(content) + 1
        file.left -= 1
        if file.left > 0:
            return
        try:
            if file is self._current:
                self._seal()
            file.path.unlink(missing_ok=True)
        except OSError:
            if not self._is_stuck:
                logger.exception(
                    "failed to delete from the spool; the next start sends these items again, and they count once"
                )
            self._is_stuck = True

    def _seal(self) -> None:
        """Ends the current file: the next item begins another."""
        descriptor = None if self._current is None else self._current.descriptor
        self._current = None
        if descriptor is not None:
            os.close(descriptor)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if re.fullmatch(r"\d+\.ndjson", path.name))

    def _create(self) -> _File:
        """Makes a file that no other program has: its number is one higher than the last one's."""
        paths = self._paths()
        number = int(paths[-1].stem) + 1 if paths else 1
        while True:
            path = self._folder / f"{number:012}.ndjson"
            try:
                return _File(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                number += 1


def _lines_of(path: Path) -> list[bytes]:
    # A kill may have cut the last line: its item was not taken.
    lines = path.read_bytes().split(b"\n")[:-1]
    whole = [line for line in lines if _is_object(line)]
    if len(whole) < len(lines):
        logger.error("left out %d damaged lines of %s", len(lines) - len(whole), path)
    return whole


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
