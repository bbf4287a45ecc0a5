"""Settles runs: what was left in the copy becomes a proposal, and everything moves together."""

import logging
from dataclasses import asdict, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from roundtable_desktop.engine import (
    artifacts,
    checks,
    circuit,
    gates,
    graph,
    moved,
    spoken,
    straying,
    stuck,
    summaries,
    turns,
    using,
    wakers,
)
from roundtable_desktop.engine.answering import Answering
from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.calling_off import CALLED_OFF, OVER_BUDGET
from roundtable_desktop.engine.checkpoints import ASKED
from roundtable_desktop.engine.collecting import (
    NOTHING,
    Around,
    Collecting,
    Ended,
    Left,
    read_ended,
)
from roundtable_desktop.engine.intake import STOPPED
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.messages import ERROR_BYTES, BlockedOn, Void, read_message
from roundtable_desktop.model.ports import Dice, Git, Ids, Launcher
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import BY_PERSON, SYSTEM, Agent, Run, Subject, Task
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    TURN_ENDED,
    Adapter,
    ErrorKind,
    RunOutcome,
    RunStatus,
    TaskStatus,
)
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import results
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.refusals import judged
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.rules.retry import Layer
from roundtable_desktop.rules.signature import signature
from roundtable_desktop.store import (
    agents,
    dependencies,
    inbox,
    journal,
    proposals,
    runs,
    tasks,
    wakeups,
)
from roundtable_desktop.store import gates as rows
from roundtable_desktop.store.db import Reader, Store, Tx

log = logging.getLogger(__name__)


