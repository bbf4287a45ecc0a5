"""The rules before the claim and the claim's SQL say the same of any state (N-03)."""

import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from ground import NOW, Ground
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roundtable_desktop.engine import explain
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import AgentStatus, Rank, WakeupStatus
from roundtable_desktop.model.verdicts import Go
from roundtable_desktop.rules.admission import Waiting, before_claim
from roundtable_desktop.store import agents, wakeups
from roundtable_desktop.store.db import Tx


@dataclass(frozen=True)
class Drawn:
    """seconds: of the last end before now; due: of a retry from now on, None for none."""

    status: AgentStatus
    most: int
    cooldown: int
    ended: int | None
    wakes: list[tuple[Rank, WakeupStatus, int | None, int]]


WAKE = st.tuples(
    st.sampled_from(Rank),
    st.sampled_from([WakeupStatus.QUEUED] * 3 + [WakeupStatus.CLAIMED, WakeupStatus.FINISHED]),
    st.one_of(st.none(), st.integers(-5, 5)),
    st.integers(0, 20 * 60),
)
DRAWN = st.builds(
    Drawn,
    status=st.sampled_from([AgentStatus.ACTIVE] * 3 + list(AgentStatus)),
    most=st.integers(0, 3),
    cooldown=st.integers(0, 8),
    ended=st.one_of(st.none(), st.integers(0, 10)),
    wakes=st.lists(WAKE, max_size=4),
)


def facts(tx: Tx, wakeup: Wakeup) -> Waiting:
    agent = agents.get(tx, wakeup.agent_id)
    assert agent is not None
    return Waiting(
        agent=agent,
        claimed=wakeups.claimed_by(tx, agent.id),
        rank=wakeup.rank,
        scheduled_retry_at=wakeup.scheduled_retry_at,
        held_by=wakeup.held_by,
    )


def passes(tx: Tx, wakeup: Wakeup, now: datetime) -> bool:
    return all(isinstance(answer, Go) for _, answer in before_claim(facts(tx, wakeup), now))


def by_the_rules(tx: Tx, now: datetime) -> str | None:
    """Of each agent its first that waits; of those that pass, the first."""
    rows = tx.sql("SELECT id FROM agent_wakeup_requests WHERE status = 'queued'")
    found = [wakeups.get(tx, str(row["id"])) for row in rows]
    queued = sorted(
        (one for one in found if one and one.scheduled_retry_at is None),
        key=lambda one: (one.rank, one.requested_at, one.id),
    )
    heads: dict[str, Wakeup] = {}
    for one in queued:
        heads.setdefault(one.agent_id, one)
    return next((one.id for one in heads.values() if passes(tx, one, now)), None)


@pytest.mark.slow
@pytest.mark.proves("N-03 why", "K-43", "C-98")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DRAWN, min_size=1, max_size=3))
def test_the_rules_and_the_claim_choose_the_same_in_any_state(drawn: list[Drawn]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        try:
            compare(ground, drawn)
        finally:
            ground.close()


def compare(ground: Ground, drawn: list[Drawn]) -> None:
    workspace = ground.workspace()
    for one in drawn:
        ended = None if one.ended is None else NOW - timedelta(seconds=one.ended)
        agent = ground.agent(
            workspace,
            status=one.status,
            max_concurrent_sessions=one.most,
            cooldown_sec=one.cooldown,
            last_wakeup_finished_at=ended,
        )
        for rank, status, due, age in one.wakes:
            at = None if due is None else NOW + timedelta(seconds=due)
            requested = NOW - timedelta(seconds=age)
            ground.wakeup(
                agent, rank=rank, status=status, scheduled_retry_at=at, requested_at=requested
            )
    for _ in range(20):
        with ground.store.transaction() as tx:
            wakeups.promote_due(tx)
            wanted = by_the_rules(tx, tx.now)
            told = {
                one.id: explain.of_wakeup(tx, one, tx.now).code
                for row in tx.sql("SELECT id FROM agent_wakeup_requests WHERE status = 'queued'")
                if (one := wakeups.get(tx, str(row["id"])))
            }
            claimed = wakeups.claim_next(tx)
        assert (claimed.id if claimed else None) == wanted
        if claimed is None:
            return
        # What is shown to the person comes from the same rules.
        assert told[claimed.id] == "waits_turn"
