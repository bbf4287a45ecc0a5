"""The installed product in a home of its own, driven as a person, a program or a browser does."""

import contextlib
import http.client
import itertools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

import psutil
import warm
from begun_repositories import begin as begin_repository
from warm import ROUNDTABLE as ROUNDTABLE

R = TypeVar("R")

PATIENCE = 30.0  # seconds that anything here may take on a busy machine
SELDOM = 0.25
"""Seconds between two looks of who has waited for a while."""
OVER = ("finished", "failed", "cancelled")


def until(look: Callable[[], R], seconds: float = PATIENCE, step: float = 0.04) -> R:
    """The first true answer of `look`; the first of a list that is empty yet is no answer. It is
    asked less and less often: to be asked costs what is waited for its time."""
    end = time.monotonic() + seconds
    while True:
        try:
            seen: R | None = look()
        except IndexError:
            seen = None
        if seen:
            return seen
        assert time.monotonic() < end, f"nothing came within {seconds} s: {seen!r}"
        time.sleep(step)
        step = min(1.3 * step, max(step, SELDOM))


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def __getitem__(self, name: str) -> str:
        return ", ".join(v for k, v in self.headers if k.lower() == name.lower())

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Person:
    """A folder of one's own, with git told who one is, and the command line. hurried: programs of
    the product begin by `warm`, where nothing asks how they are born."""

    def __init__(self, root: Path, hurried: bool = False) -> None:
        self.root, self.hurried = root, hurried
        self.folder = root / "person"
        self.folder.mkdir(parents=True)
        (self.folder / ".gitconfig").write_text(
            "[user]\n\tname = Grace Höpper\n\temail = grace@example.org\n"
            "[init]\n\tdefaultBranch = main\n"
        )
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "ROUNDTABLE_HOME": str(root / "home"),
        }

    def git(self, *words: str, at: Path, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *words], cwd=at, env=self.env, capture_output=True, text=True, timeout=60
        )
        assert not check or done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def repository(self, name: str = "repo", files: dict[str, str] | None = None) -> Path:
        """A module's fixture is made anew when a worker comes back to it: the name goes on."""
        numbered = (self.root / f"{name}{number or ''}" for number in itertools.count())
        path = next(place for place in numbered if not place.exists())
        files = files or {"README.md": "Hello\n", "notes.txt": "one\n"}
        begin_repository(
            path, files, name="Grace Höpper", email="grace@example.org", message="Begin"
        )
        return path

    def cli(
        self,
        *words: str | bytes,
        at: Path | None = None,
        given: str | bytes = "",
        env: dict[str, str] | None = None,
        seconds: float = 60,
    ) -> Done:
        raw = given.encode() if isinstance(given, str) else given
        told, known = [os.fsdecode(word) for word in words], self.env | (env or {})
        run = warm.run if self.hurried and warm.fits(env or {}) else warm.run_cold
        code, out, err = run(told, raw, env=known, cwd=at or self.root, seconds=seconds)
        found = Done(code, out.decode(), err.decode())
        assert "Traceback" not in found.said, found.said
        assert "\x1b" not in found.said, "a pipe gets no colour and no control sequence"
        return found


