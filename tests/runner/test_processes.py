"""The sweep by a mark, on a machine that has no time for it."""

import os
import subprocess
import sys
import time

import pytest

from roundtable_desktop.adapters import processes

LOOK = 0.3


@pytest.mark.slow
@pytest.mark.proves("C-71", "C-101")
def test_a_sweep_takes_its_seconds_and_not_its_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through thousands of processes of a loaded machine is slow by itself."""
    every = processes._newest_first

    def slowly() -> list[int]:
        time.sleep(LOOK)
        return every()

    monkeypatch.setattr(processes, "_newest_first", slowly)
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
        assert deaf.wait(60) == -9


FORKS = """
import os, time
end = time.monotonic() + 20
print("up", flush=True)
while time.monotonic() < end:
    if os.fork(): os._exit(0)
    os.setsid()
    time.sleep(0.005)
"""


@pytest.mark.slow
@pytest.mark.proves("C-71", "F-35", "F-36")
def test_a_chain_of_sessions_is_swept_without_its_group_and_without_a_runner() -> None:
    """Each link is gone before a look at all that there is comes to it."""
    mark = f"ROUNDTABLE_RUN=chain-{os.getpid()}"
    name, _, value = mark.partition("=")
    code = ["-c", f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{FORKS}"]
    with subprocess.Popen(
        [sys.executable, "-S", *code],
        env={**os.environ, name: value},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as first:
        assert first.stdout is not None and first.stdout.readline() == b"up\n"
        assert processes.sweep(mark) == []
        for _ in range(5):
            assert processes.marked(mark) == []
