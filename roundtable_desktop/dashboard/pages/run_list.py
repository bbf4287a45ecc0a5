"""The page of all runs: filtered by its address, with acts on those that are ticked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal, get_args

from flask import Flask, Response, g, render_template
from pydantic import AfterValidator, Field

from roundtable_desktop.dashboard.api.run_files import Kind, file_of
from roundtable_desktop.dashboard.api.runs import Outcome
from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.forms import read_choice
from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered, Numbered
from roundtable_desktop.dashboard.pages.frame import SHORT, back_to, from_form, page_query
from roundtable_desktop.dashboard.problems import refusal_of
from roundtable_desktop.dashboard.reading import Words, cut
from roundtable_desktop.engine.desk import Asked, Desk, run_again, run_control
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Broken, Refused
from roundtable_desktop.model.states import LIVE_RUNS
from roundtable_desktop.phrases import _, n_, sentence
from roundtable_desktop.phrases.on_pages import ON_PAGES

TICKED = "run-"
MOST = 200

STATUSES: dict[str, object] = {
    "live": LIVE_RUNS,
    "finished": "finished",
    "failed": "failed",
    "cancelled": "cancelled",
}

Day = Annotated[date, Field(ge=date(1970, 1, 2), le=date(9000, 1, 1))]
Text = Annotated[str, AfterValidator(str.strip), Field(max_length=200)]


class RunsShown(Filtered):
    """task: T-3, in every workspace, or an id. since, until: days, both included."""

    status: Literal["live", "finished", "failed", "cancelled"] | None = None
    outcome: Outcome | None = None
    agent: Ref | None = None
    task: Numbered | None = None
    routine: Ref | None = None
    workspace: Ref | None = None
    since: Day | None = None
    until: Day | None = None
    q: Text | None = None


class RunsFile(RunsShown):
    format: Kind = "csv"


class Bulk(Words):
    """back: the list as it was filtered."""

    act: Literal["cancel", "retry"]
    back: Annotated[str, Field(max_length=2000, pattern=r"^/runs(\?|$)")] = "/runs"


TOLD = {"cancel": "runs_stopping", "retry": "runs_again"}


def pages(desk: Desk, look: Look, figures: Figures) -> Callable[[Flask], None]:
    here = _Pages(look, figures)

    def add(app: Flask) -> None:
        @app.get("/runs")
        def list_runs() -> str:
            return here.page(page_query(RunsShown))

        @app.get("/runs/download")
        def download_runs() -> Response:
            query = page_query(RunsFile)
            return file_of(look, here.sought(query), query.format)

        @app.post("/runs/bulk")
        def act_on_runs() -> Any:
            form, ticked = read_choice(Bulk, TICKED)
            asked = from_form()
            where = filtering.again(RunsShown, form.back)
            g.here = form.back
            if not ticked or len(ticked) > MOST:
                why = _("Tick at least one run.") if not ticked else _("Tick fewer runs.")
                return here.page(where, why), 422
            done, faults = _each(desk, look, asked, form.act, ticked)
            if not faults:
                return back_to(form.back, TOLD[form.act])
            said = n_("{count} run was told.", "{count} runs were told.", done)
            return here.page(where, " ".join([said, *faults])), 409

    return add


def _each(
    desk: Desk, look: Look, asked: Asked, act: str, ticked: list[str]
) -> tuple[int, list[str]]:
    """How many were told, and a sentence for each that was not. Of one task only the newest run is
    tried again: the task is run, not the run."""
    done, faults = 0, []
    tried: set[str] = set()
    for ref in sorted(ticked, reverse=True):
        by = replace(asked, key=f"{asked.key}.{ref}")
        try:
            run = look.run(ref)
            if act == "cancel":
                run_control.cancel(desk, by, run.id)
            elif run.task_id is None or run.task_id not in tried:
                run_again.again(desk, by, run.id)
        except Broken:
            raise
        except Refused as refused:
            refusal = refusal_of(refused)
            why = sentence(refusal.code, refusal.values, ON_PAGES)
            faults.append(_("{run}: {why}").format(run=ref[-SHORT:], why=why))
        else:
            tried.add(run.task_id or "")
            done += 1
    return done, faults


@dataclass(frozen=True, slots=True)
class _Pages:
    look: Look
    figures: Figures

    def page(self, query: RunsShown, refused: str = "") -> str:
        found = self.look.lists.runs(query.after, query.limit + 1, **self.sought(query))
        kept, cursor = cut(found, query.limit, lambda one: one.id)
        chosen = query.chosen()
        return render_template(
            "runs.html",
            runs=self.look.placed(kept),
            chosen=chosen,
            choices=self._choices(),
            first=query.cursor is None,
            newest=filtering.address("/runs", chosen),
            older=filtering.address("/runs", chosen, cursor=cursor) if cursor else None,
            here_again=filtering.address("/runs", chosen, cursor=query.cursor),
            files=[
                (kind.upper(), filtering.address("/runs/download", chosen, format=kind))
                for kind in get_args(Kind)
            ],
            refused=refused,
        )

    def sought(self, query: RunsShown) -> dict[str, Any]:
        """As the store looks for them."""
        return {
            "status": STATUSES.get(query.status or ""),
            "outcome": query.outcome,
            "agent_id": query.agent,
            "task_id": filtering.tasks(self.look, query.task),
            "routine_id": query.routine,
            "workspace_id": query.workspace,
            "since": self._begin(query.since),
            "until": self._begin(query.until and query.until + timedelta(days=1)),
            "q": query.q or "",
        }

    def _begin(self, day: date | None) -> datetime | None:
        return None if day is None else self.figures.midnight(day)

    def _choices(self) -> dict[str, list[Choice]]:
        there = filtering.offered(self.look)
        names = {
            "live": _("Running"),
            "finished": _("Finished"),
            "failed": _("Failed"),
            "cancelled": _("Cancelled"),
        }
        return {
            "status": [Choice(one, names[one]) for one in STATUSES],
            "outcome": [Choice(one, label(one)) for one in get_args(Outcome)],
            "agent": there.agents,
            "routine": there.routines,
            "workspace": there.workspaces,
        }
