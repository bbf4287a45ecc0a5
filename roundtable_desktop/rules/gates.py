"""Whether a gate is passed, by the verdicts that are in (C-26)."""

from collections.abc import Iterable
from enum import StrEnum

from roundtable_desktop.model.gates import APPROVALS, DEMANDS, VerdictStatus, Word

MOST_RETURNS = 3
"""So often in a row the work goes back by itself; then a person decides (B-113)."""
MOST_ASKED = 2
"""So often a reviewer is asked in one round before a person is."""


class Judged(StrEnum):
    """`too_few`: all are in, nobody wants changes, and it is not enough to pass."""

    OPEN = "open"
    PASSED = "passed"
    RETURNED = "returned"
    TOO_FEW = "too_few"


def judge(needed: int, verdicts: Iterable[tuple[VerdictStatus, Word | None]]) -> Judged:
    """Of one round. A veto decides at once. Who wants changes is heard together with the others:
    the work goes back once, when nobody is left to be waited for. It is passed as soon as enough
    approve and nobody wants changes. One that is missing is not waited for."""
    standing = list(verdicts)
    words = [word for status, word in standing if status is VerdictStatus.GIVEN]
    outstanding = any(status is VerdictStatus.ASKED for status, _ in standing)
    demands = [word for word in words if word in DEMANDS]
    approvals = sum(word in APPROVALS for word in words)
    if Word.VETO in demands:
        return Judged.RETURNED
    if demands:
        return Judged.OPEN if outstanding else Judged.RETURNED
    if approvals >= needed:
        return Judged.PASSED
    return Judged.OPEN if outstanding else Judged.TOO_FEW
