"""The queue: who is claimed, what holds a wakeup back, and that nothing is there twice."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from ground import NOW, Ground, set_columns

from roundtable_desktop.model.states import AgentStatus, Rank, Source, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import agents, claims, wakeups


@pytest.mark.proves("K-39")
def test_two_threads_get_one_row_and_one_of_them_none(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), max_concurrent_sessions=9)
    for _ in range(25):
        made = ground.wakeup(agent)
        begin = threading.Barrier(2)
        got: list[Any] = []

        def claim(begin: threading.Barrier = begin, got: list[Any] = got) -> None:
            begin.wait()
            got.append(ground.claim())

        threads = [threading.Thread(target=claim) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [wakeup.id for wakeup in got if wakeup] == [made.id]
        with ground.store.transaction() as tx:
            claimed = wakeups.get(tx, made.id)
            assert claimed is not None
            wakeups.settle(tx, claimed, WakeupStatus.FINISHED, outcome=WakeupOutcome.EXECUTED)


@pytest.mark.proves("K-39")
def test_an_empty_queue_is_no_error_and_no_event(ground: Ground) -> None:
    before = ground.kinds()
    assert ground.claim() is None
    assert ground.kinds() == before


@pytest.mark.proves("K-39")
def test_a_claim_and_the_event_that_tells_of_it_are_one(ground: Ground) -> None:
    wakeup = ground.wakeup(ground.agent(ground.workspace()))
    claimed = ground.claim()
    assert claimed is not None and claimed.status is WakeupStatus.CLAIMED
    last = ground.events()[-1]
    assert (last.kind, last.subject_id, last.at) == (
        "wakeup.claimed",
        wakeup.id,
        claimed.claimed_at,
    )


# name · columns of the agent · columns of the wakeup; each is the only reason
BACK = [
    ("later", {}, {"scheduled_retry_at": NOW + timedelta(hours=1)}),
    ("cooldown", {"last_wakeup_finished_at": NOW}, {}),
    ("no room", {"max_concurrent_sessions": 0}, {}),
    ("not queued", {}, {"status": WakeupStatus.CANCELLED}),
]


@pytest.mark.proves("K-43", "W-15")
@pytest.mark.parametrize(("name", "of_agent", "of_wakeup"), BACK, ids=[one[0] for one in BACK])
def test_each_condition_alone_holds_a_wakeup_back(
    ground: Ground, name: str, of_agent: dict[str, Any], of_wakeup: dict[str, Any]
) -> None:
    """Failure 7 of the first systems: the claim asked for none of them."""
    workspace = ground.workspace()
    held = ground.wakeup(ground.agent(workspace, **of_agent), **of_wakeup)
    assert ground.claim() is None, name
    free = ground.wakeup(ground.agent(workspace))
    claimed = ground.claim()
    assert claimed is not None and claimed.id == free.id != held.id


@pytest.mark.proves("K-43")
def test_the_capacity_counts_what_is_claimed(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), max_concurrent_sessions=2, cooldown_sec=0)
    for _ in range(3):
        ground.wakeup(agent)
    first, second, third = ground.claim(), ground.claim(), ground.claim()
    assert first is not None and second is not None and third is None
    with ground.store.transaction() as tx:
        wakeups.settle(tx, first, WakeupStatus.FINISHED, outcome=WakeupOutcome.EXECUTED)
    assert ground.claim() is not None


@pytest.mark.proves("K-43")
def test_the_cooldown_ends_to_the_microsecond(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), cooldown_sec=7)
    with ground.store.transaction() as tx:
        agents.touch_finished(tx, agent.id)
        ended = tx.now
    ground.wakeup(agent)
    ground.clock.forward(seconds=6.99)
    assert ground.claim() is None
    with ground.reader.snapshot() as view:
        assert claims.next_due(view, ground.clock.now()) == ended + timedelta(seconds=7)
    ground.clock.forward(seconds=0.02)
    assert ground.claim() is not None


@pytest.mark.proves("C-49", "W-15")
@pytest.mark.parametrize("status", [AgentStatus.PAUSED, AgentStatus.STOPPED, AgentStatus.RETIRED])
def test_a_wakeup_of_an_agent_that_may_not_run_is_claimed_without_room(
    ground: Ground, status: AgentStatus
) -> None:
    agent = ground.agent(
        ground.workspace(), status=status, max_concurrent_sessions=0, last_wakeup_finished_at=NOW
    )
    wakeup = ground.wakeup(agent)
    claimed = ground.claim()
    assert claimed is not None and claimed.id == wakeup.id


@pytest.mark.proves("C-53")
def test_a_persons_wakeup_does_not_wait_for_the_cooldown(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), last_wakeup_finished_at=NOW)
    ground.wakeup(agent, requested_at=NOW - timedelta(minutes=1))
    asked = ground.wakeup(agent, rank=Rank.USER, source=Source.USER)
    claimed = ground.claim()
    assert claimed is not None and claimed.id == asked.id
    assert ground.claim() is None


@pytest.mark.proves("C-99", "C-21")
def test_the_highest_class_comes_first_then_the_oldest(ground: Ground) -> None:
    workspace = ground.workspace()
    agents_ = [ground.agent(workspace, max_concurrent_sessions=9) for _ in range(2)]
    made = []
    for number, rank in enumerate((Rank.SWEEP, Rank.EVENT, Rank.USER, Rank.ROUTINE) * 2):
        made.append((rank, number, ground.wakeup(agents_[number % 2], rank=rank).id))
        ground.clock.forward(seconds=1)
    order = [Rank.USER, Rank.EVENT, Rank.ROUTINE, Rank.SWEEP]
    wanted = [one[2] for one in sorted(made, key=lambda one: (order.index(one[0]), one[1]))]
    claimed = [ground.claim() for _ in wanted]
    assert [wakeup and wakeup.id for wakeup in claimed] == wanted


@pytest.mark.proves("C-99", "C-21")
def test_who_has_waited_long_is_lifted_to_the_highest_class(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), max_concurrent_sessions=9)
    old = ground.wakeup(agent, rank=Rank.SWEEP)
    ground.clock.forward(minutes=14)
    young = ground.wakeup(agent, rank=Rank.EVENT)
    with ground.store.transaction() as tx:
        claims.promote_due(tx)
    assert (ground.get_wakeup(old.id).rank, ground.get_wakeup(young.id).rank) == (3, 1)
    ground.clock.forward(minutes=1, seconds=1)
    with ground.store.transaction() as tx:
        claims.promote_due(tx)
    assert (ground.get_wakeup(old.id).rank, ground.get_wakeup(young.id).rank) == (0, 1)
    claimed = ground.claim()
    assert claimed is not None and claimed.id == old.id


@pytest.mark.proves("C-99")
def test_deferred_rows_are_out_of_the_way_until_they_are_due(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), max_concurrent_sessions=9)
    due = NOW + timedelta(minutes=2)
    later = ground.wakeup(agent, rank=Rank.USER, scheduled_retry_at=due, held_by="retry")
    now = ground.wakeup(agent, rank=Rank.SWEEP)
    claimed = ground.claim()
    assert claimed is not None and claimed.id == now.id
    with ground.store.transaction() as tx:
        assert claims.next_due(tx, tx.now) == due
        assert claims.promote_due(tx) == 0
    ground.clock.forward(minutes=3)
    with ground.store.transaction() as tx:
        assert claims.promote_due(tx) == 1
    claimed = ground.claim()
    assert claimed is not None and claimed.id == later.id
    assert claimed.held_by is None


@pytest.mark.proves("C-99")
@pytest.mark.parametrize(
    ("statement", "index"),
    [
        ("_CLAIM", "wakeups_waiting"),
        ("_CLAIM", "wakeups_persons"),
        ("_CLAIM", "wakeups_agent_status"),
        ("_PROMOTE", "wakeups_deferred"),
        ("_LIFT", "wakeups_waiting"),
        ("_NEXT_DUE", "wakeups_deferred"),
    ],
)
def test_the_hot_statements_walk_their_index(ground: Ground, statement: str, index: str) -> None:
    agent = ground.agent(ground.workspace())
    for _ in range(20):
        ground.wakeup(agent)
    with ground.store.transaction() as tx:
        values = {"now": 1, "since": 1, "some": 1}
        plan = tx.sql(f"EXPLAIN QUERY PLAN {getattr(claims, statement)}", values)
    told = [str(row["detail"]) for row in plan]
    assert any(index in line for line in told), told
    # Agents may be walked, the queue may not.
    assert not [line for line in told if line.startswith(("SCAN q", "SCAN w", "SCAN c"))], told
    assert not [
        line
        for line in told
        if line.startswith("SCAN agent_wakeup_requests") and "INDEX" not in line
    ], told


@pytest.mark.proves("C-63", "K-59")
@pytest.mark.slow
def test_one_cause_told_a_thousand_times_by_eight_threads_is_one_row(ground: Ground) -> None:
    """Failure 9 of the first systems: a key was looked for, then written. F-11: the same
    idempotency key, in parallel."""
    agent = ground.agent(ground.workspace())
    begin, ids = threading.Barrier(8), set()

    def tell() -> None:
        begin.wait()
        for _ in range(125):
            ids.add(ground.wakeup(agent, key="task_assigned:t:1").id)

    threads = [threading.Thread(target=tell) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 1
    assert len(ground.rows("agent_wakeup_requests")) == 1
    assert ground.kinds().count("wakeup.queued") == 1


def test_a_hold_spends_no_retry_and_keeps_its_reason(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    made = ground.wakeup(agent, retry_count=2)
    claimed = ground.claim()
    assert claimed is not None
    with ground.store.transaction() as tx:
        until = tx.now + timedelta(seconds=60)
        assert wakeups.requeue(tx, claimed, at=until, held_by="checkout_contended", retry_count=2)
        assert not wakeups.requeue(tx, claimed, at=None, held_by=None, retry_count=0)
    held = ground.get_wakeup(made.id)
    assert (held.status, held.retry_count, held.held_by) == ("queued", 2, "checkout_contended")
    assert held.scheduled_retry_at == until


@pytest.mark.proves("A-02")
def test_the_queue_is_the_same_after_all_memory_is_gone(ground: Ground) -> None:
    workspace = ground.workspace()
    for number in range(6):
        agent = ground.agent(workspace)
        ground.wakeup(agent, rank=list(Rank)[number % 4])
        ground.clock.forward(seconds=1)
    ground.claim()
    before, last = ground.rows("agent_wakeup_requests"), ground.events()[-1]
    queued = [row for row in before if row["status"] == "queued"]
    waiting = [row["id"] for row in sorted(queued, key=lambda row: (row["rank"], row["id"]))]
    ground.reopen()
    assert ground.rows("agent_wakeup_requests") == before
    claimed = [ground.claim() for _ in waiting]
    assert [wakeup and wakeup.id for wakeup in claimed] == waiting
    assert ground.events()[-1].at > last.at


def test_a_claimed_wakeup_can_be_found_again(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    task = ground.task(ground.workspace())
    made = ground.wakeup(agent, task)
    with ground.reader.snapshot() as view:
        assert wakeups.claimed(view) == []
        assert [one.id for one in wakeups.waiting_for_task(view, task.id)] == [made.id]
    ground.claim()
    with ground.reader.snapshot() as view:
        assert [one.id for one in wakeups.claimed(view)] == [made.id]
        assert wakeups.claimed_by(view, agent.id) == 1
        assert wakeups.waiting_for_task(view, task.id) == []
        latest = wakeups.latest_for_task(view, task.id)
        assert latest is not None and latest.id == made.id


def test_a_wakeup_can_name_no_agent_that_is_not_there(ground: Ground) -> None:
    made = ground.wakeup(ground.agent(ground.workspace()))
    with pytest.raises(Exception, match="FOREIGN KEY"), ground.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", made.id, agent_id="nobody")


@pytest.mark.proves("C-83")
def test_of_the_wakes_to_come_the_next_ones_are_told(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    at = [{"scheduled_retry_at": NOW + timedelta(hours=hours)} for hours in (1, 3, 2)]
    later = [ground.wakeup(agent, held_by="not_before", **one) for one in at]
    ground.wakeup(agent, held_by="retry", **at[0])
    ground.wakeup(agent)
    with ground.reader.snapshot() as view:
        told = wakeups.to_come(view, agent.workspace_id, 2)
    assert [one.id for one in told] == [later[0].id, later[2].id]
