"""A real owner in a home of its own with a person's repository, driven from outside only."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

import psutil

R = TypeVar("R")
Json = dict[str, Any]

ROUNDTABLE = Path(sys.executable).with_name("roundtable")
MARK = "ROUNDTABLE_RUN"
PATIENCE = 110.0  # seconds that anything here may take on a busy machine
OVER = ("finished", "failed", "cancelled")
_OPENER = build_opener(ProxyHandler({}))


def until(look: Callable[[], R], seconds: float = PATIENCE, step: float = 0.1) -> R:
    """The first true answer of `look`."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {seen!r}"
        time.sleep(step)
    return seen


class LivingHome:
    """root: any folder; the home itself has a short path, because a socket's path is short."""

    def __init__(self, root: Path) -> None:
        self.short = Path(tempfile.mkdtemp(prefix="rt"))
        self.home = self.short / "home"
        self.person, self.repository = root / "person", root / "repository"
        self.person.mkdir()
        (self.person / ".gitconfig").write_text(
            "[user]\n\tname = Grace\n\temail = grace@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        self.env = {
            "PATH": f"{ROUNDTABLE.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.person),
            "LC_ALL": "C.UTF-8",
            "ROUNDTABLE_HOME": str(self.home),
        }
        self.owner: subprocess.Popen[bytes] | None = None
        self.facts: Json = {}

    def start(self) -> None:
        with open(self.short / "owner.stderr", "ab") as log:
            self.owner = subprocess.Popen(
                [ROUNDTABLE, "start", "--port", "0"],
                cwd=self.person,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.owner.stdout is not None
        line = self.owner.stdout.readline()
        assert line, (self.short / "owner.stderr").read_text()[-3000:]
        self.facts = json.loads(line)

    def begin(self) -> None:
        """The repository with one commit, the owner, and the one registered with the other."""
        self.make_repository()
        self.start()
        self.cli("init")

    def make_repository(self) -> None:
        self.repository.mkdir()
        self.git("init", "-q")
        (self.repository / "README.md").write_text("Hello\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Begin")

    def close(self) -> None:
        """The owner is told to stop; its agents would go on, so they are ended by their marks."""
        runs = [folder.name for folder in (self.home / "runs").glob("*")]
        if self.owner is not None:
            self.owner.send_signal(signal.SIGTERM)
            try:
                self.owner.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                self.owner.kill()
                self.owner.communicate()
        runners = set(map(self.runner_of, runs)) if runs else set()
        until(lambda: not self._kill(runs, runners), 10)
        shutil.rmtree(self.short, ignore_errors=True)

    def _kill(self, runs: list[str], runners: set[str]) -> bool:
        """Whether there was anything left."""
        left = [one for one in psutil.process_iter() if _mark(one) in runs]
        left += [one for one in psutil.process_iter() if _told(one) in runners]
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(left, 1)
        return bool(left)

    def runner_of(self, run: str) -> str:
        """The folder that the runner of a run is told in its command line."""
        return str(self.home / "runs" / run)

    # --- what a person and a program do ------------------------------------------------------

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=self.repository,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def run(self, command: list[str]) -> str:
        """Any program within the repository, as the person."""
        done = subprocess.run(
            command,
            cwd=self.repository,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def cli(self, *words: str) -> str:
        return self.run([str(ROUNDTABLE), *words])

    def get(self, path: str, **query: object) -> Any:
        return self._ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: Json) -> Any:
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: Json | None = None) -> Any:
        headers = {"Authorization": f"Bearer {(self.home / 'token').read_text().strip()}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        raw = None if body is None else json.dumps(body).encode()
        url = f"{self.facts['url']}/api/v1{path}"
        with _OPENER.open(Request(url, raw, headers, method=method), timeout=30) as answer:
            return json.load(answer)

    # --- what is seen ------------------------------------------------------------------------

    def task(self, title: str, description: str, *more: str) -> str:
        """The id of a new task of the only agent."""
        words = ("--description", description, "--json", *more)
        return str(json.loads(self.cli("task", "add", title, *words))["id"])

    def attempts(self, task: str) -> list[Json]:
        found: list[Json] = self.get(f"/tasks/{task}/attempts")["items"]
        return found

    def live(self, task: str) -> Json:
        """Its newest run, once that has its agent."""
        run = until(lambda: [one for one in self.attempts(task) if one["status"] == "running"])[-1]
        return until(lambda: self._with_agent(run["id"]))

    def _with_agent(self, run: str) -> Json:
        seen: Json = self.get(f"/runs/{run}")
        return seen if {"runner", "agent"} <= {one["role"] for one in seen["processes"]} else {}

    def ended(self, task: str, number: int = 1, seconds: float = PATIENCE) -> Json:
        """Its run of that number, once it is over."""

        def look() -> Json:
            found = self.attempts(task)
            over = len(found) >= number and found[number - 1]["status"] in OVER
            return found[number - 1] if over else {}

        seen: Json = self.get(f"/runs/{until(look, seconds)['id']}")
        return seen

    def proposal(self, task: str) -> Json:
        found = until(lambda: self.get("/proposals", task_id=task)["items"])
        seen: Json = self.get(f"/proposals/{found[0]['id']}")
        return seen

    def deliver(self, task: str) -> Json:
        """Through the command line; the proposal after it."""
        self.cli("proposal", "deliver", self.proposal(task)["id"])
        return self.proposal(task)

    def transcript(self, run: str) -> str:
        return self.cli("runs", "show", run, "--transcript")


def marked(run: str) -> list[psutil.Process]:
    """The living processes that bear the mark of the run."""
    return [one for one in psutil.process_iter() if _mark(one) == run]


def process_of(run: Json, role: str) -> psutil.Process:
    return psutil.Process(next(one["pid"] for one in run["processes"] if one["role"] == role))


def _mark(process: psutil.Process) -> str | None:
    try:
        alive = process.status() != psutil.STATUS_ZOMBIE
        return process.environ().get(MARK) if alive else None
    except (psutil.Error, OSError):
        return None


def _told(process: psutil.Process) -> str | None:
    """The last word of its command line."""
    try:
        return (process.cmdline() or [None])[-1]
    except (psutil.Error, OSError):
        return None
