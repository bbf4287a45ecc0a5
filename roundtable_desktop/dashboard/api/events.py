"""The API's routes of the feed: page by page, and as it happens."""

from typing import Annotated, Self

from flask import Response
from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, Stored
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.happened import told
from roundtable_desktop.dashboard.live import Streams
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Event, Subject

Word = Annotated[str, Field(min_length=1, max_length=100)]


class EventsAsked(Asked):
    """after: the id of the last event that the caller has; 0 begins at the beginning. kind: several
    times for several kinds; without it all of them."""

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 100
    workspace_id: Ref | None = None
    kind: Annotated[list[Word], Field(default_factory=list, max_length=50)]


class ToldAsked(Asked):
    """after, limit: as in the feed. run_id: only what happened to that run."""

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 100
    run_id: Ref | None = None


class StreamAsked(Asked):
    """after: as in the list; a Last-Event-ID, which is newer, comes before it."""

    after: Annotated[int, Field(ge=0)] | None = None


class Named(Words):
    type: str
    id: str


class EventRow(Shown):
    """actor: who did it, subject: what it happened to; each also by its parts."""

    id: int
    at: Moment
    kind: str
    actor: Named
    subject: Named
    actor_type: str
    actor_id: str
    workspace_id: str | None
    subject_type: str
    subject_id: str
    data: Stored

    @classmethod
    def of(cls, record: object, **more: object) -> Self:
        assert isinstance(record, Event)
        actor = {"type": record.actor_type, "id": record.actor_id}
        subject = {"type": record.subject_type, "id": record.subject_id}
        return super().of(record, actor=actor, subject=subject, **more)


class Feed(Shown):
    """next_cursor: give it as `after`; it is there also when nothing is new."""

    items: list[EventRow]
    next_cursor: int


class EventTold(Shown):
    """sentence: who did what, named as they are called now; its times are of this machine."""

    id: int
    at: Moment
    sentence: str


class FeedTold(Shown):
    """next_cursor: as in the feed itself."""

    items: list[EventTold]
    next_cursor: int


def line(event: Event) -> str:
    return EventRow.of(event).model_dump_json()


def declare(api: Api, look: Look, streams: Streams, figures: Figures) -> None:
    @api.route("GET", "/api/v1/events")
    def list_events(query: EventsAsked) -> Feed:
        """What happened, oldest first and without a gap."""
        found = look.events(query.after, query.limit, query.workspace_id, query.kind)
        return Feed(
            items=[EventRow.of(one) for one in found],
            next_cursor=found[-1].id if found else query.after,
        )

    @api.route("GET", "/api/v1/events/told", errors=(404,))
    def list_events_told(query: ToldAsked) -> FeedTold:
        """The same, for people: each event as a sentence."""
        if query.run_id is None:
            found = look.events(query.after, query.limit, None)
        else:
            found = look.events_on(
                Subject("run", look.run(query.run_id).id), query.after, query.limit
            )
        return FeedTold(
            items=[
                EventTold.of(one.event, sentence=told(one, figures).striptags())
                for one in look.lists.named(found)
            ],
            next_cursor=found[-1].id if found else query.after,
        )

    @api.route("GET", "/api/v1/events/stream", streams=EventRow, errors=(503,))
    def stream_events(query: StreamAsked, last_event_id: int | None) -> Response:
        """What happens, as it happens; without a cursor from now on."""
        return streams.open(query.after if last_event_id is None else last_event_id, line)
