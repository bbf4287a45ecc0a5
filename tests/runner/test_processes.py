"""The sweep by a mark, on a machine that has no time for it."""

import os
import subprocess
import time

import psutil
import pytest

from roundtable_desktop.adapters import processes

LOOK = 0.3


@pytest.mark.slow
@pytest.mark.proves("C-71", "C-101")
def test_a_sweep_takes_its_seconds_and_not_its_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through thousands of processes of a loaded machine is slow by itself."""
    every = psutil.process_iter

    def slowly() -> object:
        time.sleep(LOOK)
        return every()

    monkeypatch.setattr(psutil, "process_iter", slowly)
    mark = f"ROUNDTABLE_RUN=sweep-{os.getpid()}"
    name, _, value = mark.partition("=")
    with subprocess.Popen(
        ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"],
        env={**os.environ, name: value},
        stdout=subprocess.PIPE,
    ) as deaf:
        assert deaf.stdout is not None and deaf.stdout.readline() == b"up\n"
        began = time.monotonic()
        assert processes.sweep(mark) == []
        assert time.monotonic() - began < processes.TERM_SECONDS + processes.KILL_SECONDS + 8 * LOOK
        assert deaf.wait(5) == -9
