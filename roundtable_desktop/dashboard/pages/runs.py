"""The page of one run, with its process, its words and its work."""

from collections.abc import Callable
from typing import Any, Literal, get_args

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.runs import Told, detail
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.api.transcripts import TranscriptAsked
from roundtable_desktop.dashboard.diffs import patch_of
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages import transcripts
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Nothing
from roundtable_desktop.engine.desk import Desk, run_control
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.model.states import LIVE_RUNS, Adapter
from roundtable_desktop.phrases import sentence

Part = Literal["transcript", "changes", "prompt", "result", "events", "why", "processes"]
PARTS = get_args(Part)


class RunShown(TranscriptAsked):
    part: Part = "transcript"


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def page(ref: str, query: RunShown, refused: str = "", said: str = "") -> str:
        run = look.run(ref)
        return render_template(
            "run.html",
            **_around(look, run, say),
            part=query.part,
            parts=PARTS,
            refused=refused,
            said_before=said,
            **PART_READS[query.part](look, run, query),
        )

    def add(app: Flask) -> None:
        _add_commands(app, desk, look, page)

        @app.get("/runs/<ref>")
        def show_run(ref: str) -> str:
            return page(ref, page_query(RunShown))

    return add


def _add_commands(app: Flask, desk: Desk, look: Look, page: Callable[..., str]) -> None:
    @app.post("/runs/<ref>/cancel")
    def cancel_run(ref: str) -> Any:
        read_form(Nothing)
        asked, run = from_form(), look.run(ref)
        return tried(
            lambda: run_control.cancel(desk, asked, run.id),
            f"/runs/{run.id}",
            lambda why: page(run.id, RunShown(), why),
            told=lambda _: "run_stopping",
        )

    @app.post("/runs/<ref>/message")
    def tell_run(ref: str) -> Any:
        form, asked, run = read_form(Told), from_form(), look.run(ref)
        return tried(
            lambda: run_control.message(desk, asked, run.id, form.text),
            f"/runs/{run.id}",
            lambda why: page(run.id, RunShown(), why, form.text),
            told=lambda _: "run_told",
        )


def _around(look: Look, run: Run, say: Say) -> dict[str, object]:
    (placed,) = look.placed([run])
    return {
        "run": run,
        "placed": placed,
        "shown": detail(run, look),
        "why": explained(look.explain_run(run), say),
        "live_run": run.status in LIVE_RUNS,
        "can_hear": placed.agent.adapter is not Adapter.COMMAND,
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


def _result(look: Look, run: Run, _: RunShown) -> dict[str, object]:
    """With the files that its report names; of one that was not kept, why."""
    found = look.artifacts.of(run)
    return {
        "artifacts": [
            (one, sentence(one.fault, {"path": one.path}) if one.fault else "") for one in found
        ]
    }


def _nothing(_: Look, __: Run, ___: RunShown) -> dict[str, object]:
    """The run itself holds it."""
    return {}


PART_READS: dict[str, Read] = {
    "transcript": transcripts.shown,
    "changes": _changes,
    "events": _events,
    "result": _result,
    **dict.fromkeys(("prompt", "why", "processes"), _nothing),
}
