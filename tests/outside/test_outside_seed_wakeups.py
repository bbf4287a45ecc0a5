"""The scenarios of seed 001 about wakeups, as they are written there: queue, retries, recovery."""

import json
import signal
from datetime import timedelta
from typing import Any

import pytest
from outside_clock import advance, instant
from outside_house import Browser, Room, until
from outside_seed import (
    activity,
    busy,
    down,
    let_go,
    of_agent,
    present,
    reach,
    worker,
    written,
)
from outside_talk import comment, demo, opened, script, status, wakeups

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def assigned(room: Room, task: Any, agent: str) -> None:
    body = {"assignee_agent_id": agent}
    assert room.house.program("PATCH", f"/tasks/{task['id']}", body).status == 200


def retried(room: Room, task: Any, count: int = 1) -> Any:
    """Its wakeup, once it waits for retry number `count`."""

    def look() -> Any:
        waits = [one for one in wakeups(room, task) if one["retry_count"] == count]
        return waits and waits[0]["status"] == "queued" and waits[0]

    return until(look)


def waits(room: Room, wakeup: Any) -> float:
    """How long from now, in seconds."""
    return (instant(wakeup["scheduled_retry_at"]) - present(room.house)).total_seconds()


@pytest.mark.proves("seed story", "K-05", "K-46")
def test_an_assignment_wakes_its_agent(stage: Room) -> None:
    """GIVEN a task is assigned to a worker agent instance, WHEN the assignment is saved, THEN a
    `task_assigned` wakeup is queued for that agent. The scheduler claims it, creates a session,
    and the agent starts working on the task."""
    agent = worker(stage)
    task = stage.task("Write it", description=script("write it.txt done"))
    assert wakeups(stage, task) == []
    assigned(stage, task, agent)
    (wakeup,) = wakeups(stage, task)
    assert (wakeup["source"], wakeup["agent_id"]) == ("task_assigned", agent)
    run = stage.ended(task)
    assert (run["wakeup_id"], run["outcome"]) == (wakeup["id"], "done")
    assert run["session_id"] and not opened(stage, run)["loaded"]
    assert "A task was assigned to you." in run["assembled_prompt"]
    assert stage.proposal(task)["files"][0]["path"] == "it.txt"


@pytest.mark.proves("seed story", "K-42")
def test_who_is_at_work_hears_the_comment_afterwards(stage: Room) -> None:
    """GIVEN a worker agent is currently running a session (at capacity), WHEN a `comment` wakeup
    arrives for the same agent, THEN the wakeup stays in `queued` status. When the current session
    completes, the next scheduler tick picks up the wakeup and the agent processes the comment."""
    agent = worker(stage, cooldown_sec=10)
    talk = stage.task("Talk", agent)
    stage.ended(talk)
    advance(stage.house, 11)
    work = busy(stage, agent)
    comment(stage, talk, "Mind the margins.\n" + script("write margins.txt minded"))
    assert advance(stage.house, 3600)["claimed"] == 0
    (told,) = wakeups(stage, talk, "comment")
    assert (told["status"], told["retry_count"]) == ("queued", 0)
    let_go(stage, work)
    assert advance(stage.house, 11)["claimed"] == 1
    run = stage.ended(talk, 2)
    assert run["wakeup_id"] == told["id"] and "Mind the margins." in run["assembled_prompt"]
    assert run["result_json"]["summary"] == "wrote margins.txt"


@pytest.mark.proves("seed story", "K-06")
def test_the_last_of_three_subtasks_wakes_the_parents_agent_once(stage: Room) -> None:
    """GIVEN a task with three subtasks assigned to different workers, WHEN all three subtasks
    reach `done`, THEN a single `task_children_completed` wakeup (coalesced) is queued for the
    parent task's assignee."""
    lead = demo(stage, "lead", role="specialist")
    names = ("ada", "ben", "cyd")
    for name in names:
        worker(stage, name)
    parts = [
        {"title": f"Part of {name}", "assignee_agent": name, "description": script("say Done.")}
        for name in names
    ]
    makes = [f"tool task_create {json.dumps(part)}" for part in parts]
    whole = stage.task("Whole", lead, description=script("say All of it.", "once", *makes))
    until(lambda: status(stage, whole) == "done")
    (woken,) = wakeups(stage, whole, "task_children_completed")
    assert (woken["agent_id"], woken["status"]) == (lead, "finished")
    made = [one for one in stage.house.get("/tasks", workspace_id=stage.id)["items"]]
    assert [one["status"] for one in made if one["parent_id"] == whole["id"]] == ["done"] * 3
    assert len(of_agent(stage, "runs", lead)) == 2


