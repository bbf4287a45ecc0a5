"""What the watcher notices: that the machine slept, and that the scheduler crashed."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from roundtable_desktop.engine.desk.look_tray import Coming, Hours, Late
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health
from roundtable_desktop.tray.shown import Crash, Slept, when
from roundtable_desktop.tray.sights import Sights

TWO = datetime(2026, 3, 2, 2, 0).astimezone()


class World:
    """What there is to see; its two clocks are moved apart."""

    def __init__(self) -> None:
        self.at, self.awake, self.late, self.asked = TWO, 0.0, Late(), list[str]()
        self.coming: Coming | None = None
        seen = lambda name, found: lambda *_words: self.asked.append(name) or found  # noqa: E731
        self.look: Any = SimpleNamespace(
            glance=self.glance,
            inbox=lambda *_words, **_more: self.asked.append("inbox") or [],
            tray=SimpleNamespace(
                now=lambda: self.at,
                to_look_at=seen("proposal", []),
                by_hand=seen("routine", []),
                hours=seen("settings", Hours()),
                at_this_hour=lambda hours: hours,
                at_work=lambda _most: [],
                coming=lambda: self.coming,
                late=lambda _happened, begin, end: self.late if begin < end else Late(),
            ),
        )
        self.broken = False

    def glance(self, health: Health) -> Glance:
        if self.broken:
            raise OSError("the database cannot be read")
        return Glance(health=health, intake="open", running=0, needs_you=0)

    def passes(self, asleep: float = 0.0, awake: float = 0.0) -> None:
        self.at += timedelta(seconds=asleep + awake)
        self.awake += awake


def event(about: str, kind: str = "a.kind", **data: object) -> Any:
    return SimpleNamespace(id=9, subject_type=about, kind=kind, data=data)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def sights(world: World) -> Sights:
    return Sights(world.look, lambda: world.awake)


@pytest.mark.proves("N-01 told")
def test_a_sleep_is_told_once_something_was_late(world: World, sights: Sights) -> None:
    world.passes(awake=3600)
    world.late = Late(2, 1)
    sights.hear([event("routine")])
    assert sights.look(Health.OK).slept is None, "it was awake all the time"
    world.passes(asleep=6 * 3600, awake=10)
    assert sights.look(Health.OK).slept is None, "nothing was late so far"
    sights.hear([event("routine")])
    sights.hear([event("routine")])
    assert sights.look(Health.OK).slept == Slept("03:00", "09:00", 4, 2)
    world.passes(awake=200)
    assert sights.look(Health.OK).slept is None
    sights.hear([event("routine")])
    assert sights.look(Health.OK).slept is None, "what fires now belongs to no sleep"


@pytest.mark.proves("N-01 told")
def test_a_clock_that_is_put_right_a_little_is_no_sleep(world: World, sights: Sights) -> None:
    world.late = Late(1, 1)
    world.passes(asleep=59)
    sights.hear([event("routine")])
    assert sights.look(Health.OK).slept is None


@pytest.mark.proves("F-09")
def test_a_crash_is_noticed_and_the_last_one_is_the_healths(world: World, sights: Sights) -> None:
    sights.hear([event("owner", "owner.crashed", error="OSError: gone", given_up=False)])
    assert sights.look(Health.OK).crash == Crash(9, "OSError: gone")
    sights.hear([event("owner", "owner.crashed", error="OSError: again", given_up=True)])
    assert sights.look(Health.DEAD).crash == Crash(9, "OSError: gone")


@pytest.mark.proves("D-05")
def test_a_test_that_is_asked_for_is_seen_by_its_number(world: World, sights: Sights) -> None:
    assert sights.look(Health.OK).test == 0
    sights.hear([event("notification", "notification.asked"), event("run")])
    assert sights.look(Health.OK).test == 9
    sights.hear([event("notification", "notification.sent")])
    assert sights.look(Health.OK).test == 9


@pytest.mark.proves("D-01 waits")
def test_only_what_was_touched_is_looked_at_again(world: World, sights: Sights) -> None:
    sights.look(Health.OK)
    assert sorted(world.asked) == ["inbox", "proposal", "routine", "settings"]
    world.asked.clear()
    sights.look(Health.OK)
    assert world.asked == []
    sights.hear([event("delivery"), event("settings"), event("run")])
    world.broken = True
    with pytest.raises(OSError, match="cannot be read"):
        sights.look(Health.OK)
    world.broken = False
    world.asked.clear()
    sights.look(Health.OK)
    assert sorted(world.asked) == ["proposal", "settings"], "what could not be seen is seen now"


@pytest.mark.proves("D-04")
def test_the_next_fire_is_said_as_shortly_as_it_can_be() -> None:
    for days, said in (
        (-1, "Sun 14:05"),
        (0, "14:05"),
        (1, "Tue 14:05"),
        (6, "Sun 14:05"),
        (7, "9 Mar 14:05"),
    ):
        moment = datetime(2026, 3, 2, 14, 5).astimezone() + timedelta(days=days)
        assert when(moment.astimezone(UTC), TWO) == said
