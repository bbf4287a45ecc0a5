"""Loads the product once, and forks for each program that is to begin; run by its path (`warm.py`).

    python warm_child.py NAME

NAME is that of a socket in the abstract namespace. Who connects sends four files: what the program
is to be, in JSON, and its standard three. Answered are the pid, and its wait status when it has
ended. It ends with its standard input.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROUNDTABLE = str(Path(sys.executable).with_name("roundtable"))
BACKLOG = 128


class Beginning:
    """One thread and no other: a fork takes only the one that forks with it."""

    def __init__(self, name: str) -> None:
        self._hall = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._hall.bind(f"\0{name}")
        self._hall.listen(BACKLOG)
        self._heard = selectors.DefaultSelector()
        self._heard.register(self._hall, selectors.EVENT_READ)
        self._heard.register(0, selectors.EVENT_READ)
        self._living: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> dict[str, Any] | None:
        """In a child: what it is to be. In the first process None, at its end."""
        while True:
            for key, _ in self._heard.select():
                if key.fileobj == 0:
                    return None
                if key.fileobj is self._hall:
                    if (asked := self._begin()) is not None:
                        return asked
                else:
                    self._bury(key.fd)

    def _begin(self) -> dict[str, Any] | None:
        talk, _ = self._hall.accept()
        _, files, _, _ = socket.recv_fds(talk, 64, 4)
        if not files:  # who asked has ended
            talk.close()
            return None
        with open(files.pop(0), "rb") as file:
            file.seek(0)
            asked: dict[str, Any] = json.load(file)
        pid = os.fork()
        if pid == 0:
            talk.close()
            self._let_go()
            for number, file_number in enumerate(files):
                os.dup2(file_number, number)
        for file_number in files:
            os.close(file_number)
        if pid == 0:
            return asked
        known = os.pidfd_open(pid)
        self._living[known] = (pid, talk)
        self._heard.register(known, selectors.EVENT_READ)
        with contextlib.suppress(OSError):  # nor has it to be told now
            talk.send(b"%d" % pid)
        return None

    def _bury(self, known: int) -> None:
        pid, talk = self._living.pop(known)
        self._heard.unregister(known)
        os.close(known)
        _, status = os.waitpid(pid, 0)
        with contextlib.suppress(OSError):  # nobody asks any more
            talk.send(b"%d" % status)
        talk.close()

    def _let_go(self) -> None:
        """A child has nothing of its parent's and of its siblings'."""
        self._heard.close()
        self._hall.close()
        for known, (_, talk) in self._living.items():
            os.close(known)
            talk.close()
        self._living.clear()


def load() -> None:
    """As `start` does it: what is loaded is looked through for garbage no more."""
    gc.disable()
    from roundtable_desktop.cli.rooms import ROOM_OF

    for room in ("app", "offline", "mcp.exchange"):
        importlib.import_module(f"roundtable_desktop.{room}")
    for room in sorted({*ROOM_OF.values()}):
        importlib.import_module(f"roundtable_desktop.cli.{room}")
    gc.freeze()
    gc.enable()


def become(asked: dict[str, Any]) -> None:
    """Runs the program to its end, as an interpreter that was told to."""
    if asked["session"]:
        os.setsid()
    os.umask(asked["umask"])
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined]  # else the parent's
    if asked["script"]:
        sys.argv = [asked["script"], *asked["words"]]
        sys.path[0] = str(Path(asked["script"]).parent)
        runpy.run_path(asked["script"], run_name="__main__")
    else:
        from roundtable_desktop.cli.main import main

        sys.argv = [ROUNDTABLE, *asked["words"]]
        main()


if __name__ == "__main__":
    _beginning = Beginning(sys.argv[1])
    load()
    print("ready", flush=True)
    if (_asked := _beginning.serve()) is not None:
        become(_asked)
