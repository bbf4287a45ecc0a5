"""The API's search by name: tasks, agents, routines, missions and runs."""

from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Shown
from roundtable_desktop.dashboard.reading import Asked
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look_search import LookSearch
from roundtable_desktop.model.hits import Hit

PAGES = {
    "task": "/tasks/{id}",
    "agent": "/agents/{id}",
    "routine": "/routines/{id}",
    "mission": "/missions/{id}",
    "run": "/runs/{id}",
}
"""Where people see one of each kind."""


class SearchAsked(Asked):
    """q: words, each of which the name has; a number is a task's, an end of an id a run's."""

    q: Annotated[str, Field(max_length=200)] = ""


class FoundOne(Shown):
    """kind: task | agent | routine | mission | run. number: of the task, or of the run's. path: its
    page."""

    kind: str
    id: str
    name: str
    number: int | None
    place: str
    path: str


class Found(Shown):
    """At most 20, newest first."""

    items: list[FoundOne]


def shown(hit: Hit) -> FoundOne:
    return FoundOne.of(hit, path=PAGES[hit.kind].format(id=hit.id))


def declare(api: Api, look: LookSearch) -> None:
    @api.route("GET", "/api/v1/search")
    def search(query: SearchAsked) -> Found:
        """What has these words in its name; without a word the newest."""
        return Found(items=[shown(one) for one in look.by_name(query.q)])
