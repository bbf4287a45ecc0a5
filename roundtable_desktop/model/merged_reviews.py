"""Reviews of what was merged into a mission's branch, as values (A-28)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import Machine, moves


class ReviewStatus(StrEnum):
    """How one stands. `repaired`, `verified`, `assessed`: a task was made of what it found.
    `waived`: a person let it pass, or took it away. `skipped`: nobody was there to look."""

    ASKED = "asked"
    APPROVED = "approved"
    REPAIRED = "repaired"
    VERIFIED = "verified"
    ASSESSED = "assessed"
    BLOCKED = "blocked"
    WAIVED = "waived"
    SKIPPED = "skipped"


OPEN_REVIEWS = (ReviewStatus.ASKED, ReviewStatus.BLOCKED)
"""A mission with one of these is not completed (W-37)."""

MERGED_REVIEW = Machine(
    "mission_review",
    moves(
        "asked>approved|repaired|verified|assessed|blocked|waived;blocked>approved|repaired|waived"
    ),
)


class Risk(StrEnum):
    """Why merged work is looked at."""

    ALWAYS = "always"  # the workspace says so
    MANY_FILES = "many_files"
    SENSITIVE = "sensitive"  # paths that decide what runs, or who may
    NO_ACCEPTANCE = "no_acceptance"  # nobody said by what it is judged


class FollowUp(StrEnum):
    """What follows from the verdicts (A-28)."""

    CONTINUE = "continue"
    REPAIR = "repair"
    VERIFY = "verify"
    ASSESS = "assess"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A task's work that came onto the branch. reviewed: a review gate of its own has passed it.

    old, new: the branch's commits before and after; author: of its run."""

    task_id: str
    number: int
    title: str
    author: str
    assignee: str | None
    paths: tuple[str, ...]
    acceptance: bool
    reviewed: bool
    delivery_id: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedReview:
    """task_id: the task that carries its gate; None where it was skipped. reasons: codes of
    `Risk`, and of why it was skipped. merged: [{"task_id", "delivery_id"}]."""

    id: str
    workspace_id: str
    mission_id: str
    number: int
    task_id: str | None
    base_commit: str
    head_commit: str
    reasons: tuple[str, ...]
    merged: tuple[Json, ...]
    status: ReviewStatus
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    revision: int