class Completion:
    """Acts of the launch pool; each may be repeated, and settles a run at most once."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        git: Git,
        launcher: Launcher,
        ids: Ids,
        dice: Dice,
        copies: Path,
        zone: str,
    ) -> None:
        self._store = store
        self._zone = ZoneInfo(zone)
        self._launcher, self._ids = launcher, ids
        self._collecting = Collecting(reader, git, copies)
        self._answering = Answering(ids, dice)

    def settle(self, run_id: str) -> None:
        """After the runner's last message. Collecting comes first and can be repeated: the same
        copy gives the same commit under the same ref."""
        around = self._collecting.around(run_id)
        if around.run.status not in LIVE_RUNS:
            return self._launcher.detach(run_id)
        ended = read_ended(around.run.ended or {})
        left = self._with_artifacts(around, ended, self._collecting.collect(around, ended))
        if left.fault is not None and results.wants_collecting(ended.end, ended.result):
            self._close(run_id, _uncollected(left), ended, left)
            return self._launcher.detach(run_id)
        settlement = results.settlement(
            ended.end,
            ended.result,
            changed=left.collected.head is not None,
            speaks=around.agent.adapter is not Adapter.COMMAND,
        )
        reported, at = ended.result is not None, self._store.here(instant(ended.end.at))
        settlement = judged(settlement, ended.end, reported=reported, now=at, zone=self._zone)
        if wakers.checked(around.run.payload) is not None:
            settlement = results.of_check(ended.end) or settlement
        self._close(run_id, settlement, ended, left)
        self._launcher.detach(run_id)

    def _with_artifacts(self, around: Around, ended: Ended, left: Left) -> Left:
        if ended.result is None or not ended.result.artifacts:
            return left
        folder = self._collecting.folder(around)
        found = artifacts.keep(self._launcher, around.run, folder, ended.result)
        return replace(left, files=found)

    def lost(self, run_id: str) -> None:
        """The runner vanished: whatever carries its mark is ended before anything runs again."""
        around = self._collecting.around(run_id)
        if (around.run.ended or {}).get("void"):
            return self.never_born(run_id)
        survivors = list(self._launcher.sweep(run_id))
        left = NOTHING
        if around.run.status in LIVE_RUNS:
            left = self._collecting.collect(around, None)
        self._close(run_id, results.lost(), left=left, survivors=survivors)
        self._launcher.detach(run_id)

    def never_born(self, run_id: str) -> None:
        """Recovery voided it: nothing ran, nothing is spent."""
        self._close(run_id, results.never_born())
        self._launcher.detach(run_id)

    def unborn(self, run_id: str, kind: ErrorKind, text: str) -> bool:
        """It could not be started, and the spool says so to a child that comes late.

        False when a runner was born after all: then it is to be followed.
        """
        if not self._launcher.void(run_id) and not self._voided(run_id):
            return False
        self._close(run_id, results.unborn(kind, text))
        self._launcher.detach(run_id)
        return True

    def _voided(self, run_id: str) -> bool:
        """The launcher itself, or an earlier try of this act, was here before."""
        first, _, _ = self._launcher.read(run_id, 0).partition(b"\n")
        return isinstance(read_message(first), Void)

    def _close(
        self,
        run_id: str,
        settlement: Settlement,
        ended: Ended | None = None,
        left: Left = NOTHING,
        survivors: list[int] | None = None,
    ) -> None:
        """Run, proposal, task, wakeup and agent in one transaction (W-01, W-09)."""
        around = self._collecting.around(run_id)
        with self._store.transaction() as tx:
            run = runs.get(tx, run_id)
            assert run is not None
            if run.status not in LIVE_RUNS:
                return
            reported = ended is not None and ended.result is not None
            settlement = _as_marked(run, settlement, reported=reported)
            sign = None
            if settlement.kind is not None:
                sign = signature(settlement.kind, _program(around.agent), settlement.text)
            runs.finish(
                tx,
                run,
                settlement.status,
                outcome=settlement.outcome,
                over=self._store.here(instant(ended.end.at)) if ended else None,
                data={"survivors": survivors or [], **_odd(settlement, ended)},
                error_kind=settlement.kind,
                error_text=clip(settlement.text, ERROR_BYTES) or None,
                error_signature=sign,
                **_report(ended),
                **_of_own_copy(run, left, survivors),
            )
            using.ended(tx, run, settlement.kind)
            for item in inbox.open_about(tx, Subject("run", run.id)):
                inbox.resolve(tx, item, {"by": "end"})
            self._tell_left(tx, run, around.task, left)
            if settlement.outcome is RunOutcome.LOST:
                born = settlement.layer is not Layer.REQUEUE
                _tell_end(tx, run, Kind.AGENT_LOST if born else Kind.RUN_VOIDED)
            elif settlement.outcome is RunOutcome.CANCELLED and not reported:
                _tell_end(tx, run, Kind.AGENT_CANCELLED)
            task = now = tasks.get(tx, run.task_id) if run.task_id else None
            spoken.settle(tx, self._ids, run, task, wakes=settlement.outcome in TURN_ENDED)
            if task is not None:
                wakeups.release_parked(tx, task.id)
                blocked = _blocked(around, settlement, ended, look_at_copy=left.fault is not None)
                self._move_task(tx, around, task, settlement, blocked)
                now = self._hand_in(tx, run, task, left)
            stands = now is None or now.status in (TaskStatus.BLOCKED, TaskStatus.DONE)
            if stands and run.gate_id is None:
                on = _waits_for(settlement, ended)
                stuck.ended(tx, self._ids, run, settlement.outcome, now, on)
            self._answering.answer(tx, run, settlement, sign or "")
            agents.touch_finished(tx, run.agent_id, circuit.rests_from(tx, around.agent))
            self._watch(tx, around.agent, run, settlement, ended)
            _after(tx, self._ids, run, settlement.outcome)
            artifacts.add(tx, self._ids, run, left.files)
        self._collecting.forget(around, left)
        _log(run_id, settlement, ended)

    def _watch(
        self, tx: Tx, agent: Agent, run: Run, settlement: Settlement, ended: Ended | None
    ) -> None:
        """How often its agent fails in a row; a check's failures are of what it judges."""
        if wakers.checked(run.payload) is None:
            return circuit.watch(tx, self._ids, agent, run, settlement.kind)
        code = ended.end.exit_code if ended else None
        checks.ended(tx, self._ids, run, settlement.outcome, code)

    def _tell_left(self, tx: Tx, run: Run, task: Task | None, left: Left) -> None:
        if left.discarded:
            about = run.task_id or run.payload.get("task_id")
            data = {"paths": list(left.discarded), "task_id": about}
            subject, where = Subject("run", run.id), run.workspace_id
            journal.tell(tx, Kind.RUN_DISCARDED, subject, workspace_id=where, data=data)
        if task is not None:
            moved.tell(tx, self._ids, run, task, left.moved)

    def _move_task(
        self,
        tx: Tx,
        around: Around,
        task: Task,
        settlement: Settlement,
        blocked: dict[str, object],
    ) -> None:
        """A person may have moved it meanwhile; then it stays where they put it."""
        to = settlement.task
        if task.routine_id is not None and settlement.outcome is RunOutcome.DONE:
            to = TaskStatus.DONE  # one step that completes itself; its proposal stays (K-19)
        if to is None or task.status is not TaskStatus.IN_PROGRESS:
            return
        if to is TaskStatus.DONE and dependencies.has_open_below(tx, task.id):
            return  # it is woken when its subtasks are over, and ends then (K-06)
        asks = to is TaskStatus.DONE and task.requires_approval
        gated = to is TaskStatus.DONE and bool(rows.of_task(tx, task.id))
        ends = to is TaskStatus.DONE and not (asks or gated)
        if ends and wakeups.word_waits(tx, task.id, around.agent.id):
            return  # said while it worked: it is heard first, and the task ends then (B-037)
        data = {"run_id": around.run.id, "error_kind": settlement.kind}
        why = blocked if to is TaskStatus.BLOCKED else None
        to = TaskStatus.IN_REVIEW if asks or gated else to
        graph.move(tx, self._ids, task, to, actor=SYSTEM, blocked=why, data=data)
        if asks and not gated:
            ask_approval(tx, self._ids, task, run_id=around.run.id)

    def _hand_in(self, tx: Tx, run: Run, before: Task, left: Left) -> Task:
        """The task as it is now; before: as it was until this settlement."""
        task = tasks.get(tx, before.id)
        assert task is not None, "foreign keys hold"
        made = self._propose(tx, run, task, left)
        straying.tell(tx, self._ids, made)
        gates.handed_in(tx, self._ids, run, before, task, made, left.collected.changes)
        return tasks.get(tx, task.id) or task

    def _propose(self, tx: Tx, run: Run, task: Task, left: Left) -> Proposal | None:
        collected, patch = left.collected, left.patch
        if collected.head is None:
            return None
        assert run.base_commit is not None
        return proposals.add(
            tx,
            id=patch.id if patch else self._ids.new(),
            workspace_id=run.workspace_id,
            task_id=task.id,
            run_id=run.id,
            base_commit=patch.base if patch else run.base_commit,
            head_commit=collected.head,
            files=[asdict(change) for change in collected.changes],
            held=dict(collected.held) if collected.held else None,
        )


