"""Hands each test a bench of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from runner_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    sockets = Path(tempfile.mkdtemp(prefix="rt"))  # tmp_path is too long for a socket
    bench = Bench(tmp_path, sockets)
    try:
        yield bench
    finally:
        bench.close()
        shutil.rmtree(sockets)
