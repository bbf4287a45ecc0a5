"""What the person does never keeps the main thread waiting, whatever the owner is busy with."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QDeadlineTimer
from PySide6.QtWidgets import QApplication

from roundtable_desktop.engine.desk.look_tray import AtWork
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.findings import Finding, Standing
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health
from roundtable_desktop.tray import acting as room
from roundtable_desktop.tray import stopping
from roundtable_desktop.tray.acting import Acting
from roundtable_desktop.tray.menu import WAYS
from roundtable_desktop.tray.notify import Notice
from roundtable_desktop.tray.shown import Seen
from roundtable_desktop.tray.signals import Worker
from roundtable_desktop.tray.telling import LOG

MOST = 0.1
"""Seconds of the processor that an act of the person may take of the main thread."""
STUCK = 5.0
"""Seconds that anything would take which waits for the owner."""


class Held:
    """An owner that is busy: whatever is asked of it waits until it is let go."""

    def __init__(self, root: Path) -> None:
        self.free, self.done = threading.Event(), list[str]()
        self.opens = True
        show = lambda _page: self._wait(LOG) or self.opens  # noqa: E731
        self.home = SimpleNamespace(root=root, log_file=root / "log", show=show)
        findings = [Finding(check="a", standing=one, code="a") for one in Standing]
        doctor = SimpleNamespace(findings=lambda: self._wait("doctor") or findings)
        self.faces: Any = SimpleNamespace(desk=None, look=None, doctor=doctor)

    def act(self, name: str) -> Any:
        return lambda *_words, **_more: self._wait(name)

    def open_page(self, path: str) -> str:
        self._wait(f"page {path}")
        return "/nowhere"

    def _wait(self, name: str) -> None:
        self.free.wait(STUCK)
        self.done.append(name)


class Words:
    def __init__(self) -> None:
        self.said: list[Notice] = []
        self.results: list[tuple[str, ...]] = []

    def say(self, notice: Notice, _path: str) -> None:
        self.said.append(notice)

    def became(self, *words: str) -> None:
        self.results.append(words)


class Yes:
    """A person who agrees to everything."""

    def ask(self, dialog: Any, agreed: Any, _declined: Any = None) -> None:
        dialog.deleteLater()
        agreed()


@pytest.fixture
def held(
    tmp_path: Path, application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SimpleNamespace]:
    owner, words, worker = Held(tmp_path), Words(), Worker()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    ways = {code: owner.act(code) for code in (*WAYS, "resume")}
    monkeypatch.setattr(stopping, "acts_of", lambda _faces, *, muted: ways)
    monkeypatch.setattr(room.routines, "fire_now", owner.act("fire"))
    monkeypatch.setattr(room.run_control, "cancel", owner.act("cancel"))
    monkeypatch.setattr(room.inbox, "act", owner.act("retry"))
    worker.start()
    acting = Acting(owner, worker, words, Yes(), time.monotonic)  # type: ignore[arg-type]
    glance = Glance(health=Health.OK, intake="open", running=1, needs_you=0)
    acting.seen = Seen(glance, (), at_work=[AtWork("r1", "demo", "Tea", 1)])
    yield SimpleNamespace(owner=owner, words=words, acting=acting, worker=worker)
    owner.free.set()
    acting.finish()
    worker.finish()


def settle(condition: Any) -> None:
    deadline = QDeadlineTimer(10_000)
    while not condition():
        assert not deadline.hasExpired()
        QApplication.processEvents()
        time.sleep(0.005)


@pytest.mark.proves("F-52")
def test_no_act_of_the_person_waits_for_an_owner_that_is_busy(held: SimpleNamespace) -> None:
    acting, worst = held.acting, 0.0
    acts = {
        "page /": lambda: acting.open("/"),
        **{code: lambda code=code: acting.act(code) for code in WAYS},
        "fire": lambda: acting.fire("o1"),
        "cancel": lambda: acting.end_run("r1"),
        "retry": lambda: acting.press("i1", "retry"),
        "doctor": acting.look_around,
        LOG: lambda: acting.press("health", LOG),
        "login": lambda: acting.start_at_login(True),
    }
    began = time.monotonic()
    for act in acts.values():
        used = time.thread_time()
        act()
        QApplication.processEvents()
        worst = max(worst, time.thread_time() - used)
    assert time.monotonic() - began < STUCK, "something waited"
    assert worst < MOST and held.owner.done == []
    held.owner.free.set()
    wanted = {*acts} - {"login"}
    settle(lambda: wanted <= set(held.owner.done))


@pytest.mark.proves("D-04")
def test_the_doctor_counts_beside_what_the_person_goes_on_with(held: SimpleNamespace) -> None:
    told: list[int] = []
    held.acting.warned.connect(told.append)
    for _again in range(3):
        held.acting.look_around()
    done: list[int] = []
    held.worker.ask(lambda: 1, done.append)
    settle(lambda: done)
    assert told == []
    held.owner.free.set()
    settle(lambda: told)
    assert told == [2] and held.owner.done == ["doctor"]


@pytest.mark.proves("D-05 press")
def test_a_press_says_what_came_of_it(
    held: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.owner.free.set()
    held.acting.press("i1", "retry")
    settle(lambda: held.words.results)

    def refuses(*_words: object) -> None:
        raise Conflict("already_resolved")

    monkeypatch.setattr(room.inbox, "act", refuses)
    held.acting.press("i2", "retry")
    settle(lambda: len(held.words.results) == 2)
    assert held.words.results == [
        ("i1", "It is tried again"),
        ("i2", "This was not done", "This was answered already."),
    ]


@pytest.mark.proves("D-05 press")
def test_a_log_that_nothing_opens_is_named(held: SimpleNamespace) -> None:
    held.owner.free.set()
    held.acting.press("health", LOG)
    settle(lambda: held.owner.done == [LOG])
    held.owner.opens = False
    held.acting.press("health", LOG)
    settle(lambda: held.words.said)
    [said] = held.words.said
    assert said.title == "The log could not be opened"
    assert said.body.endswith(str(held.owner.home.log_file))


@pytest.mark.proves("D-04")
def test_a_refusal_is_said_and_the_menu_shows_what_holds(
    held: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses() -> None:
        raise Conflict("already_resolved")

    turned: list[bool] = []
    held.acting.turned.connect(lambda: turned.append(True))
    monkeypatch.setattr(stopping, "acts_of", lambda _faces, *, muted: {"mute": refuses})
    held.acting.act("mute")
    settle(lambda: held.words.said)
    assert [one.title for one in held.words.said] == ["This was not done"] and turned


@pytest.mark.proves("D-10")
def test_start_at_login_is_shown_as_the_file_says_it(held: SimpleNamespace) -> None:
    told: list[object] = []
    held.acting.login.connect(told.append)
    for on in (True, False):
        held.acting.start_at_login(on)
        settle(lambda on=on: told and told[-1] is on)
    (Path(held.owner.home.root) / "config" / "autostart").rmdir()
    (Path(held.owner.home.root) / "config" / "autostart").write_text("in the way")
    held.acting.start_at_login(True)
    settle(lambda: held.words.said and len(told) == 3)
    assert told[-1] is False
