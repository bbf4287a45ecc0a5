"""A list of runs as a file, for spreadsheets and programs, and the API's route that gives it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from flask import Response

from roundtable_desktop.dashboard.api.runs import RunRow, RunsAsked
from roundtable_desktop.dashboard.reading import Paging
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.tabular import csv_lines
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_placed import Placed
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.times import rfc3339

MOST = 20_000
"""Rows of one file; older ones are asked for by `until`."""
AT_ONCE = 200

Kind = Literal["csv", "json"]

NAMES = (
    *("id", "workspace", "task", "title", "agent", "attempt", "status", "outcome"),
    *("created_at", "started_at", "ended_at", "exit_code", "error_kind", "error"),
    *("input_tokens", "output_tokens", "cost_usd", "summary"),
)


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/runs/download", texts=("text/csv",))
    def download_runs(query: RunsAsked) -> Response:
        """The runs that are filtered by as CSV, newest first, at most 20,000, with names of agents
        and tasks; a cell that a spreadsheet would take for a formula begins with a quote. limit and
        cursor count for lists alone."""
        return file_of(look, query.model_dump(exclude=set(Paging.model_fields)), "csv")


def file_of(look: Look, sought: Mapping[str, Any], kind: Kind) -> Response:
    """sought: as `Look.lists.runs` takes it."""
    found = _every(look, sought)
    if kind == "json":
        response = Response(_json(found), content_type="application/json")
    else:
        lines = csv_lines(NAMES, map(_cells, found))
        response = Response(lines, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="runs.{kind}"'
    return response


def _every(look: Look, sought: Mapping[str, Any]) -> Iterator[Placed]:
    """Piece by piece, so that no long list is in memory."""
    after, left = None, MOST
    while left > 0:
        piece = look.lists.runs(after, min(AT_ONCE, left), **sought)
        yield from look.placed(piece)
        if len(piece) < AT_ONCE:
            return
        after, left = piece[-1].id, left - len(piece)


def _cells(placed: Placed) -> Sequence[object]:
    run, task, usage = placed.run, placed.task, placed.run.usage or {}
    moments = (run.created_at, run.started_at, run.ended_at)
    return (
        *(run.id, placed.workspace.name),
        *((f"T-{task.number}", task.title) if task else ("", "")),
        *(placed.agent.name, run.attempt_index, str(run.status), run.outcome and str(run.outcome)),
        *(at and rfc3339(at) for at in moments),
        *(run.exit_code, run.error_kind, run.error_text),
        *(usage.get(name) for name in ("input_tokens", "output_tokens", "cost_usd")),
        run.output_summary,
    )


def _json(found: Iterator[Placed]) -> Iterator[str]:
    """One array of objects, as in the list, with names."""
    yield "["
    for number, placed in enumerate(found):
        row = RunRow.of(placed.run, output_summary=printed(placed.run.output_summary))
        names = {"agent": placed.agent.name, "workspace": placed.workspace.name}
        about = {"title": placed.task.title if placed.task else None}
        said = json.dumps({**row.model_dump(), **names, **about}, ensure_ascii=False)
        yield f"{',' if number else ''}\n{said}"
    yield "\n]\n"
