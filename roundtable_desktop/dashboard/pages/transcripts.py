"""What an agent printed, on the page of its run: piece by piece, or the lines looked for."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.transcripts import TranscriptAsked
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import LIVE_RUNS
from roundtable_desktop.model.transcripts import LAST, Entry


def pages(look: Look) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/runs/<ref>/transcript")
        def show_more(ref: str) -> str:
            query = page_query(TranscriptAsked)
            run = look.run(ref)
            return render_template("transcript.html", run=run, **shown(look, run, query))

    return add


def shown(look: Look, run: Run, query: TranscriptAsked) -> dict[str, Any]:
    """Its status was read before: when that says that it is over, all of it is here.

    begun: something stands before these entries. on: where to go on from, if there is more now
    or may be more later. earlier: the piece before this one. hits: the lines looked for, and
    hits_on, where to search on.
    """
    goes_on = run.status in LIVE_RUNS
    around: dict[str, Any] = {"goes_on": goes_on, "q": query.q, "last": LAST}
    if query.q:
        found = look.transcripts.search(run.id, query.q, query.after, query.limit)
        return {**around, "hits": found.hits, "hits_on": found.on}
    if query.before and not query.after:
        piece = look.transcripts.before(run.id, query.before)
    else:
        piece = look.transcripts.read(run.id, query.after)
    return {
        **around,
        "hits": None,
        "entries": _whole_lines(piece.entries),
        "begun": piece.earlier,
        "earlier": piece.begins if piece.earlier else None,
        "on": piece.ends if goes_on or piece.later else None,
        "more": piece.later,
    }


def _whole_lines(entries: Iterable[Entry]) -> list[Entry]:
    """A line that came in more than one piece is one."""
    joined: list[Entry] = []
    for entry in entries:
        last = joined[-1] if joined else {}
        same = "stream" in entry and entry.get("stream") == last.get("stream")
        if same and not str(last["text"]).endswith("\n"):
            joined[-1] = {**last, "text": f"{last['text']}{entry['text']}"}
        else:
            joined.append(entry)
    return joined
