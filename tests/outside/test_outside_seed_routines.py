"""The scenarios of seed 001 about routines, each as it is written there."""

from datetime import timedelta
from typing import Any

import pytest
from outside_clock import NOW, advance, instant, start
from outside_house import Browser, House, Room, until
from outside_pages import got, send, sent
from outside_routines import made, over, schedule
from outside_seed import (
    activity,
    down,
    let_go,
    of_agent,
    present,
    ran,
    reach,
    worker,
    written,
)
from outside_talk import comment, demo, office, script, status, wakeups

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

EVERY_FIVE = schedule("*/5 * * * *", "UTC")


def shown(room: Room, routine: Any) -> Any:
    return office(room.house, "GET", f"/{routine['id']}").json


def of_room(room: Room) -> list[Any]:
    found: list[Any] = office(room.house, "GET", f"?workspace_id={room.id}").json["items"]
    return found


def to_the_next_five(room: Room) -> None:
    now = present(room.house)
    there = now.replace(minute=now.minute // 5 * 5, second=0, microsecond=0) + timedelta(minutes=5)
    advance(room.house, (there - now).total_seconds())


@pytest.mark.proves("seed story", "K-25", "K-18", "K-73", "K-49")
def test_a_heartbeat_is_told_what_the_last_one_left(stage: Room) -> None:
    """GIVEN a coordinator agent with the pre-installed "Coordinator heartbeat" routine (cron `*/5
    * * * *`), WHEN the wall clock crosses a 5-minute boundary, THEN the routines cron tick inserts
    a `routine`-source wakeup request, the dispatcher creates a taskless run, the agent receives
    the prompt with the continuation summary prepended, and on completion the summary is upserted
    under `scope="routine:<id>"`."""
    house, chair = stage.house, demo(stage, "chair", role="coordinator")
    (heartbeat,) = of_room(stage)
    (cron,) = [one for one in heartbeat["triggers"] if one["kind"] == "schedule"]
    assert (heartbeat["name"], cron["cron_expression"]) == ("Coordinator heartbeat", "*/5 * * * *")
    kept: list[Any] = []
    for number in (1, 2):
        assert len(of_agent(stage, "wakeups", chair)) == number - 1
        to_the_next_five(stage)
        run = ran(stage, chair, number)
        wakeup = of_agent(stage, "wakeups", chair)[-1]
        assert (wakeup["source"], wakeup["id"]) == ("routine", run["wakeup_id"])
        assert run["task_id"] is None and "Your routine is due." in run["assembled_prompt"]
        (told,) = house.get(f"/agents/{chair}/summaries")["items"]
        assert told["scope"] == f"routine:{heartbeat['id']}"
        assert told["updated_by_run_id"] == run["id"]
        assert "## Next action" in told["content"]
        before = kept[-1] if kept else ""
        assert run["summary_injected"] == before and before in run["assembled_prompt"]
        kept.append(told["content"])


@pytest.mark.proves("seed story", "K-19")
def test_a_heavy_routine_makes_its_task_at_nine(house: House) -> None:
    """GIVEN a heavy routine "Daily Dep Update" with cron `0 9 * * *` in UTC and assignee "Frontend
    Worker", WHEN the clock reaches 09:00 UTC, THEN a task titled "Daily Dep Update - 2026-04-25"
    is created on the `routine` workflow, assigned to Frontend Worker, and a `task_assigned` wakeup
    is queued."""
    start(house, NOW, TZ="UTC")
    room = house.room()
    agent = worker(room, "Frontend Worker")
    title, name = "Daily Dep Update - {{date}}", "Daily Dep Update"
    template = {"title": title, "description": script("say All are new.")}
    nine = [schedule("0 9 * * *", "UTC")]
    routine = made(room, agent, name=name, task_template=template, triggers=nine)
    reach(house, "08:59")
    assert shown(room, routine)["recent_runs"] == []
    reach(house, "09:00")
    (task,) = house.get("/tasks", workspace_id=room.id, hidden=1)["items"]
    assert task["title"] == "Daily Dep Update - 2026-04-25"
    assert (task["assignee_agent_id"], task["routine_id"]) == (agent, routine["id"])
    assert house.get("/tasks", workspace_id=room.id)["items"] == [], "hidden by default"
    (woken,) = wakeups(room, task)
    assert (woken["source"], woken["agent_id"]) == ("task_assigned", agent)
    firing = over(house, routine)
    assert (firing["status"], firing["linked_task_id"]) == ("done", task["id"])
    assert status(room, task) == "done", "its only step completes by itself"


@pytest.mark.proves("seed story", "K-16")
def test_a_fire_while_the_last_task_is_open_is_skipped(stage: Room) -> None:
    """GIVEN a routine with `concurrency_policy=skip_if_active` and an active task from a previous
    run, WHEN the routine fires again, THEN no new task is created and the routine run is recorded
    with status `skipped`."""
    template = {"title": "Tidy", "description": script("ask Shall I go on?")}
    policy = {"concurrency_policy": "skip_if_active", "task_template": template}
    routine = made(stage, worker(stage), triggers=[EVERY_FIVE], **policy)
    to_the_next_five(stage)
    to_the_next_five(stage)
    first, second = reversed(shown(stage, routine)["recent_runs"])
    assert (first["status"], second["status"]) == ("task_created", "skipped")
    (task,) = stage.house.get("/tasks", workspace_id=stage.id, hidden=1)["items"]
    assert task["id"] == first["linked_task_id"] and second["linked_task_id"] is None
    let_go(stage, task)
    to_the_next_five(stage)
    assert shown(stage, routine)["recent_runs"][0]["status"] == "task_created"


@pytest.mark.proves("seed story", "K-17", "K-17 prompt", "C-15", "C-39", "C-61")
def test_three_hours_without_a_scheduler_are_caught_up_by_each_policy(stage: Room) -> None:
    """GIVEN the scheduler was down for 3 hours, WHEN it restarts, THEN routines with
    `catch_up_policy=skip_missed` fire only the current tick; routines with
    `enqueue_missed_with_cap` fire missed ticks up to the cap (default 25), with overflow
    summarized as "missed N ticks" in the next prompt context."""
    house = stage.house
    to_the_next_five(stage)
    policies, each = ("skip_missed", "enqueue_missed_with_cap"), {"triggers": [EVERY_FIVE]}
    skips, enqueues = (
        made(
            stage, demo(stage, one, skip_idle_wakeups=False), name=one, catch_up_policy=one, **each
        )
        for one in policies
    )
    now = present(house)
    back = "SET next_run_at = next_run_at - ? WHERE routine_id = ? AND kind = 'schedule'"
    with down(house):  # its clock stands meanwhile: what is due is put back instead
        for routine in (skips, enqueues):
            sql = f"UPDATE office_routine_triggers {back}"
            assert written(house, sql, 3 * 3600 * 1_000_000, routine["id"]) == 1
    # C-39: the current tick is that of the present minute, and nothing of before.
    over(house, skips)
    (only,) = shown(stage, skips)["recent_runs"]
    assert (only["status"], instant(only["scheduled_at"])) == ("done", now)
    assert only["missed"]["count"] == 35
    # C-15: up to the cap there is a firing for each tick; by the default policy they are one run.
    over(house, enqueues)
    until(lambda: all(one["completed_at"] for one in shown(stage, enqueues)["recent_runs"]))
    *merged, first = shown(stage, enqueues)["recent_runs"]
    assert [first["status"], *(one["status"] for one in merged)] == ["done"] + ["coalesced"] * 24
    assert (first["missed"]["count"], first["missed"]["left_out"]["count"]) == (36, 11)
    since = f"{now - timedelta(minutes=175):%Y-%m-%dT%H:%M:%SZ}"
    told = house.run(first["run_id"])["assembled_prompt"]
    assert f"You missed 36 ticks since {since}." in told, "C-61: all without a run of their own"


@pytest.mark.proves("seed story", "K-22")
def test_run_now_asks_for_what_is_required(stage: Room) -> None:
    """GIVEN a user on the routines page, WHEN they click "Run Now" on a routine with a required
    `{{reason}}` variable, THEN a modal prompts for the variable value before firing."""
    wanted = [{"name": "reason", "required": True}]
    routine = made(stage, worker(stage), description="Look, for {{reason}}.", variables=wanted)
    browser, fire = Browser(stage.house), f"/routines/{routine['id']}/fire"
    page = got(browser, "/routines")
    modal = f"fire-{routine['id']}"
    (link,) = [one for _, one in page.tags if one.get("data-opens") == modal]
    assert link["href"] == f"/routines/{routine['id']}#fire", "where there are no scripts"
    assert ("dialog", modal) in [(tag, one.get("id")) for tag, one in page.tags]
    form = page.form(fire)
    assert [one["name"] for _, one in page.tags if "required" in one] == ["var_reason"]
    refused = send(browser, form, var_reason="")
    assert refused.status == 422 and "reason" in refused.text
    assert shown(stage, routine)["recent_runs"] == []
    sent(browser, form, var_reason="a new year")
    firing = over(stage.house, routine)
    assert firing["trigger_payload"]["reason"] == "a new year"
    run = stage.house.run(firing["run_id"])
    assert "Look, for a new year." in run["assembled_prompt"]


@pytest.mark.proves("seed story", "K-26", "K-27", "K-28")
def test_time_alone_starts_no_worker_without_a_task(stage: Room) -> None:
    """GIVEN a worker agent with `skip_idle_wakeups = true` and no tasks in `TODO` or `IN_PROGRESS`
    state, WHEN a lightweight-routine wakeup is claimed, THEN the scheduler logs
    `wakeup_idle_skipped`, marks the wakeup `finished`, records an activity entry, and does not
    launch a session. A `task_assigned` wakeup arriving for the same agent skips the check and
    proceeds normally."""
    agent = worker(stage)
    assert stage.house.get(f"/agents/{agent}")["skip_idle_wakeups"]
    made(stage, agent, triggers=[EVERY_FIVE])
    to_the_next_five(stage)
    (skipped,) = of_agent(stage, "wakeups", agent)
    assert (skipped["status"], skipped["outcome"]) == ("finished", "idle_skipped")
    assert of_agent(stage, "runs", agent) == []
    (told,) = activity(stage, "wakeup_idle_skipped")
    assert (told["subject_id"], told["data"]["agent_id"]) == (skipped["id"], agent)
    assert told["data"]["reason"] == "no_actionable_tasks"
    log = (stage.house.home / "logs" / "roundtable.log").read_text().splitlines()
    (line,) = [one for one in log if "wakeup_idle_skipped" in one and skipped["id"] in one]
    assert "no_actionable_tasks" in line and f"agent_id={agent}" in line
    task = stage.task("Something to do", agent)
    run = stage.ended(task)
    assert run["wakeup_id"] == wakeups(stage, task)[0]["id"]


@pytest.mark.proves("seed story", "K-27")
def test_a_coordinator_is_woken_without_a_task(stage: Room) -> None:
    """GIVEN a coordinator agent with default `skip_idle_wakeups = false`, WHEN a routine-fired
    wakeup is claimed and the coordinator has no directly assigned tasks, THEN the skip check is
    not performed and the wakeup proceeds normally so the coordinator can do proactive coordination
    work."""
    chair = demo(stage, "chair", role="coordinator")
    assert not stage.house.get(f"/agents/{chair}")["skip_idle_wakeups"]
    to_the_next_five(stage)
    run = ran(stage, chair)
    assert (run["task_id"], run["outcome"]) == (None, "no_changes")
    (woken,) = of_agent(stage, "wakeups", chair)
    assert (woken["source"], woken["id"]) == ("routine", run["wakeup_id"])
    decisions = stage.house.get(f"/wakeups/{woken['id']}")["decisions"]
    (gate,) = [one for one in decisions if one["gate"] == "idle_skip"]
    assert (gate["verdict"], gate["detail"]["actionable"]) == ("go", 0)


@pytest.mark.proves("seed story", "K-15", "K-25")
def test_a_coordinator_whose_routine_is_gone_wakes_for_a_reason_alone(stage: Room) -> None:
    """GIVEN a coordinator's pre-installed "Coordinator heartbeat" routine is deleted by the user,
    WHEN the next scheduler tick runs, THEN no routine wakeup is queued for that coordinator; the
    coordinator only wakes via reactive sources (comments, errors, manual, self, user)."""
    house, chair = stage.house, demo(stage, "chair", role="coordinator")
    (routine,) = of_room(stage)
    assert routine["name"] == "Coordinator heartbeat"
    assert office(house, "DELETE", f"/{routine['id']}").status == 204
    advance(house, 6 * 3600)
    assert of_agent(stage, "wakeups", chair) == []
    task = stage.task("Talk", description=script("say Heard."))
    house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": chair})
    stage.ended(task)
    comment(stage, task, "And this?")
    house.post(f"/agents/{chair}/wake", {"context": script('tool wake_self {"reason": "go on"}')})
    until(lambda: len(of_agent(stage, "wakeups", chair)) == 4)
    sources = [one["source"] for one in of_agent(stage, "wakeups", chair)]
    assert sorted(sources) == ["comment", "self", "task_assigned", "user"]


@pytest.mark.proves("seed story", "K-11", "C-86")
def test_two_triggers_of_one_moment_are_one_run(stage: Room) -> None:
    """GIVEN two routine triggers fire for the same coordinator within the coalescing window, WHEN
    the dispatcher claims the first, THEN the second wakeup-request is inserted with
    `status="coalesced"`, its payload is merged into the first run's `context_snapshot`, and
    `coalesced_count` is incremented."""
    chair = demo(stage, "chair", role="coordinator")
    for routine in of_room(stage):
        office(stage.house, "DELETE", f"/{routine['id']}")
    both = [EVERY_FIVE, schedule("*/5 * * * *", "Europe/Berlin")]
    routine = made(stage, chair, triggers=both)
    to_the_next_five(stage)
    run = ran(stage, chair)
    first, second = of_agent(stage, "wakeups", chair)
    assert (first["status"], first["coalesced_count"]) == ("finished", 2)
    assert (second["status"], second["coalesced_into"]) == ("coalesced", first["id"])
    # C-86: what it carries is a list, so nothing of one overwrites the other.
    carried = [one["payload"]["variables"]["datetime"] for one in run["context_snapshot"]["wakes"]]
    assert [one[-6:] for one in carried] == ["+00:00", "+02:00"]
    assert run["id"] == first["run_id"] == second["run_id"]
    assert len(of_agent(stage, "runs", chair)) == 1
    states = [one["status"] for one in shown(stage, routine)["recent_runs"]]
    assert states == ["coalesced", "done"]
