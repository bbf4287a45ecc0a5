"""The CLI's way to the running owner: HTTP by the standard library, with the home's token."""

import contextlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.phrases import sentence

Answer = dict[str, Any]
_TIMEOUT = 60.0
_STREAM_TIMEOUT = 40.0
"""An owner that is there sends something at least every 15 s."""
_PIECE = 64 * 1024
_BODY_LIMIT = 1 << 20
"""Bytes; the owner hangs up on more, so that its refusal might not be read (S-59)."""


class Unreachable(Exception):
    """No owner is running in this home, or it does not answer and `why` says how (exit 3)."""

    def __init__(self, home: Home, why: str = "") -> None:
        super().__init__(str(home.root))
        self.home = home
        self.why = why


class Said(Exception):
    """The owner refused; `problem` is its problem+json."""

    def __init__(self, problem: Answer) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title")))
        self.problem = problem


class Client:
    """`get("/tasks", status="todo")`: paths are below /api/v1, unless they begin with /api."""

    def __init__(self, home: Home) -> None:
        owner = home.owner()
        if owner is None:
            raise Unreachable(home)
        self.home = home
        self.url = str(owner["url"])
        try:
            self._token = home.token()
        except Absent:
            raise Unreachable(home) from None

    def get(self, path: str, **query: object) -> Answer:
        asked = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", f"{path}?{urllib.parse.urlencode(asked)}" if asked else path)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Answer:
        given = {name: value for name, value in (body or {}).items() if value is not None}
        return self._ask("POST", path, given)

    def patch(
        self, path: str, body: Mapping[str, object], *, revision: int | None = None
    ) -> Answer:
        """revision: of what was seen; the change is refused when it is another one now."""
        headers = {} if revision is None else {"If-Match": f'"{revision}"'}
        return self._ask("PATCH", path, body, headers)

    def delete(self, path: str) -> None:
        self._ask("DELETE", path)

    def every(self, path: str, **query: object) -> Iterator[Answer]:
        """All items of a list, page by page."""
        cursor: object = None
        while True:
            page = self.get(path, cursor=cursor, limit=200, **query)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def onwards(self, path: str, **query: object) -> Iterator[Answer]:
        """All items of what is read with `after`, piece by piece."""
        after: object = None
        while True:
            page = self.get(path, after=after, **query)
            yield from page["items"]
            after = page["next_cursor"]
            if after is None:
                return

    def download(self, path: str) -> Iterator[bytes]:
        with self._opened("GET", path, None, _TIMEOUT) as response:
            while piece := response.read(_PIECE):
                yield piece

    def until(
        self, path: str, done: Callable[[Answer], bool], seconds: float, step: float = 0.2
    ) -> Answer:
        """Asks again until `done`, or for `seconds`; answers what it saw last."""
        end = time.monotonic() + seconds
        while True:
            seen = self.get(path)
            if done(seen) or time.monotonic() > end:
                return seen
            time.sleep(step)

    def stream(self, after: int | None) -> Iterator[tuple[int, Answer | None]]:
        """What happens, as it happens, each event with its id; before them, with None, the id
        after which they begin. It ends when the owner ends it."""
        path = "/events/stream" if after is None else f"/events/stream?after={after}"
        with self._opened("GET", path, None, _STREAM_TIMEOUT) as response:
            fields: dict[str, str] = {}
            for line in response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                elif "id" in fields:
                    yield int(fields["id"]), json.loads(fields.get("data", "null"))
                    fields = {}

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        with self._opened(method, path, body, _TIMEOUT, headers) as response:
            read: Answer = json.loads(response.read() or b"{}")
            return read

    @contextlib.contextmanager
    def _opened(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None,
        seconds: float,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[HTTPResponse]:
        """The answer, to be read; whatever goes wrong until it is read is Said or Unreachable."""
        sent = None if body is None else json.dumps(body).encode()
        if len(sent or b"") > _BODY_LIMIT:
            limit = _BODY_LIMIT // 1024
            raise Said({"detail": sentence("body_too_large", {"limit": limit}), "status": 413})
        request = urllib.request.Request(
            self.url + (path if path.startswith("/api/") else f"/api/v1{path}"),
            method=method,
            data=sent,
            headers={
                "Authorization": f"Bearer {self._token}",
                **({} if body is None else {"Content-Type": "application/json"}),
                **(headers or {}),
            },
        )
        try:
            with _OPENER.open(request, timeout=seconds) as response:
                yield response
        except urllib.error.HTTPError as error:
            raise Said(_problem(error)) from None
        except (OSError, ValueError, HTTPException) as error:
            raise Unreachable(self.home, _why(error)) from None


def _why(error: Exception) -> str:
    """Empty when nobody listens there: the owner of owner.json is gone."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return "" if isinstance(cause, ConnectionRefusedError) else str(cause)


def _problem(error: urllib.error.HTTPError) -> Answer:
    try:
        read = json.loads(error.read())
    except ValueError:
        read = {}
    return read if isinstance(read, dict) and read else {"title": str(error), "status": error.code}


# The owner is on this machine: a proxy of the environment has no business here.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
