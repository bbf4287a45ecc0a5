"""A real server on a port of its own, with small stand-ins for the store and the desk."""

import contextlib
import errno
import itertools
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPResponse
from typing import Annotated, Literal

import pytest
from flask import Flask
from pydantic import Field

from roundtable_desktop.dashboard.api import sign_in_links
from roundtable_desktop.dashboard.app import Parts, build_app
from roundtable_desktop.dashboard.guard import Doors
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, cut
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.server import Server, listen, serve
from roundtable_desktop.dashboard.signin import Caller, SignIn, current
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.errors import Absent, Broken, Busy, Conflict, Full, Illegal, Invalid
from roundtable_desktop.model.ports import GitFailed

INSTALLATION = "k3v9x0q2m7ab"
TOKEN = "tok3n-" + "q" * 40


class HandClock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
        self.ahead = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def pass_(self, **amount: float) -> None:
        self.at += timedelta(**amount)


class CountedIds:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def new(self) -> str:
        return f"{next(self._numbers):026d}"

    def secret(self) -> str:
        return f"secret-{next(self._numbers):032d}"


class KeptSessions:
    def __init__(self) -> None:
        self.rows: dict[str, WebSession] = {}

    def create(self, session: WebSession) -> None:
        self.rows[session.id_hash] = session

    def find(self, id_hash: str) -> WebSession | None:
        return self.rows.get(id_hash)

    def touch(self, id_hash: str, seen_at: datetime) -> None:
        self.rows[id_hash] = replace(self.rows[id_hash], seen_at=seen_at)

    def revoke(self, id_hash: str) -> None:
        self.rows.pop(id_hash, None)

    def revoke_all(self) -> None:
        self.rows.clear()


# --- toy routes ----------------------------------------------------------------------------------


class NewNote(Words):
    title: Annotated[str, Field(min_length=1, max_length=200)]
    size: int = 0
    weight: float = 0.0
    parts: list["NewNote"] = Field(default=[])
    kind: Literal["note", "task"] = "note"
    about: "int | list[int] | NewNote | None" = None


class Note(Words):
    id: str
    title: str
    size: int
    revision: int
    once: str | None = None
    expected: int | None = None


class NotesAsked(Paging):
    kind: list[str] = Field(default=[])
    after_size: int = 0


REFUSED = {
    "absent": Absent("unknown_task"),
    "illegal": Illegal("illegal_move", machine="task", expect="done", to="todo"),
    "conflict": Conflict("name_taken", "/name", name="<b>x</b>"),
    "status": Conflict("proposal_not_open", status="delivered"),
    "changed": Conflict("changed_meanwhile", revision=7),
    "invalid": Invalid("path_missing", "/path", path="/x"),
    "busy": Busy("database_busy"),
    "kept": Broken("snapshot_kept_too_long"),
    "broken": Broken("vanished"),
    "full": Full("disk_full"),
    "fault": Broken("database_fault", text="disk I/O error"),
    "git_broke_off": GitFailed("git_killed", "signal 9"),
    "git_failed": GitFailed("git_failed", "fatal: odd"),
    "git_busy": Busy("git_failed", text="git_timeout 60 s"),
    "git_without_branch": GitFailed("branch_missing", "main"),
}


def declare_notes(api: Api, notes: list[Note]) -> None:
    @api.route("POST", "/api/v1/notes", status=201)
    def create_note(
        caller: Caller, body: NewNote, once: Once | None, expected_revision: int | None
    ) -> Note:
        """Keeps a note."""
        note = Note(
            id=f"n{len(notes)}",
            title=body.title,
            size=body.size,
            revision=1,
            once=once.fingerprint if once else None,
            expected=expected_revision,
        )
        notes.append(note)
        return note

    @api.route("GET", "/api/v1/notes")
    def list_notes(query: NotesAsked) -> Listed[Note]:
        """Notes, oldest first."""
        after = query.after
        start = int(after[1:]) + 1 if after else 0
        page, cursor = cut(notes[start : start + query.limit + 1], query.limit, lambda n: n.id)
        return Listed[Note](items=list(page), next_cursor=cursor)

    @api.route("POST", "/api/v1/notes/<id>/drop")
    def drop_note(id: str) -> None:
        """Lets a note go."""
        notes[:] = [n for n in notes if n.id != id]

    @api.route("GET", "/api/v1/refused/<how>")
    def refuse(how: str) -> None:
        """Does not work."""
        if how == "crash":
            raise RuntimeError("SELECT secret FROM /home/somebody/roundtable.db")
        if how == "no_room":
            raise OSError(errno.ENOSPC, "No space left on device", "/home/somebody/secret")
        raise REFUSED.get(how, REFUSED["absent"])

    @api.route("POST", "/api/routine-triggers/<public_id>/fire", status=202, auth="none")
    def fire(public_id: str, body: NewNote) -> Note:
        """A webhook."""
        return create_note(Caller(None, "bearer"), body, None, None)  # type: ignore[arg-type]


