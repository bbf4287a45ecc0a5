"""Settles runs: what was left in the copy becomes a proposal, and everything moves together."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from roundtable_desktop.engine.answering import Answering
from roundtable_desktop.engine.launching import copy_of, repository_of
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.messages import (
    ERROR_BYTES,
    End,
    Void,
    WorkerResult,
    read_message,
    worker_result,
)
from roundtable_desktop.model.ports import Collected, Dice, Git, GitFailed, Ids, Launcher
from roundtable_desktop.model.records import SYSTEM, Agent, Run, Subject, Task, Wakeup, Workspace
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    TASK,
    Adapter,
    DeliveryMode,
    ErrorKind,
    ProposalStatus,
    RunOutcome,
    RunStatus,
    TaskStatus,
)
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import results
from roundtable_desktop.rules.changes import telling
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.refusals import judged
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.rules.retry import Layer
from roundtable_desktop.rules.signature import signature
from roundtable_desktop.store import (
    agents,
    inbox,
    journal,
    proposals,
    runs,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Reader, Store, Tx


@dataclass(frozen=True, slots=True)
class Ended:
    """What the runner left behind of one run."""

    end: End
    result: WorkerResult | None
    unreadable: str | None


@dataclass(frozen=True, slots=True)
class Around:
    """A run with what it belongs to."""

    run: Run
    agent: Agent
    workspace: Workspace
    wakeup: Wakeup
    task: Task | None


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
        self._store, self._reader = store, reader
        self._zone = ZoneInfo(zone)
        self._git, self._launcher = git, launcher
        self._ids, self._copies = ids, copies
        self._answering = Answering(ids, dice)

    def settle(self, run_id: str) -> None:
        """After the runner's last message. Collecting comes first and can be repeated: the same
        copy gives the same commit under the same ref."""
        around = self._around(run_id)
        if around.run.status not in LIVE_RUNS:
            return self._launcher.detach(run_id)
        ended = read_ended(around.run.ended or {})
        collected = Collected(head=None)
        if around.task is not None and results.wants_collecting(ended.end, ended.result):
            try:
                collected = self._collect(around, around.task, ended)
            except GitFailed as error:
                if error.broken_off:
                    raise  # it is collected again: the same copy gives the same commit
                self._uncollected(run_id, ended, f"{error.code}: {error.text}")
                return self._launcher.detach(run_id)
            except Refused as error:
                self._uncollected(run_id, ended, str(error))
                return self._launcher.detach(run_id)
        settlement = results.settlement(
            ended.end,
            ended.result,
            changed=collected.head is not None,
            speaks=around.agent.adapter is not Adapter.COMMAND,
        )
        reported, at = ended.result is not None, instant(ended.end.at)
        settlement = judged(settlement, ended.end, reported=reported, now=at, zone=self._zone)
        self._close(run_id, settlement, ended, collected)
        self._launcher.detach(run_id)

    def lost(self, run_id: str) -> None:
        """The runner vanished: whatever carries its mark is ended before anything runs again."""
        if (self._around(run_id).run.ended or {}).get("void"):
            return self.never_born(run_id)
        left = self._launcher.sweep(run_id)
        self._close(run_id, results.lost(), survivors=list(left))
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

    def _around(self, run_id: str) -> Around:
        with self._reader.snapshot() as view:
            run = runs.get(view, run_id)
            assert run is not None
            agent, workspace = (
                agents.get(view, run.agent_id),
                workspaces.get(view, run.workspace_id),
            )
            wakeup = wakeups.get(view, run.wakeup_id)
            assert agent is not None and workspace is not None and wakeup is not None
            task = tasks.get(view, run.task_id) if run.task_id else None
            return Around(run, agent, workspace, wakeup, task)

    def _collect(self, around: Around, task: Task, ended: Ended) -> Collected:
        run = around.run
        assert run.base_commit is not None, "it was written before the runner was started"
        with self._reader.snapshot() as view:
            folder = copy_of(view, self._copies, around.workspace, task, run)
        return self._git.collect(
            repository_of(around.workspace),
            str(folder),
            base=run.base_commit,
            ref=f"refs/roundtable/proposals/{run.id}",
            message=commit_message(task, run, ended.result),
            at=instant(ended.end.at),
        )

    def _uncollected(self, run_id: str, ended: Ended, text: str) -> None:
        """Nothing is lost: the copy stays as it is, and a person is asked to look (A-20)."""
        settlement = Settlement(
            status=RunStatus.FAILED,
            outcome=RunOutcome.CRASHED,
            layer=Layer.INCURABLE,
            task=TaskStatus.BLOCKED,
            kind=ErrorKind.SPAWN_FAILED,
            text=text,
        )
        self._close(run_id, settlement, ended, look_at_copy=True)

    def _close(
        self,
        run_id: str,
        settlement: Settlement,
        ended: Ended | None = None,
        collected: Collected | None = None,
        survivors: list[int] | None = None,
        look_at_copy: bool = False,
    ) -> None:
        """Run, proposal, task, wakeup and agent in one transaction (W-01, W-09)."""
        around = self._around(run_id)
        with self._store.transaction() as tx:
            run = runs.get(tx, run_id)
            assert run is not None
            if run.status not in LIVE_RUNS:
                return
            reported = ended is not None and ended.result is not None
            if (run.ended or {}).get("stopped") and not reported:
                settlement = results.stopped(settlement)
            sign = None
            if settlement.kind is not None:
                sign = signature(settlement.kind, _program(around.agent), settlement.text)
            runs.finish(
                tx,
                run,
                settlement.status,
                outcome=settlement.outcome,
                data={"error_kind": settlement.kind, "survivors": survivors or []},
                error_kind=settlement.kind,
                error_text=clip(settlement.text, ERROR_BYTES) or None,
                error_signature=sign,
                **_report(ended),
            )
            for item in inbox.open_about(tx, Subject("run", run.id)):
                inbox.resolve(tx, item, {"by": "end"})
            if settlement.outcome is RunOutcome.LOST:
                born = settlement.layer is not Layer.REQUEUE
                _tell_lost(tx, run, Kind.AGENT_LOST if born else Kind.RUN_VOIDED)
            task = tasks.get(tx, run.task_id) if run.task_id else None
            if task is not None:
                self._move_task(
                    tx, around, task, settlement, _blocked(around, settlement, ended, look_at_copy)
                )
                if collected is not None and collected.head is not None:
                    self._propose(tx, run, task, collected)
            self._answering.answer(tx, run, settlement, sign or "")
            agents.touch_finished(tx, run.agent_id)
            tx.nudge("queue")

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
        if to is None or not TASK.allows(task.status, to):
            return
        data = {"run_id": around.run.id, "error_kind": settlement.kind}
        why = blocked if to is TaskStatus.BLOCKED else None
        tasks.move(tx, task, to, actor=SYSTEM, blocked=why, data=data)

    def _propose(self, tx: Tx, run: Run, task: Task, collected: Collected) -> None:
        assert run.base_commit is not None and collected.head is not None
        proposal = proposals.add(
            tx,
            id=self._ids.new(),
            workspace_id=run.workspace_id,
            task_id=task.id,
            run_id=run.id,
            base_commit=run.base_commit,
            head_commit=collected.head,
            files=[asdict(change) for change in collected.changes],
            held=dict(collected.held) if collected.held else None,
        )
        if task.delivery is not DeliveryMode.AUTO or proposal.held or telling(collected.changes):
            return
        proposals.move(tx, proposal, ProposalStatus.APPROVED, data={"rule": "auto"})
        proposals.intend(
            tx,
            proposal,
            SYSTEM,
            id=self._ids.new(),
            branch=task.base_branch,
            into_checkout=False,
        )


def read_ended(kept: Mapping[str, object]) -> Ended:
    """What `spools` kept; an unreadable result counts as none and is shown (C-103)."""
    end = End.model_validate(kept["end"])
    text = kept.get("mcp") or kept.get("result")
    result = worker_result(text) if isinstance(text, str) else None
    return Ended(end, result, text if isinstance(text, str) and result is None else None)


def commit_message(task: Task, run: Run, result: WorkerResult | None) -> str:
    summary = result.summary.strip() if result else ""
    parts = [f"T-{task.number}: {task.title}", summary, f"Roundtable-Run: {run.id}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _report(ended: Ended | None) -> dict[str, object]:
    if ended is None:
        return {}
    result: dict[str, object] = {}
    if ended.result is not None:
        result = ended.result.model_dump(exclude_none=True)
    elif ended.unreadable is not None:
        result = {"unreadable": ended.unreadable}
    summary = ended.result.summary if ended.result else results.last_words(ended.end.tail)
    return {
        "result_json": result,
        "output_summary": summary,
        "exit_code": ended.end.exit_code,
    }


def _blocked(
    around: Around, settlement: Settlement, ended: Ended | None, look_at_copy: bool
) -> dict[str, object]:
    """C-24: who is to do what. `fix_agent` and `look_at_copy` are codes; an agent's own action
    is its text."""
    if ended is not None and ended.result is not None and ended.result.blocked is not None:
        return ended.result.blocked.model_dump()
    action = "look_at_copy" if look_at_copy else "fix_agent"
    kind = str(settlement.kind)
    return {"owner": "user", "action": action, "kind": kind, "agent_id": around.agent.id}


def _program(agent: Agent) -> str:
    """The built-in agent has no command of its own."""
    return Path(agent.command[0]).name if agent.command else str(agent.adapter)


def _tell_lost(tx: Tx, run: Run, kind: Kind) -> None:
    journal.tell(
        tx,
        kind,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"agent_id": run.agent_id, "task_id": run.task_id},
    )
