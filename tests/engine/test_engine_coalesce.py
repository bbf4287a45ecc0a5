"""What comes while one like it waits becomes one run, and nothing of it is lost."""

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from ground import JOAN, NOW, Ground, set_columns
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.records import SYSTEM, Actor, Agent, Task, Wakeup
from roundtable_desktop.model.states import Rank, Source, WakeupOutcome, WakeupStatus
from roundtable_desktop.rules import coalesce
from roundtable_desktop.store import claims, settings, wakeups
from roundtable_desktop.store.wakeups import Cause

WINDOW = timedelta(seconds=5)


class Desk:
    """An agent, a task, and causes that come one after the other."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.workspace = ground.workspace()
        self.agent = ground.agent(self.workspace, cooldown_sec=0, max_concurrent_sessions=99)
        self.task = ground.task(self.workspace, self.agent)

    def wake(
        self,
        source: Source,
        *,
        agent: Agent | None = None,
        task: Task | None = None,
        actor: Actor = SYSTEM,
        **payload: Any,
    ) -> Wakeup:
        number = self.ground.ids.new()
        cause = Cause(
            workspace_id=self.workspace.id,
            agent_id=(agent or self.agent).id,
            task_id=(task or self.task).id,
            source=source,
            reason="asked",
            payload={"task_id": (task or self.task).id, **payload},
            key=f"{source}:{number}",
            rank=Rank.USER if source is Source.USER else Rank.EVENT,
            actor=actor,
        )
        with self.ground.store.transaction() as tx:
            made = wakers.wake(tx, number, cause)
        return self.ground.get_wakeup(made)

    def comment(self, **more: Any) -> Wakeup:
        return self.wake(Source.COMMENT, comment_id=self.ground.ids.new(), **more)

    def due(self) -> Wakeup | None:
        with self.ground.store.transaction() as tx:
            claims.promote_due(tx)
        return self.ground.claim()


@pytest.fixture
def desk(ground: Ground) -> Desk:
    return Desk(ground)


@pytest.mark.proves("K-13")
def test_five_comments_in_three_seconds_are_one_wakeup(desk: Desk) -> None:
    made = []
    for _ in range(5):
        made.append(desk.comment())
        desk.ground.clock.forward(seconds=0.6)
    assert desk.due() is None  # the window of the first has not passed
    desk.ground.clock.forward(seconds=2.1)
    claimed = desk.due()
    assert claimed is not None and claimed.id == made[0].id
    assert claimed.coalesced_count == 5
    assert [cause["wakeup_id"] for cause in claimed.causes()] == [one.id for one in made]
    assert [cause["payload"] for cause in claimed.causes()] == [one.payload for one in made]
    for one in made[1:]:
        merged = desk.ground.get_wakeup(one.id)
        assert (merged.status, merged.outcome) == (WakeupStatus.COALESCED, WakeupOutcome.MERGED)
        assert merged.coalesced_into == claimed.id and merged.finished_at is not None
    assert desk.due() is None
    assert desk.ground.kinds().count("wakeup.coalesced") == 4


@pytest.mark.proves("C-47", "K-13")
def test_only_the_same_agent_source_and_scope_merge(desk: Desk) -> None:
    other_task = desk.ground.task(desk.workspace, desk.agent)
    other_agent = desk.ground.agent(desk.workspace)
    made = [
        desk.comment(),
        desk.wake(Source.TASK_ASSIGNED),
        desk.comment(task=other_task),
        desk.comment(agent=other_agent),
    ]
    assert [one.status for one in made] == [WakeupStatus.QUEUED] * 4
    assert {one.coalesced_count for one in made} == {1}


@pytest.mark.proves("C-53")
def test_what_a_person_asks_for_is_never_merged_and_never_waits(desk: Desk) -> None:
    made = [desk.wake(Source.USER, actor=JOAN) for _ in range(3)]
    assert [one.status for one in made] == [WakeupStatus.QUEUED] * 3
    assert [one.scheduled_retry_at for one in made] == [None] * 3


@pytest.mark.proves("C-47")
def test_what_comes_after_the_claim_is_a_wakeup_of_its_own(desk: Desk) -> None:
    first = desk.comment()
    desk.ground.clock.forward(seconds=6)
    claimed = desk.due()
    assert claimed is not None and claimed.id == first.id
    second, third = desk.comment(), desk.comment()
    assert (second.status, third.status) == (WakeupStatus.QUEUED, WakeupStatus.COALESCED)
    assert third.coalesced_into == second.id


@pytest.mark.proves("K-13", "K-10")
def test_the_same_event_told_twice_counts_once_also_when_it_was_merged(desk: Desk) -> None:
    first = desk.comment()
    merged = desk.comment()
    cause = Cause(
        workspace_id=desk.workspace.id,
        agent_id=desk.agent.id,
        task_id=desk.task.id,
        source=Source.COMMENT,
        reason="comment",
        payload=merged.payload,
        key=merged.idempotency_key,
    )
    with desk.ground.store.transaction() as tx:
        again = wakers.wake(tx, desk.ground.ids.new(), cause)
    assert again == merged.id
    assert desk.ground.get_wakeup(first.id).coalesced_count == 2


@pytest.mark.proves("K-11")
def test_a_persons_word_does_not_wait_for_the_retry_that_it_joins(desk: Desk) -> None:
    first = desk.comment()
    later = NOW + timedelta(hours=2)
    wait = {"scheduled_retry_at": later, "held_by": "retry", "retry_count": 4}
    with desk.ground.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", first.id, **wait)
    desk.comment()
    assert desk.ground.get_wakeup(first.id).scheduled_retry_at == later
    desk.comment(actor=JOAN)
    claimed = desk.due()
    assert claimed is not None and (claimed.id, claimed.coalesced_count) == (first.id, 3)
    assert claimed.retry_count == 4


@pytest.mark.proves("K-13")
def test_the_window_is_a_setting_and_zero_switches_it_off(desk: Desk) -> None:
    with desk.ground.store.transaction() as tx:
        settings.put_home(tx, coalescing_window_sec=0)
    made = desk.comment()
    assert made.scheduled_retry_at is None
    claimed = desk.due()
    assert claimed is not None and claimed.id == made.id


@pytest.mark.proves("K-11", "C-10")
def test_what_a_wakeup_carried_is_carried_on_by_the_one_that_takes_its_place(desk: Desk) -> None:
    made = [desk.comment() for _ in range(3)]
    kept_back = desk.ground.get_wakeup(made[0].id)
    cause = Cause(
        workspace_id=desk.workspace.id,
        agent_id=desk.agent.id,
        task_id=desk.task.id,
        source=Source.COMMENT,
        reason="agent_resumed",
        payload=kept_back.payload,
        key=f"resume:{kept_back.id}:1",
        carries=kept_back.causes(),
    )
    with desk.ground.store.transaction() as tx:
        wakeups.settle(tx, kept_back, WakeupStatus.CANCELLED, outcome=WakeupOutcome.STALE)
        again = wakers.wake(tx, desk.ground.ids.new(), cause)
    new = desk.comment()
    back = desk.ground.get_wakeup(again)
    assert back.coalesced_count == 4
    wanted = [*(one.id for one in made), new.id]
    assert [carried["wakeup_id"] for carried in back.causes()] == wanted


ANY = st.lists(
    st.tuples(st.sampled_from([Source.COMMENT, Source.TASK_ASSIGNED, Source.USER]), st.booleans()),
    max_size=12,
)


@pytest.mark.slow
@pytest.mark.proves("K-11", "C-47")
@settings_of(max_examples=60, deadline=None)
@given(ANY)
def test_no_cause_is_ever_lost_or_carried_twice(steps: list[tuple[Source, bool]]) -> None:
    """A claim now and then between them: each cause is in exactly one wakeup that runs."""
    with tempfile.TemporaryDirectory() as folder:
        compare(Ground(Path(folder)), steps)


def compare(ground: Ground, steps: list[tuple[Source, bool]]) -> None:
    try:
        desk = Desk(ground)
        made = []
        for source, claims in steps:
            made.append(desk.wake(source, comment_id=ground.ids.new()).id)
            if claims:
                ground.clock.forward(seconds=6)
                desk.due()
        ground.clock.forward(seconds=6)
        while desk.due() is not None:
            pass
        rows = ground.rows("agent_wakeup_requests")
        alive = [ground.get_wakeup(row["id"]) for row in rows if row["status"] == "claimed"]
        carried = [cause["wakeup_id"] for one in alive for cause in one.causes()]
        assert sorted(carried) == sorted(made)
        assert all(one.coalesced_count == len(one.causes()) for one in alive)
    finally:
        ground.close()


def test_each_source_is_judged() -> None:
    assert {source for source in Source if not coalesce.merges(source)} == {Source.USER}
    assert {source for source in Source if coalesce.repeats(source)} == {
        Source.COMMENT,
        Source.TASK_BLOCKERS_RESOLVED,
        Source.APPROVAL_RESOLVED,
        Source.AGENT_ERROR,
        Source.BUDGET_ALERT,
    }
