"""Sees to reviewers who were asked and are not going to answer: no work waits in silence."""

import logging

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.model.gates import Gate, GateStatus, Verdict
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Wakeup
from roundtable_desktop.model.states import AgentStatus, RunOutcome, WakeupOutcome
from roundtable_desktop.rules.gates import MOST_ASKED
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.store import agents, gates, runs, tasks, verdicts, wakeups
from roundtable_desktop.store.db import Reader, Store, Tx, View

log = logging.getLogger(__name__)

AT_ONCE = 100
NO_VOTE = "no_vote"
"""The reviewer's turn ended without a verdict."""
BLOCKED = "blocked"
"""It said that it cannot judge the work before somebody does something."""
WANT_BYTES = 500


class Unanswered:
    """Looked at after each drain of the queue, whatever it was that ended a reviewer's wake: it is
    only read first, for mostly there is nothing."""

    def __init__(self, store: Store, reader: Reader, ids: Ids) -> None:
        self._store, self._reader, self._ids = store, reader, ids

    def look(self) -> None:
        with self._reader.snapshot() as view:
            if not verdicts.over(view, 1):
                return
        while True:
            with self._store.transaction() as tx:
                if settle(tx, self._ids) < AT_ONCE:
                    return

    def ask(self) -> None:
        with self._store.transaction() as tx:
            ask_left(tx, self._ids)


def settle(tx: Tx, ids: Ids) -> int:
    """How many were over. Whoever ended a turn without a word is asked once more in the round; of
    all others a person is told, if it takes their verdict to pass."""
    found = verdicts.over(tx, AT_ONCE)
    for verdict in found:
        gate, wakeup = gates.get(tx, verdict.gate_id), wakeups.get(tx, verdict.wakeup_id or "")
        assert gate is not None and wakeup is not None, "foreign keys hold"
        if gate.status is not GateStatus.ASKED or gate.round != verdict.round:
            verdicts.withdraw(tx, verdict)
            continue
        if _may_ask_again(tx, gate, verdict, wakeup):
            flow.request(tx, ids, gate, verdict, verdict.times + 1, SYSTEM)
            continue
        executed = wakeup.outcome is WakeupOutcome.EXECUTED
        if (want := _want(tx, verdict, wakeup)) is not None:
            verdicts.miss(tx, verdict, BLOCKED, want)
        else:
            verdicts.miss(tx, verdict, NO_VOTE if executed else str(wakeup.outcome))
        log.info("verdict missing gate=%s why=%s", gate.id, wakeup.outcome)
        flow.weigh(tx, ids, gate)
    return len(found)


def _may_ask_again(view: View, gate: Gate, verdict: Verdict, wakeup: Wakeup) -> bool:
    agent = agents.get(view, verdict.author_id)
    able = agent is not None and agent.status is AgentStatus.ACTIVE
    silent = wakeup.outcome is WakeupOutcome.EXECUTED
    silent = silent and _want(view, verdict, wakeup) is None
    return able and silent and verdict.times < MOST_ASKED


def _want(view: View, verdict: Verdict, wakeup: Wakeup) -> str | None:
    """What the reviewer waits for, where it said that it cannot go on: the same again would end
    alike."""
    run = runs.get(view, verdict.run_id) if verdict.run_id else None
    if run is None or run.wakeup_id != wakeup.id or run.outcome is not RunOutcome.BLOCKED:
        return None
    said = run.result_json.get("blocked")
    action = said.get("action") if isinstance(said, dict) else None
    return clip(str(action or run.output_summary), WANT_BYTES)


def ask_left(tx: Tx, ids: Ids) -> None:
    """Who was to be heard first is not going to say it: the work is looked at as it is."""
    for task_id in gates.left_alone(tx, AT_ONCE):
        task = tasks.get(tx, task_id)
        assert task is not None
        flow.go_on(tx, ids, task)
