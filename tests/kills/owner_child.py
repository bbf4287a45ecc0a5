"""`roundtable start` with what only a test may change; run by its path, never imported.

    python owner_child.py HOME RETRY_SECONDS [FAILPOINT]...

RETRY_SECONDS stands for the 2, 10, 30 and 120 minutes of a wakeup's retries, a few seconds for the
minute that a runner may take to be born, nothing for the half minute that a limit is waited for
besides, else a campaign would wait for them. A failpoint is
`module:name:before|after:N`: the N-th call of that function is the last thing that this process
does. Beside the home lie `threads`, their ids by name once it is ready, and `doom`, if a test
writes it: "CALL N" has the next runner killed at its N-th such system call, "sleep N" late by so
many seconds. `born`, if a test writes it, is for how many seconds a runner may take to be born.
"""

import faulthandler
import functools
import importlib
import json
import os
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters.runners import LocalRunners, own_program
from roundtable_desktop.app import Owner
from roundtable_desktop.cli.main import main
from roundtable_desktop.engine import follower
from roundtable_desktop.rules import limits, retry
from roundtable_desktop.store import holds

BORN_SECONDS = 6.0
SPACING_SECONDS = 0.3


def arm(point: str) -> None:
    room, path, when, count = point.split(":")
    owner: Any = importlib.import_module(room)
    *outer, name = path.split(".")
    for step in outer:
        owner = getattr(owner, step)
    setattr(owner, name, deadly(getattr(owner, name), when, int(count)))


def deadly(function: Any, when: str, count: int) -> Any:
    calls = iter(range(1, sys.maxsize))

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        last = next(calls) == count
        if last and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = function(*arguments, **named)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    return wrapped


def doom(file: Path) -> None:
    """What is written there is taken by the next launch, the one after that is plain again."""

    def program(part: str) -> list[str]:
        try:
            call, number = file.read_text().split()
            file.unlink()
        except FileNotFoundError:
            return own_program(part)
        if call == "sleep":
            return ["sh", "-c", f'sleep {number}; exec "$@"', "sh", *own_program(part)]
        kill = f"inject={call}:signal=SIGKILL:when={number}"
        return ["strace", "-o", "/dev/null", "-e", f"trace={call}", "-e", kill, *own_program(part)]

    LocalRunners.__init__.__kwdefaults__["program"] = program


def tell_threads(file: Path) -> None:
    ready = Owner.ready

    def told(owner: Owner) -> Any:
        threads = {thread.name: thread.native_id for thread in threading.enumerate()}
        file.write_text(json.dumps(threads))
        return ready(owner)

    Owner.ready = told  # type: ignore[method-assign]


if __name__ == "__main__":
    faulthandler.register(signal.SIGUSR1)
    home, seconds, *points = sys.argv[1:]
    retry.BACKOFF = (timedelta(seconds=float(seconds)),) * len(retry.BACKOFF)
    born = Path(home).parent / "born"
    follower.START_ACK = float(born.read_text()) if born.exists() else BORN_SECONDS
    limits.BUFFER, holds.SPACING = timedelta(0), timedelta(seconds=SPACING_SECONDS)
    tell_threads(Path(home).parent / "threads")
    doom(Path(home).parent / "doom")
    for point in points:
        arm(point)
    main(["--home", home, "start", "--port", "0"])
