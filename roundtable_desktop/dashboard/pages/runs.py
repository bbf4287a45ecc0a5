"""The pages of runs: the list, and one run with its process, its words and its work."""

from collections.abc import Callable
from typing import Literal, get_args

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.runs import detail
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.api.transcripts import TranscriptAsked
from roundtable_desktop.dashboard.diffs import patch_of
from roundtable_desktop.dashboard.pages import transcripts
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.dashboard.reading import Paging, cut
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.model.states import LIVE_RUNS

Part = Literal["transcript", "changes", "prompt", "result", "events", "why", "processes"]
PARTS = get_args(Part)

FILTERS: dict[str, object] = {
    "live": LIVE_RUNS,
    "finished": "finished",
    "failed": "failed",
    "cancelled": "cancelled",
}


class RunsShown(Paging):
    status: Literal["live", "finished", "failed", "cancelled"] | None = None


class RunShown(TranscriptAsked):
    part: Part = "transcript"


def pages(look: Look, say: Say) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/runs")
        def list_runs() -> str:
            query = page_query(RunsShown)
            found = look.runs(query.after, query.limit + 1, status=FILTERS.get(query.status or ""))
            kept, cursor = cut(found, query.limit, lambda one: one.id)
            return render_template(
                "runs.html",
                runs=look.placed(kept),
                filters=FILTERS,
                status=query.status,
                first=query.cursor is None,
                cursor=cursor,
            )

        @app.get("/runs/<ref>")
        def show_run(ref: str) -> str:
            query = page_query(RunShown)
            run = look.run(ref)
            return render_template(
                "run.html",
                **_around(look, run, say),
                part=query.part,
                parts=PARTS,
                **PART_READS[query.part](look, run, query),
            )

    return add


def _around(look: Look, run: Run, say: Say) -> dict[str, object]:
    (placed,) = look.placed([run])
    return {
        "run": run,
        "placed": placed,
        "shown": detail(run, look),
        "why": explained(look.explain_run(run), say),
        "live_run": run.status in LIVE_RUNS,
    }


Read = Callable[[Look, Run, RunShown], dict[str, object]]


def _changes(look: Look, run: Run, _: RunShown) -> dict[str, object]:
    found = look.proposals(None, 1, run_id=run.id)
    if not found:
        return {"offered": None}
    offered = look.with_diff(found[0])
    return {"offered": offered, "patch": patch_of(offered.diff or "")}


def _events(look: Look, run: Run, _: RunShown) -> dict[str, object]:
    return {"events": look.events_of(Subject("run", run.id))[::-1]}


def _nothing(_: Look, __: Run, ___: RunShown) -> dict[str, object]:
    """The run itself holds it."""
    return {}


PART_READS: dict[str, Read] = {
    "transcript": transcripts.shown,
    "changes": _changes,
    "events": _events,
    **dict.fromkeys(("prompt", "result", "why", "processes"), _nothing),
}
