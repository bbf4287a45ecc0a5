"""What is no reason to fire, what a firing keeps, and that none of it ever sticks."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise

import pytest
from ground import NOW
from routine_stage import HEAVY, Routines, never_stick

from roundtable_desktop.engine.routines import A_COMMIT, A_TICK, STUMBLED
from roundtable_desktop.model.errors import Conflict, Illegal, Invalid
from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    RoutineStatus,
)
from roundtable_desktop.store.db import Store, Tx

POLICIES = list(ConcurrencyPolicy)


@pytest.mark.proves("C-41", "B-030")
@pytest.mark.parametrize("policy", list(CatchUpPolicy))
def test_time_that_a_routine_was_paused_is_not_missed(
    routines: Routines, policy: CatchUpPolicy
) -> None:
    routine = routines.add("0 * * * *", catch_up_policy=policy)
    routines.pass_time(minutes=20)
    routines.edit(routine, status=RoutineStatus.PAUSED)
    routines.pass_time(hours=5)
    assert routines.firings(routine) == []
    routines.edit(routine, status=RoutineStatus.ACTIVE)
    assert routines.schedule(routine).next_run_at == NOW + timedelta(hours=6)
    routines.due.fire_due()
    assert routines.firings(routine) == []


@pytest.mark.proves("B-031")
def test_another_time_fires_nothing_at_once(routines: Routines) -> None:
    routine = routines.add("15 1 * * *")
    routines.until(NOW.replace(hour=1, minute=15) + timedelta(days=1))
    assert routines.work_all() == 1
    routines.until(NOW.replace(hour=8) + timedelta(days=1))
    there = routines.schedule(routine)
    wanted = [type_of(there.id, cron_expression="15 2 * * *")]
    routines.edit(routine, triggers=wanted)
    assert routines.schedule(routine).id == there.id
    expected = NOW.replace(hour=2, minute=15) + timedelta(days=2)
    assert routines.schedule(routine).next_run_at == expected
    routines.due.fire_due()
    assert len(routines.firings(routine)) == 1


def type_of(trigger_id: str, **words: object):  # type: ignore[no-untyped-def]
    from roundtable_desktop.engine.desk.triggers import Wanted

    return Wanted(id=trigger_id, **words)  # type: ignore[arg-type]


@pytest.mark.proves("B-010", "B-013")
def test_another_name_leaves_the_zone_and_the_next_instant_alone(routines: Routines) -> None:
    routine = routines.add("0 8 * * *", "America/New_York")
    before = routines.schedule(routine)
    routines.edit(routine, name="Another name")
    assert routines.schedule(routine) == before
    routines.edit(routine, triggers=[type_of(before.id)])
    assert routines.schedule(routine) == before


@pytest.mark.proves("K-14")
def test_an_archived_routine_is_over(routines: Routines) -> None:
    """Failure 6 of the first systems: what was archived still fired."""
    routine = routines.add()
    routines.edit(routine, status=RoutineStatus.ARCHIVED)
    routines.pass_time(hours=1)
    assert routines.firings(routine) == []
    with pytest.raises(Conflict):
        routines.edit(routine, status=RoutineStatus.ACTIVE)
    with pytest.raises(Conflict):
        routines.fire(routine)


@pytest.mark.proves("K-14", "C-22")
def test_what_waits_of_a_paused_routine_starts_nothing(routines: Routines) -> None:
    """Failure 6 of the first systems: what was paused still fired."""
    routine = routines.add()
    routines.pass_time(minutes=5)
    routines.edit(routine, status=RoutineStatus.PAUSED)
    assert routines.start() is None
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("cancelled", "stale")
    assert routines.wakeup_of(firing).cancel_reason == "routine_paused"


@pytest.mark.proves("K-15")
def test_a_removed_routine_wakes_nobody_and_keeps_its_history(routines: Routines) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    routines.work_all()
    routines.remove(routine)
    routines.pass_time(hours=2)
    assert routines.states(routine) == ["done"]


@pytest.mark.proves("C-08", "W-30 keys")
def test_two_fires_in_one_minute_are_two_and_one_that_is_sent_twice_is_one(
    routines: Routines,
) -> None:
    """Failure 9 of the first systems: fires of one minute had one key."""
    routine = routines.add(None, concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE)
    first, second = routines.fire(routine), routines.fire(routine)
    assert first.id != second.id
    assert routines.fire(routine, "key").id == routines.fire(routine, "key").id
    assert len(routines.firings(routine)) == 3
    assert routines.work_all() == 3


@pytest.mark.proves("K-22")
def test_a_fire_without_its_required_variables_is_refused_and_leaves_no_row(
    routines: Routines,
) -> None:
    """Failure 9 of the first systems: nobody looked at what is required."""
    from roundtable_desktop.model.errors import InvalidFields
    from roundtable_desktop.model.routines import Variable

    wanted = [Variable("branch", required=True), Variable("depth", required=True)]
    routine = routines.add(None, variables=wanted)
    with pytest.raises(InvalidFields) as refused:
        routines.fire(routine)
    assert [at for at, _, _ in refused.value.fields] == ["/variables/branch", "/variables/depth"]
    assert routines.firings(routine) == []
    fired = routines.fire(routine, branch="main", depth="2")
    assert fired.trigger_payload["branch"] == "main"


@pytest.mark.proves("K-24", "W-34")
def test_a_scheduled_fire_without_a_required_value_is_a_failed_row(routines: Routines) -> None:
    from roundtable_desktop.model.routines import Variable

    routine = routines.add(variables=[Variable("branch", required=True)])
    routines.pass_time(minutes=5)
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("failed", "variables_missing")
    assert firing.completed_at is not None


@pytest.mark.proves("K-24", "W-34")
def test_a_firing_keeps_what_it_resolved(routines: Routines) -> None:
    routine = routines.add("0 23 * * *", "America/New_York", description="It is {{date}}.")
    routines.pass_time(hours=16)
    (firing,) = routines.firings(routine)
    assert firing.trigger_payload["datetime"] == "2026-03-01T23:00:00-05:00"
    assert len(firing.dispatch_fingerprint) == 64
    words = {"name": "Again", "description": "It is {{date}}."}
    again = routines.add("0 23 * * *", "America/New_York", **words)
    routines.pass_time(days=1)
    assert routines.firings(again)[0].dispatch_fingerprint != firing.dispatch_fingerprint


@pytest.mark.proves("K-24")
def test_what_is_due_for_an_agent_that_is_paused_waits_and_comes_back_once(
    routines: Routines,
) -> None:
    from engine_stage import ASKED

    from roundtable_desktop.engine.desk import pausing

    routine = routines.add()
    pausing.pause(routines.stage.desk, ASKED, routines.agent.id)
    for _ in range(3):
        routines.pass_time(minutes=5)
        assert routines.start() is None
    assert routines.states(routine) == ["received"] * 3
    assert {one.reason for one in routines.firings(routine)} == {"agent_paused"}
    pausing.resume(routines.stage.desk, ASKED, routines.agent.id)
    assert routines.work_all() == 1, "of one routine they are one again"
    assert routines.states(routine) == ["done", "coalesced", "coalesced"]


@pytest.mark.proves("K-20", "B-040")
def test_of_two_that_find_the_same_instant_one_fires_it(routines: Routines) -> None:
    from roundtable_desktop.store import routines as stored

    routine = routines.add()
    routines.stage.clock.forward(minutes=5)
    trigger = routines.schedule(routine)
    with routines.stage.store.transaction() as tx:
        later = NOW + timedelta(minutes=10)
        assert stored.advance(tx, trigger, later, fired=True)
        assert not stored.advance(tx, trigger, later, fired=True)
    for _ in range(30):
        routines.pass_time(seconds=60)
        routines.due.fire_due()
    instants = [one.scheduled_at for one in routines.firings(routine)]
    assert len(instants) == len(set(instants)) == 6


@pytest.mark.proves("F-29", "F-29 rule")
@pytest.mark.parametrize("step", [-120, -86_400, 3_600], ids=["-2 min", "-1 day", "+1 h"])
def test_a_step_of_the_clock_fires_no_instant_twice(routines: Routines, step: int) -> None:
    routine = routines.add("* * * * *")
    for _ in range(3):
        routines.pass_time(minutes=1)
    routines.pass_time(seconds=step)
    for _ in range(5):
        routines.pass_time(minutes=1)
    instants = [one.scheduled_at for one in routines.firings(routine)]
    assert len(instants) == len(set(instants))
    assert instants == sorted(instants)


@pytest.mark.proves("W-36", "K-65")
def test_a_crash_between_firing_and_commit_loses_neither(
    routines: Routines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failure 6 of the first systems: the claim emptied the next instant, and a crash lost it. The
    next instant is never written without its firings, nor the other way round."""
    from roundtable_desktop.engine import routines as module

    routine = routines.add()

    def break_off(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "fire", break_off)
    with pytest.raises(KeyboardInterrupt):
        routines.pass_time(minutes=5)
    monkeypatch.undo()
    assert routines.schedule(routine).next_run_at == NOW + timedelta(minutes=5)
    routines.stage.restart()
    routines.build()
    routines.due.fire_due()
    assert [one.scheduled_at for one in routines.firings(routine)] == [NOW + timedelta(minutes=5)]


