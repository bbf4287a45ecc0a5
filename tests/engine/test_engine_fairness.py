"""Nobody starves: floods of one agent, of one class or of one account pass nobody by for ever."""

from datetime import timedelta

import pytest
from engine_stage import Stage
from ground import NOW, Ground

from roundtable_desktop.model.states import Rank, Source, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import claims, wakeups
from roundtable_desktop.store.claims import LONG

FLOOD = 10_000
ROW = """INSERT INTO agent_wakeup_requests (id, workspace_id, agent_id, source, reason, scope,
status, rank, requested_at) VALUES (?, ?, ?, 'comment', 'flood', 'agent', 'queued', ?, ?)"""


def flood(ground: Ground, agent: object, rank: int, count: int = FLOOD, prefix: str = "f") -> None:
    since = int(NOW.timestamp() * 1_000_000) - 10_000_000
    with ground.store.transaction() as tx:
        rows = (
            (f"{prefix}{number:06d}", agent.workspace_id, agent.id, rank, since + number)  # type: ignore[attr-defined]
            for number in range(count)
        )
        tx.db.connection().executemany(ROW, rows)


@pytest.mark.proves("F-15")
def test_nineteen_agents_start_beside_one_with_ten_thousand_waiting(ground: Ground) -> None:
    workspace = ground.workspace()
    busy = ground.agent(workspace)
    flood(ground, busy, rank=1)
    others = [ground.agent(workspace) for _ in range(19)]
    mine = {ground.wakeup(agent).id for agent in others}
    claimed = []
    while (wakeup := ground.claim()) is not None:
        claimed.append(wakeup)
    # One of the flood is at work; each of the others starts in the very same tick.
    assert [one.agent_id for one in claimed].count(busy.id) == 1
    assert {one.id for one in claimed} >= mine and len(claimed) == 20


@pytest.mark.proves("F-15", "C-21", "C-99")
def test_a_routine_behind_a_flood_of_events_comes_within_a_quarter_of_an_hour(
    ground: Ground,
) -> None:
    agent = ground.agent(ground.workspace(), cooldown_sec=0)
    waiting = ground.wakeup(agent, rank=Rank.SWEEP, source=Source.ROUTINE)
    turns = 0
    while turns < 200:
        # A new event for each that is taken: the class above never runs dry.
        ground.wakeup(agent, rank=Rank.EVENT)
        with ground.store.transaction() as tx:
            claims.promote_due(tx)
            claimed = claims.claim_next(tx)
            assert claimed is not None
            wakeups.settle(tx, claimed, WakeupStatus.FINISHED, outcome=WakeupOutcome.EXECUTED)
        if claimed.id == waiting.id:
            break
        turns += 1
        ground.clock.forward(seconds=30)
    waited = ground.clock.now() - NOW
    assert LONG <= waited <= LONG + timedelta(seconds=60)


@pytest.mark.proves("F-15", "C-21", "C-53")
def test_a_person_is_served_before_a_flood_and_beside_its_cooldown(ground: Ground) -> None:
    agent = ground.agent(
        ground.workspace(), cooldown_sec=3600, last_wakeup_finished_at=NOW - timedelta(seconds=1)
    )
    flood(ground, agent, rank=0, count=50)  # it waited so long that its class was lifted
    assert ground.claim() is None
    asked = ground.wakeup(agent, rank=Rank.USER, source=Source.USER)
    claimed = ground.claim()
    assert claimed is not None and claimed.id == asked.id


@pytest.mark.proves("F-15", "C-99")
def test_a_backlog_that_has_aged_is_lifted_a_part_at_a_time(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "SOME", 40)
    workspace = ground.workspace()
    agent, other = ground.agent(workspace), ground.agent(workspace)
    flood(ground, agent, rank=2, count=100)
    flood(ground, other, rank=2, count=10, prefix="g")
    ground.clock.forward(minutes=16)
    done = []
    for _ in range(4):
        with ground.store.transaction() as tx:
            done.append(claims.promote_due(tx))
    assert done == [40, 40, 30, 0]
    assert {row["rank"] for row in ground.rows("agent_wakeup_requests")} == {0}


@pytest.mark.proves("F-15", "B-045")
def test_what_is_due_at_once_comes_back_in_parts_and_others_go_between(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "SOME", 10)
    task = stage.assigned()
    agent = stage.ground.get_task(task.id).assignee_agent_id
    with stage.store.transaction() as tx:
        rows = (
            (f"late{number:03d}", task.workspace_id, agent, 3, int(NOW.timestamp() * 1e6))
            for number in range(35)
        )
        tx.db.connection().executemany(ROW, rows)
        tx.write_sql(
            "UPDATE agent_wakeup_requests SET scheduled_retry_at = requested_at, held_by = 'retry'"
            " WHERE id LIKE 'late%'",
            (),
        )
        assert claims.promote_due(tx) == 10
        first = claims.claim_next(tx)
        assert first is not None and first.task_id == task.id
        assert [claims.promote_due(tx) for _ in range(4)] == [10, 10, 5, 0]
