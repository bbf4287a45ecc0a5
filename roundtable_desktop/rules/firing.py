"""What a firing becomes while its routine is still at work, and what it would have done."""

import hashlib
import json
from enum import StrEnum

from roundtable_desktop.model.states import ConcurrencyPolicy


class Course(StrEnum):
    START = "start"
    MERGE = "merge"
    SKIP = "skip"


def course(policy: ConcurrencyPolicy, *, at_work: bool) -> Course:
    """at_work: an earlier firing of the same routine still waits or runs (C-16, C-77)."""
    if not at_work or policy is ConcurrencyPolicy.ALWAYS_ENQUEUE:
        return Course.START
    return Course.SKIP if policy is ConcurrencyPolicy.SKIP_IF_ACTIVE else Course.MERGE


def fingerprint(agent_id: str, *texts: str) -> str:
    """Of the resolved texts and the assignee; it is shown, and decides nothing (C-77)."""
    return hashlib.sha256(json.dumps([agent_id, *texts]).encode()).hexdigest()
