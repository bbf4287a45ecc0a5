"""Budgets before a run starts, while it goes on, and when there is room again."""

from datetime import UTC
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import budgets as engine
from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import budgets, inbox, pausing
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.model.budgets import Budget
from roundtable_desktop.model.records import Agent, InboxItem, Run, Workspace
from roundtable_desktop.model.states import AgentStatus, Role, RunOutcome, TaskStatus
from roundtable_desktop.store import agents, wakeups

TOKENS: dict[str, Any] = {"scope": "workspace", "meter": "tokens", "period": "day", "most": 1000}


def limit(stage: Stage, workspace: Workspace, **values: Any) -> Budget:
    given = {**TOKENS, "action_on_exceed": "pause_agent", **values}
    return budgets.add(stage.desk, ASKED, workspace.id, **given)


def workplace(stage: Stage, **changes: Any) -> tuple[Workspace, Agent]:
    workspace = stage.workspace()
    return workspace, stage.agent(workspace, cooldown_sec=0, **changes)


def use(stage: Stage, tokens_in: int, **words: Any) -> None:
    run = stage.run
    stage.spool(run).say("usage", input_tokens=tokens_in, output_tokens=0, **words)
    stage.consume(run)


def spent_run(stage: Stage, agent: Agent, tokens_in: int, **words: Any) -> Run:
    """One that has used it and is over."""
    stage.wake(agent)
    run = stage.launch()
    use(stage, tokens_in, **words)
    stage.play()
    return stage.finish(run, output_bytes=1)


def status_of(stage: Stage, agent: Agent) -> tuple[AgentStatus, str | None]:
    with stage.ground.reader.snapshot() as view:
        now = agents.get(view, agent.id)
    assert now is not None
    return now.status, now.paused_reason


def items(stage: Stage, *, every: bool = False) -> list[dict[str, Any]]:
    rows = [row for row in stage.ground.rows("inbox_items") if row["kind"] == "budget"]
    return [row for row in rows if every or row["status"] != "resolved"]


def pass_time(stage: Stage) -> None:
    with stage.store.transaction() as tx:
        engine.pass_time(tx, stage.ids)


def outcomes(stage: Stage) -> list[str | None]:
    return [row["outcome"] for row in stage.ground.rows("agent_wakeup_requests")]


