"""The API's look ahead: what would happen until then, by the engine itself."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.drafts import Difference, Drafted, difference_of, draft_of
from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, Stored, asked, said
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.phrases.codes import word
from roundtable_desktop.phrases.foresight import CODED


class Ahead(Words):
    """draft: a routine as somebody would have it. play: false for its `difference` alone, which is
    there at once."""

    days: Annotated[float, Field(gt=0, le=31)] = 7
    workspace_id: Ref | None = None
    draft: Drafted | None = None
    play: bool = True


class ForeseenItem(Shown):
    """code and values: what `sentence` says, for programs."""

    at: Moment
    code: str
    sentence: str
    workspace_id: str | None
    values: Stored


class ForeseenDays(Shown):
    """Oldest first. whole: false when there was more than fits into one answer. complete: false
    when the time for an answer was over first; then `until` is how far it came. difference: what
    the draft would change in that time, where there is one."""

    since: Moment
    until: Moment
    items: list[ForeseenItem]
    whole: bool
    complete: bool
    difference: Difference | None = None


def told(code: str, values: Mapping[str, object]) -> str:
    """People read words where programs read codes; a name stays as it is."""
    return said(code, {**values, **{name: word(values[name]) for name in CODED if name in values}})


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/simulate", errors=(404, 409))
    def simulate(caller: Caller, body: Ahead) -> ForeseenDays:
        """What would start, end, wait and merge if nobody did anything, and every run went well
        and took as long as its agent's usually do; with a draft, as if that were saved. Nothing is
        changed by asking."""
        span, draft, seen = timedelta(days=body.days), None, None
        if body.draft is not None:
            draft = draft_of(desk, look, asked(caller), body.draft)
            seen = difference_of(look.agenda.difference(draft, span))
        if seen is not None and not body.play:
            return ForeseenDays.of(seen, items=[], whole=True, complete=True, difference=seen)
        ahead = look.foreseen(span, body.workspace_id, draft)
        items = [ForeseenItem.of(one, sentence=told(one.code, one.values)) for one in ahead.items]
        return ForeseenDays.of(ahead, items=items, difference=seen)
