"""The API's look ahead: what would happen until then, by the engine itself."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Moment, Object, Ref, Shown, said
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.phrases.codes import word
from roundtable_desktop.phrases.foresight import CODED


class Ahead(Words):
    days: Annotated[float, Field(gt=0, le=31)] = 7
    workspace_id: Ref | None = None


class ForeseenItem(Shown):
    """code and values: what `sentence` says, for programs."""

    at: Moment
    code: str
    sentence: str
    workspace_id: str | None
    values: Object


class ForeseenDays(Shown):
    """Oldest first. whole: false when there was more than fits into one answer. complete: false
    when the time for an answer was over first; then `until` is how far it came."""

    since: Moment
    until: Moment
    items: list[ForeseenItem]
    whole: bool
    complete: bool


def told(code: str, values: Mapping[str, object]) -> str:
    """People read words where programs read codes; a name stays as it is."""
    return said(code, {**values, **{name: word(values[name]) for name in CODED if name in values}})


def declare(api: Api, look: Look) -> None:
    @api.route("POST", "/api/v1/simulate", errors=(404,))
    def simulate(body: Ahead) -> ForeseenDays:
        """What would start, end, wait and merge if nobody did anything, and every run went well
        and took as long as its agent's usually do. Nothing is changed by asking."""
        seen = look.foreseen(timedelta(days=body.days), body.workspace_id)
        items = [ForeseenItem.of(one, sentence=told(one.code, one.values)) for one in seen.items]
        return ForeseenDays.of(seen, items=items)