def in_zone(routines: Routines, trigger_id: str, zone: str) -> None:
    with routines.stage.store.transaction() as tx:
        words = (zone, trigger_id)
        tx.sql("UPDATE office_routine_triggers SET timezone = ? WHERE id = ?", words)


@pytest.mark.proves("W-36")
def test_one_trigger_that_raises_keeps_no_other_from_firing_and_loses_nothing(
    routines: Routines,
) -> None:
    bad, good = routines.add(name="Bad"), routines.add(name="Good")
    trigger = routines.schedule(bad)
    in_zone(routines, trigger.id, "Nowhere/Land")
    routines.pass_time(minutes=5)
    assert (routines.states(good), routines.states(bad)) == (["received"], [])
    assert routines.schedule(bad).next_run_at == NOW + timedelta(minutes=5)
    with routines.stage.store.transaction() as tx:
        again = routines.due.next_due(tx)
        assert again is not None and tx.now < again <= tx.now + STUMBLED
    in_zone(routines, trigger.id, "UTC")
    routines.pass_time(minutes=1, seconds=1)
    (late,) = routines.firings(bad)
    assert late.scheduled_at == NOW + timedelta(minutes=5)


@pytest.mark.proves("W-36")
def test_a_tick_that_cannot_ask_what_is_due_says_so(
    routines: Routines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if nothing were due, it would stand still for ever without a word."""
    from roundtable_desktop.store import routines as stored

    routine = routines.add()

    def fail(*_: object) -> None:
        raise OSError("no page")

    with monkeypatch.context() as patch:
        patch.setattr(stored, "due", fail)
        with pytest.raises(OSError, match="no page"):
            routines.pass_time(minutes=5)
    routines.due.fire_due()
    assert routines.states(routine) == ["received"]


@pytest.mark.proves("K-14")
def test_moves_that_a_routine_does_not_have_are_refused(routines: Routines) -> None:
    from roundtable_desktop.model.states import ROUTINE

    table = {one: ROUTINE.moves.get(one, frozenset()) for one in RoutineStatus}
    assert table["active"] == {"paused", "archived"}
    assert table["paused"] == {"active", "archived"}
    assert table["archived"] == set()
    assert Illegal is not Invalid


@pytest.mark.slow
@pytest.mark.proves("K-16")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("template", [None, HEAVY], ids=["light", "heavy"])
def test_a_hundred_firings_never_stick(
    routines: Routines, policy: ConcurrencyPolicy, template: Template | None
) -> None:
    """Failure 1 of the first systems: a firing never ended. Five hundred of each are fired by
    `dev.py faults`."""
    never_stick(routines, policy, template, 100)


@pytest.mark.proves("F-14")
def test_what_an_outage_left_is_fired_in_parts_and_nobody_waits_for_all_of_it(
    routines: Routines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The firings of one transaction are bounded, and so are those of one look."""
    own = ConcurrencyPolicy.ALWAYS_ENQUEUE
    many = [routines.add(name=f"R{number}", concurrency_policy=own) for number in range(12)]
    counted: list[int] = []
    whole = Store.transaction

    @contextmanager
    def transaction(store: Store) -> Iterator[Tx]:
        with whole(store) as tx:
            yield tx
            rows = tx.sql("SELECT count(*) AS n FROM office_routine_runs")
            counted.append(int(rows[0]["n"]))

    monkeypatch.setattr(Store, "transaction", transaction)
    routines.pass_time(days=3)
    steps = [after - before for before, after in pairwise([0, *counted])]
    assert max(steps) <= A_COMMIT + 25 and sum(steps) <= A_TICK + A_COMMIT + 25
    for _ in many:
        routines.due.fire_due()
    monkeypatch.undo()
    assert [len(routines.firings(one)) for one in many] == [25] * 12
