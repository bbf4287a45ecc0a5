"""A routine that nobody has saved, and what it would change, as the API takes and gives them."""

from typing import Self

from pydantic import model_validator

from roundtable_desktop.dashboard.api.agenda import Due, due
from roundtable_desktop.dashboard.api.routines import (
    RoutineChange,
    RoutineWanted,
    changes_of,
    new_of,
)
from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk import Asked, Desk, drafts
from roundtable_desktop.engine.desk.drafts import Draft
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import agenda as records
from roundtable_desktop.phrases import _


class Drafted(Words):
    """Either a `change` of the routine `routine_id`, as PATCH takes it, or a new `routine`, as POST
    takes it."""

    routine_id: Ref | None = None
    change: RoutineChange | None = None
    routine: RoutineWanted | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        edits = self.routine_id is not None and self.change is not None
        half = (self.routine_id is None) is not (self.change is None)
        if half or edits is (self.routine is not None):
            raise ValueError(_("Give either routine_id and change, or routine."))
        return self


class Load(Shown):
    """What an agent would have to do, other routines included. late: runs that start later than
    they are due, because it is at work. seconds: of all its runs, as long as they usually are."""

    agent: str
    fires: int
    runs: int
    late: int
    seconds: int


class Edited(Shown):
    """fires: of the routine. runs: that come of them. next: the first few. whole: false when the
    time holds more than is looked through."""

    fires: int
    runs: int
    next: list[Due]
    loads: list[Load]
    whole: bool


class Difference(Shown):
    """before: null of a new routine."""

    since: Moment
    until: Moment
    before: Edited | None
    after: Edited


def draft_of(desk: Desk, look: Look, by: Asked, given: Drafted) -> Draft:
    """Refused as saving it would be; nothing is saved."""
    if given.routine is not None:
        return drafts.of_new(desk, by, new_of(given.routine))
    assert given.routine_id is not None and given.change is not None, "it was validated"
    routine = look.routines.one(given.routine_id).routine
    return drafts.of_change(desk, by, routine.id, **changes_of(given.change))


def difference_of(seen: records.Difference) -> Difference:
    before = seen.before and _edited(seen.before)
    return Difference.of(seen, before=before, after=_edited(seen.after))


def _edited(one: records.Edited) -> Edited:
    loads = [Load.of(load) for load in one.loads]
    return Edited.of(one, next=[due(fire) for fire in one.next], loads=loads)
