"""What a person is told of the days to come (N-04)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.model.ports import Foresight
from roundtable_desktop.model.times import instant, micros

SEED = 1
"""The same question has the same answer: dice do not make a forecast better."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that would happen then; `code` with its values is its sentence."""

    at: datetime
    code: str
    workspace_id: str | None
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """whole: False when there were too many items to tell them all. complete: False when the time
    for an answer was over before all of the days were seen; until: how far it came.
    routine_runs: how many runs each routine would have."""

    since: datetime
    until: datetime
    items: Sequence[Item]
    whole: bool
    complete: bool
    routine_runs: Mapping[str, int] = field(default_factory=dict)


def ahead(
    foresight: Foresight,
    now: datetime,
    span: timedelta,
    workspace_id: str | None,
    draft: Mapping[str, object] | None = None,
) -> Foreseen:
    """draft: the rows of a routine as somebody would have it (`drafts.rows_of`)."""
    asked = {"seed": SEED, "workspace_id": workspace_id, "draft": draft}
    answer = foresight(now=micros(now), until=micros(now + span), **asked)
    items = [Item(**{**one, "at": instant(one["at"])}) for one in answer["items"]]
    until, whole, complete = instant(answer["until"]), answer["whole"], answer["complete"]
    runs = answer["routine_runs"]
    return Foreseen(now, until, items, bool(whole), bool(complete), runs)
