"""What is due in the days to come, and what becomes of it, as the scheduler decides it then."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import NOW, set_columns
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import budgets, control, pausing, waking
from roundtable_desktop.engine.desk.look_agenda import LookAgenda
from roundtable_desktop.model.agenda import Coming
from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.routines import Variable
from roundtable_desktop.model.states import (
    ConcurrencyPolicy,
    ErrorKind,
    HoldState,
    Probe,
    RoutineStatus,
    TaskStatus,
)
from roundtable_desktop.store import holds

HOUR = timedelta(hours=1)


def look(here: Routines, span: timedelta = 24 * HOUR, *, each: bool = True) -> list[Coming]:
    seen = LookAgenda(here.stage.ground.reader, here.stage.clock)
    found = seen.ahead(span, here.workspace, each=each)
    assert found.whole
    return list(found.items)


def told(items: list[Coming]) -> list[tuple[str, bool, str | None]]:
    return [(f"{one.at:%H:%M}", one.will_run, one.reason) for one in items]


def later(one: Coming) -> timedelta:
    assert one.starts_at is not None
    return one.starts_at - one.at


@pytest.mark.proves("N-04 agenda")
def test_each_fire_is_told_with_its_zone_and_a_heartbeat_is_told_as_one(routines: Routines) -> None:
    routines.add("0 14,16 * * *", zone="Europe/Berlin", name="Look")
    routines.add(name="Beat")
    items = look(routines)
    named = [one for one in items if one.name == "Look"]
    assert told(named) == [("13:00", True, None), ("15:00", True, None)]
    assert {one.zone for one in named} == {"Europe/Berlin"}
    assert len(items) == 2 + 24 * 12 and all(one.will_run for one in items)
    assert [one.at for one in items] == sorted(one.at for one in items)
    short = [one for one in look(routines, each=False) if one.name == "Beat"]
    assert [one.times for one in short] == [143, 145], "one for each day"
    assert short[0].last == NOW.replace(hour=23, minute=55)


def paused(here: Routines) -> None:
    here.edit(here.routine, status=RoutineStatus.PAUSED)  # type: ignore[attr-defined]


CASES: dict[str, tuple[Any, str | None, timedelta | None]] = {
    "routine": (paused, "routine_paused", None),
    "agent": (
        lambda here: pausing.pause(here.stage.desk, ASKED, here.agent.id),
        "agent_paused",
        None,
    ),
    "all": (lambda here: control.pause(here.stage.desk, ASKED), "intake", None),
    "a while": (
        lambda here: control.pause(here.stage.desk, ASKED, until=NOW + 2 * HOUR),
        "intake",
        HOUR,
    ),
    "over by then": (
        lambda here: control.pause(here.stage.desk, ASKED, until=NOW + HOUR / 2),
        None,
        timedelta(0),
    ),
    "limit": (lambda here: limit(here, NOW + 3 * HOUR), "account", 2 * HOUR),
    "budget of the day": (lambda here: used_up(here, "day"), "budget_blocked", 11 * HOUR),
    "budget for good": (lambda here: used_up(here, "total"), "budget_blocked", None),
}


def used_up(here: Routines, period: str) -> None:
    budgets.add(
        here.stage.desk,
        ASKED,
        here.workspace.id,
        scope="workspace",
        meter="runs",
        period=period,
        most=1,
        action_on_exceed="pause_agent",
    )
    here.stage.wake(here.agent)
    here.finish(here.work())


def limit(here: Routines, until: datetime) -> None:
    here.stage.wake(here.agent)
    run = here.work()
    here.finish(run)
    with here.stage.store.transaction() as tx:
        one = ProviderHold(
            account=here.agent.account,
            agent_id="",
            state=HoldState.HELD,
            until_at=until,
            kind=ErrorKind.QUOTA_LIMITED,
            model=None,
            told=None,
            tries=0,
            run_id=run.id,
            trial_id=None,
            trial_until_at=None,
            since_at=NOW,
        )
        holds.put(tx, one, here.workspace.id)


@pytest.mark.proves("N-04 agenda")
@pytest.mark.parametrize("case", CASES)
def test_what_keeps_it_from_running_is_told_with_when_it_would(
    routines: Routines, case: str
) -> None:
    act, reason, delay = CASES[case]
    routines.routine = routines.add("0 13 * * *")  # type: ignore[attr-defined]
    act(routines)
    (one,) = look(routines)
    assert (one.at, one.reason, one.will_run) == (NOW + HOUR, reason, delay is not None)
    if delay is not None:
        assert later(one) == delay


@pytest.mark.proves("N-04 agenda")
def test_a_light_one_that_has_nothing_to_do_and_one_that_lacks_a_value(stage: Stage) -> None:
    here = Routines(stage, skip_idle_wakeups=None)
    here.add("0 13 * * *", name="Light")
    needs = Variable("what", required=True)
    here.add("0 14 * * *", name="Needs", template=HEAVY, variables=[needs])
    assert told(look(here)) == [
        ("13:00", False, "idle_skipped"),
        ("14:00", False, "variables_missing"),
    ]


@pytest.mark.proves("N-04 agenda")
@pytest.mark.parametrize(
    ("policy", "second"),
    [
        (ConcurrencyPolicy.COALESCE_IF_ACTIVE, (False, "merged")),
        (ConcurrencyPolicy.SKIP_IF_ACTIVE, (False, "still_at_work")),
        (ConcurrencyPolicy.ALWAYS_ENQUEUE, (True, "capacity")),
    ],
)
def test_one_that_comes_while_the_last_is_not_over(
    stage: Stage, policy: ConcurrencyPolicy, second: tuple[bool, str]
) -> None:
    """Nobody has seen a run of it: five minutes are taken."""
    here = Routines(stage, max_concurrent_sessions=1)
    here.add("0,2 13 * * *", concurrency_policy=policy)
    first, then = look(here)
    assert (first.will_run, first.reason) == (True, None)
    assert (then.will_run, then.reason) == second
    assert then.starts_at is None or later(then) == timedelta(minutes=3)


@pytest.mark.proves("N-04 agenda", "C-83")
def test_wakes_for_later_and_retries_stand_among_the_fires(stage: Stage) -> None:
    here = Routines(stage)
    here.add("0 13 * * *")
    at = NOW + HOUR / 2
    waking.wake(stage.desk, ASKED, here.agent.id, text="Look", at=at)
    task = stage.task(here.workspace, here.agent)
    here.stage.finish(here.work(), "silence", -9)
    items = look(here)
    assert [str(one.kind) for one in items] == ["retry", "wake", "fire"]
    retry, wake, _ = items
    assert (retry.task_id, retry.will_run) == (task.id, True) and retry.name.startswith("T-1 ")
    assert (wake.at, wake.will_run) == (at, True)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=TaskStatus.CANCELLED)
    gone = look(here)[0]
    assert (gone.will_run, gone.reason) == (False, "task_terminal")


@pytest.mark.proves("N-04 agenda")
def test_the_tray_tells_the_first_that_will_run(stage: Stage) -> None:
    here = Routines(stage)
    here.add("0 13 * * *", name="Paused agent's")
    other = stage.agent(here.workspace, name="Bob")
    here.add("0 14 * * *", name="Runs", assignee_agent_id=other.id, template=HEAVY)
    pausing.pause(stage.desk, ASKED, here.agent.id)
    seen = LookAgenda(stage.ground.reader, stage.clock)
    first = seen.soon()
    assert first is not None and (first.name, first.at) == ("Runs", NOW + 2 * HOUR)
    waking.wake(stage.desk, ASKED, other.id, at=NOW + HOUR / 2)
    first = seen.soon()
    assert first is not None and first.kind == "wake"
    control.pause(stage.desk, ASKED)
    assert seen.soon() is None


@pytest.mark.proves("N-04 agenda")
def test_what_is_told_is_what_happens(stage: Stage) -> None:
    """An hour of two routines of one agent, run by run."""
    here = Routines(stage, max_concurrent_sessions=1)
    five = here.add(name="Five")
    ten = here.add("*/10 * * * *", template=HEAVY, name="Ten")
    wanted = {
        routine.id: [one.at for one in look(here, HOUR) if one.routine_id == routine.id]
        for routine in (five, ten)
    }
    for _ in range(12):
        here.pass_time(minutes=5)
        here.work_all()
    for routine in (five, ten):
        assert [one.scheduled_at for one in here.firings(routine)] == wanted[routine.id]
        assert set(here.states(routine)) == {"done"}


@pytest.mark.proves("N-04 agenda", "C-106")
def test_one_that_waits_for_news_runs_after_others_did(stage: Stage) -> None:
    """Its own runs are no news; and what it waits for may be a run that is still to come."""
    here = Routines(stage)
    beat = here.add("0 * * * *", name="Beat", probe=Probe.WORKSPACE_EVENTS)
    here.pass_time(hours=1)
    here.work_all()
    other = stage.agent(here.workspace, name="Bob")
    here.add("30 15 * * *", name="Once", assignee_agent_id=other.id, template=HEAVY)
    here.pass_time(hours=1)
    here.work_all()  # what was added is news
    seen = [one for one in look(here, 4 * HOUR) if one.routine_id == beat.id]
    assert told(seen) == [
        ("15:00", False, "probe_false"),
        ("16:00", True, None),
        ("17:00", False, "probe_false"),
        ("18:00", False, "probe_false"),
    ]
