"""At which hours this program is usually asleep: only as far as it has seen that."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from ground import NOW, Ground
from routine_stage import Routines

from roundtable_desktop.engine.awake import Awake, seen
from roundtable_desktop.engine.desk.look_agenda import LookAgenda
from roundtable_desktop.engine.desk.look_routines import LookRoutines
from roundtable_desktop.engine.housekeeping import Housekeeping
from roundtable_desktop.model.agenda import Asleep
from roundtable_desktop.phrases import sentence
from roundtable_desktop.rules import asleep
from roundtable_desktop.rules.asleep import Seen
from roundtable_desktop.rules.cron import parse
from roundtable_desktop.store import awake

BERLIN = ZoneInfo("Europe/Berlin")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def office_days(days: int, begin: int = 10, end: int = 18) -> Seen:
    """Awake from 10 to 18 in Berlin on each of the last days, today among them."""
    midnight = NOW.astimezone(BERLIN).replace(hour=0)
    hours = frozenset(
        (midnight - back * DAY + hour * HOUR).astimezone(UTC)
        for back in range(days)
        for hour in range(begin, end)
        if midnight - back * DAY + hour * HOUR < NOW
    )
    return Seen(hours, min(hours, default=None), NOW)


def wall(hour: int) -> datetime:
    return (NOW + DAY).astimezone(BERLIN).replace(hour=hour)


@pytest.mark.proves("N-20 asleep")
@pytest.mark.parametrize(
    ("days", "hour", "found"),
    [
        (20, 9, Asleep(14, 14)),
        (20, 10, Asleep(0, 14)),
        (20, 17, Asleep(0, 14)),
        (20, 18, Asleep(14, 14)),
        (8, 9, Asleep(7, 7)),  # the first day is known from its first hour on
        (8, 10, Asleep(0, 8)),
        (6, 9, None),
        (0, 9, None),
    ],
)
def test_of_the_last_days_at_that_hour(days: int, hour: int, found: Asleep | None) -> None:
    assert asleep.at_hour(office_days(days), wall(hour), BERLIN) == found


@pytest.mark.proves("N-20 asleep")
def test_a_weekday_schedule_is_judged_by_weekdays() -> None:
    known = office_days(28)
    worked = frozenset(one for one in known.awake if one.astimezone(BERLIN).weekday() < 5)
    week = Seen(worked, known.first, NOW)
    assert asleep.at_hour(week, wall(10), BERLIN, parse("0 10 * * *")) == Asleep(4, 14)
    assert asleep.at_hour(week, wall(10), BERLIN, parse("0 10 * * 1-5")) == Asleep(0, 14)
    weekly = asleep.at_hour(week, wall(10), BERLIN, parse("0 10 * * 1"))
    assert weekly == Asleep(4, 14), "four Mondays are too few: all days count"


@pytest.mark.proves("N-20 asleep")
def test_the_nearest_hour_at_which_it_is_rarely_asleep() -> None:
    daily = parse("30 7 * * *")
    known = office_days(20)
    better = asleep.better(known, wall(7) + HOUR / 2, BERLIN, daily)
    assert better is not None and f"{better:%H:%M}" == "10:30"
    late = asleep.better(known, wall(22), BERLIN, daily)
    assert late is not None and f"{late:%H:%M}" == "17:00"
    assert asleep.better(office_days(20, 10, 10), wall(7), BERLIN, daily) is None


@pytest.mark.proves("N-20 asleep")
def test_an_hour_is_noted_once_and_forgotten_after_a_while(ground: Ground) -> None:
    note = Awake(ground.store, ground.clock).note
    for _ in range(3):
        note()
    ground.clock.forward(minutes=59)
    note()
    ground.clock.forward(minutes=1)
    note()
    assert [row["hour_at"] for row in ground.rows("awake_hours")] == [
        int(at.timestamp() * 1_000_000) for at in (NOW, NOW + HOUR)
    ]
    ground.clock.forward(days=61)
    note()
    assert len(ground.rows("awake_hours")) == 1
    with ground.store.transaction() as tx:
        awake.forget(tx)
    with ground.reader.snapshot() as view:
        assert seen(view, ground.clock.now()).first is None


@pytest.mark.proves("N-20 asleep")
def test_the_housekeeping_notes_it_at_each_look(ground: Ground) -> None:
    house = Housekeeping(ground.store, ground.clock)
    house.begin()
    ground.clock.forward(hours=1)
    house.look()
    assert len(ground.rows("awake_hours")) == 2


@pytest.mark.proves("N-20 asleep")
def test_it_is_said_at_its_fires_and_at_its_schedule(routines: Routines) -> None:
    stage = routines.stage
    look, at = LookAgenda(stage.ground.reader, stage.clock), "Europe/Berlin"
    own = LookRoutines(stage.ground.reader, stage.clock)
    routine = routines.add("0 8 * * *", zone=at)
    assert own.sleeps(own.one(routine.id)) == {}, "nothing is known yet"
    with stage.store.transaction() as tx:
        for hour in sorted(office_days(20).awake):
            awake.note(tx, hour)
    (sleeps,) = own.sleeps(own.one(routine.id)).values()
    assert (sleeps.found, sleeps.better) == (Asleep(14, 14), "10:00")
    (remark,) = [one for one in own.ahead("0 8 * * *", at, "UTC", 5).remarks if not one.at]
    assert sentence(remark.code, remark.values) == (
        "Roundtable was asleep at that hour on 14 of the last 14 days, and rarely at 10:00."
    )
    for cron in ("0 11 * * *", "*/5 * * * *"):
        codes = [one.code for one in own.ahead(cron, at, "UTC", 5).remarks]
        assert "usually_asleep" not in codes, cron
    (one,) = look.ahead(DAY, None).items
    assert one.will_run and one.asleep == Asleep(14, 14)
