"""Takes a base branch that moved on into a mission's own branch, and has settled what clashes.

What agents hand in has one parent, so that none of them can bring another branch's history. The
commit of both is ours: a delivery of the offer onto the mission's branch, as every other one an
intent first. What clashes in it is a repair task's; then the mission is offered again, and fits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtable_desktop.engine import graph, helping, merges
from roundtable_desktop.model.attempts import Change, Clash, RetryAction
from roundtable_desktop.model.joined import Clashes, Holds
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission, MissionState
from roundtable_desktop.model.ports import Git, Ids, Prepared, Repository
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Task
from roundtable_desktop.model.states import (
    TASK,
    TERMINAL_TASKS,
    DeliveryMode,
    DeliveryStatus,
    ProposalStatus,
    TaskStatus,
)
from roundtable_desktop.rules import routes
from roundtable_desktop.store import comments, missions, proposals, retries, tasks
from roundtable_desktop.store.db import Tx, View

BASE_MISSING = "base_missing"
CATCHES_UP, CAUGHT_UP = "catches_up", "caught_up"
"""Codes of such a delivery's reason, while it is under way and when it is over."""
CONFLICT = "merge_conflict"
MARKS = "conflict_marks"
MOST_AREA = 200
"""Paths that a repair is bound to; one of more may write anywhere."""
MOST_TOLD = 500
"""Paths that are told with their kind."""
NAMED = 50
"""Paths that are named to who settles them."""
SAID = 10
"""Paths that are named in a sentence about it."""
REPAIR = (
    "{base} moved on while this mission was at work, and what the mission did does not fit onto it."
    " Both are joined in {branch} now, by one commit, in which these paths are not settled:\n\n"
    "{listed}\n\nSettle each of them so that both intentions hold, leave none of git's conflict "
    "marks, and report. Where there are marks, the first side is this mission's, commit {ours}, "
    "and the second one is that of {base}, commit {theirs}; `git show COMMIT:PATH` tells what each "
    "of them had. Change nothing else."
)
COORDINATOR = (
    "{base} moved on, and what this mission did does not fit onto it. Both are joined in {branch}, "
    "and T-{number} settles what clashes. Nothing else is to be planned for it: when that is "
    "merged, all of it is offered again."
)
_CLASHES: Mapping[str, str] = {
    Clashes.LINES: "both sides changed the same lines",
    Clashes.BOTH_ADDED: "both sides added it",
    Clashes.BINARY: "both sides changed it, and it has no lines",
    Clashes.DELETED: "one side took it away, the other one changed it",
    Clashes.RENAMED: "both sides renamed a file, each to another name",
    Clashes.RENAMED_DELETED: "one side renamed a file, the other one took it away",
    Clashes.FOLDER: "a file on one side, a folder on the other one",
    Clashes.SUBMODULE: "a submodule that both sides changed",
    Clashes.OTHER: "git could not say what both sides mean together",
}
_HOLDS: Mapping[str, str] = {
    Holds.MARKS: "it has git's conflict marks",
    Holds.OURS: "it is there as this mission had it",
    Holds.THEIRS: "it is there as {base} had it",
    Holds.MIXED: "it is there without conflict marks, made of both",
    Holds.FOLDER: "a folder is there",
    Holds.NOTHING: "nothing is there",
}


def of(view: View, delivery: Delivery, proposal: Proposal) -> Mission | None:
    """The mission whose branch it takes its base into; None of any other delivery."""
    mission = merges.offered_by(view, proposal)
    return mission if mission and delivery.branch == mission.integration_branch else None


def stuck(view: View, proposal: Proposal) -> Mission | None:
    """The mission that was to take its base in for this offer, when that was held and nothing came
    after it."""
    mission = merges.offered_by(view, proposal)
    if mission is None or proposal.status is not ProposalStatus.CONFLICTED:
        return None
    tries = proposals.deliveries(view, proposal.id)
    held = bool(tries) and tries[-1].status is DeliveryStatus.HELD
    newest = proposals.of_task(view, proposal.task_id)[-1].id == proposal.id
    return mission if newest and held and of(view, tries[-1], proposal) else None


def by_itself(view: View, proposal: Proposal) -> Mission | None:
    """The mission that takes its base in without being told to: one that delivers by itself, as
    often as a repair is tried."""
    mission = merges.offered_by(view, proposal)
    if mission is None or mission.delivery is not DeliveryMode.AUTO:
        return None
    way = routes.conflict(Clash(repairs=_rounds(view, proposal)))
    return None if way.action is RetryAction.BLOCK else mission


def _rounds(view: View, proposal: Proposal) -> int:
    """How often since it was delivered last."""
    offered = proposals.of_task(view, proposal.task_id)
    last = [one.id for one in offered if one.status is ProposalStatus.DELIVERED]
    since = last[-1] if last else ""
    kept = retries.of_task(view, proposal.task_id)
    return sum(1 for one in kept if one.proposal_id is not None and one.proposal_id > since)


