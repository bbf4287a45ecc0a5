"""Has a mission's merged work looked at: a wave of reviewers on a snapshot of its branch (A-28)."""

from dataclasses import dataclass

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine import graph, panels
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.gates import GateKind
from roundtable_desktop.model.merged_reviews import (
    OPEN_REVIEWS,
    Merged,
    MergedReview,
    ReviewStatus,
)
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, DeliveryMode, Role, TaskStatus
from roundtable_desktop.rules.merged_reviews import risks
from roundtable_desktop.rules.reviews import Policy, kept
from roundtable_desktop.store import gates, merged_reviews, settings, tasks, workspaces
from roundtable_desktop.store.db import Tx, View

SEATS = 3
"""Reviewers of one wave, all of whom must approve."""
NOBODY = "no_reviewer"
"""Why it was not looked at: no agent with the role could."""


@dataclass(frozen=True, slots=True)
class AfterMerge:
    """waits: a review is under way, or a person is to decide about one. opened: the one that was
    begun now, or skipped."""

    waits: bool
    opened: MergedReview | None = None


def after_merge(tx: Tx, ids: Ids, mission: Mission) -> AfterMerge:
    """Asked when nothing of the mission waits to be merged; asking twice begins nothing twice. One
    review at a time: what is merged meanwhile is looked at with the next one."""
    known = merged_reviews.of_mission(tx, mission.id)
    if known and _goes_on(tx, known[-1]):
        return AfterMerge(waits=True)
    if known and known[-1].status in OPEN_REVIEWS:
        merged_reviews.move(tx, known[-1], ReviewStatus.WAIVED)
    merged, reasons = _wanted(tx, mission)
    commits = [one.new for one in merged if one.new]
    if not reasons or not commits:
        return AfterMerge(waits=False)
    base = known[-1].head_commit if known else mission.base_commit
    who = _reviewers(tx, mission, merged)
    if not who:
        skipped = merged_reviews.add(
            tx,
            mission,
            merged,
            id=ids.new(),
            base_commit=base,
            head_commit=commits[-1],
            reasons=[*reasons, NOBODY],
            status=ReviewStatus.SKIPPED,
        )
        return AfterMerge(waits=False, opened=skipped)
    snapshot = {"base": base, "head": commits[-1]}
    carrier = _carrier(tx, ids, mission, merged)
    review = merged_reviews.add(
        tx,
        mission,
        merged,
        id=ids.new(),
        task_id=carrier.id,
        base_commit=base,
        head_commit=commits[-1],
        reasons=reasons,
        status=ReviewStatus.ASKED,
    )
    gates.add(
        tx,
        id=ids.new(),
        workspace_id=mission.workspace_id,
        task_id=carrier.id,
        place=1,
        kind=GateKind.REVIEW,
        agents=list(who),
        needed=len(who),
        policy=kept(Policy(who)),
        snapshot=snapshot,
    )
    flow.begin(tx, ids, carrier)
    return AfterMerge(waits=True, opened=review)


def open(view: View, mission_id: str) -> int:
    """Reviews that are under way or wait for a person: with one the mission is not over (W-37)."""
    return merged_reviews.count_open(view, mission_id)


def unrun(view: View, mission_id: str) -> list[MergedReview]:
    """Those that were wanted and not made, for the report of its end (A-36)."""
    passed_over = (ReviewStatus.SKIPPED, ReviewStatus.WAIVED)
    return [one for one in merged_reviews.of_mission(view, mission_id) if one.status in passed_over]


def wants(view: View, mission: Mission) -> bool:
    """Whether `after_merge` has something to do."""
    known = merged_reviews.of_mission(view, mission.id)
    if known and known[-1].status in OPEN_REVIEWS:
        return not _goes_on(view, known[-1])
    merged, reasons = _wanted(view, mission)
    return bool(reasons) and any(one.new for one in merged)


def _wanted(view: View, mission: Mission) -> tuple[list[Merged], list[str]]:
    """(what came onto its branch since the last review, why that is to be looked at)."""
    setting = settings.of_workspace(view, mission.workspace_id).mission_review
    merged = merged_reviews.unseen(view, mission) if setting != "off" else []
    return merged, [str(one) for one in risks(setting, merged)]


def _goes_on(view: View, review: MergedReview) -> bool:
    """Whether the last one is not over. One whose task a person took away is."""
    if review.status not in OPEN_REVIEWS:
        return False
    task = tasks.get(view, review.task_id or "")
    return task is not None and task.status not in TERMINAL_TASKS


def _reviewers(view: View, mission: Mission, merged: list[Merged]) -> tuple[str, ...]:
    """Whoever has the role, but for those whose own work it is (B-110), and rather who looks with
    another model than it was made with (A-32)."""
    authors = {one.author for one in merged} | {one.assignee for one in merged}
    made_with = merged_reviews.models_of(view, [one.delivery_id for one in merged])
    able = panels.able(view, mission.workspace_id, made_with)
    found = [who for who, role in able if role is Role.REVIEWER and who not in authors]
    return tuple(found[:SEATS])


def _carrier(tx: Tx, ids: Ids, mission: Mission, merged: list[Merged]) -> Task:
    """The task that carries the gate: in review from its beginning, and nobody's to work on."""
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    numbers = ", ".join(f"T-{one}" for one in sorted({each.number for each in merged}))
    lines = [f"- T-{one.number}: {one.title}" for one in merged]
    task = tasks.add(
        tx,
        SYSTEM,
        id=ids.new(),
        workspace_id=mission.workspace_id,
        number=workspaces.next_task_number(tx, mission.workspace_id),
        title=f"Look at what was merged: {numbers}"[:200],
        description=f"The goal:\n\n{mission.goal}\n\nMerged since the last look:\n\n"
        + "\n".join(dict.fromkeys(lines)),
        parent_id=root.id,
        base_branch=mission.integration_branch,
        delivery=DeliveryMode.AUTO,
        mission_id=mission.id,
        purpose=Purpose.VERIFY,
        workspace_strategy=WorkspaceStrategy.MAIN,
        acceptance=root.acceptance,
    )
    for to in (TaskStatus.IN_PROGRESS, TaskStatus.IN_REVIEW):
        graph.move(tx, ids, task, to, actor=SYSTEM, data={"by": "review"})
        moved = tasks.get(tx, task.id)
        assert moved is not None
        task = moved
    return task
