"""Who asks: the token of programs, the session of a browser, the code that starts one."""

import hashlib
import hmac
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol
from urllib.parse import urlencode

from flask import Response, g, request

from roundtable_desktop.dashboard.guard import FOREIGN, SAFE_METHODS, Doors
from roundtable_desktop.dashboard.problems import Refusal, is_for_programs
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.ports import Clock, Ids
from roundtable_desktop.model.records import PERSON, Actor

CODE_LIFE = timedelta(seconds=60)
CODES_KEPT = 32

IDLE_LIFE = timedelta(hours=12)
"""A browser left alone over night asks again; one in use never does within ABSOLUTE_LIFE."""
ABSOLUTE_LIFE = timedelta(days=30)
SEEN_STEP = timedelta(minutes=10)
"""How stale `seen_at` may be: reading pages must not write a row each."""
TOKEN_STEP = 1.9
"""Seconds for which a token that was right is believed: nobody tells that its file changed."""

WRONG_CODES_ALLOWED = 10
WRONG_CODES_WINDOW = timedelta(seconds=60)

# A path of ours: no second slash, no backslash, nothing a browser would drop (S-26).
LOCAL_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Caller:
    """What a request was found to be. csrf: the session's, for forms; None for a token."""

    actor: Actor
    way: Literal["bearer", "cookie"]
    csrf: str | None = None


class Sessions(Protocol):
    """The table `web_sessions`. Each call is one short transaction of its own."""

    def create(self, session: WebSession) -> None:
        """Keeps it; the store drops those that are older than ABSOLUTE_LIFE as it likes."""

    def find(self, id_hash: str) -> WebSession | None:
        """None when unknown or revoked. Ages are judged here, not there."""

    def touch(self, id_hash: str, seen_at: datetime) -> None:
        """No error when it is gone."""

    def revoke(self, id_hash: str) -> None:
        """No error when it is gone."""

    def revoke_all(self) -> None:
        """With a new token: every browser is signed out (S-27)."""


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(session_id: str) -> str:
    """Made of the cookie's value, so it is another for each session and stored nowhere."""
    return hmac.new(session_id.encode(), b"csrf", hashlib.sha256).hexdigest()


