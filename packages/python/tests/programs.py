"""Programs that end in the middle of their work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src"

HEAD = """
import asyncio, os, signal, sys, time
from botledger import AsyncClient, Client, FolderSpool
URL = sys.argv[1]
SPOOL = sys.argv[2]
def event(n): return {"event": "e", "user_id": n}
def kill(): os.kill(os.getpid(), signal.SIGKILL)
"""


def run(code: str, *parameters: str) -> tuple[int, str]:
    """Runs a program with an address and a folder for its spool. Gives its exit code and what it wrote to stderr."""
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code, *parameters], env=env, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stderr
