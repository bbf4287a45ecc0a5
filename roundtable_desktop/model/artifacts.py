"""Files that an agent named in its report, and the port that keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

MOST = 20
"""Of one run."""
MOST_BYTES = 10 * 1024 * 1024
"""Of one file."""
MOST_IN_ALL = 50 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """size, sha256: of what was kept. fault: why nothing was: artifact_outside, artifact_absent,
    artifact_no_file, artifact_too_large, artifact_too_many, artifact_unreadable."""

    path: str
    size: int | None = None
    sha256: str | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """number: from 1, in the order of the report. kind: the agent's own word."""

    id: str
    workspace_id: str
    run_id: str
    number: int
    path: str
    kind: str
    size: int | None
    sha256: str | None
    fault: str | None
    created_at: datetime


class Artifacts(Protocol):
    """A part of the port `Launcher`."""

    def keep_files(self, run: str, copy: str, paths: Sequence[str]) -> Sequence[KeptFile]:
        """Copies of regular files below `copy`, in the run's folder; no link is followed, nothing
        waits, and what cannot be kept says why. Repeated it keeps the same again."""

    def kept_file(self, run: str, number: int) -> bytes | None:
        """One that was kept, by its place in the report, from 1."""