@pytest.mark.proves("seed story", "K-40")
def test_nothing_is_started_for_a_paused_agent(stage: Room) -> None:
    """GIVEN a wakeup for a `paused` agent instance, WHEN the scheduler claims it, THEN the wakeup
    is marked `finished` with no session created. The wakeup is not retried."""
    agent = worker(stage)
    stage.house.post(f"/agents/{agent}/pause")
    task = stage.task("Not now", agent)
    until(lambda: wakeups(stage, task)[0]["status"] == "finished")
    assert advance(stage.house, 6 * 3600)["claimed"] == 0
    (wakeup,) = wakeups(stage, task)
    assert (wakeup["outcome"], wakeup["retry_count"]) == ("agent_paused", 0)
    assert of_agent(stage, "runs", agent) == []
    # C-10: it is not lost. The resume brings what it asked for back as a wakeup of its own.
    stage.house.post(f"/agents/{agent}/resume")
    assert stage.ended(task)["outcome"] == "done"
    assert wakeups(stage, task)[0]["status"] == "finished"


@pytest.mark.proves("seed story", "K-65")
def test_what_was_queued_goes_on_after_a_restart(stage: Room) -> None:
    """GIVEN a backend restart, WHEN the scheduler starts, THEN it reads all `queued` wakeup
    requests from SQLite and resumes processing them. No wakeups are lost."""
    house, agent = stage.house, worker(stage)
    work = busy(stage, agent)
    tasks = [stage.task(f"Waits {number}", agent) for number in range(3)]
    house.post(f"/agents/{agent}/wake", {"context": "Look around."})
    asked = {one["id"] for one in of_agent(stage, "wakeups", agent) if one["status"] == "queued"}
    assert len(asked) == 4
    with down(house, signal.SIGKILL):
        pass
    let_go(stage, work)
    until(lambda: {one["status"] for one in of_agent(stage, "wakeups", agent)} == {"finished"})
    runs = of_agent(stage, "runs", agent)
    assert len(runs) == 5 and {one["wakeup_id"] for one in runs} >= asked
    assert all(len(house.get(f"/tasks/{one['id']}/attempts")["items"]) == 1 for one in tasks)


@pytest.mark.proves("seed story", "K-54 approval", "K-06")
def test_an_approved_spec_starts_the_build(stage: Room) -> None:
    """GIVEN a parent task with subtasks [Spec (requires_approval, assigned to planner), Build
    (blocked_by Spec, assigned to developer)], WHEN the planner completes the Spec subtask, THEN
    Spec moves to `in_review`. WHEN the user approves, THEN Spec moves to `done`, Build's blocker
    resolves, and a `task_blockers_resolved` wakeup is queued for the developer agent. The
    developer starts working on Build automatically."""
    planner, developer = worker(stage, "planner"), worker(stage, "developer")
    parent = stage.task("Feature")
    said = {"parent_id": parent["id"], "description": script("say It does one thing.")}
    spec = stage.task("Spec", planner, requires_approval=True, **said)
    build = stage.task("Build", developer, blocked_by=[spec["id"]], parent_id=parent["id"])
    until(lambda: status(stage, spec) == "in_review")
    assert of_agent(stage, "runs", developer) == []
    asked = {"task_id": spec["id"], "status": "requested"}
    (approval,) = until(lambda: stage.house.get("/approvals", **asked)["items"])
    stage.house.post(f"/approvals/{approval['id']}/approve", {"note": "Build it."})
    assert status(stage, spec) == "done"
    (woken,) = wakeups(stage, build, "task_blockers_resolved")
    assert woken["agent_id"] == developer
    assert woken["payload"]["resolved_blocker_ids"] == [spec["id"]]
    assert stage.ended(build)["agent_id"] == developer


