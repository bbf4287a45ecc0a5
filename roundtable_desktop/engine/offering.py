"""Looks up what a completed mission has for its base branch, and proposes that as a whole."""

import logging
from collections.abc import Sequence
from dataclasses import asdict

from roundtable_desktop.engine import by_rule, catching_up, checks
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.merges import OfferStatus
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Change, Git, Ids
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.store import missions, offers, proposals, tasks, workspaces
from roundtable_desktop.store.db import Reader, Store

log = logging.getLogger(__name__)


class Offering:
    """Acts of the launch pool, from `intended` to an outcome; repeated after a crash or an error
    an act asks git the same again, and writes once."""

    def __init__(self, store: Store, reader: Reader, git: Git, ids: Ids) -> None:
        self._store, self._reader, self._git, self._ids = store, reader, git, ids

    def offer(self, offer_id: str) -> None:
        """Raises GitFailed where the repository cannot be asked: then it is asked again."""
        with self._reader.snapshot() as view:
            offer = offers.get(view, offer_id)
            assert offer is not None
            mission = missions.get(view, offer.mission_id)
            workspace = workspaces.get(view, offer.workspace_id)
            assert mission is not None and workspace is not None, "foreign keys hold"
            base, merged = catching_up.base_of(view, mission), offers.last_merged(view, mission)
            marked = catching_up.marked(view, mission)
        if offer.status is not OfferStatus.INTENDED:
            return
        repository = repository_of(workspace)
        head = self._git.commit_of(repository, mission.integration_branch)
        head = head or merged or base  # somebody deleted it: what it had is there all the same
        changes = self._git.changes(repository, base, head) if head != base else ()
        left = marked.left(self._git, repository, head) if marked and changes else []
        self._propose(offer_id, workspace, mission, base, head, changes, left)

    def _propose(
        self,
        offer_id: str,
        workspace: Workspace,
        mission: Mission,
        base: str,
        head: str,
        changes: Sequence[Change],
        left: Sequence[str],
    ) -> None:
        """Its root task proposes it, for no single run made it. left: paths that still have git's
        conflict marks; it waits for a person's look then."""
        with self._store.transaction() as tx:
            offer, root = offers.get(tx, offer_id), tasks.get(tx, mission.root_task_id)
            assert offer is not None and root is not None, "foreign keys hold"
            if offer.status is not OfferStatus.INTENDED:
                return
            log.info("mission offers mission=%s base=%s head=%s", mission.id, base, head)
            if not changes:
                offers.end(tx, offer, None)
                return
            made = proposals.add(
                tx,
                id=self._ids.new(),
                workspace_id=workspace.id,
                task_id=root.id,
                run_id=None,
                base_commit=base,
                head_commit=head,
                files=[asdict(change) for change in changes],
                held=catching_up.held_for(left) if left else None,
            )
            offers.end(tx, offer, made.id)
            if not checks.ask(tx, self._ids, mission, made):
                by_rule.intend(tx, self._ids, None, root, made, changes)
            tx.nudge("queue")
