"""What of a user's repository changed while an agent was at work beside it (C-100, S-65)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

Json = Mapping[str, object]
NAMED = 20
"""Names in a reason; the event and the item have more."""


def mark(run: str) -> str:
    """In the committer's name of every git that the agent of a run starts in a linked tree."""
    return f"(Roundtable run {run})"


class What(StrEnum):
    """`remote`: a branch as a remote had it, which any fetch writes anew."""

    REF = "ref"
    REMOTE = "remote"
    HEAD = "head"
    STASH = "stash"
    FILE = "file"


class By(StrEnum):
    """`unknown`: it changed during the run, and nothing tells by whom."""

    AGENT = "agent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One thing that is not as it was. old, new: None where there was nothing, or is nothing now;
    of a file they are no more than a sign. keys: of git's configuration. command: what would put
    it back by hand; we never do."""

    what: What
    name: str
    old: str | None
    new: str | None
    by: By
    command: str
    keys: Sequence[str] = ()

    @property
    def takes(self) -> bool:
        """Whether something of the user's is not as it was; else there is only something more."""
        added = self.what is What.REF and self.old is None
        return not added and self.is_persons

    @property
    def is_persons(self) -> bool:
        return self.what is not What.REMOTE

    def told(self) -> dict[str, object]:
        """As an event and an inbox item keep it."""
        return {**asdict(self), "keys": list(self.keys)}


def reason(moved: Sequence[Moved]) -> Json | None:
    """Why what the run proposes is to be looked at before it is delivered."""
    taken = [one for one in moved if one.takes]
    files = [one for one in taken if one.what is What.FILE]
    if files:
        paths = [one.name for one in files[:NAMED]]
        return {"code": "users_configuration_changed", "paths": paths, "count": len(files)}
    if taken:
        refs = [one.name for one in taken[:NAMED]]
        return {"code": "users_refs_changed", "refs": refs, "count": len(taken)}
    return None