@pytest.mark.proves("seed story", "K-32", "K-33", "C-12", "test clock")
def test_a_reset_that_was_told_is_waited_for(stage: Room) -> None:
    """GIVEN a wakeup fails with `"rate_limit_error: resets at 4:00 AM UTC"`, WHEN
    `HandleWakeupFailure` is called at 3:45 AM UTC, THEN the wakeup is scheduled for `04:00:30 AM
    UTC` (parsed time + 30s buffer). The exponential backoff table is not consulted. Similarly
    `"Retry-After: 3600"` schedules for `now + 3600s + 30s`, and `"try again in 5 minutes"`
    schedules for `now + 5m30s`."""
    now = reach(stage.house, "03:45")
    told = {
        "rate_limit_error: resets at 4:00 AM UTC": now + timedelta(minutes=15, seconds=30),
        "Retry-After: 3600": now + timedelta(seconds=3630),
        "try again in 5 minutes": now + timedelta(minutes=5, seconds=30),
    }
    tasks = [
        stage.task("Limited", worker(stage, text[:7]), description=script("once", f"limit {text}"))
        for text in told  # each agent has an account of its own
    ]
    waiting = [retried(stage, task) for task in tasks]
    late = [
        instant(w["scheduled_retry_at"]) - at for w, at in zip(waiting, told.values(), strict=True)
    ]
    assert all(timedelta() <= one < timedelta(seconds=0.1) for one in late), late
    log = (stage.house.home / "logs" / "roundtable.log").read_text().splitlines()
    for wakeup in waiting:
        (line,) = [one for one in log if wakeup["id"] in one and "parsed_reset_at" in one]
        assert "source=rate_limit_parsed" in line
    assert advance(stage.house, 15 * 60 + 29)["claimed"] == 1
    assert advance(stage.house, 2)["claimed"] == 1
    assert advance(stage.house, 45 * 60)["claimed"] == 1
    for task, wakeup in zip(tasks, waiting, strict=True):
        second = stage.ended(task, 2)
        begun = instant(second["started_at"]) - instant(wakeup["scheduled_retry_at"])
        assert second["status"] == "finished" and timedelta() <= begun < timedelta(seconds=0.1)


@pytest.mark.proves("seed story", "K-34", "K-35", "C-05")
def test_a_network_that_does_not_answer_is_tried_four_times_more(stage: Room) -> None:
    """GIVEN a wakeup fails with a generic network timeout (no rate-limit keywords), WHEN
    `HandleWakeupFailure` is called, THEN the existing exponential backoff applies unchanged. If
    retries exhaust `MaxRetryCount`, `escalateFailure` is called as normal - the rate-limit path
    does not suppress escalation."""
    house = stage.house
    told = {"description": script("limit rate_limit_error: try again in 2 minutes")}
    limited = stage.task("Limited", worker(stage, "limited"), **told)
    for count in range(1, 5):
        assert 149 < waits(stage, retried(stage, limited, count)) < 151, "no back-off"
        assert advance(house, 151)["claimed"] == 1
    failing = {"description": script("fail network connection timed out")}
    network = stage.task("Network", worker(stage, "network"), **failing)
    for count, minutes in enumerate((2, 10, 30, 120), 1):
        assert 59.9 < waits(stage, retried(stage, network, count)) / minutes <= 75
        assert advance(house, minutes * 75)["claimed"] == 1
    for task in (limited, network):
        until(lambda task=task: wakeups(stage, task)[0]["status"] == "failed")
        assert len(house.get(f"/tasks/{task['id']}/attempts")["items"]) == 5
    items = house.get("/inbox", workspace_id=stage.id)["items"]
    assert [(one["kind"], one["subject_id"]) for one in items] == [
        ("agent.error", task["id"]) for task in (network, limited)
    ]


@pytest.mark.proves("seed story", "K-29", "B-046")
def test_a_wake_for_a_task_that_another_has_now_is_cancelled(stage: Room) -> None:
    """GIVEN a `task_assigned` wakeup is queued for agent A on task T, WHEN task T is reassigned to
    agent B before the wakeup is claimed, THEN the wakeup is cancelled with reason
    `assignee_changed`, agent A is not launched, and a `wakeup_stale_cancelled` activity entry is
    logged."""
    ann, bob = worker(stage, "ann"), worker(stage, "bob")
    work = busy(stage, ann)
    task = stage.task("Moves on", ann)
    assigned(stage, task, bob)
    assert stage.ended(task)["agent_id"] == bob
    let_go(stage, work)
    (old,) = [one for one in wakeups(stage, task) if one["agent_id"] == ann]
    until(lambda: stage.house.get(f"/wakeups/{old['id']}")["status"] == "cancelled")
    assert stage.house.get(f"/wakeups/{old['id']}")["cancel_reason"] == "assignee_changed"
    assert [one["task_id"] for one in of_agent(stage, "runs", ann)] == [work["id"]]
    (told,) = activity(stage, "wakeup_stale_cancelled")
    assert (told["subject_id"], told["data"]["task_id"]) == (old["id"], task["id"])


