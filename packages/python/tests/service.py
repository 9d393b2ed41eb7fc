"""The service of this repository, on an embedded PostgreSQL in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

import botledger

ROOT = Path(__file__).resolve().parents[3]
T = TypeVar("T")


def awaited(read: Callable[[], T | None], what: str, within_s: float = 120.0) -> T:
    """Waits for a state: reads until there is a value."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        value = read()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {within_s} s")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Service:
    def __init__(self, platform_port: int) -> None:
        self.platform_port = platform_port
        self._folder = tempfile.mkdtemp(prefix="botledger-python-")
        os.chmod(self._folder, 0o755)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._env = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            "PORT": str(port),
            "DATA_DIR": f"{self._folder}/data",
            "TELEGRAM_API_ROOT": f"http://127.0.0.1:{platform_port}",
            "LOG_LEVEL": "warn",
            "EVENT_LOG": "postgres",
        }
        self._output = open(f"{self._folder}/output", "w+")
        self._process = subprocess.Popen(
            ["node", "dist/app/main.js"], cwd=ROOT, env=self._env, stdout=self._output, stderr=subprocess.STDOUT
        )
        awaited(self._is_ready, "the service is ready")
        self.key = Path(f"{self._folder}/data/demo.key").read_text().strip()

    def _is_ready(self) -> bool:
        if self._process.poll() is not None:
            self._output.seek(0)
            raise AssertionError(f"the service ended:\n{self._output.read()}")
        try:
            with urllib.request.urlopen(f"{self.url}/ready") as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError):
            return False

    def client(self) -> botledger.Client:
        return botledger.Client(self.url, self.key, http=httpx.Client(verify=False))

    def cli(self, *parameters: str) -> Any:
        """Runs a command on the service's data; gives its answer."""
        done = subprocess.run(
            ["node", "bin/botledger.js", *parameters, "--json"], cwd=ROOT, env=self._env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def close(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
        self._output.close()
        shutil.rmtree(self._folder)


def start_service() -> Service:
    """Skips the test where the service is not built."""
    if shutil.which("node") is None or not (ROOT / "node_modules").exists() or not (ROOT / "dist/app/main.js").exists():
        pytest.skip("THE SERVICE IS NOT BUILT, so the tests on it are skipped: npm ci")
    return Service(free_port())
