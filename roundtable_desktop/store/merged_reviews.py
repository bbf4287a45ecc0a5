"""Reviews of what was merged into a mission's branch, and the merges that they are about."""

import json
from collections.abc import Sequence
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.merged_reviews import (
    MERGED_REVIEW,
    OPEN_REVIEWS,
    Merged,
    MergedReview,
    ReviewStatus,
)
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.review_tables import MissionReviews
from roundtable_desktop.store.rows import by_id, read

_OF_MISSION = "SELECT * FROM mission_reviews WHERE mission_id = ? ORDER BY number"
_OPEN = """
SELECT count(*) AS n FROM mission_reviews INDEXED BY mission_reviews_open
WHERE mission_id = ? AND status IN ('asked', 'blocked')
"""
# Merges into the mission's own branch, in the order in which they came.
_MERGED = """
SELECT d.id AS delivery_id, d.old_commit, d.new_commit, p.files, r.agent_id AS author,
    t.id AS task_id, t.number, t.title, t.assignee_agent_id AS assignee,
    t.acceptance <> '' AS acceptance, EXISTS (
        SELECT 1 FROM gates AS g
        WHERE g.task_id = t.id AND g.kind = 'review' AND g.status = 'passed'
    ) AS reviewed
FROM tasks AS t
JOIN proposals AS p ON p.task_id = t.id
JOIN deliveries AS d ON d.proposal_id = p.id
JOIN runs AS r ON r.id = p.run_id
WHERE t.mission_id = :mission AND d.status = 'delivered' AND d.branch = :branch AND {which}
ORDER BY d.ended_at, d.id
"""
_UNSEEN = _MERGED.format(
    which="""d.id NOT IN (
    SELECT json_extract(m.value, '$.delivery_id')
    FROM mission_reviews AS v, json_each(v.merged) AS m WHERE v.mission_id = :mission
)"""
)
# What the runs were told to use that made what came onto the branch by these deliveries.
_MODELS = """
SELECT DISTINCT r.model FROM json_each(:ids) AS one
JOIN deliveries AS d ON d.id = one.value
JOIN proposals AS p ON p.id = d.proposal_id
JOIN runs AS r ON r.id = p.run_id
WHERE r.model IS NOT NULL
"""
_NAMED = _MERGED.format(which="d.id IN (SELECT value FROM json_each(:ids))")


def get(view: View, review_id: str) -> MergedReview | None:
    return by_id(view, MergedReview, MissionReviews, review_id)


def of_mission(view: View, mission_id: str) -> list[MergedReview]:
    """Oldest first."""
    return [read(MergedReview, MissionReviews, row) for row in view.sql(_OF_MISSION, (mission_id,))]


def of_task(view: View, task_id: str) -> MergedReview | None:
    """The one that the task carries the gate of."""
    rows = view.sql("SELECT * FROM mission_reviews WHERE task_id = ?", (task_id,))
    return read(MergedReview, MissionReviews, rows[0]) if rows else None


def count_open(view: View, mission_id: str) -> int:
    return int(view.sql(_OPEN, (mission_id,))[0]["n"])


def unseen(view: View, mission: Mission) -> list[Merged]:
    """What came onto its branch since the last review."""
    words = {"mission": mission.id, "branch": mission.integration_branch}
    return [_merged(dict(row)) for row in view.sql(_UNSEEN, words)]


def of_review(view: View, mission: Mission, review: MergedReview) -> list[Merged]:
    """What it is about."""
    ids = json.dumps([str(one["delivery_id"]) for one in review.merged])
    words = {"mission": mission.id, "branch": mission.integration_branch, "ids": ids}
    return [_merged(dict(row)) for row in view.sql(_NAMED, words)]


def models_of(view: View, delivery_ids: Sequence[str]) -> frozenset[str]:
    """By which it was made, as far as the agents were told which to use."""
    rows = view.sql(_MODELS, {"ids": json.dumps(list(delivery_ids))})
    return frozenset(str(row["model"]) for row in rows)


def _merged(row: dict[str, Any]) -> Merged:
    files = json.loads(row["files"])
    return Merged(
        task_id=row["task_id"],
        number=row["number"],
        title=row["title"],
        author=row["author"],
        assignee=row["assignee"],
        paths=tuple(str(one["path"]) for one in files),
        acceptance=bool(row["acceptance"]),
        reviewed=bool(row["reviewed"]),
        delivery_id=row["delivery_id"],
        old=row["old_commit"],
        new=row["new_commit"],
    )


def add(tx: Tx, mission: Mission, merged: Sequence[Merged], **values: Any) -> MergedReview:
    sql = "SELECT coalesce(max(number), 0) + 1 AS n FROM mission_reviews WHERE mission_id = ?"
    number = int(tx.sql(sql, (mission.id,))[0]["n"])
    over = values["status"] not in OPEN_REVIEWS
    tx.write(
        MissionReviews.insert(
            workspace_id=mission.workspace_id,
            mission_id=mission.id,
            number=number,
            merged=[{"task_id": one.task_id, "delivery_id": one.delivery_id} for one in merged],
            created_at=tx.now,
            updated_at=tx.now,
            ended_at=tx.now if over else None,
            **values,
        )
    )
    made = get(tx, values["id"])
    assert made is not None
    _tell(tx, made)
    return made


def move(
    tx: Tx, review: MergedReview, to: ReviewStatus, actor: Actor = SYSTEM, made: Sequence[str] = ()
) -> bool:
    """made: ids of the tasks that came of it, which the feed is told."""
    return journal.move(
        tx,
        MERGED_REVIEW,
        review,
        to=to,
        kind=Kind.MISSION_REVIEW,
        actor=actor,
        data={**_told(review, to), "made": list(made)},
        ended_at=None if to in OPEN_REVIEWS else tx.now,
    )


def _tell(tx: Tx, review: MergedReview) -> None:
    subject, where = Subject(MERGED_REVIEW.name, review.id), review.workspace_id
    data = {"to": str(review.status), **_told(review, review.status)}
    journal.tell(tx, Kind.MISSION_REVIEW, subject, workspace_id=where, data=data)


def _told(review: MergedReview, status: ReviewStatus) -> Json:
    return {
        "mission_id": review.mission_id,
        "task_id": review.task_id,
        "review": review.number,
        "outcome": str(status),
        "reasons": list(review.reasons),
    }