def add_pages(notes: list[Note]) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        app.add_url_rule("/", "overview", lambda: f"<p>overview {current().csrf}</p>")
        app.add_url_rule("/crash", "crash", lambda: 1 // 0)

        @app.post("/notes")
        def page_note() -> str:
            notes.append(Note(id="p", title="from a page", size=0, revision=1))
            return "kept"

    return add


# --- the house and its visitors ------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def __getitem__(self, name: str) -> str:
        return ", ".join(self.all(name))

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> dict:  # type: ignore[type-arg]
        return json.loads(self.body)


@dataclass
class House:
    """The running server, and all the ways to talk to it."""

    server: Server
    doors: Doors
    clock: HandClock
    signin: SignIn
    sessions: KeptSessions
    notes: list[Note]
    token: list[str]
    parts: Parts
    health: list[str] = field(default_factory=lambda: ["ok"])

    @property
    def port(self) -> int:
        return self.server.port

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def send(self, raw: bytes, method: str = "GET") -> Answer:
        with self.connect() as sock:
            sock.sendall(raw)
            return receive(sock, method)

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | str = b"",
        host: str | None = None,
    ) -> Answer:
        """One request without any credential but what `headers` holds."""
        payload = body.encode() if isinstance(body, str) else body
        lines = {"Host": self.address if host is None else host, "Connection": "close"}
        if payload or method in ("POST", "PUT", "PATCH"):
            lines["Content-Length"] = str(len(payload))
        lines |= headers or {}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return self.send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + payload, method)

    def program(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """As a program that holds the token; header names with _ for -."""
        sent = {"Authorization": f"Bearer {self.token[0]}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if body is None:
            return self.ask(method, path, sent)
        text = body if isinstance(body, bytes | str) else json.dumps(body)
        return self.ask(method, path, {"Content-Type": "application/json"} | sent, text)

    def browser(self) -> "Browser":
        link = self.signin.link("/")
        return Browser(self, self.ask("GET", link.partition(str(self.port))[2], host=self.name))

    @property
    def name(self) -> str:
        return self.doors.browser_host


class Browser:
    """A signed-in one: a cookie, and the CSRF token that its pages hold."""

    def __init__(self, house: House, login: Answer) -> None:
        self.house = house
        self.login = login
        self.cookie = login["Set-Cookie"].partition(";")[0]
        page = self.ask("GET", "/")
        self.csrf = re.search(r"overview (\w+)", page.text)[1]  # type: ignore[index]

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | str = b"",
        host: str | None = None,
    ) -> Answer:
        sent = {"Cookie": self.cookie} | (headers or {})
        return self.house.ask(method, path, sent, body, self.house.name if host is None else host)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """As one of our own pages would: with its token, and as JSON."""
        sent = {
            "Content-Type": "application/json",
            "X-CSRF-Token": self.csrf,
            "Origin": f"http://{self.house.name}",
            "Sec-Fetch-Site": "same-origin",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value != "absent"}
        return self.ask("POST", path, sent, json.dumps(body))


def receive(sock: socket.socket, method: str = "GET") -> Answer:
    response = HTTPResponse(sock, method=method)
    response.begin()
    return Answer(response.status, response.getheaders(), response.read())


def build_house(*, by_name: bool = True) -> House:
    sockets = listen("127.0.0.1", 0)
    clock, ids, sessions = HandClock(), CountedIds(), KeptSessions()
    doors = Doors(sockets[0].getsockname()[1], INSTALLATION, by_name)
    token, notes = [TOKEN], list[Note]()
    signin = SignIn(doors, clock, ids, lambda: token[0], sessions)
    health = ["ok"]
    api = Api("Roundtable", "0")
    declare_notes(api, notes)
    sign_in_links.declare(api, signin)
    parts = Parts(
        doors=doors,
        ids=ids,
        signin=signin,
        health=lambda: health[0],  # type: ignore[arg-type,return-value]
        api=api,
        pages=(add_pages(notes),),
    )
    server = serve(build_app(parts), sockets, clock)
    return House(server, doors, clock, signin, sessions, notes, token, parts, health)


@contextlib.contextmanager
def running(house: House) -> Iterator[House]:
    thread = threading.Thread(target=house.server.run)
    thread.start()
    try:
        yield house
    finally:
        house.server.close()
        thread.join(5)
        assert not thread.is_alive()


@pytest.fixture
def house() -> Iterator[House]:
    with running(build_house()) as house:
        yield house


@pytest.fixture
def house_by_address() -> Iterator[House]:
    """The fall-back for browsers that cannot resolve our name."""
    with running(build_house(by_name=False)) as house:
        yield house


@pytest.fixture
def browser(house: House) -> Browser:
    return house.browser()


@pytest.fixture
def open_house() -> Callable[[], contextlib.AbstractContextManager[House]]:
    """For a test that must do something before the house is built."""
    return lambda: running(build_house())
