"""The API's routes about files that agents named in their reports; they are served to be saved and
never to be shown: whatever is in them, no browser runs it here (S-39…S-42)."""

from flask import Response

from roundtable_desktop.dashboard.api.shapes import Moment, Shown, said
from roundtable_desktop.dashboard.reading import Listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk import Desk, artifacts
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.artifacts import Artifact

BYTES = "application/octet-stream"
SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class ArtifactRow(Shown):
    """number: its place in the report. size: bytes, and sha256, of what was kept; fault: the code
    of why it was not, and sentence the same in words."""

    id: str
    run_id: str
    number: int
    path: str
    kind: str
    size: int | None
    sha256: str | None
    fault: str | None
    sentence: str
    created_at: Moment


def _row(one: Artifact) -> ArtifactRow:
    code, values = one.fault or "artifact_kept", {"path": one.path}
    return ArtifactRow.of(one, sentence=said(code, values))


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/runs/<ref>/artifacts")
    def list_artifacts(ref: str) -> Listed[ArtifactRow]:
        """The files that its agent named in its report, as they were when it ended."""
        found = look.artifacts.of(look.run(ref))
        return Listed[ArtifactRow](items=[_row(one) for one in found], next_cursor=None)

    @api.route("GET", "/api/v1/artifacts/<ref>", texts=(BYTES,), errors=(404,))
    def download_artifact(ref: str) -> Response:
        """One of them, byte for byte, to be saved."""
        one = look.artifacts.one(ref)
        response = Response(artifacts.content(desk, one), content_type=BYTES)
        name = f"artifact-{one.id[-8:]}"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        response.headers["Content-Security-Policy"] = SANDBOX
        return response
