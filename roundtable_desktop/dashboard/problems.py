"""Every refusal as `application/problem+json` (RFC 9457) or, for people, as a page."""

import errno
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flask import Flask, Response, g, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from roundtable_desktop.model import errors
from roundtable_desktop.model.ports import SPECIAL, GitFailed
from roundtable_desktop.phrases import _, sentence

log = logging.getLogger("dashboard")

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

MEDIA_TYPE = "application/problem+json"

STATUS_OF: Sequence[tuple[type[errors.Refused], int]] = (
    (errors.Absent, 404),
    (errors.Illegal, 409),
    (errors.Conflict, 409),
    (errors.Invalid, 422),
    (errors.Blocked, 409),
    (errors.Busy, 503),
    (errors.Full, 507),
    (errors.Broken, 500),
)

# What HTTP has a number of its own for; all else is the class's (contract, HTTP).
STATUS_OF_CODE: Mapping[str, int] = {
    "changed_meanwhile": 412,
    "database_fault": 503,
    "git_failed": 503,
    "database_replaced": 503,
    "snapshot_kept_too_long": 503,
    "idempotency_key_required": 400,
    "invalid_run_action": 400,
    "rate_limited": 429,
    "stopped_unwritten": 503,
    "stopped_unwritten_left": 503,
}

REPOSITORY_IS = frozenset(
    {"branch_missing", "commit_missing", "no_identity", "special_file", "unreadable"}
    | {"copy_missing", "copy_damaged", "copy_locked", "not_a_fast_forward"}
)
"""Codes of git's failures that tell of the repository; all others are the machine's or ours."""
AGAIN_AFTER = "1"
"""Seconds, as `Retry-After`."""

CODE_OF_STATUS: Mapping[int, str] = {
    400: "unreadable",
    401: "signed_out",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "json_only",
    421: "unknown_host",
    429: "rate_limited",
    431: "headers_too_large",
    501: "unreadable",
    503: "unavailable",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One field at fault. pointer: RFC 6901 into the body, or `/name` of a query parameter."""

    pointer: str
    message: str


class Refusal(Exception):
    """What this floor refuses by itself, before the desk is asked."""

    def __init__(
        self,
        status: int,
        code: str,
        faults: Iterable[Fault] = (),
        headers: Mapping[str, str] | None = None,
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.faults = tuple(faults)
        self.headers = dict(headers or {})
        self.values = dict(values or {})


def title_of(status: int) -> str:
    """One short line per number; the detail says the rest."""
    titles = {
        400: _("The request cannot be read"),
        401: _("Not signed in"),
        403: _("Not allowed"),
        404: _("Not found"),
        405: _("Not a method of this address"),
        409: _("Not possible now"),
        412: _("Changed meanwhile"),
        413: _("Too large"),
        415: _("JSON only"),
        421: _("Not a name of this program"),
        422: _("Some fields cannot be taken"),
        429: _("Too many requests"),
        431: _("Headers too large"),
        500: _("Something went wrong inside"),
        501: _("The request cannot be read"),
        503: _("Not available right now"),
        507: _("No room on the disk"),
    }
    return titles.get(status, _("The request was not done"))


def problem_json(refusal: Refusal, request_id: str) -> bytes:
    """The body alone: the guard and the server answer with it too, outside of Flask."""
    shown: dict[str, object] = {
        "type": "about:blank",
        "status": refusal.status,
        "title": title_of(refusal.status),
        "detail": sentence(refusal.code, refusal.values),
        "code": refusal.code,
        "request_id": request_id,
        "errors": [{"pointer": f.pointer, "message": f.message} for f in refusal.faults],
    }
    return json.dumps(shown).encode()


def is_for_programs(path: str) -> bool:
    """Programs get JSON, people get pages; nothing else decides it (no `Accept`)."""
    return path.startswith("/api/") or path == "/mcp" or path.startswith("/mcp/")


def answer(refusal: Refusal) -> Response:
    request_id = g.get("request_id", "")
    g.failing = True
    if is_for_programs(request.path):
        body: bytes | str = problem_json(refusal, request_id)
        media_type = MEDIA_TYPE
    else:
        body = page(refusal, request_id)
        media_type = "text/html; charset=utf-8"
    return Response(body, refusal.status, refusal.headers, content_type=media_type)


def page(refusal: Refusal, request_id: str) -> str:
    return render_template(
        "problem.html",
        title=title_of(refusal.status),
        detail=sentence(refusal.code, refusal.values),
        faults=refusal.faults,
        signed_in=g.get("caller") is not None,
        request_id=request_id,
    )


def refusal_of(refused: errors.Refused) -> Refusal:
    """The engine's refusal with its number; the pointer becomes the one entry of `errors`."""
    status = STATUS_OF_CODE.get(refused.code) or next(
        (number for kind, number in STATUS_OF if isinstance(refused, kind)), 500
    )
    message = sentence(refused.code, refused.values)
    headers = _again(status) if isinstance(refused, errors.Busy) else {}
    faults = [Fault(refused.pointer, message)] if refused.pointer else []
    if isinstance(refused, errors.InvalidFields):
        faults = [Fault(at, sentence(code, values)) for at, code, values in refused.fields]
    return Refusal(status, refused.code, faults, headers, refused.values)


def _again(status: int) -> dict[str, str]:
    """What may go through later is worth another try."""
    return {"Retry-After": AGAIN_AFTER} if status == 503 else {}


def refusal_of_http(error: HTTPException) -> Refusal:
    """werkzeug's own errors: its number, our words, nothing of its text."""
    status = error.code or 500
    headers = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return Refusal(status, CODE_OF_STATUS.get(status, "internal"), headers=headers)


def install(app: Flask) -> None:
    """Registers the ways in which a request ends badly."""

    @app.errorhandler(Refusal)
    def own(refusal: Refusal) -> Response:
        return answer(refusal)

    @app.errorhandler(errors.Refused)
    def engine(refused: errors.Refused) -> Response:
        if isinstance(refused, errors.Broken):
            log.error("%s request=%s", refused.code, g.get("request_id", ""), exc_info=refused)
        return answer(refusal_of(refused))

    @app.errorhandler(GitFailed)
    def git(failed: GitFailed) -> Response:
        """The user's repository cannot be read or written now; git says why. Only what the
        repository itself is like is a conflict (W-27)."""
        log.warning("%s request=%s", failed, g.get("request_id", ""))
        if failed.code == SPECIAL:
            found = {"path": failed.text, "mend": failed.command}
            return answer(Refusal(409, SPECIAL, values=found))
        values = {"text": f"{failed.code} {failed.text}".strip()[:500]}
        status = 409 if failed.code in REPOSITORY_IS else 503
        return answer(Refusal(status, "git_failed", headers=_again(status), values=values))

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        return answer(refusal_of_http(error))

    @app.errorhandler(OSError)
    def machine(error: OSError) -> Response:
        """A file of ours could not be written: nothing of the request was done (F-18)."""
        if error.errno not in NO_ROOM:
            return unexpected(error)
        log.error("disk_full request=%s", g.get("request_id", ""), exc_info=error)
        return answer(Refusal(507, "disk_full"))

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        log.error("internal request=%s", g.get("request_id", ""), exc_info=error)
        return answer(Refusal(500, "internal"))
