"""The API's route of the feed."""

from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Moment, Object, Ref, Shown
from roundtable_desktop.dashboard.reading import Asked
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look


class EventsAsked(Asked):
    """after: the id of the last event that the caller has; 0 begins at the beginning."""

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 100
    workspace_id: Ref | None = None


class EventRow(Shown):
    id: int
    at: Moment
    kind: str
    actor_type: str
    actor_id: str
    workspace_id: str | None
    subject_type: str
    subject_id: str
    data: Object


class Feed(Shown):
    """next_cursor: give it as `after`; it is there also when nothing is new."""

    items: list[EventRow]
    next_cursor: int


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/events")
    def list_events(query: EventsAsked) -> Feed:
        """What happened, oldest first and without a gap."""
        found = look.events(query.after, query.limit, query.workspace_id)
        return Feed(
            items=[EventRow.of(one) for one in found],
            next_cursor=found[-1].id if found else query.after,
        )
