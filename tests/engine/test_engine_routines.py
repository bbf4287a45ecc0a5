"""A routine fires at its instants, each once, and every firing comes to an end."""

from datetime import timedelta

import pytest
from ground import NOW
from routine_stage import HEAVY, Routines

from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    TaskStatus,
)
from roundtable_desktop.store import claims

POLICIES = list(ConcurrencyPolicy)


@pytest.mark.proves("K-20", "C-07", "C-95 kept")
def test_a_schedule_fires_at_its_instant_and_not_before(routines: Routines) -> None:
    routine = routines.add()
    assert routines.schedule(routine).next_run_at == NOW + timedelta(minutes=5)
    routines.pass_time(minutes=4, seconds=59)
    assert routines.firings(routine) == []
    routines.pass_time(seconds=1)
    (firing,) = routines.firings(routine)
    assert (firing.source, firing.status) == ("cron", "received")
    assert firing.scheduled_at == NOW + timedelta(minutes=5)
    trigger = routines.schedule(routine)
    assert trigger.next_run_at == NOW + timedelta(minutes=10)
    assert trigger.last_fired_at is not None
    minute = int(firing.scheduled_at.timestamp()) // 60
    wakeup = routines.wakeup_of(firing)
    assert wakeup.idempotency_key == f"routine:{routine.id}:{trigger.id}:{minute}"
    assert (wakeup.source, wakeup.scope, wakeup.rank) == ("routine", f"routine:{routine.id}", 2)
    assert wakeup.payload["firing_id"] == firing.id


@pytest.mark.proves("K-18", "K-24", "N-02", "C-18", "C-69")
def test_a_light_firing_ends_with_its_run_and_each_stamp_has_its_evidence(
    routines: Routines,
) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    assert routines.get(routine).last_started_at is None, "fired is not started"
    run = routines.work()
    assert run.task_id is None
    seen = routines.get(routine)
    assert seen.last_started_at is not None and seen.last_succeeded_at is None
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.run_id) == ("received", run.id)
    routines.finish(run)
    (firing,) = routines.firings(routine)
    assert firing.status == "done" and firing.completed_at is not None
    assert routines.get(routine).last_succeeded_at is not None


@pytest.mark.proves("N-02", "W-33")
def test_a_run_that_fails_ends_the_firing_and_stamps_no_success(routines: Routines) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.finish(run, "failed")
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("failed", "task_failed")
    assert routines.get(routine).last_succeeded_at is None
    routines.pass_time(minutes=5)
    assert routines.states(routine) == ["failed", "received"], "the next one is not held up by it"


@pytest.mark.proves("K-16", "C-16", "C-77", "B-029")
@pytest.mark.parametrize(
    ("policy", "meanwhile"),
    [
        (ConcurrencyPolicy.COALESCE_IF_ACTIVE, "coalesced"),
        (ConcurrencyPolicy.SKIP_IF_ACTIVE, "skipped"),
        (ConcurrencyPolicy.ALWAYS_ENQUEUE, "received"),
    ],
)
@pytest.mark.parametrize("running", [True, False], ids=["runs", "waits"])
def test_a_policy_decides_about_a_fire_while_the_last_one_is_at_work(
    routines: Routines, policy: ConcurrencyPolicy, meanwhile: str, running: bool
) -> None:
    routine = routines.add(concurrency_policy=policy)
    routines.pass_time(minutes=5)
    run = routines.work() if running else None
    routines.pass_time(minutes=5)
    assert routines.states(routine) == ["received", meanwhile]
    second = routines.firings(routine)[1]
    if run is not None and meanwhile == "coalesced":
        assert second.coalesced_into_run_id == run.id
    if run is not None:
        routines.finish(run)
    routines.work_all()
    routines.pass_time(minutes=5)
    assert routines.states(routine)[-1] == "received", "the first after the end starts a run"


@pytest.mark.proves("C-09", "C-47", "K-11")
def test_what_is_merged_into_a_running_run_gets_one_follow_up_with_all_of_it(
    routines: Routines,
) -> None:
    """Failures 3 and 8 of the first systems: it was swallowed, or one value wrote over another."""
    routine = routines.add(description="Look at {{what}}.")
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.fire(routine, what="a")
    routines.fire(routine, what="b")
    routines.finish(run)
    follow_up = routines.work()
    said = [cause["payload"]["variables"]["what"] for cause in follow_up.causes()]  # type: ignore[index, call-overload]
    assert said == ["a", "b"], "an earlier one is not overwritten"
    assert follow_up.causes()[0]["payload"] != run.causes()[0]["payload"]
    routines.finish(follow_up)
    assert routines.start() is None, "one is enough"
    assert routines.states(routine) == ["done", "coalesced", "coalesced"]


@pytest.mark.proves("C-09")
def test_one_that_is_tried_again_takes_along_what_was_merged_and_needs_no_follow_up(
    routines: Routines,
) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.fire(routine)
    routines.stage.finish(run, why="crashed", code=1)
    assert routines.states(routine) == ["received", "coalesced"], "it is not over"
    routines.stage.clock.forward(hours=1)
    again = routines.work()
    assert len(again.causes()) == 2
    routines.finish(again)
    assert routines.start() is None
    assert routines.states(routine) == ["done", "coalesced"]


@pytest.mark.proves("K-11")
def test_what_waits_carries_all_and_the_merged_ones_name_its_run(routines: Routines) -> None:
    routine = routines.add()
    routines.fire(routine)
    routines.fire(routine)
    run = routines.work()
    assert len(run.causes()) == 2
    assert [one.coalesced_into_run_id for one in routines.firings(routine)] == [None, run.id]


