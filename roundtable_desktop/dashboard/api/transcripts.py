"""The API's routes about what agents printed."""

from collections.abc import Mapping
from typing import Annotated, Any

from flask import Response
from pydantic import AfterValidator, BeforeValidator, Field

from roundtable_desktop.dashboard.api.shapes import Micros, Object, Shown
from roundtable_desktop.dashboard.problems import Fault, Refusal
from roundtable_desktop.dashboard.reading import Asked, Listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.transcripts import Hit
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.transcripts import left_out

WORDS = 200
"""Characters that can be looked for."""
END_OF_ID = 8

Cursor = Annotated[str, Field(pattern=r"^\d{6}\.\d{1,12}(\.\d{1,6})?$")]
After = Annotated[Cursor | None, BeforeValidator(lambda given: None if given == "0" else given)]
"""0 is the beginning, as of the feed."""
Words = Annotated[str, AfterValidator(str.strip), Field(max_length=WORDS)]


class TranscriptAsked(Asked):
    """after, before: cursors of which a transcript goes on, forwards or backwards. q: what to look
    for; no letter of it means that nothing is looked for."""

    after: After = None
    before: Cursor | None = None
    q: Words = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 100


class Entry(Shown):
    """One piece of what the agent printed; dropped: what was left out in the middle. cursor: of
    what was found, where it stands."""

    at: Micros | None = None
    stream: str | None = None
    text: str = ""
    dropped: Object | None = None
    cursor: str | None = None


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/runs/<ref>/transcript")
    def show_transcript(ref: str, query: TranscriptAsked) -> Listed[Entry]:
        """What it printed, oldest first; go on with `after`, which is the cursor, or go back with
        `before`. With `q` the lines in which that stands."""
        run = look.run(ref)
        if query.before and (query.after or query.q):
            message = _("This goes with neither “after” nor “q”.")
            raise Refusal(422, "invalid_query", [Fault("/before", message)])
        if query.q:
            found = look.transcripts.search(run.id, query.q, query.after, query.limit)
            return Listed[Entry](items=[_hit(one) for one in found.hits], next_cursor=found.on)
        if query.before:
            piece = look.transcripts.before(run.id, query.before)
            on = piece.begins if piece.earlier else None
        else:
            piece = look.transcripts.read(run.id, query.after)
            on = piece.ends if piece.entries else None
        return Listed[Entry](
            items=[Entry.model_validate(one) for one in piece.entries], next_cursor=on
        )

    @api.route("GET", "/api/v1/runs/<ref>/transcript/download", texts=("text/plain",))
    def download_transcript(ref: str) -> Response:
        """All of it as a text, with what drives a terminal as it was printed; where the middle was
        left out, a line says so."""
        run = look.run(ref)
        text = (_printed(entry) for entry in look.transcripts.entries(run.id))
        response = Response(text, content_type="text/plain; charset=utf-8")
        name = f"run-{run.id[-END_OF_ID:]}.txt"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


def _hit(hit: Hit) -> Entry:
    return Entry.of(hit)


def _printed(entry: Mapping[str, Any]) -> bytes:
    text = f"\n[{left_out(entry['dropped'])}]\n" if "dropped" in entry else entry["text"]
    return str(text).encode("utf-8", "replace")