class House(Person):
    """A person with a home for the product, and perhaps a running owner in it."""

    def __init__(self, root: Path, hurried: bool = False) -> None:
        super().__init__(root, hurried)
        self.home = root / "home"
        self.owner: subprocess.Popen[bytes] | warm.Begun | None = None
        self.facts: dict[str, Any] = {}

    # --- the owner -----------------------------------------------------------------------------

    def start(self, *words: str, umask: int = -1, **env: str) -> dict[str, Any]:
        told = ["start", *(words or ("--port", "0"))]
        begin = warm.begin if self.hurried and warm.fits(env) else warm.begin_cold
        with open(self.root / "owner.stderr", "ab") as log:
            self.owner = begin(told, env=self.env | env, cwd=self.root, stderr=log, umask=umask)
        assert self.owner.stdout is not None
        line = self.owner.stdout.readline()
        assert line, (self.root / "owner.stderr").read_text()[-3000:]
        self.facts = json.loads(line)
        return self.facts

    def end(self, number: int = signal.SIGTERM) -> tuple[int, bytes]:
        """Its exit code, and what it still wrote on stdout."""
        assert self.owner is not None
        self.owner.send_signal(number)
        rest, _ = self.owner.communicate(timeout=PATIENCE)
        code, self.owner = self.owner.returncode, None
        return code, rest

    def processes(self) -> list[psutil.Process]:
        """Whatever runs with this person's folder as its HOME."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("HOME") == str(self.folder):
                    found.append(process)
        return found

    def close(self) -> None:
        if self.owner is not None and self.owner.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.end()
        if self.owner is not None:
            self.owner.kill()
            self.owner.communicate()
        for _ in range(5):
            left = self.processes()
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            if not left:
                return
            psutil.wait_procs(left, 1)

    @property
    def port(self) -> int:
        return int(urlsplit(self.facts["url"]).port or 0)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def browser_host(self) -> str:
        return urlsplit(self.facts["browser_url"]).netloc

    @property
    def token(self) -> str:
        return (self.home / "token").read_text().strip()

    # --- HTTP ----------------------------------------------------------------------------------

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: dict[str, str] | None = None,
        host: str | None = None,
    ) -> Answer:
        """One request without any credential but what `headers` holds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            sent = {"Host": host or self.address, **(headers or {})}
            raw = body.encode() if isinstance(body, str) else body
            with contextlib.suppress(BrokenPipeError):  # too large: the answer came before
                connection.request(method, path, raw, sent)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def program(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """As a program that holds the token; paths below /api/v1; header names with _ for -."""
        sent = {"Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        raw = body if isinstance(body, bytes | str | None) else json.dumps(body)
        if raw is not None:
            sent = {"Content-Type": "application/json"} | sent
        return self.ask(method, f"/api/v1{path}", raw, sent)

    def get(self, path: str, **query: object) -> Any:
        answer = self.program("GET", f"{path}?{urlencode(query)}" if query else path)
        assert answer.status == 200, answer.text
        return answer.json

    def post(self, path: str, body: object = None, **headers: str) -> Any:
        answer = self.program("POST", path, {} if body is None else body, **headers)
        assert answer.status in (200, 201, 202), answer.text
        return answer.json

    # --- what people do ------------------------------------------------------------------------

    def workspace(self, path: Path, **more: object) -> "Room":
        return Room(self, path, self.post("/workspaces", {"path": str(path), **more}))

    def room(self, name: str = "repo", files: dict[str, str] | None = None) -> "Room":
        return self.workspace(self.repository(name, files))

    def run(self, run_id: str) -> Any:
        return self.get(f"/runs/{run_id}")

    def transcript(self, run_id: str) -> str:
        text, after = "", None
        while True:
            page = self.get(f"/runs/{run_id}/transcript", **({"after": after} if after else {}))
            text += "".join(entry["text"] for entry in page["items"])
            after = page["next_cursor"]
            if after is None:
                return text

    def query(self, sql: str) -> list[Any]:
        with contextlib.closing(
            sqlite3.connect(f"file:{self.home}/roundtable.db?mode=ro", 5)
        ) as db:
            return db.execute(sql).fetchall()


@contextlib.contextmanager
def started(root: Path, hurried: bool = False) -> Iterator[House]:
    """A home of its own below `root`, with a running owner."""
    house = House(root, hurried)
    try:
        house.start()
        yield house
    finally:
        house.close()


class Room:
    """One registered repository, with agents that are plain programs."""

    def __init__(self, house: House, path: Path, shown: dict[str, Any]) -> None:
        self.house = house
        self.path = path
        self.id = shown["id"]
        self.shown = shown

    def agent(self, *command: str, name: str = "worker", **more: object) -> str:
        body = {"workspace_id": self.id, "name": name, "adapter": "command", "cooldown_sec": 0}
        made = self.house.post("/agents", body | {"command": list(command)} | more)
        return str(made["id"])

    def shell(self, script: str, name: str = "worker", **more: object) -> str:
        return self.agent("sh", "-c", script, name=name, **more)

    def python(self, script: str, name: str = "worker", **more: object) -> str:
        return self.agent(sys.executable, "-c", script, name=name, **more)

    def task(self, title: str, agent: str | None = None, **more: object) -> Any:
        body: dict[str, object] = {"workspace_id": self.id, "title": title}
        if agent is not None:
            body["assignee_agent_id"] = agent
        return self.house.post("/tasks", body | more)

    def live(self, task: Any) -> Any:
        """The task's run, once its agent is there."""

        def look() -> Any:
            for run in self.house.get("/runs", task_id=task["id"])["items"]:
                if run["status"] == "running":
                    seen = self.house.run(run["id"])
                    if any(one["role"] == "agent" for one in seen["processes"]):
                        return seen
            return None

        return until(look)

    def ended(self, task: Any, number: int = 1, seconds: float = PATIENCE) -> Any:
        """The task's run number `number`, once it is over."""

        def look() -> Any:
            found = self.house.get(f"/tasks/{task['id']}/attempts")["items"]
            return len(found) >= number and found[number - 1]["status"] in OVER

        until(look, seconds)
        attempts = self.house.get(f"/tasks/{task['id']}/attempts")["items"]
        return self.house.run(attempts[number - 1]["id"])

    def proposal(self, task: Any) -> Any:
        found = until(lambda: self.house.get("/proposals", task_id=task["id"])["items"])
        return self.house.get(f"/proposals/{found[0]['id']}")

    def delivered(self, proposal: Any, **more: object) -> Any:
        """The proposal after one try."""
        before = len(proposal["deliveries"])
        self.house.post(f"/proposals/{proposal['id']}/deliver", more)

        def look() -> Any:
            seen = self.house.get(f"/proposals/{proposal['id']}")
            tries = seen["deliveries"]
            return len(tries) > before and tries[-1]["status"] != "intended" and seen

        return until(look)

    def lands(self, proposal: Any) -> None:
        """Delivered, or the reason why not."""
        seen = self.delivered(proposal)
        assert seen["status"] == "delivered", seen["deliveries"][-1]["reason"]

    def git(self, *words: str, check: bool = True) -> str:
        return self.house.git(*words, at=self.path, check=check)


class Browser:
    """Signed in through the link that `roundtable open --print` gives."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.link = house.cli("open", "--print").out.strip()
        parts = urlsplit(self.link)
        self.login = house.ask("GET", f"{parts.path}?{parts.query}", host=parts.netloc)
        self.cookie = self.login["Set-Cookie"].partition(";")[0]

    def ask(
        self,
        method: str,
        path: str,
        body: str | None = None,
        host: str | None = None,
        **headers: str,
    ) -> Answer:
        sent = {"Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.house.ask(method, path, body, sent, host or self.house.browser_host)

    def csrf(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', self.ask("GET", "/").text)
        assert found is not None
        return found[1]


def alive(pid: int) -> bool:
    """A zombie is dead."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