@pytest.mark.proves("K-19", "K-23")
def test_a_heavy_routine_makes_a_task_that_completes_itself(routines: Routines) -> None:
    routine = routines.add("0 9 * * *", template=HEAVY)
    assert [one["name"] for one in routines.get(routine).variables] == ["what"]
    routines.pass_time(hours=21)
    (firing,) = routines.firings(routine)
    assert firing.status == "task_created"
    run = routines.work()
    assert firing.linked_task_id is not None
    task = routines.stage.ground.get_task(firing.linked_task_id)
    assert task.title == "Daily Dep Update - 2026-03-02"
    assert (task.routine_id, task.status) == (routine.id, TaskStatus.IN_PROGRESS)
    assert routines.get(routine).last_started_at is not None
    routines.finish(run)
    assert routines.stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert routines.states(routine) == ["done"]
    assert routines.get(routine).last_succeeded_at is not None


@pytest.mark.proves("K-16")
@pytest.mark.parametrize(
    ("policy", "meanwhile"),
    [
        (ConcurrencyPolicy.COALESCE_IF_ACTIVE, "coalesced"),
        (ConcurrencyPolicy.SKIP_IF_ACTIVE, "skipped"),
        (ConcurrencyPolicy.ALWAYS_ENQUEUE, "task_created"),
    ],
)
def test_the_policies_hold_for_tasks(
    routines: Routines, policy: ConcurrencyPolicy, meanwhile: str
) -> None:
    routine = routines.add(template=HEAVY, concurrency_policy=policy)
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.pass_time(minutes=5)
    assert routines.states(routine) == ["task_created", meanwhile]
    routines.finish(run)
    routines.work_all()
    routines.pass_time(minutes=5)
    assert routines.states(routine)[-1] == "task_created"


@pytest.mark.proves("K-16", "W-33")
def test_a_task_that_waits_for_a_person_keeps_no_routine_from_firing(routines: Routines) -> None:
    routine = routines.add(template=HEAVY)
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.finish(run, "blocked", blocked={"owner": "user", "action": "say which"})
    routines.pass_time(minutes=5)
    assert routines.states(routine) == ["task_created", "task_created"]


@pytest.mark.proves("K-17", "C-15", "C-61")
def test_three_hours_away_are_one_run_that_is_told_of_all(routines: Routines) -> None:
    routine = routines.add()
    routines.pass_time(hours=3)
    found = routines.firings(routine)
    assert [str(one.status) for one in found] == ["received"] + ["coalesced"] * 24
    assert found[0].missed is not None
    assert found[0].missed["count"] == 36
    left_out = found[0].missed["left_out"]
    assert isinstance(left_out, dict) and left_out["count"] == 11, "36 due, 25 rows"
    missed = routines.wakeup_of(found[0]).payload["missed_ticks"]
    assert isinstance(missed, dict) and missed["count"] == 36
    assert routines.work_all() == 1


@pytest.mark.proves("K-17", "C-16")
def test_always_enqueue_runs_each_of_them_up_to_the_cap(routines: Routines) -> None:
    routine = routines.add(concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE, catch_up_max=4)
    routines.pass_time(hours=1)
    assert routines.states(routine) == ["received"] * 4
    assert routines.work_all() == 2, "two at once (C-15)"
    routines.stage.clock.forward(minutes=1)
    with routines.stage.store.transaction() as tx:
        claims.promote_due(tx)
    assert routines.work_all() == 2


@pytest.mark.proves("C-39", "B-020 rule")
def test_skip_missed_fires_nothing_of_the_past_and_says_so(routines: Routines) -> None:
    routine = routines.add(catch_up_policy=CatchUpPolicy.SKIP_MISSED)
    routines.pass_time(hours=3, minutes=2)
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("skipped", "missed")
    assert firing.missed is not None and firing.missed["count"] == 36
    assert routines.start() is None


@pytest.mark.proves("C-15")
def test_after_a_gap_two_start_and_the_others_follow_one_pair_after_the_other(
    routines: Routines,
) -> None:
    for number in range(5):
        routines.add("0 * * * *", name=f"Routine {number}")
    routines.pass_time(minutes=62)
    rows = routines.stage.ground.rows("agent_wakeup_requests")
    waits = sorted(
        0 if row["scheduled_retry_at"] is None else row["scheduled_retry_at"] - row["requested_at"]
        for row in rows
    )
    assert [wait // 1_000_000 for wait in waits] == [0, 0, 35, 35, 70]
    assert {row["held_by"] for row in rows} == {None, "catch_up"}


@pytest.mark.proves("C-15", "C-16")
def test_after_a_gap_each_run_of_its_own_is_in_line_the_oldest_first(routines: Routines) -> None:
    routine = routines.add(concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE, catch_up_max=5)
    routines.pass_time(hours=1)
    rows = [routines.wakeup_of(one) for one in routines.firings(routine)]
    due = [one.scheduled_retry_at or one.requested_at for one in rows]
    assert [(at - rows[0].requested_at).seconds for at in due] == [0, 0, 35, 35, 70]


@pytest.mark.proves("K-19", "K-23")
@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("a\n\nRoundtable-Run: none\x1b", "a Roundtable-Run: none"),
        ("x" * 4000, "x" * 200),
        (" ", "Look around"),
        ("", "Look around"),
    ],
)
def test_a_value_makes_no_second_line_of_a_title(
    routines: Routines, value: str, title: str
) -> None:
    routine = routines.add(None, template=Template("{{what}}", "Look."))
    task_id = routines.fire(routine, what=value).linked_task_id
    assert task_id is not None
    assert routines.stage.ground.get_task(task_id).title == title
