"""Carries an agent's MCP messages from its stdin to the app and back, over restarts of the app.

`--part mcp-bridge`, with $ROUNDTABLE_MCP_URL and $ROUNDTABLE_MCP_TOKEN. The standard library
alone: it runs beside every agent, and an update of the app must not change it half way.
"""

import base64
import contextlib
import hashlib
import http.client
import itertools
import json
import os
import re
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO
from urllib.parse import urlsplit

LINE_LIMIT = 1 << 20  # bytes; the door takes no more
ANSWER_LIMIT = 16 << 20
PATIENCE = 60.0
"""Seconds for one message, restarts of the app included."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
AT_ONCE = 8
KEY, LONGER, MOST_LONGER = "Idempotency-Key", "takes_longer", 64
LAST_ANSWERS = 5.0
"""Seconds for what is under way when stdin ends."""

AGAIN = frozenset({502, 503, 504})
USAGE = 64

PARSE_ERROR, INVALID_REQUEST, FAILED = -32700, -32600, -32000
IN_ORDER = frozenset({"initialize", "notifications/initialized"})
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
PLAIN = re.compile(r"[!-~]([ -~]*[!-~])?", re.ASCII)

WHY = {
    0: "Roundtable is not running. Its owner can start it again.",
    401: "This run's access has ended.",
    413: "This message is too large.",
}

Json = dict[str, Any]


def main(words: Sequence[str]) -> int:
    """Ends when stdin does. stdout carries answers and nothing else; no word of it, and none of
    its errors, holds the token."""
    if words or missing():
        sys.stderr.write(
            f"mcp-bridge takes no words; missing: {', '.join(missing()) or 'nothing'}\n"
        )
        return USAGE
    try:
        door = Door(os.environ["ROUNDTABLE_MCP_URL"], os.environ["ROUNDTABLE_MCP_TOKEN"])
    except ValueError:
        sys.stderr.write("ROUNDTABLE_MCP_URL has to be an address like http://127.0.0.1:7117/mcp\n")
        return USAGE
    Bridge(door.deliver, _write).run(sys.stdin.buffer)
    return 0


def missing() -> list[str]:
    """What it needs of its environment, and has not."""
    return [n for n in ("ROUNDTABLE_MCP_URL", "ROUNDTABLE_MCP_TOKEN") if not os.environ.get(n)]


def _write(line: bytes) -> None:
    """Past Python's buffer: a thread that is left behind at the end must not hold its lock."""
    with contextlib.suppress(BrokenPipeError):  # nobody listens; what was said is still carried
        while line:
            line = line[os.write(1, line) :]


class Door:
    """The app's `/mcp`, reached directly: no proxy of the environment ever sees the token."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError("no http address")
        self._host, self._port, self._path = parts.hostname, parts.port or 80, parts.path or "/mcp"
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def deliver(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Until it is answered or a minute is over: then (0, b""). The headers hold its key, so
        what was done before a cut is answered and not done again."""
        until, pause = time.monotonic() + PATIENCE, FIRST_PAUSE
        while True:
            left = until - time.monotonic()
            try:
                status, answer = self._post(body, headers, left)
                if status not in AGAIN:
                    return status, answer
            except (OSError, http.client.HTTPException):
                pass  # nobody there, or gone in the middle: both look like a restart
            if left < pause:
                return 0, b""
            time.sleep(pause)
            pause = min(pause * 1.6, LONGEST_PAUSE)

    def _post(self, body: bytes, headers: dict[str, str], timeout: float) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=max(timeout, 0.1))
        try:
            connection.request("POST", self._path, body, {**self._headers, **headers})
            response = connection.getresponse()
            return response.status, response.read(ANSWER_LIMIT + 1)
        finally:
            connection.close()


