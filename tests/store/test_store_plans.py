"""What is asked in every tick and for every page goes by an index, however old a home is."""

from collections.abc import Callable
from typing import Any

import pytest
from ground import NOW, Ground

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.store import (
    claims,
    counts,
    events,
    firings,
    holds,
    journal,
    mission_work,
    routines,
    runs,
    sittings,
    summaries,
    sweeps,
    wakeups,
)
from roundtable_desktop.store.db import Row, View

GROW = (
    *("agent_wakeup_requests", "runs", "tasks", "office_routine_runs", "events", "t", "w"),
    *("r",),
    *("proposals", "p", "inbox_items", "i", "deliveries", "d"),
)
"""Tables that only grow, and the names that a query may give them."""

FEW = ("tasks_unbegun", "wakeups_scope", "inbox_waiting")
"""Indexes of nothing but what still waits, runs or is open: one of these may be read as a whole."""

ASKED: dict[str, Callable[[View], object]] = {
    "when the queue changes": lambda view: claims.next_due(view, NOW),
    "which triggers are due": lambda view: routines.due(view, NOW, 10),
    "when a trigger is due": lambda view: routines.next_due(view),
    "whether a routine is at work": lambda view: firings.at_work(view, "r"),
    "what the sweep finds": lambda view: sweeps.unstarted(view, NOW, 1),
    "what nobody is going to hear": lambda view: sweeps.unheard(view, 1),
    "who will be woken": lambda view: wakeups.to_come(view, "w", 50),
    "which runs live": lambda view: runs.live(view),
    "whose processes live": lambda view: runs.processes_of_live(view),
    "what is claimed": lambda view: wakeups.claimed(view),
    "how many runs live": lambda view: runs.count_live(view),
    "what needs a person": lambda view: counts.of_home(view),
    "what happened since a summary": lambda view: summaries.happened(view, "w", "r", NOW, None),
    "what happened to an agent's tasks": lambda view: summaries.happened(view, "w", "r", NOW, "a"),
    "how many tasks stand where": lambda view: summaries.standing(view, "w", None),
    "what is blocked": lambda view: summaries.blocked(view, "w", None),
    "which runs of a mission live": lambda view: mission_work.live(view, "m"),
    "what waits of a mission": lambda view: mission_work.queued(view, "m"),
    "how a task's mission stands": lambda view: mission_work.state_of(view, "t"),
    "who stays with a mission": lambda view: sittings.present(view, "m"),
    "how many tasks of a mission stand where": lambda view: sittings.counts_of(view, "m", 0),
    "what work waits for": lambda view: holds.work_waits_until(view, NOW),
}


class Listening(View):
    """Keeps what was asked with its values: bound values can cost an index."""

    def __init__(self, db: Any) -> None:
        super().__init__(db)
        self.asked: list[tuple[str, Row | tuple[Any, ...]]] = []

    def sql(self, text: str, values: Row | tuple[Any, ...] = ()) -> list[Row]:
        self.asked.append((text, values))
        return super().sql(text, values)


@pytest.mark.proves("G6")
@pytest.mark.parametrize("name", ASKED)
def test_no_table_that_grows_is_read_from_end_to_end(ground: Ground, name: str) -> None:
    with ground.reader.snapshot() as view:
        listening = Listening(view.db)
        ASKED[name](listening)
        assert listening.asked
        for text, values in listening.asked:
            plan = view.sql(f"EXPLAIN QUERY PLAN {text}", values)
            scans = [row["detail"] for row in plan if row["detail"].startswith("SCAN")]
            walked = [
                one
                for one in scans
                if one.split()[1] in GROW and not any(few in one for few in FEW)
            ]
            assert walked == [], text


def run_of(ground: Ground) -> Run:
    """One that began, with its event."""
    agent = ground.agent(ground.workspace())
    wakeup = ground.wakeup(agent)
    with ground.store.transaction() as tx:
        return runs.create(
            tx,
            id=ground.ids.new(),
            workspace_id=agent.workspace_id,
            wakeup_id=wakeup.id,
            agent_id=agent.id,
            idempotency_key=wakeup.id,
            fence="fence",
            data={},
        )


def tell(ground: Ground, run: Run, kind: Kind, subject: Subject) -> None:
    with ground.store.transaction() as tx:
        journal.tell(tx, kind, subject, workspace_id=run.workspace_id)


def happened(ground: Ground, run: Run) -> bool:
    with ground.reader.snapshot() as view:
        return events.anything_since(view, run)


@pytest.mark.proves("G6", "C-106")
def test_the_probe_reads_past_no_book_keeping(ground: Ground) -> None:
    """Its index leaves out just what does not count."""
    run = run_of(ground)
    for kind in events.QUEUE_KEEPING:
        tell(ground, run, kind, Subject("wakeup", "w"))
    assert not happened(ground, run)
    with ground.reader.snapshot() as view:
        listening = Listening(view.db)
        events.anything_since(listening, run)
        ((text, values),) = listening.asked
        plan = view.sql(f"EXPLAIN QUERY PLAN {text}", values)
    assert any("events_asked (workspace_id=? AND id>?)" in row["detail"] for row in plan)
    tell(ground, run, Kind.TASK_CREATED, Subject("task", "t"))
    assert happened(ground, run)


@pytest.mark.proves("C-106")
def test_a_run_whose_beginning_was_pruned_began_before_all_that_is_left(ground: Ground) -> None:
    run = run_of(ground)
    tell(ground, run, Kind.TASK_CREATED, Subject("task", "t"))
    with ground.store.transaction() as tx:
        tx.write_sql("DELETE FROM events WHERE kind = ?", (Kind.RUN_STARTING,))
    assert happened(ground, run)
