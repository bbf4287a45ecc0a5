"""What a firing becomes while its routine is still at work, and what it would have done."""

import hashlib
import json
import re
from enum import StrEnum

from roundtable_desktop.model.states import ConcurrencyPolicy

TITLE_CHARS = 200
"""As long as a title that somebody types may be."""

_BREAKS = re.compile(r"[\s\x00-\x1f\x7f]+")


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


def hash_of(text: str) -> str:
    """Whether a text is still what it was made as."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def title_line(filled: str, otherwise: str) -> str:
    """A task's title is one line that says something, whatever values came into it: it is the
    first line of a commit's message, where the next ones mean something else."""
    return _BREAKS.sub(" ", filled).strip()[:TITLE_CHARS] or otherwise