class Bridge:
    """Messages go side by side, but for the handshake: what follows it must know its outcome."""

    def __init__(
        self,
        deliver: Callable[[bytes, dict[str, str]], tuple[int, bytes]],
        write: Callable[[bytes], None],
    ) -> None:
        self._deliver = deliver
        self._write = write
        self._writing = threading.Lock()
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._name = uuid.uuid4().hex
        self._numbers = itertools.count(1)
        self._longer: dict[str, str] = {}
        self._version: str | None = None

    def run(self, stdin: BinaryIO) -> None:
        while line := stdin.readline(LINE_LIMIT + 1):
            if len(line) > LINE_LIMIT:
                _skip_line(stdin, line)
                self._fail(None, INVALID_REQUEST, WHY[413])
            elif line.strip():
                self._take(line)
        until = time.monotonic() + LAST_ANSWERS
        for _ in range(AT_ONCE):
            self._room.acquire(timeout=max(until - time.monotonic(), 0))

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return self._fail(None, PARSE_ERROR, "This line is not JSON.")
        if not isinstance(message, dict):
            return self._fail(None, INVALID_REQUEST, "One JSON-RPC message a line, and no list.")
        if "method" not in message and ("result" in message or "error" in message):
            return None  # an answer, and the app asks nothing of its agents
        self._room.acquire()
        if message.get("method") in IN_ORDER:
            return self._carry(line, message)
        threading.Thread(target=self._carry, args=(line, message), daemon=True).start()

    def _carry(self, line: bytes, message: Json) -> None:
        try:
            headers = self._headers(message)
            status, body = self._deliver(line, headers)
            if "id" in message:  # else a notification: it has no answer, not even a bad one
                self._answer(message, status, body, headers[KEY])
        finally:
            self._room.release()

    def _headers(self, message: Json) -> dict[str, str]:
        """Its key, and what the protocol wants to see beside a message: the agreed version or,
        from 2026-07-28 on, the one that each message names."""
        known = self._longer.pop(_asked(message), None) if self._longer else None
        headers = {KEY: known or f"{self._name}-{next(self._numbers)}"}
        params = _object(message.get("params"))
        named = _object(params.get("_meta")).get(VERSION_KEY)
        if isinstance(named, str):
            headers["Mcp-Method"] = _printable(str(message.get("method")))
            subject = params.get("name", params.get("uri"))
            if isinstance(subject, str):
                headers["Mcp-Name"] = _printable(subject)
        version = named if isinstance(named, str) else self._version
        if version and message.get("method") != "initialize":
            headers["MCP-Protocol-Version"] = _printable(version)
        return headers

    def _answer(self, message: Json, status: int, body: bytes, key: str) -> None:
        """One that takes longer is asked again under the same key: also after a restart of the app
        it is not done twice."""
        answer = _answer_in(body)
        told = _object(_object((answer or {}).get("result")).get("structuredContent"))
        if told.get("code") == LONGER and len(self._longer) < MOST_LONGER:
            self._longer[_asked(message)] = key
        if answer is None:
            text = WHY.get(status, f"Roundtable answered with HTTP {status}.")
            return self._fail(message["id"], FAILED, text)
        if message.get("method") == "initialize":
            version = _object(answer.get("result")).get("protocolVersion")
            self._version = version if isinstance(version, str) else None
        # What was refused before it was read as a message names no id.
        self._say({**answer, "id": message["id"]})

    def _fail(self, id_: object, code: int, text: str) -> None:
        self._say({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": text}})

    def _say(self, answer: Json) -> None:
        line = json.dumps(answer, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            self._write(line)


def _skip_line(stdin: BinaryIO, begun: bytes) -> None:
    while begun and not begun.endswith(b"\n"):
        begun = stdin.readline(LINE_LIMIT)


def _answer_in(body: bytes) -> Json | None:
    """The JSON-RPC answer, if it is one; our guard and strangers on that port say other things."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    is_answer = isinstance(answer, dict) and ("result" in answer or "error" in answer)
    return answer if is_answer and answer.get("jsonrpc") == "2.0" else None


def _asked(message: Json) -> str:
    """What it asks for, whoever asks and how often."""
    params = {name: one for name, one in _object(message.get("params")).items() if name != "_meta"}
    whole = json.dumps([message.get("method"), params], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _printable(text: str) -> str:
    """As the protocol writes in a header what no header can hold."""
    if PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return f"=?base64?{base64.b64encode(raw).decode()}?="
