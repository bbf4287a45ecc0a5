"""Where a new task stands among the others of its mission, as whoever makes it says."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.model.graph import Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """write_area: paths and globs that it may change. priority: the higher the sooner. optional:
    its failure is none of the mission's."""

    depends_on: Sequence[Edge] = ()
    write_area: Sequence[str] = ()
    priority: int = 0
    optional: bool = False


ANYWHERE = Placed()
"""Nothing was said of it."""