def same(given: str, right: str) -> bool:
    """Constant time; bytes, because `compare_digest` takes no non-ASCII text."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def local_path(given: str) -> str:
    """`given` when it is a path of this site, else the start page (S-26)."""
    return given if len(given) <= 2000 and LOCAL_PATH.fullmatch(given) else "/"


class Codes:
    """One-time codes: 60 s, once, in memory, only their hashes, at most 32 (the oldest goes).

    A right code is always taken: it has at least 128 bits, so wrong ones need no lock, and a page
    that sends a thousand of them locks nobody out (S-25). Beyond ten a minute they are told so.
    """

    def __init__(self, clock: Clock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self._lock = threading.Lock()
        self._open: OrderedDict[str, datetime] = OrderedDict()
        self._wrong: list[datetime] = []

    def issue(self) -> str:
        code = self._ids.secret()
        with self._lock:
            while len(self._open) >= CODES_KEPT:
                self._open.popitem(last=False)
            self._open[digest(code)] = self._clock.now()
        return code

    def redeem(self, code: str) -> None:
        """Raises Refusal: 401 for a code that is wrong, used or old, 429 for too many of them."""
        now = self._clock.now()
        with self._lock:
            issued = self._open.pop(digest(code), None)
            if issued is not None and timedelta(0) <= now - issued <= CODE_LIFE:
                return
            self._wrong = [at for at in self._wrong if now - at < WRONG_CODES_WINDOW]
            if len(self._wrong) >= WRONG_CODES_ALLOWED:
                raise Refusal(429, "too_many_codes", headers={"Retry-After": "60"})
            self._wrong.append(now)
        raise Refusal(401, "code_not_valid")


class SignIn:
    """The one judge of credentials.

    A token counts at every name of ours: no browser adds it by itself. A cookie counts at the
    browsers' name alone (S-24). token: asked anew each time, so that a new one counts at once.
    """

    def __init__(
        self, doors: Doors, clock: Clock, ids: Ids, token: Callable[[], str], sessions: Sessions
    ) -> None:
        self._doors = doors
        self._clock = clock
        self._ids = ids
        self._token = token
        self._sessions = sessions
        self._codes = Codes(clock, ids)

    @property
    def cookie_name(self) -> str:
        """Ports share the cookies of an address, hence the port in the fall-back's name."""
        return "__Host-roundtable" if self._doors.by_name else f"roundtable-{self._doors.port}"

    def link(self, next_path: str = "/") -> str:
        """A URL that signs a browser in, once, within 60 s."""
        asked = urlencode({"once": self._codes.issue(), "next": local_path(next_path)})
        return f"{self._doors.browser_url}/login?{asked}"

    def identify(self) -> Caller | None:
        """The caller of this request; None when it brings nothing that counts."""
        if request.environ.get(FOREIGN):
            return None
        if "Authorization" in request.headers:
            return self._bearer(request.headers["Authorization"])
        return self._cookie()

    def standing(self) -> Callable[[], float]:
        """For an answer that goes on after its request was let in: the seconds for which its
        credential counts at most, 0 once it does not. Looking is no use of a session."""
        if "Authorization" in request.headers:
            header = request.headers["Authorization"]
            return lambda: TOKEN_STEP if self._bearer(header) else 0.0
        id_hash = digest(request.cookies.get(self.cookie_name, ""))
        return lambda: self._seconds_left(id_hash)

    def _seconds_left(self, id_hash: str) -> float:
        session = self._sessions.find(id_hash)
        return 0.0 if session is None else max(0.0, self._left(session).total_seconds())

    def _bearer(self, header: str) -> Caller | None:
        scheme, _, given = header.partition(" ")
        try:
            right = self._token()
        except Absent:  # somebody took it away: then none is right
            return None
        if scheme != "Bearer" or not right or not same(given, right):
            return None
        return Caller(PERSON, "bearer")

    def _cookie(self) -> Caller | None:
        session_id = request.cookies.get(self.cookie_name, "")
        if not session_id or request.host != self._doors.browser_host:
            return None
        session = self._sessions.find(digest(session_id))
        if session is None or not self._alive(session):
            return None
        return Caller(PERSON, "cookie", csrf_of(session_id))

    def _alive(self, session: WebSession) -> bool:
        if self._left(session) < timedelta(0):
            self._sessions.revoke(session.id_hash)
            return False
        now = self._clock.now()
        if now - session.seen_at > SEEN_STEP:
            self._sessions.touch(session.id_hash, now)
        return True

    def _left(self, session: WebSession) -> timedelta:
        """What is left of its life; less than nothing when it is over."""
        end = min(session.seen_at + IDLE_LIFE, session.created_at + ABSOLUTE_LIFE)
        return end - self._clock.now()

    def check_csrf(self, caller: Caller) -> None:
        """A cookie comes by itself, so a change needs what only our own pages know (W5)."""
        if caller.csrf is None or request.method in SAFE_METHODS:
            return
        given = request.headers.get("X-CSRF-Token", "")
        if not given and not is_for_programs(request.path):
            given = request.form.get("csrf", "")
        if not same(given, caller.csrf):
            raise Refusal(403, "csrf_mismatch")

    def begin(self, code: str) -> str:
        """A new session for a right code; the value of its cookie. Raises Refusal."""
        if request.host != self._doors.browser_host:
            raise Refusal(401, "code_not_valid")
        self._codes.redeem(code)
        session_id = self._ids.secret()
        now = self._clock.now()
        self._sessions.create(WebSession(id_hash=digest(session_id), created_at=now, seen_at=now))
        return session_id

    def end(self) -> None:
        """Signs this browser out; another one stays."""
        session_id = request.cookies.get(self.cookie_name)
        if session_id:
            self._sessions.revoke(digest(session_id))

    def set_cookie(self, response: Response, session_id: str) -> None:
        """S-23. Chromium and Firefox take `Secure` from any name under localhost."""
        response.set_cookie(
            self.cookie_name,
            session_id,
            max_age=ABSOLUTE_LIFE,
            path="/",
            secure=self._doors.by_name,
            httponly=True,
            samesite="Strict",
        )

    def drop_cookie(self, response: Response) -> None:
        response.delete_cookie(
            self.cookie_name, secure=self._doors.by_name, httponly=True, samesite="Strict"
        )


def current() -> Caller:
    """The caller of a request that got past `app`'s check."""
    caller: Caller | None = g.get("caller")
    if caller is None:
        raise Refusal(401, "signed_out")
    return caller
