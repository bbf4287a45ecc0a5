"""The API's route about what an agent knows of its routines' turns before."""

from roundtable_desktop.dashboard.api.shapes import Moment, Shown
from roundtable_desktop.dashboard.reading import Listed, Paging, cut
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_summaries import Kept


class SummaryRow(Shown):
    """What the next turn of a routine is told of those before. content: Markdown, at most 8 KB,
    made by Roundtable from facts and reports; content_tokens: about how many that is.
    updated_by_run_id: the run after which it was made."""

    routine_id: str
    routine_name: str | None
    scope: str
    content: str
    content_tokens: int
    updated_at: Moment
    updated_by_run_id: str


def row(kept: Kept) -> SummaryRow:
    name = kept.routine.name if kept.routine else None
    return SummaryRow.of(kept.summary, routine_name=name)


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/agents/<ref>/summaries")
    def list_agent_summaries(ref: str, query: Paging) -> Listed[SummaryRow]:
        """What it is told of its routines' turns before, one for each routine; those of the newest
        routines first. They can be read, not written."""
        found = look.of_agents.summaries(look.agent(ref), query.after, query.limit + 1)
        kept, cursor = cut(found, query.limit, lambda one: one.summary.routine_id)
        return Listed[SummaryRow](items=[row(one) for one in kept], next_cursor=cursor)
