"""Where the work of missions goes: onto their integration branch, and from there to their base."""

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.collecting import commit_message
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import SYSTEM, Run, Task
from roundtable_desktop.model.states import DeliveryMode, ProposalStatus, TaskStatus
from roundtable_desktop.rules.accepting import without_lines
from roundtable_desktop.store import missions, offers, proposals, tasks
from roundtable_desktop.store.db import Tx, View

GOAL = 72
"""Characters of a mission's goal in the subject of what it delivers."""


def converged(tx: Tx, ids: Ids, mission: Mission) -> None:
    """It is completed: part of that transaction. What it offers is looked up in git after it; a
    kill in between changes nothing, for the wish stays."""
    offers.intend(tx, mission, ids.new())


def offered_by(view: View, proposal: Proposal) -> Mission | None:
    """The mission whose work as a whole it is; None of what a run left."""
    if proposal.run_id is not None:
        return None
    task = tasks.get(view, proposal.task_id)
    return missions.get(view, task.mission_id) if task and task.mission_id else None


def branch_of(view: View, proposal: Proposal, task: Task) -> str:
    """Where it is brought: a mission's task to the integration branch, which is the base of its
    runs; the mission itself to the branch that it began from."""
    mission = offered_by(view, proposal)
    return task.base_branch if mission is None else mission.base_branch


def by_rule(view: View, proposal: Proposal, task: Task) -> bool:
    """Whether it is brought there without a person. A task of a mission always is: what a person is
    to say comes by its gates, and at the mission's own delivery."""
    mission = offered_by(view, proposal)
    if mission is not None:
        return mission.delivery is DeliveryMode.AUTO
    wanted = task.mission_id is not None or task.delivery is DeliveryMode.AUTO
    return wanted and not task.requires_approval


def lasts(view: View, proposal: Proposal, task: Task) -> bool:
    """Whether the task goes on whatever becomes of it: of a mission's root, and nobody is asked
    whether that is in review."""
    return proposal.run_id is None or missions.of_root(view, task) is not None


def ends(proposal: Proposal, task: Task) -> ProposalStatus:
    """What it is once its branch has it."""
    merges = task.mission_id is not None and proposal.run_id is not None
    return ProposalStatus.MERGED if merges else ProposalStatus.DELIVERED


def delivered(tx: Tx, ids: Ids, proposal: Proposal, task: Task) -> None:
    """What the mission merged came along with it, and its root has nothing left to wait for."""
    mission = offered_by(tx, proposal)
    if mission is None:
        return
    for one in offers.proposals_with(tx, mission.id, ProposalStatus.MERGED):
        proposals.move(tx, one, ProposalStatus.DELIVERED, data={"by": proposal.id})
    if task.status is TaskStatus.IN_REVIEW:
        data = {"proposal_id": proposal.id}
        graph.move(tx, ids, task, TaskStatus.DONE, actor=SYSTEM, data=data)


def message_of(view: View, proposal: Proposal, task: Task, run: Run | None) -> str:
    """Of the commit that brings it."""
    mission = offered_by(view, proposal)
    if mission is not None:
        return _of_mission(view, mission)
    assert run is not None, "a task's proposal is of a run"
    reported = "status" in run.result_json
    result = WorkerResult.model_validate(run.result_json) if reported else None
    return commit_message(task, run, result)


def _of_mission(view: View, mission: Mission) -> str:
    """Its goal, what its tasks did, and by which mission it was."""
    goal = without_lines(mission.goal) or mission.goal.strip()
    first, _, more = goal.partition("\n")
    rest = [f"{first[GOAL:].strip()}\n{more.strip()}".strip()]
    done = [one for one in missions.tasks_of(view, mission.id) if one.id != mission.root_task_id]
    merged = [f"- T-{one.number}: {one.title}" for one in done if one.status is TaskStatus.DONE]
    parts = [first[:GOAL].strip(), *rest, "\n".join(merged), f"Roundtable-Mission: {mission.id}"]
    return "\n\n".join(part for part in parts if part) + "\n"