def _after(tx: Tx, ids: Ids, run: Run, outcome: RunOutcome) -> None:
    turns.ended(tx, ids, run, outcome)
    summaries.renew(tx, run.id)
    tx.nudge("queue")


def _as_marked(run: Run, settlement: Settlement, *, reported: bool) -> Settlement:
    """What somebody decided about it while it ran counts, whatever its end looks like."""
    marks = run.ended or {}
    if any(marks.get(mark) for mark in (STOPPED, ASKED, OVER_BUDGET)) and not reported:
        settlement = results.stopped(settlement)
    if marks.get(CALLED_OFF):
        settlement = results.called_off(settlement)
    return results.stopped_by_person(settlement) if marks.get(BY_PERSON) else settlement


def _uncollected(left: Left) -> Settlement:
    """Nothing is lost: the copy stays as it is, and a person is asked to look (A-20)."""
    return Settlement(
        status=RunStatus.FAILED,
        outcome=RunOutcome.CRASHED,
        layer=Layer.INCURABLE,
        task=TaskStatus.BLOCKED,
        kind=left.kind,
        text=left.fault or "",
    )


def _of_own_copy(run: Run, left: Left, survivors: list[int] | None) -> dict[str, object]:
    """What is not known to be whole elsewhere stays where it is: no later run works there."""
    if run.copy_number is None:
        return {}
    kept = run.copy_kept or left.fault is not None or bool(survivors)
    return {"left_commit": left.collected.head, "copy_kept": kept}


def _report(ended: Ended | None) -> dict[str, object]:
    if ended is None:
        return {}
    result: dict[str, object] = {}
    if ended.result is not None:
        result = ended.result.model_dump(exclude_none=True)
    elif ended.unfit is not None:
        result = {"unreadable": ended.unfit, "misfits": [asdict(one) for one in ended.misfits]}
    last_words = ended.notes or results.last_words(results.answer(ended.end))
    summary = ended.result.summary if ended.result else last_words
    return {
        "result_json": result,
        "output_summary": summary,
        "exit_code": ended.end.exit_code,
    }


def _odd(settlement: Settlement, ended: Ended | None) -> dict[str, object]:
    """What the end is told with: an exit code other than 0 also of a run that did well (B-080),
    and how many processes its agent left behind (B-097)."""
    said: dict[str, object] = {"error_kind": settlement.kind}
    if ended is not None and ended.end.exit_code:
        said["exit_code"] = ended.end.exit_code
    if ended is not None and ended.end.swept:
        said["swept"] = ended.end.swept
    return said


def _log(run_id: str, settlement: Settlement, ended: Ended | None) -> None:
    log.info(
        "run ended run=%s outcome=%s exit_code=%s swept=%d",
        run_id,
        settlement.outcome,
        ended.end.exit_code if ended else None,
        ended.end.swept if ended else 0,
    )


def _waits_for(settlement: Settlement, ended: Ended | None) -> BlockedOn | None:
    """Of a run that ended blocked. One that only asks for leave asks a person, in its own words."""
    if settlement.outcome is not RunOutcome.BLOCKED or ended is None:
        return None
    if ended.result is not None and ended.result.blocked is not None:
        return ended.result.blocked
    return BlockedOn(owner="user", action=results.last_words(results.answer(ended.end)))


def _blocked(
    around: Around, settlement: Settlement, ended: Ended | None, *, look_at_copy: bool
) -> dict[str, object]:
    """C-24: who is to do what. `fix_agent`, `look_at_copy` and `clear_way` are codes; an agent's
    own action is its text."""
    if (on := _waits_for(settlement, ended)) is not None:
        return on.model_dump()
    action = "look_at_copy" if look_at_copy else "fix_agent"
    action = "clear_way" if settlement.kind is ErrorKind.SPECIAL_FILE else action
    kind = str(settlement.kind)
    return {"owner": "user", "action": action, "kind": kind, "agent_id": around.agent.id}


def _program(agent: Agent) -> str:
    """The built-in agent has no command of its own."""
    return Path(agent.command[0]).name if agent.command else str(agent.adapter)


def _tell_end(tx: Tx, run: Run, kind: Kind) -> None:
    journal.tell(
        tx,
        kind,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"agent_id": run.agent_id, "task_id": run.task_id},
    )
