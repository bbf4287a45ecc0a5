"""The menu: the same actions for ever, changed in place; each does one thing, once."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from roundtable_desktop.engine.desk.look_tray import AtWork, ByHand, Hours
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.tray.menu import Menu
from roundtable_desktop.tray.shown import Next, Seen, Waiting, shown

pytestmark = [pytest.mark.proves("D-04"), pytest.mark.usefixtures("application")]

MUTED = datetime(2026, 3, 2, 16, 30).astimezone()


def glance(**words: object) -> Glance:
    given = {"health": Health.OK, "intake": "open", "running": 0, "needs_you": 0, **words}
    return Glance(**given)  # type: ignore[arg-type]


def busy(**words: object) -> Seen:
    """Two asks, two runs and two routines, of which one wants a value."""
    asks = [
        Waiting(str(n), Severity.ATTENTION, "", "", f"demo: May I_{n} & you?", f"/inbox#{n}")
        for n in range(2)
    ]
    return Seen(
        glance=glance(**{"running": 2, "needs_you": 2, **words}),
        waiting=asks,
        at_work=[AtWork("r1", "demo", "T-1 Tea", 64), AtWork("r2", "demo", "Triage", None)],
        coming=Next("14:05", "PR triage"),
        by_hand=[ByHand("o1", "Triage", False), ByHand("o2", "Deps", True)],
    )


class Hand:
    """Chooses entries by their way through the menu and notes what that asks for."""

    def __init__(self) -> None:
        self.menu, self.asked = Menu(), list[tuple[str, object]]()
        self.menu.drawn_by_panel = False
        for name in ("open", "act", "fire", "end", "login"):
            signal = getattr(self.menu, name)
            signal.connect(lambda value, name=name: self.asked.append((name, value)))
        self.menu.quit.connect(lambda: self.asked.append(("quit", None)))

    def show(self, seen: Seen | None, *, ready: bool = True) -> None:
        self.menu.show(shown(seen), ready=ready)

    def choose(self, *way: str) -> tuple[str, object]:
        menu = self.menu.menu
        for label in way[:-1]:
            below = named(menu, label).menu()
            assert isinstance(below, QMenu)
            menu = below
        action = named(menu, way[-1])
        assert action.isEnabled()
        action.trigger()
        [asked] = self.asked
        self.asked.clear()
        return asked

    def labels(self, menu: QMenu | None = None) -> list[str]:
        return [one.text().replace("&&", "&") for one in visible(menu or self.menu.menu)]


def visible(menu: QMenu) -> Iterator[QAction]:
    return (one for one in menu.actions() if one.isVisible() and not one.isSeparator())


def named(menu: QMenu, label: str) -> QAction:
    return next(one for one in visible(menu) if one.text().replace("&&", "&") == label)


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_it_has_what_there_is(hand: Hand) -> None:
    hand.menu.show_login(True)
    hand.menu.show_warnings(2)
    hand.show(busy())
    assert hand.labels() == [
        "Running · 2 runs · next 14:05 PR triage",
        "Needs you (2)",
        "Open dashboard",
        "Triage — starting",
        "T-1 Tea — 1 h 4 m",
        "Run now",
        "Pause",
        "Stop all runs…",
        "Notifications",
        "Start at login",
        "Preferences…",
        "Doctor (2 warnings)",
        "Quit…",
    ]
    assert not named(hand.menu.menu, "Running · 2 runs · next 14:05 PR triage").isEnabled()
    assert hand.menu.menu.defaultAction().text() == "Open dashboard"
    hand.menu.show_login(None)
    hand.menu.show_warnings(0)
    hand.show(Seen(glance(), ()))
    assert hand.labels() == [
        "Idle",
        "Open dashboard",
        "Pause",
        "Stop all runs…",
        "Notifications",
        "Preferences…",
        "Doctor",
        "Quit…",
    ]


@pytest.mark.parametrize(
    ("way", "asked"),
    [
        (("Needs you (2)", "demo: May I_1 & you?"), ("open", "/inbox#1")),
        (("Needs you (2)", "Open inbox"), ("open", "/inbox")),
        (("Open dashboard",), ("open", "/")),
        (("T-1 Tea — 1 h 4 m", "Watch"), ("open", "/runs/r1")),
        (("T-1 Tea — 1 h 4 m", "Send message…"), ("open", "/runs/r1#say")),
        (("Triage — starting", "Stop…"), ("end", "r2")),
        (("Run now", "Triage"), ("fire", "o1")),
        (("Run now", "Deps…"), ("open", "/routines/o2")),
        (("Run now", "All routines…"), ("open", "/routines")),
        (("Pause", "For 30 minutes"), ("act", "30m")),
        (("Pause", "Until tomorrow 09:00"), ("act", "night")),
        (("Pause", "Until I resume"), ("act", "pause")),
        (("Pause", "Stop when all runs have ended"), ("act", "stop")),
        (("Pause", "I am leaving in 10 minutes"), ("act", "leave")),
        (("Stop all runs…",), ("act", "all")),
        (("Notifications", "All"), ("act", "notify-all")),
        (("Notifications", "Only when I'm needed"), ("act", "notify-needed")),
        (("Notifications", "Mute for 1 hour"), ("act", "mute")),
        (("Notifications", "Quiet hours…"), ("open", "/settings")),
        (("Start at login",), ("login", False)),
        (("Preferences…",), ("open", "/settings")),
        (("Doctor",), ("open", "/doctor")),
        (("Quit…",), ("quit", None)),
    ],
    ids=lambda one: one[-1] if isinstance(one, tuple) and isinstance(one[-1], str) else None,
)
def test_each_entry_asks_for_one_thing(
    hand: Hand, way: tuple[str, ...], asked: tuple[str, object]
) -> None:
    hand.menu.show_login(True)
    hand.show(busy())
    assert hand.choose(*way) == asked


def test_paused_it_can_be_resumed_and_dead_it_can_be_started(hand: Hand) -> None:
    hand.show(busy(intake="paused"))
    assert hand.choose("Resume") == ("act", "resume")
    assert hand.labels()[0] == "Paused · 2 runs", "nothing comes by time while it is paused"
    hand.show(busy(health=Health.DEAD))
    assert hand.choose("Start the scheduler again") == ("act", "revive")
    hand.show(busy())
    assert not {"Resume", "Start the scheduler again"} & set(hand.labels())


def test_no_action_is_ever_another_one(hand: Hand) -> None:
    """A panel that shows the menu while it changes would lose the open part of it."""

    def every(menu: QMenu) -> Iterator[QAction]:
        for action in menu.actions():
            yield action
            if isinstance(below := action.menu(), QMenu):
                yield from every(below)

    hand.show(None, ready=False)
    before = list(every(hand.menu.menu))
    for seen in (busy(), Seen(glance(), ()), busy(intake="stopped"), busy(health=Health.DEAD)):
        hand.show(seen)
    assert list(every(hand.menu.menu)) == before


def test_until_the_owner_runs_only_quit_does_anything(hand: Hand) -> None:
    hand.show(None, ready=False)
    enabled = [one.text() for one in visible(hand.menu.menu) if one.isEnabled()]
    assert enabled == ["Start at login", "Quit…"]


@pytest.mark.proves("N-11 notices")
def test_what_was_chosen_about_notifications_is_marked(hand: Hand) -> None:
    below = named(hand.menu.menu, "Notifications").menu()
    assert isinstance(below, QMenu)

    def marked() -> list[str]:
        return [one.text() for one in visible(below) if one.isChecked()]

    hand.show(busy())
    assert marked() == ["All"]
    hand.choose("Notifications", "Only when I'm needed")
    hand.show(busy())
    assert marked() == ["All"], "what was clicked and did not come to hold is not marked"
    hours = Hours(only_needed=True, muted_until=MUTED, quiet_until=MUTED)
    hand.show(Seen(glance(), (), hours=hours))
    assert marked() == ["Only when I'm needed", "Muted until 2 Mar 16:30"]
    assert hand.labels(below)[-1] == "Quiet until 2 Mar 16:30…"


def test_of_many_runs_the_newest_are_named_and_the_rest_has_a_page(hand: Hand) -> None:
    many = [AtWork(f"r{n}", "demo", f"Run {n}", n) for n in range(5)]
    hand.show(Seen(glance(running=9), (), at_work=many))
    assert hand.labels()[2:8] == [*(f"Run {n} — {n} m" for n in reversed(range(5))), "All runs…"]
    assert hand.choose("All runs…") == ("open", "/runs")
