"""Gives a mission its branch; nothing of it is begun before (law 3: the mission's row is the
intent)."""

import logging

from roundtable_desktop.engine import ending, wakers
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.engine.patience import Patience
from roundtable_desktop.model.errors import PASSING, Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import PLANNING, Mission
from roundtable_desktop.model.ports import STOPPED, Git, GitFailed, Ids
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import Json, Subject, Task, Workspace
from roundtable_desktop.model.states import Source, TaskStatus
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import journal, missions, tasks, wakeups, workspaces
from roundtable_desktop.store.db import Reader, Store, Tx

log = logging.getLogger(__name__)

GOAL = "mission_goal"
"""Why a coordinator is woken first."""
TOLD = 300
"""Characters of what git says."""


class Openings:
    """Acts of the launch pool; each may be repeated."""

    def __init__(self, store: Store, reader: Reader, git: Git, ids: Ids) -> None:
        self._store, self._reader, self._git, self._ids = store, reader, git, ids
        self._patience = Patience()

    def open(self, mission_id: str) -> None:
        """After a crash the branch is found there, at the commit that it was made at."""
        with self._reader.snapshot() as view:
            mission = missions.get(view, mission_id)
            assert mission is not None
            workspace = workspaces.get(view, mission.workspace_id)
            assert workspace is not None, "foreign keys hold"
        if mission.opened_at is not None or mission.state not in PLANNING:
            return
        refused = self._make(mission, workspace)
        with self._store.transaction() as tx:
            found = missions.get(tx, mission_id)
            assert found is not None
            if found.opened_at is not None or found.state not in PLANNING:
                return
            if refused is not None:
                ending.block(tx, self._ids, found, refused)
            else:
                self._opened(tx, found)

    def _make(self, mission: Mission, workspace: Workspace) -> Json | None:
        """Why it cannot be had, if it cannot."""
        branch, base = mission.integration_branch, mission.base_commit
        try:
            found = self._git.begin_branch(repository_of(workspace), branch, base)
        except GitFailed as error:
            if error.code == STOPPED or self._patience.lasts(mission.id, error):
                raise
            text = redact(printed(error.text), ())[:TOLD].strip() or error.code
            return {"code": "branch_not_made", "branch": branch, "text": text}
        except PASSING:
            raise
        except Refused as error:
            return {"code": "branch_not_made", "branch": branch, "text": error.code}
        if found != base:
            return {"code": "branch_taken", "branch": branch, "commit": found}
        return None

    def _opened(self, tx: Tx, mission: Mission) -> None:
        missions.note(tx, mission, opened_at=tx.now)
        subject, where = Subject("mission", mission.id), mission.workspace_id
        data = {"branch": mission.integration_branch, "commit": mission.base_commit}
        journal.tell(tx, Kind.MISSION_OPENED, subject, workspace_id=where, data=data)
        root = tasks.get(tx, mission.root_task_id)
        assert root is not None, "foreign keys hold"
        if root.assignee_agent_id is not None and root.status is TaskStatus.TODO:
            wakers.wake(tx, self._ids.new(), goal(root, root.assignee_agent_id))
        tx.nudge("queue")


def goal(root: Task, agent_id: str) -> wakeups.Cause:
    """Of each assignment once (C-63)."""
    return wakeups.Cause(
        workspace_id=root.workspace_id,
        agent_id=agent_id,
        task_id=root.id,
        source=Source.TASK_ASSIGNED,
        reason=GOAL,
        payload={"task_id": root.id},
        key=f"task_assigned:{root.id}:{root.assignment_seq}",
    )