@pytest.mark.proves("K-44", "B-178", "C-81")
def test_over_a_budget_nothing_starts_and_raising_it_goes_on(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    budget = limit(stage, workspace)
    spent_run(stage, agent, 1020)
    assert status_of(stage, agent) == (AgentStatus.PAUSED, "budget")
    task = stage.task(workspace, agent)
    assert stage.step() and stage.ground.runs()[-1].task_id is None
    assert outcomes(stage)[-1] == "agent_paused"
    budgets.edit(stage.desk, ASKED, budget.id, most=2000)
    assert status_of(stage, agent) == (AgentStatus.ACTIVE, None)
    assert items(stage) == []
    stage.launch()
    assert stage.run.task_id == task.id


@pytest.mark.proves("K-44", "K-60")
@pytest.mark.parametrize("scope", ["workspace", "project", "agent"])
def test_a_used_up_budget_skips_and_says_which_one(stage: Stage, scope: str) -> None:
    workspace, agent = workplace(stage)
    other = stage.agent(workspace, name="other", cooldown_sec=0)
    ids = {"workspace": "", "project": "web", "agent": agent.id}
    limit(stage, workspace, scope=scope, scope_id=ids[scope], action_on_exceed="block_new_tasks")
    stage.task(workspace, agent, project="web")
    run = stage.launch()
    use(stage, 1000)
    assert stage.play() == ["over"]
    stage.finish(run, "interrupted", None)
    assert stage.run.outcome is RunOutcome.INTERRUPTED
    assert stage.step()
    [blocked] = [
        row for row in stage.ground.rows("agent_wakeup_requests") if row["status"] == "skipped"
    ]
    assert blocked["outcome"] == "budget_blocked"
    wakeup = stage.ground.get_wakeup(blocked["id"])
    assert [one["gate"] for one in wakeup.decisions][-2:] == ["task_lease", "budget"]
    with stage.ground.reader.snapshot() as view:
        why = explain.of_wakeup(view, wakeup, stage.clock.now())
    assert why.code == "wakeup_budget_blocked"
    told = [one for one in stage.ground.events() if one.kind == "wakeup_budget_blocked"]
    assert [(one.data["scope"], one.data["percent"]) for one in told] == [(scope, 100)]
    assert stage.ground.rows("leases") == []
    stage.task(workspace, other, project="api")
    assert stage.step()  # of another project and agent
    assert (len(stage.ground.runs()) == 2) is (scope != "workspace")


@pytest.mark.proves("B-178", "budget sequences")
def test_a_live_run_is_stopped_within_the_message_that_crosses_and_goes_on_later(
    stage: Stage,
) -> None:
    workspace, agent = workplace(stage)
    budget = limit(stage, workspace)
    task = stage.task(workspace, agent)
    run = stage.launch()
    use(stage, 999)
    assert stage.play() == [] and stage.launcher.heard == []
    use(stage, 1)
    assert stage.play() == ["over"]
    assert stage.launcher.heard == [(run.id, "cancel")]
    use(stage, 5)
    assert stage.play() == []  # once
    stage.finish(run, "interrupted", None)
    assert stage.ground.get_task(task.id).status is TaskStatus.INTERRUPTED
    over = stage.ground.get_run(run.id)
    with stage.ground.reader.snapshot() as view:
        assert explain.of_run(view, over, stage.clock.now()).code == "run_over_budget"
    assert stage.step() and outcomes(stage) == ["agent_paused"]
    answer(stage, "raise")
    assert status_of(stage, agent) == (AgentStatus.ACTIVE, None)
    again = stage.launch()
    assert (again.task_id, again.attempt_index) == (task.id, 2)
    assert budgets_now(stage, budget).extra == 1000


@pytest.mark.proves("K-65")
def test_a_mark_that_was_committed_is_told_to_the_runner_by_the_next_owner(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace)
    stage.task(workspace, agent)
    run = stage.launch()
    use(stage, 1000)
    stage.restart()  # before the runner was told
    assert "break-off" in stage.play()
    assert stage.launcher.heard[-1][0] == run.id


@pytest.mark.proves("K-07 budget", "B-177")
def test_each_threshold_is_told_once_to_a_person_and_to_the_coordinator(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    boss = stage.agent(workspace, name="boss", role=Role.COORDINATOR, cooldown_sec=0)
    limit(stage, workspace, scope="agent", scope_id=agent.id)
    stage.wake(agent)
    stage.launch()
    for tokens in (799, 1, 1, 198, 1, 50):
        use(stage, tokens)
    told = [(row["severity"], row["status"]) for row in items(stage, every=True)]
    assert told == [("attention", "resolved"), ("critical", "open")]
    wakes = [
        row for row in stage.ground.rows("agent_wakeup_requests") if row["source"] == "budget_alert"
    ]
    assert {row["agent_id"] for row in wakes} == {boss.id}
    keys = sorted(str(row["idempotency_key"]).rpartition(":")[2] for row in wakes)
    assert keys == ["100", "80"]
    assert all("budget_alert:" in str(row["idempotency_key"]) for row in wakes)


def test_who_is_only_told_goes_on(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace, action_on_exceed="notify_only")
    stage.wake(agent)
    run = stage.launch()
    use(stage, 5000)
    assert stage.play() == []
    stage.finish(run, output_bytes=1)
    stage.wake(agent)
    stage.launch()
    [item] = items(stage)
    assert item["severity"] == "critical" and '"resume"' not in item["data"]


@pytest.mark.proves("C-30", "B-177")
def test_runs_are_counted_as_they_begin_and_the_last_one_may_end(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace, meter="runs", most=2, action_on_exceed="block_new_tasks")
    for _ in range(2):
        stage.wake(agent)
        run = stage.launch()
        use(stage, 10**6)
        assert stage.play() == []
        stage.finish(run, output_bytes=1)
    stage.wake(agent)
    assert stage.step() and len(stage.ground.runs()) == 2
    assert outcomes(stage)[-1] == "budget_blocked"


@pytest.mark.proves("C-81")
def test_the_end_of_a_day_in_the_workspace_s_zone_brings_back_what_waits_once(
    stage: Stage,
) -> None:
    workspace, agent = workplace(stage)
    with stage.store.transaction() as tx:
        set_columns(tx, "workspaces", workspace.id, timezone="Europe/Berlin")
    limit(stage, workspace)
    spent_run(stage, agent, 2000)
    stage.task(workspace, agent)
    stage.step()
    assert len(stage.ground.runs()) == 1
    with stage.store.transaction() as tx:
        due = engine.next_due(tx, tx.now)
    assert due is not None and due.astimezone(UTC).hour in (22, 23)
    stage.clock.forward(seconds=(due - stage.clock.now()).total_seconds() - 1)
    pass_time(stage)
    assert not stage.step()
    stage.clock.forward(seconds=1)
    pass_time(stage)
    pass_time(stage)
    assert items(stage) == [] and status_of(stage, agent)[0] is AgentStatus.ACTIVE
    stage.launch()
    assert len(stage.ground.runs()) == 2
    assert not stage.step()


@pytest.mark.proves("C-30")
def test_a_rolling_budget_has_room_again_when_its_oldest_use_is_old_enough(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace, period="rolling", hours=5, action_on_exceed="block_new_tasks")
    spent_run(stage, agent, 600)
    stage.clock.forward(hours=1)
    spent_run(stage, agent, 600)
    stage.wake(agent)
    assert stage.step() and outcomes(stage)[-1] == "budget_blocked"
    with stage.store.transaction() as tx:
        due = engine.next_due(tx, tx.now)
    assert due is not None and (due - stage.clock.now()).total_seconds() == pytest.approx(14400, 1)
    stage.clock.forward(hours=4, seconds=1)
    pass_time(stage)
    stage.launch()
    assert len(stage.ground.runs()) == 3


@pytest.mark.proves("C-30", "N-13 windows")
def test_a_provider_s_window_holds_back_until_it_begins_anew(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace, meter="quota", most=600, action_on_exceed="block_new_tasks")
    stage.wake(agent)
    run = stage.launch()
    ends = int(stage.clock.now().timestamp()) + 3600
    stage.spool(run).say("quota", window="five_hour", status="allowed", used=0.5, resets_at=ends)
    stage.consume(run)
    assert stage.play() == []
    stage.spool(run).say("quota", window="five_hour", status="allowed", used=0.61, resets_at=ends)
    stage.consume(run)
    assert stage.play() == ["over"]
    stage.finish(run, "interrupted", None)
    stage.step()
    assert outcomes(stage) == ["budget_blocked"]
    stage.clock.forward(hours=1)
    pass_time(stage)
    stage.launch()


@pytest.mark.proves("C-81")
def test_resuming_the_agent_brings_back_both_and_the_gate_judges_again(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace)
    spent_run(stage, agent, 1000)
    stage.wake(agent)
    stage.step()
    pausing.resume(stage.desk, ASKED, agent.id)
    assert stage.step()
    assert len(stage.ground.runs()) == 1 and outcomes(stage)[-1] == "budget_blocked"
    assert status_of(stage, agent) == (AgentStatus.PAUSED, "budget")
    assert len(items(stage)) == 1
    answer(stage, "resume")
    stage.launch()
    use(stage, 10)
    assert stage.play() == []  # it only tells until its day is over
    assert budgets_now(stage, all_budgets(stage)[0]).waived_until_at is not None


def test_a_budget_that_is_removed_holds_nothing_back(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    budget = limit(stage, workspace)
    spent_run(stage, agent, 1000)
    stage.wake(agent)
    stage.step()
    budgets.remove(stage.desk, ASKED, budget.id)
    assert items(stage) == [] and status_of(stage, agent)[0] is AgentStatus.ACTIVE
    stage.launch()


def test_what_cannot_be_read_holds_and_says_so(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    limit(stage, workspace)
    stage.wake(agent)
    with stage.store.transaction() as tx:
        set_columns(tx, "workspaces", workspace.id, timezone="No/Where")
    assert stage.step() and stage.ground.runs() == []
    [row] = stage.ground.rows("agent_wakeup_requests")
    assert (row["status"], row["held_by"]) == ("queued", "budget_unreadable")
    with stage.ground.reader.snapshot() as view:
        wakeup = wakeups.get(view, row["id"])
        assert wakeup is not None
        why = explain.of_wakeup(view, wakeup, stage.clock.now())
    assert why.code == "waits_budget_unreadable"


@pytest.mark.proves("K-36")
def test_the_sweep_wakes_nobody_whose_budget_is_used_up(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    budget = limit(stage, workspace, action_on_exceed="block_new_tasks")
    spent_run(stage, agent, 1000)
    stage.task(workspace, agent)
    with stage.store.transaction() as tx:
        tx.write_sql("DELETE FROM agent_wakeup_requests WHERE task_id IS NOT NULL", ())
    ground = stage.ground
    sweep = Sweep(ground.store, ground.reader, ground.clock, ground.ids)
    assert sweep.look() == 0
    budgets.edit(stage.desk, ASKED, budget.id, most=5000)
    stage.clock.forward(minutes=1)
    assert sweep.look() == 1


@pytest.mark.proves("B-180", "B-177")
def test_a_budget_says_what_it_cannot_see(stage: Stage) -> None:
    workspace, agent = workplace(stage)
    budget = limit(stage, workspace, meter="money", most=10**9)
    stage.wake(agent)
    stage.finish(stage.launch(), output_bytes=1)
    flat = stage.agent(workspace, name="flat", cooldown_sec=0, flat_rate=True)
    spent_run(stage, flat, 5, cost_usd=3.0)
    with stage.ground.reader.snapshot() as view:
        now = engine.standing(view, budget, stage.clock.now())
    assert (now.spent, now.percent, now.unknown, now.included) == (0, 0, 1, 1)


def answer(stage: Stage, action: str) -> InboxItem:
    [item] = items(stage)
    return inbox.act(stage.desk, ASKED, item["id"], action)


def all_budgets(stage: Stage) -> list[Budget]:
    from roundtable_desktop.store import budgets as rows

    with stage.ground.reader.snapshot() as view:
        return rows.every(view)


def budgets_now(stage: Stage, budget: Budget) -> Budget:
    return next(one for one in all_budgets(stage) if one.id == budget.id)