def intend(
    tx: Tx, ids: Ids, mission: Mission, proposal: Proposal, actor: Actor, note: str = ""
) -> None:
    """The offer is over; another one comes of it. note: for who settles what clashes; without one
    that of the try before."""
    tries = proposals.deliveries(tx, proposal.id)
    note = note or note_of(tries[-1]) if tries else note
    if proposal.status is not ProposalStatus.CONFLICTED:
        data = {"by": CATCHES_UP, "note": note}
        proposals.move(tx, proposal, ProposalStatus.CONFLICTED, actor=actor, data=data)
    proposals.intend(
        tx,
        proposal,
        actor,
        id=ids.new(),
        branch=mission.integration_branch,
        into_checkout=False,
        kind=Kind.CATCH_UP_INTENDED,
        reason={"code": CATCHES_UP, "base_branch": mission.base_branch, "note": note},
    )


def note_of(delivery: Delivery) -> str:
    """What a person wrote with it."""
    return str((delivery.reason or {}).get("note") or "")


# --- the act ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Caught:
    """held: why nothing was made. prepared: the commit of both; reason: what is told of it."""

    prepared: Prepared | None = None
    reason: Json | None = None
    held: Json | None = None


def join(
    git: Git,
    repository: Repository,
    mission: Mission,
    delivery: Delivery,
    before: "Marked | None",
) -> Caught:
    """No branch is moved by it. before: what was taken in earlier; where nothing is to be joined,
    what that left with marks is to be settled still. Raises GitFailed."""
    base = git.commit_of(repository, mission.base_branch)
    if base is None:
        return Caught(held={"code": BASE_MISSING, "branch": mission.base_branch})
    words = f"Take {mission.base_branch} into {mission.integration_branch}\n\n"
    made = git.join(
        repository,
        mission.integration_branch,
        base,
        message=f"{words}Roundtable-Mission: {mission.id}\n",
        at=delivery.created_at,
    )
    told = [
        {"path": one.path, "clash": str(one.clash), "holds": str(one.holds)}
        for one in made.unsettled
    ]
    ours = made.old
    if made.new == made.old and before is not None:
        left, ours = before.left(git, repository, made.old), before.ours
        told = [{"path": one, "clash": Clashes.LINES, "holds": Holds.MARKS} for one in left]
    paths = [str(one["path"]) for one in told]
    reason = {
        "code": CAUGHT_UP,
        "base_branch": mission.base_branch,
        "base": base,
        "ours": ours,
        "paths": paths[:MOST_TOLD],
        "named": [*paths[:SAID], *["…"] * (len(paths) > SAID)],
        "unsettled": told[:MOST_TOLD],
        "count": len(told),
        "note": note_of(delivery),
    }
    return Caught(Prepared(old=made.old, new=made.new), reason)


# --- what follows from it -----------------------------------------------------------------------


def settle(tx: Tx, ids: Ids, mission: Mission, delivery: Delivery, proposal: Proposal) -> None:
    """The mission's branch has its base: what clashes gets a repair and the mission goes on, else
    it is offered anew. One that somebody opened or stopped meanwhile stays what it is."""
    reason = dict(delivery.reason or {})
    if not reason.get("count"):
        reason["code"] = f"{CAUGHT_UP}_clean"
    kind = Kind.CATCH_UP_COMPLETED
    proposals.end_delivery(tx, delivery, DeliveryStatus.DELIVERED, kind=kind, reason=reason)
    if reason.get("count"):
        _repair(tx, ids, mission, proposal, reason)
    elif mission.state is MissionState.COMPLETED:
        merges.converged(tx, ids, mission)


def _repair(tx: Tx, ids: Ids, mission: Mission, proposal: Proposal, reason: Json) -> None:
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    paths = paths_of(reason)
    whole = len(paths) == reason["count"] and len(paths) <= MOST_AREA
    made = helping.make(
        tx,
        ids,
        mission,
        root,
        Purpose.REPAIR,
        helping.helper(tx, root),
        _words(mission, reason),
        paths[:MOST_AREA],
        area=paths if whole else [],
    )
    way = routes.conflict(Clash(repairs=_rounds(tx, proposal)))
    retries.keep(
        tx,
        root,
        id=ids.new(),
        proposal_id=proposal.id,
        action=RetryAction.DEBUG,
        change=Change.DEBUGGER,
        reason=CONFLICT,
        cost=0,
        helper_task_id=made.id,
        evidence={"paths": paths[:NAMED], "conflict": str(way.conflict), "command": None},
    )
    _go_on(tx, ids, mission, root, made)


