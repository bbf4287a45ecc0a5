"""Who moved a ref, as far as git's own log of it tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.adapters.git.special import plain_bytes
from roundtable_desktop.model.moved import By, mark


@dataclass(frozen=True, slots=True)
class Step:
    """An entry: git writes down who its committer is."""

    old: str
    new: str
    who: str


def steps(path: Path, since: int) -> list[Step] | None:
    """What was written behind `since` bytes; None when the log is not the one of then."""
    taken = plain_bytes(path) or b""
    if len(taken) < since or (since and taken[since - 1 : since] != b"\n"):
        return None
    return [step for line in taken[since:].splitlines() if (step := _step(line))]


def _step(line: bytes) -> Step | None:
    told, _, _ = line.decode(errors="replace").partition("\t")
    old, _, rest = told.partition(" ")
    new, _, who = rest.partition(" ")
    return Step(old, new, who) if who else None


def mover(found: Sequence[Step] | None, old: str | None, new: str | None, run: str) -> By | None:
    """None: somebody else, since its log has every step of the way and none is the run's."""
    if any(mark(run) in step.who for step in found or ()):
        return By.AGENT
    at = old
    for step in found or ():
        if _plain(step.old) != at:
            return By.UNKNOWN
        at = _plain(step.new)
    return None if found and at == new else By.UNKNOWN


def _plain(commit: str) -> str | None:
    return commit if commit.strip("0") else None
