"""What a run left without proposing it, turned into a proposal by a person's word (A-26)."""

from collections.abc import Sequence
from dataclasses import asdict

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.collecting import PROPOSED, commit_message
from roundtable_desktop.engine.desk import Asked, Desk, done_before, once
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Absent, Busy, Conflict
from roundtable_desktop.model.ports import SPECIAL, Change, Collected, GitFailed
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run, Subject, Task, Workspace
from roundtable_desktop.model.states import LIVE_RUNS, DeliveryMode, TaskStatus
from roundtable_desktop.store import agents, proposals, runs, workspaces
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Tx, View

TITLE = "Recovered: {what}"


def recover(desk: Desk, asked: Asked, run_id: str, folder: str) -> Proposal:
    """A task of its own in review, with that work as its proposal; the run's task stays as it is.

    folder: of the copy that the run worked in. What a run without a task left was collected when it
    ended; of a task it is the last attempt's, which is still in the copy.
    """
    with desk.store.transaction() as tx:
        made = done_before(tx, asked)
        if made is None:
            run, task, workspace = _recoverable(tx, run_id)
    if made is None:
        collected = _collected(desk, workspace, run, task, folder)

    def act() -> Subject:
        _recoverable(tx, run_id)
        return Subject("proposal", _propose(tx, desk, asked, run, task, workspace, collected))

    with desk.store.transaction() as tx:
        return once(tx, asked, act, proposals.get)


def _recoverable(view: View, run_id: str) -> tuple[Run, Task | None, Workspace]:
    run = runs.get(view, run_id)
    if run is None:
        raise Absent("unknown_run")
    workspace = workspaces.get(view, run.workspace_id)
    assert workspace is not None, "foreign keys hold"
    task = rows.get(view, run.task_id) if run.task_id else None
    attempts = runs.of_task(view, task.id) if task else [run]
    if any(one.status in LIVE_RUNS for one in attempts):
        raise Conflict("run_lives")
    if attempts[-1].id != run.id:
        raise Conflict("not_the_last_attempt", run=attempts[-1].id)
    if before := proposals.of_run(view, run.id):
        raise Conflict("proposed_already", proposal=before.id)
    if run.base_commit is None or (task is None and run.left_commit is None):
        raise Conflict("run_left_nothing")
    return run, task, workspace


def _collected(
    desk: Desk, workspace: Workspace, run: Run, task: Task | None, folder: str
) -> Collected:
    repository, base = repository_of(workspace), run.base_commit
    assert base is not None
    try:
        if task is None:
            assert run.left_commit is not None
            changes: Sequence[Change] = desk.git.changes(repository, base, run.left_commit)
            held = {"code": "left_by_a_run"}
            return Collected(head=run.left_commit, changes=tuple(changes), held=held)
        found = desk.git.collect(
            repository,
            folder,
            base=base,
            ref=f"{PROPOSED}{run.id}",
            message=commit_message(task, run, None),
            at=run.ended_at or run.created_at,
        )
    except GitFailed as failed:
        if failed.code == "copy_missing":
            raise Conflict("run_left_nothing") from failed
        if failed.code == SPECIAL:
            raise Conflict(SPECIAL, path=failed.text, mend=failed.command) from failed
        raise Busy("git_failed", text=str(failed)) from failed
    if found.head is None:
        raise Conflict("run_left_nothing")
    return found


def _propose(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    run: Run,
    task: Task | None,
    workspace: Workspace,
    collected: Collected,
) -> str:
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    made = rows.add(
        tx,
        asked.actor,
        id=desk.ids.new(),
        workspace_id=workspace.id,
        number=workspaces.next_task_number(tx, workspace.id),
        title=TITLE.format(what=task.title if task else agent.name)[:200],
        description="",
        base_branch=task.base_branch if task else workspace.base_branch,
        delivery=DeliveryMode.APPROVAL,
        retry_budget=task.retry_budget if task else 0,
    )
    for to in (TaskStatus.IN_PROGRESS, TaskStatus.IN_REVIEW):
        found = rows.get(tx, made.id)
        assert found is not None
        data = {"by": "recover", "run_id": run.id}
        graph.move(tx, desk.ids, found, to, actor=asked.actor, data=data)
    return proposals.add(
        tx,
        id=desk.ids.new(),
        workspace_id=workspace.id,
        task_id=made.id,
        run_id=run.id,
        base_commit=run.base_commit,
        head_commit=collected.head,
        files=[asdict(change) for change in collected.changes],
        held=dict(collected.held) if collected.held else None,
    ).id
