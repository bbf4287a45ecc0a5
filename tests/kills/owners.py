"""Starts, finds and ends real owners of one home, and what they leave running."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

import warm

CHILD = Path(__file__).with_name("owner_child.py")
READY_SECONDS = 30.0
SELDOM = 0.1
"""Seconds between two looks of who has waited for a while."""
SHOW = signal.SIGUSR1
"""Has an owner write down where each of its threads is."""
R = TypeVar("R")
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def until(look: Callable[[], R], seconds: float, step: float = 0.02) -> R:
    """The first true answer, or the last one when the time is over; asked less and less often."""
    end = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < end:
        time.sleep(step)
        step = min(1.3 * step, max(step, SELDOM))
    return seen


class Refusal(Exception):
    """An answer of the owner that is no 2xx."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status


@dataclass
class Life:
    """One start of the owner, by the wall clock."""

    process: subprocess.Popen[bytes] | warm.Begun
    spawned: float
    ready: float | None = None
    url: str = ""
    died: float | None = None

    @property
    def age(self) -> float:
        return (self.died or time.time()) - self.spawned


@dataclass
class Owners:
    """`start` gives birth, `kill` is SIGKILL, `stop` is SIGTERM; one lives at a time. hurried: they
    begin by `warm`; what is killed then is never an interpreter that still loads."""

    home: Path
    retry_seconds: float = 0.5
    prefix: Sequence[str] = ()
    hurried: bool = False
    lives: list[Life] = field(default_factory=list)

    @property
    def life(self) -> Life:
        return self.lives[-1]

    def spawn(self, *points: str) -> Life:
        words = [str(self.home), str(self.retry_seconds), *points]
        # What it is told by the caller's environment would reach its agents.
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with open(self.home.parent / "owner.err", "ab") as errors:
            if self.hurried and not self.prefix and warm.fits(kept):
                process = warm.begin(words, CHILD, env=kept, stderr=errors, new_session=True)
            else:
                process = self._born(words, kept, errors)
        self.lives.append(Life(process, time.time()))
        return self.life

    def _born(
        self, words: Sequence[str], env: Mapping[str, str], errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.prefix, sys.executable, str(CHILD), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=env,
            start_new_session=True,
        )

    def wait_ready(self, seconds: float = READY_SECONDS) -> bool:
        """False when it died first."""
        life = self.life
        assert life.process.stdout is not None
        ready, _, _ = select.select([life.process.stdout], [], [], seconds)
        line = life.process.stdout.readline() if ready else b""
        if not line.strip():
            return False
        life.url, life.ready = json.loads(line)["url"], time.time()
        return True

    def start(self, *points: str) -> Life:
        self.spawn(*points)
        if not self.wait_ready():
            self.kill()
            raise AssertionError(f"no owner: {self.errors()[-2000:]}")
        return self.life

    def kill(self, *, group: bool = False) -> None:
        """group: with its git children, as when a session's processes are killed together."""
        life = self.life
        with contextlib.suppress(ProcessLookupError):
            if group:
                os.killpg(life.process.pid, signal.SIGKILL)
            else:
                life.process.kill()
        self._buried()

    def stop(self, seconds: float = 30.0) -> None:
        self.life.process.terminate()
        try:
            self.life.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.life.process.send_signal(SHOW)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.life.process.wait(2)
            self.life.process.kill()
            raise AssertionError(f"it does not stop: {self.errors()[-8000:]}") from None
        finally:
            self._buried()

    def wait_dead(self, seconds: float) -> bool:
        """True when it died by itself (a failpoint, an injected signal)."""
        try:
            self.life.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._buried()
        return True

    def errors(self) -> str:
        return (self.home.parent / "owner.err").read_text(errors="replace")

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        key: str | None = None,
    ) -> Any:
        """Through the API as any program does. Raises Refusal, or OSError when nobody answers."""
        token = (self.home / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
        sent = None if body is None else json.dumps(body).encode()
        path = path if path.startswith("/api/") else f"/api/v1{path}"
        return self._answer(method, path, sent, headers)

    def call(self, path: str, body: bytes, headers: Mapping[str, str]) -> Any:
        """As a stranger does, who has no token. Raises as `ask` does."""
        return self._answer("POST", path, body, {"Content-Type": "application/json", **headers})

    def _answer(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Any:
        request = urllib.request.Request(
            f"{self.life.url}{path}", method=method, data=body, headers=dict(headers)
        )
        try:
            with _OPENER.open(request, timeout=10) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise Refusal(error.code, error.read().decode(errors="replace")) from None

    def close(self) -> None:
        """Nothing of this home is left running, whatever a test did."""
        if self.lives and self.life.died is None:
            self.kill(group=True)
        for _ in range(20):
            left = belonging(self.home)
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                return
            time.sleep(0.05)

    def _buried(self) -> None:
        self.life.process.wait()
        self.life.died = self.life.died or time.time()
        if self.life.process.stdout is not None:
            self.life.process.stdout.close()


def belonging(home: Path) -> list[int]:
    """Living processes whose command, environment or folder names this home, by /proc."""
    name = os.fsencode(home)
    found = []
    for pid in (int(entry) for entry in os.listdir("/proc") if entry.isdigit()):
        if pid != os.getpid() and name in _told(pid) and not is_corpse(pid):
            found.append(pid)
    return found


def runners(home: Path) -> list[int]:
    name = os.fsencode(home / "runs")
    return [pid for pid in belonging(home) if name in _read(pid, "cmdline")]


def _told(pid: int) -> bytes:
    folder = b""
    with contextlib.suppress(OSError):
        folder = os.fsencode(os.readlink(f"/proc/{pid}/cwd"))
    return _read(pid, "cmdline") + _read(pid, "environ") + folder


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def is_corpse(pid: int) -> bool:
    """Dead, reaped or not."""
    return _read(pid, "stat").rpartition(b")")[2][1:2] in (b"Z", b"")
