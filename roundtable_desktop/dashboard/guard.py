"""The outermost layer: which requests get in at all, and what every answer carries.

It stands before routing, so static files, unknown paths, webhooks and MCP pass it too (S-06).
`Origin` is compared with constants and never with `Host`: when a name is rebound to this address
the two are equal (W3).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roundtable_desktop.dashboard.problems import (
    MEDIA_TYPE,
    Refusal,
    is_for_programs,
    problem_json,
)
from roundtable_desktop.model.ports import Ids

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MIB = 1 << 20
BODY_LIMIT = MIB
WEBHOOK_LIMIT = MIB // 4
WEBHOOKS = "/api/routine-triggers/"

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"", "same-origin", "none"})
"""Of `Sec-Fetch-Site`: absent (a program), a page of ours, a person's own act."""

REQUEST_ID = "roundtable.request_id"
FOREIGN = "roundtable.foreign_navigation"
"""environ key: a link elsewhere led here; whatever credential came with it is not looked at."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)

ANSWER_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    # With no-referrer Chromium sends `Origin: null` on plain forms.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Doors:
    """The names under which this program answers, and which of them browsers use.

    installation: random part of the browsers' name. by_name: False is the setting
    `browser_host = "address"`, for browsers that cannot resolve that name.
    """

    port: int
    installation: str
    by_name: bool = True
    hosts: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        addresses = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        object.__setattr__(self, "hosts", frozenset(addresses | {self.browser_host}))

    @property
    def browser_host(self) -> str:
        """The one `Host` at which the session cookie counts (S-24)."""
        name = f"rt-{self.installation}.localhost" if self.by_name else "127.0.0.1"
        return f"{name}:{self.port}"

    @property
    def browser_url(self) -> str:
        return f"http://{self.browser_host}"

    def canonical(self, host: str) -> str | None:
        """Names are case-insensitive, ports are part of them (S-04); None for a stranger's."""
        lowered = host.lower()
        return lowered if lowered in self.hosts else None

    def origin(self, host: str) -> str:
        """`host` is one of ours: the origin is a constant of this installation."""
        return f"http://{host}"


class Guard:
    """WSGI around WSGI: refuses, or lets through; dresses either answer."""

    def __init__(self, app: "WSGIApplication", doors: Doors, ids: Ids) -> None:
        self._app = app
        self._doors = doors
        self._ids = ids

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        environ[REQUEST_ID] = request_id = self._ids.new()
        dressed = _dressing(start_response)
        try:
            host = self._host(environ)
            self._origin(environ, host)
            _fetch_site(environ)
            _body_size(environ)
        except Refusal as refusal:
            body = _refuse(refusal, request_id, dressed)
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
        return self._app(environ, dressed)

    def _host(self, environ: "WSGIEnvironment") -> str:
        """Two Host headers arrive joined by a comma, which no name of ours has (S-03)."""
        host = self._doors.canonical(environ.get("HTTP_HOST", ""))
        if host is None or not _names(environ.get("REQUEST_URI", "/"), host):
            raise Refusal(421, "unknown_host")
        environ["HTTP_HOST"] = host
        return host

    def _origin(self, environ: "WSGIEnvironment", host: str) -> None:
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and origin != self._doors.origin(host):
            raise Refusal(403, "foreign_origin")


def _names(target: str, host: str) -> bool:
    """The request line's target: a path, `*`, or an absolute URL of that very host (S-05)."""
    if target.startswith("/") or target == "*":
        return True
    return target.lower().startswith((f"http://{host}/", f"http://{host}?"))


def _fetch_site(environ: "WSGIEnvironment") -> None:
    """W4. A person who follows a link may see a page, signed out (S-21); nothing else passes."""
    if environ.get("HTTP_SEC_FETCH_SITE", "") in OWN_SITES:
        return
    navigates = (
        environ["REQUEST_METHOD"] in ("GET", "HEAD")
        and environ.get("HTTP_SEC_FETCH_MODE") == "navigate"
        and environ.get("HTTP_SEC_FETCH_DEST") == "document"
    )
    if not navigates or is_for_programs(environ.get("PATH_INFO", "")):
        raise Refusal(403, "foreign_page")
    environ[FOREIGN] = True


def _body_size(environ: "WSGIEnvironment") -> None:
    """The server has read the body, chunked or not, and says its length (S-59)."""
    webhook = environ.get("PATH_INFO", "").startswith(WEBHOOKS)
    limit = WEBHOOK_LIMIT if webhook else BODY_LIMIT
    if int(environ.get("CONTENT_LENGTH") or 0) > limit:
        raise Refusal(413, "body_too_large", values={"limit": limit // 1024})


def _dressing(start_response: "StartResponse") -> "StartResponse":
    """Adds what an answer does not set itself; takes away CORS and the server's name (S-16)."""

    def dressed(
        status: str,
        headers: list[tuple[str, str]],
        exc_info: "OptExcInfo | None" = None,
        /,
    ) -> Callable[[bytes], object]:
        return start_response(status, dress(headers), exc_info)

    return dressed


def dress(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    kept = [
        (name, value)
        for name, value in headers
        if not name.lower().startswith("access-control-") and name.lower() != "server"
    ]
    present = {name.lower() for name, _ in kept}
    missing = [(n, v) for n, v in ANSWER_HEADERS.items() if n.lower() not in present]
    return kept + missing


def _refuse(refusal: Refusal, request_id: str, start_response: "StartResponse") -> bytes:
    body = problem_json(refusal, request_id)
    headers = [("Content-Type", MEDIA_TYPE), ("Content-Length", str(len(body)))]
    start_response(f"{refusal.status} Refused", headers)
    return body