@pytest.mark.proves("seed story", "K-30", "K-30 at once", "K-57")
def test_a_retry_ends_with_what_it_was_for(stage: Room) -> None:
    """GIVEN a wakeup for task T fails and a retry is scheduled 10 minutes out, WHEN task T is
    reassigned (or cancelled) before the retry fires, THEN the retry is cancelled at promotion time
    with reason `retry_stale_assignee` (or `retry_task_cancelled`), execution locks are cleared,
    and a `wakeup_retry_cancelled` activity entry is logged. A PATCH reassign on the API cancels
    pending retries for the previous assignee immediately."""
    house, bob = stage.house, worker(stage, "bob")
    failing = {"description": script("once", "limit rate limit, try again in 10 minutes")}
    agents = ann, amy = worker(stage, "ann"), worker(stage, "amy")
    passed_on, dropped = (stage.task("Fails", agent, **failing) for agent in agents)
    old = {task["id"]: retried(stage, task)["id"] for task in (passed_on, dropped)}
    assigned(stage, passed_on, bob)
    house.post(f"/tasks/{dropped['id']}/cancel")
    at_once = house.get(f"/wakeups/{old[passed_on['id']]}")
    assert (at_once["status"], at_once["cancel_reason"]) == ("cancelled", "retry_stale_assignee")
    assert stage.ended(passed_on, 2)["agent_id"] == bob
    advance(house, 11 * 60)  # C-32: a person's cancellation does not wait for that moment either
    later = house.get(f"/wakeups/{old[dropped['id']]}")
    assert (later["status"], later["cancel_reason"]) == ("cancelled", "retry_task_cancelled")
    told = [(one["subject_id"], one["data"]) for one in activity(stage, "wakeup_retry_cancelled")]
    for task, agent in ((passed_on, ann), (dropped, amy)):
        (data,) = [data for wakeup, data in told if wakeup == old[task["id"]]]
        assert (data["task_id"], data["old_agent"]) == (task["id"], agent)
        row = f"SELECT checkout_agent_id, checkout_at FROM tasks WHERE id = '{task['id']}'"
        assert house.query(row) == [(None, None)]
    assert [len(of_agent(stage, "runs", agent)) for agent in (ann, amy, bob)] == [1, 1, 1]


@pytest.mark.proves("seed story", "K-36", "K-37", "C-78")
def test_a_task_whose_wakeup_was_lost_is_found(stage: Room) -> None:
    """GIVEN a task in `TODO` state assigned to agent A has no queued or finished wakeup and was
    created within the lookback window, WHEN the recovery sweep runs, THEN a `task_assigned` wakeup
    is dispatched and a `recovery_dispatch` activity entry is logged. Tasks that already have a
    queued/finished wakeup, or that fall outside `recovery_lookback_hours`, are skipped."""
    house, agent = stage.house, worker(stage)
    house.program("PATCH", f"/workspaces/{stage.id}", {"recovery_lookback_hours": 2})
    finished = stage.task("Finished", agent)
    stage.ended(finished)
    work = busy(stage, agent)
    old = stage.task("Old", agent)
    advance(house, 2 * 3600 + 60)
    lost, queued = stage.task("Lost", agent), stage.task("Queued", agent)
    # No way leads there but a fault: rows are lost, and a task that ran is to be done again.
    for task in (old, lost):
        gone = "DELETE FROM agent_wakeup_requests WHERE task_id = ?"
        assert written(house, gone, task["id"]) == 1
    assert written(house, "UPDATE tasks SET status = 'todo' WHERE id = ?", finished["id"]) == 1
    advance(house, 3600)
    let_go(stage, work)
    run = stage.ended(lost)
    (again,) = wakeups(stage, lost)
    assert (again["source"], again["reason"]) == ("task_assigned", "recovery_sweep")
    assert run["wakeup_id"] == again["id"]
    (told,) = activity(stage, "recovery_dispatch")  # C-60: its key is `agent_id`
    assert (told["data"]["task_id"], told["data"]["agent_id"]) == (lost["id"], agent)
    swept = house.get("/events", kind="recovery_sweep_complete", limit=200)["items"]
    assert {"dispatched_count": 1} in [one["data"] for one in swept]
    assert "made again" in Browser(house).ask("GET", f"/tasks/{lost['id']}").text
    stage.ended(queued)
    assert [len(wakeups(stage, task)) for task in (finished, old, queued)] == [1, 0, 1]


@pytest.mark.proves("seed story", "K-29", "K-04")
def test_a_wake_for_a_task_that_is_done_starts_nobody(stage: Room) -> None:
    """GIVEN a wakeup for a task that has reached `DONE` state, WHEN the staleness check runs at
    claim time, THEN the wakeup is cancelled with reason `task_terminal` and the agent is not
    launched."""
    agent = worker(stage)
    task = stage.task("Done", agent, description=script("say Nothing to do."))
    until(lambda: status(stage, task) == "done")
    work = busy(stage, agent)
    comment(stage, task, "Thanks")
    (told,) = wakeups(stage, task, "comment")
    assert told["status"] == "queued"
    let_go(stage, work)
    over = until(lambda: (w := wakeups(stage, task, "comment")[0])["status"] == "cancelled" and w)
    assert (over["outcome"], over["cancel_reason"]) == ("stale", "task_terminal")
    assert len(of_agent(stage, "runs", agent)) == 2
    assert len(stage.house.get(f"/tasks/{task['id']}/attempts")["items"]) == 1
