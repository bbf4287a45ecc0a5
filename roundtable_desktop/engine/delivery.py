"""Delivers approved proposals: intent, git, outcome; held with the reason when in doubt (C-107)."""

import logging
import os
import shlex
import threading
from collections.abc import Callable

from roundtable_desktop.engine import blocked, by_rule, catching_up, graph, merges, straying
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.engine.patience import Patience
from roundtable_desktop.model.errors import PASSING, Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import (
    SPECIAL,
    TIMEOUT,
    Delivered,
    Git,
    GitFailed,
    Ids,
    Prepared,
    Repository,
)
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import SYSTEM, Task, Workspace
from roundtable_desktop.model.states import PROPOSAL, DeliveryStatus, TaskStatus
from roundtable_desktop.store import proposals, runs, tasks, workspaces
from roundtable_desktop.store.db import Reader, Store, Tx

log = logging.getLogger(__name__)

UNDO = "refs/roundtable/undo/"
"""With the delivery's id: where the branch was before it, to go back to (N-17)."""
SAID_APART = (SPECIAL, "hooks_switched_off")
"""Their text is a path; a sentence says what to do there."""
TRIES = 5
"""How often a branch may move away under one delivery before a person is asked."""


class Deliveries:
    """Acts of the launch pool. One at a time: the product is the only hand on these branches
    besides the user's own (C-27). `look_at(workspace_id)` comes after each."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        git: Git,
        ids: Ids,
        look_at: Callable[[str], None] = lambda workspace_id: None,
    ) -> None:
        self._store, self._reader, self._git, self._ids = store, reader, git, ids
        self._look_at = look_at
        self._one = threading.Lock()
        self._patience = Patience()

    def deliver(self, delivery_id: str) -> None:
        """From `intended` to an outcome, also after a crash: what git may have begun is finished
        or taken back first, by looking at the repository (house, Recovery of a delivery)."""
        if not self._one.acquire(blocking=False):
            return  # the one at work nudges when it ends; the pool's threads have other acts
        try:
            where = self._deliver(delivery_id)
        finally:
            self._one.release()
        if where is None:
            return
        with self._store.transaction() as tx:
            tx.nudge("deliveries")  # once more: whoever heard the first may have found it at work
        self._look_at(where)

    def _deliver(self, delivery_id: str) -> str | None:
        """In whose repository it came to an end."""
        for turn in range(TRIES):
            around = self._around(delivery_id)
            if around is None:
                return None
            # Only a life before this act can have left something: within it, what is locked is
            # locked by the user's own git.
            outcome = self._attempt(*around, resume=turn == 0)
            if not outcome.moved:
                self._end(delivery_id, outcome)
                return around[0].workspace_id
        self._end(delivery_id, Delivered(held={"code": "branch_moved"}))
        return None if around is None else around[0].workspace_id

    def _around(
        self, delivery_id: str
    ) -> tuple[Delivery, Proposal, str, Workspace, Mission | None] | None:
        """(…, the message of the commit that brings it, …, the mission that takes its base in)"""
        with self._reader.snapshot() as view:
            delivery = proposals.get_delivery(view, delivery_id)
            assert delivery is not None
            proposal = proposals.get(view, delivery.proposal_id)
            assert proposal is not None
            task = tasks.get(view, proposal.task_id)
            run = runs.get(view, proposal.run_id) if proposal.run_id else None
            workspace = workspaces.get(view, delivery.workspace_id)
            assert task is not None and workspace is not None
            message = merges.message_of(view, proposal, task, run)
            waits = delivery.status is DeliveryStatus.INTENDED and straying.goes_first(
                view, delivery
            )
            mission = catching_up.of(view, delivery, proposal)
        if waits or delivery.status is not DeliveryStatus.INTENDED:
            return None  # what it waits for nudges when it is over
        return delivery, proposal, message, workspace, mission

    def _attempt(
        self,
        delivery: Delivery,
        proposal: Proposal,
        message: str,
        workspace: Workspace,
        mission: Mission | None,
        *,
        resume: bool,
    ) -> Delivered:
        repository = repository_of(workspace)
        try:
            if resume and delivery.old_commit and delivery.new_commit:
                self._git.keep_ref(repository, f"{UNDO}{delivery.id}", delivery.old_commit)
                found = self._git.finish(
                    repository,
                    delivery.branch,
                    old=delivery.old_commit,
                    new=delivery.new_commit,
                    intended_at=self._store.outside(delivery.created_at),
                )
                if found is not None:
                    return found
            if mission is not None:
                return self._catch_up(delivery, proposal, workspace, mission)
            prepared = self._git.prepare(
                repository,
                delivery.branch,
                base=proposal.base_commit,
                head=proposal.head_commit,
                message=message,
                at=delivery.created_at,
                joins=proposal.run_id is None,
            )
            return self._put(delivery, proposal, workspace, prepared)
        except GitFailed as error:
            if self._patience.lasts(delivery.id, error):
                raise
            return Delivered(held=_refusal(error, delivery, proposal, repository))
        except PASSING:
            raise
        except Refused as error:
            return Delivered(held={"code": error.code, **error.values})

    def _catch_up(
        self, delivery: Delivery, proposal: Proposal, workspace: Workspace, mission: Mission
    ) -> Delivered:
        """What clashes is written down before the branch is touched, for whoever ends it."""
        with self._reader.snapshot() as view:
            before = catching_up.marked(view, mission)
        where = repository_of(workspace)
        caught = catching_up.join(self._git, where, mission, delivery, before)
        if caught.held is not None:
            return Delivered(held=caught.held)
        assert caught.prepared is not None and caught.reason is not None
        with self._store.transaction() as tx:
            proposals.note(tx, delivery, caught.reason)
        outcome = self._put(delivery, proposal, workspace, caught.prepared)
        if (outcome.held or {}).get("code") != "checked_out":
            return outcome
        leave = ["git", "-C", str((outcome.held or {})["path"]), "switch", "--detach"]
        held = {"code": "mission_checked_out", "command": shlex.join(leave)}
        return Delivered(held={**(outcome.held or {}), **held})

    def _marks(
        self, delivery: Delivery, proposal: Proposal, workspace: Workspace, new: str
    ) -> list[str]:
        """Paths that a repair was to settle and left with git's marks; a person's own Deliver
        stands."""
        with self._reader.snapshot() as view:
            task = tasks.get(view, proposal.task_id)
            assert task is not None, "foreign keys hold"
            mission = catching_up.mends(view, task)
            marked = catching_up.marked(view, mission) if mission else None
        if marked is None or delivery.into_checkout:
            return []
        return marked.left(self._git, repository_of(workspace), new)

    def _put(
        self, delivery: Delivery, proposal: Proposal, workspace: Workspace, prepared: Prepared
    ) -> Delivered:
        if prepared.new is None:
            conflict = {"code": "conflict", "paths": list(prepared.conflicts)}
            return Delivered(held={**conflict, "command": prepared.command})
        if prepared.new == prepared.old:
            return Delivered(found_in=prepared.old)
        if left := self._marks(delivery, proposal, workspace, prepared.new):
            return Delivered(held=catching_up.held_for(left))
        with self._store.transaction() as tx:
            task = tasks.get(tx, proposal.task_id)
            assert task is not None, "foreign keys hold"
            if by_rule.overtaken(tx, delivery, proposal, task):
                return Delivered(held={"code": blocked.WORD_WAITS})
            catches_up = catching_up.of(tx, delivery, proposal) is not None
            kind = Kind.CATCH_UP_STARTED if catches_up else Kind.MERGE_STARTED
            proposals.aim(tx, delivery, old=prepared.old, new=prepared.new, kind=kind)
        repository = repository_of(workspace)
        self._git.keep_ref(repository, f"{UNDO}{delivery.id}", prepared.old)
        return self._git.deliver(
            repository,
            delivery.branch,
            old=prepared.old,
            new=prepared.new,
            into_checkout=delivery.into_checkout,
        )

    def _end(self, delivery_id: str, outcome: Delivered) -> None:
        """Delivery, proposal and task in one transaction. A held one leaves both where they are,
        but gives way to a newer proposal; and only the newest one's delivery ends the task, unless
        something was said meanwhile."""
        held = outcome.held
        self._patience.over(delivery_id)
        with self._store.transaction() as tx:
            tx.nudge("deliveries")
            delivery = proposals.get_delivery(tx, delivery_id)
            assert delivery is not None
            proposal = proposals.get(tx, delivery.proposal_id)
            assert proposal is not None
            if held is not None:
                return blocked.hold(tx, self._ids, delivery, held)
            mission = catching_up.of(tx, delivery, proposal)
            if mission is not None:
                return catching_up.settle(tx, self._ids, mission, delivery, proposal)
            task = tasks.get(tx, proposal.task_id)
            assert task is not None, "foreign keys hold"
            reason = None
            if outcome.found_in is not None:
                reason = {"code": "nothing_left", "commit": outcome.found_in}
            to_delivered, kind = DeliveryStatus.DELIVERED, Kind.MERGE_COMPLETED
            proposals.end_delivery(tx, delivery, to_delivered, kind=kind, reason=reason)
            if PROPOSAL.allows(proposal.status, merges.ends(proposal, task)):
                proposals.move(tx, proposal, merges.ends(proposal, task))
            if merges.lasts(tx, proposal, task):
                return merges.delivered(tx, self._ids, proposal, task)
            self._end_task(tx, delivery, proposal, task)

    def _end_task(self, tx: Tx, delivery: Delivery, proposal: Proposal, task: Task) -> None:
        """In progress again means that a person had it run anew meanwhile."""
        newest = proposals.of_task(tx, task.id)[-1]
        if task.status is not TaskStatus.IN_REVIEW or newest.id != proposal.id:
            return
        if by_rule.said_since(tx, delivery, task):
            return  # it is heard first, and the task ends then (K-04)
        data = {"proposal_id": proposal.id}
        graph.move(tx, self._ids, task, TaskStatus.DONE, actor=SYSTEM, data=data)


def _refusal(
    error: GitFailed, delivery: Delivery, proposal: Proposal, repository: Repository
) -> dict[str, object]:
    """What git could not do, in words of ours where it is known what to do about it."""
    if error.code == "branch_missing":
        words = ["git", "-C", repository.path, "branch", delivery.branch, proposal.head_commit]
        command = shlex.join(words)
        return {"code": "branch_missing", "branch": delivery.branch, "command": command}
    if not os.path.isdir(repository.git_dir):
        return {"code": "repository_missing", "path": repository.path}
    if error.code == TIMEOUT:
        return {"code": TIMEOUT, "text": error.text, "path": repository.path}
    if error.code in SAID_APART:
        return {"code": error.code, "path": error.text, "mend": error.command}
    return {"code": "git_failed", "text": f"{error.code} {error.text}"}