def _words(mission: Mission, reason: Json) -> str:
    words = REPAIR.format(
        base=mission.base_branch,
        branch=mission.integration_branch,
        listed="\n".join(_listed(mission, reason)),
        ours=reason["ours"],
        theirs=reason["base"],
    )
    note = reason.get("note")
    return f"{words}\n\nThe developer wrote with it:\n{note}" if note else words


def _listed(mission: Mission, reason: Json) -> Iterator[str]:
    told = _told(reason)
    for one in told[:NAMED]:
        holds = _HOLDS[str(one["holds"])].format(base=mission.base_branch)
        yield f"- `{one['path']}`: {_CLASHES[str(one['clash'])]}; {holds}."
    left = int(str(reason["count"])) - len(told[:NAMED])
    if left > 0:
        yield f"- and {left} more; `git show --stat HEAD` and a search for the marks tell which."


def _told(reason: Json) -> list[Json]:
    told = reason.get("unsettled")
    return list(told) if isinstance(told, list) else []


def _go_on(tx: Tx, ids: Ids, mission: Mission, root: Task, repair: Task) -> None:
    """Its root is open again, for who leads it to be told when the repair is over."""
    if mission.state is MissionState.COMPLETED:
        missions.move(
            tx,
            mission,
            MissionState.ACTIVE,
            data={"reason": CAUGHT_UP, "repair": repair.number},
            outcome=None,
            reason=None,
            report=None,
        )
    data = {"by": CAUGHT_UP}
    if root.status in TERMINAL_TASKS and TASK.allows(root.status, TaskStatus.TODO):
        graph.move(tx, ids, root, TaskStatus.TODO, actor=SYSTEM, data=data)
        if root.assignee_agent_id is not None:
            opened = tasks.get(tx, root.id)
            assert opened is not None
            graph.move(tx, ids, opened, TaskStatus.IN_PROGRESS, actor=SYSTEM, data=data)
    words = COORDINATOR.format(
        base=mission.base_branch, branch=mission.integration_branch, number=repair.number
    )
    comments.add(tx, root, ids.new(), SYSTEM, words, None)
    tx.nudge("queue")


# --- what a mission's branch has of it ----------------------------------------------------------


def paths_of(reason: Json) -> list[str]:
    given = reason.get("paths")
    return [str(one) for one in given] if isinstance(given, list) else []


def base_of(view: View, mission: Mission) -> str:
    """Up to where its branch has its base, and its base its work: the commit that the branch began
    at, what the mission delivered last, or what it took in last. The base branch itself may have
    moved on meanwhile."""
    base = mission.base_commit
    for offered in proposals.of_task(view, mission.root_task_id):
        for reason in _caught(view, offered):
            base = str(reason["base"])
        if offered.run_id is None and offered.status is ProposalStatus.DELIVERED:
            base = offered.head_commit
    return base


@dataclass(frozen=True, slots=True)
class Marked:
    """base: what a mission's branch took in last; ours: where it was before that. paths: where that
    left something to be settled; empty where they are too many to be kept: then each counts."""

    base: str
    ours: str
    paths: frozenset[str]

    def left(self, git: Git, repository: Repository, head: str) -> list[str]:
        """Those of them that still have git's marks in that commit. Raises GitFailed."""
        found = git.marks_in(repository, self.base, head)
        return [path for path in found if not self.paths or path in self.paths]


def marked(view: View, mission: Mission) -> Marked | None:
    """None where it took nothing in that clashed, since it was delivered last."""
    base, ours, known, whole, clashed = "", "", set[str](), True, False
    for offered in proposals.of_task(view, mission.root_task_id):
        for reason in _caught(view, offered):
            base, ours = str(reason["base"]), str(reason["ours"]) if reason["count"] else ours
            known.update(paths_of(reason))
            clashed = clashed or bool(reason["count"])
            whole = whole and len(paths_of(reason)) == reason["count"]
        if offered.run_id is None and offered.status is ProposalStatus.DELIVERED:
            known, whole, clashed = set(), True, False
    return Marked(base, ours, frozenset(known if whole else ())) if clashed else None


def _caught(view: View, offered: Proposal) -> Iterator[Json]:
    if offered.run_id is not None or offered.status is not ProposalStatus.CONFLICTED:
        return
    for one in proposals.deliveries(view, offered.id):
        reason = one.reason or {}
        if one.status is DeliveryStatus.DELIVERED and "base" in reason:
            yield reason


def mends(view: View, task: Task) -> Mission | None:
    """The mission of whose branch this is the repair, not of another task's work."""
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    of_root = mission is not None and task.about_task_id == mission.root_task_id
    return mission if of_root and task.purpose is Purpose.REPAIR else None


def held_for(paths: Sequence[str]) -> Json:
    return {"code": MARKS, "paths": list(paths)}
