"""What the demo agent can do: one function for each word of an `@demo` line."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Protocol

AUTH_REQUIRED = -32000
INTERNAL_ERROR = -32603
FLOOD = 64 * 1024
COMMITTER = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Demo Agent"), ("EMAIL", "demo@localhost"))
}

WORDS: Mapping[str, str] = {
    "rate_limited": "API Error: 429 rate_limit_error: Rate limit reached",
    "quota_limited": "You've hit your usage limit",
    "overloaded": "API Error: 529 Overloaded",
    "auth_required": "Authentication required",
    "billing": "API Error: 402 Credit balance is too low",
    "model_unavailable": "API Error: 404 model not found",
    "context_full": "Prompt is too long",
    "network": "fetch failed: ECONNREFUSED",
    "cli_missing": "command not found",
    "cli_outdated": "this version is no longer supported, please update",
    "permission_denied": "EACCES: permission denied",
    "crashed": "the agent has crashed",
    "lost": "the agent was lost",
    "timed_out": "ETIMEDOUT: the request timed out",
    "spawn_failed": "spawn failed: ENOEXEC",
}
"""How agents word each kind of fault, by habit."""


class Seat(Protocol):
    """Where the agent sits: what it can tell and ask there."""

    @property
    def folder(self) -> str: ...

    def say(self, text: str) -> None: ...

    def tool(self, title: str, kind: str) -> None:
        """Tells of something that is done at once."""

    def pause(self, seconds: float) -> None:
        """Waits; whoever cancels the turn meanwhile is obeyed."""

    def ask(self, text: str) -> bool:
        """Whether that is allowed."""

    def spend(self, tokens_in: int, tokens_out: int) -> None: ...

    def call(self, name: str, arguments: object) -> str:
        """What that tool of the product answered. Raises Reported when it said no."""


class Reported(Exception):
    """The turn is over, with this result; None for none."""

    def __init__(self, status: str | None, **more: object) -> None:
        super().__init__(status)
        self.status = status
        self.more = more


class Gone(Exception):
    """The program is over, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Fault(Exception):
    """The turn is broken off by an error of the service behind the agent."""

    def __init__(self, kind: str, text: str) -> None:
        said = f"{WORDS.get(kind, kind)}: {text}" if text else WORDS.get(kind, kind)
        super().__init__(said)
        self.code = AUTH_REQUIRED if kind == "auth_required" else INTERNAL_ERROR
        self.text = said if kind == "auth_required" else f"Internal error: {said}"


Act = Callable[[Seat, str], str | None]
"""Gives what is to be told of it in the result."""


def act(seat: Seat, word: str, rest: str) -> str | None:
    if word not in ACTS:
        fault = {"kind": "task_failed", "text": f"no such @demo line: {word}"}
        raise Reported("failed", error=fault)
    return ACTS[word](seat, rest)


def _write(seat: Seat, rest: str) -> str:
    path, _, text = rest.partition(" ")
    return _put(seat, path, text, "w", f"wrote {path}")


def _append(seat: Seat, rest: str) -> str:
    path, _, text = rest.partition(" ")
    return _put(seat, path, text, "a", f"appended to {path}")


def _put(seat: Seat, path: str, text: str, mode: str, told: str) -> str:
    place = os.path.join(seat.folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, mode, encoding="utf-8") as file:
        file.write(f"{text}\n")
    seat.tool(f"write {path}", "edit")
    return told


def _sleep(seat: Seat, rest: str) -> None:
    seat.pause(float(rest))


def _say(seat: Seat, rest: str) -> None:
    seat.say(f"{rest}\n")


def _usage(seat: Seat, rest: str) -> None:
    tokens_in, _, tokens_out = rest.partition(" ")
    seat.spend(int(tokens_in), int(tokens_out or 0))


def _ask(seat: Seat, rest: str) -> str:
    return f"allowed: {rest}" if seat.ask(rest) else f"refused: {rest}"


def _fail(seat: Seat, rest: str) -> None:
    kind, _, text = rest.partition(" ")
    if kind == "no_result":
        raise Reported(None)
    if kind == "task_failed":
        raise Reported("failed", error={"kind": kind, "text": text})
    raise Fault(kind, text)


def _limit(seat: Seat, rest: str) -> None:
    sys.stderr.write(f"{rest}\n")
    raise Gone(1)


def _block(seat: Seat, rest: str) -> None:
    raise Reported("blocked", blocked={"owner": "user", "action": rest or "decide"})


def _crash(seat: Seat, rest: str) -> None:
    raise Gone(int(rest or 1))


def _noresult(seat: Seat, rest: str) -> None:
    raise Reported(None)


def _hang(seat: Seat, rest: str) -> None:
    """Deaf to everything but a signal."""
    while True:
        time.sleep(3600)


def _flood(seat: Seat, rest: str) -> None:
    piece = ("x" * 1023 + "\n") * (FLOOD // 1024)
    for _ in range(int(float(rest) * 1024 * 1024 / FLOOD)):
        seat.say(piece)


def _spawn(seat: Seat, rest: str) -> str:
    away = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    for _ in range(int(rest or 1)):
        os.posix_spawnp("sleep", ["sleep", "3600"], os.environ, file_actions=away)
    return f"started {rest or 1} children"


def _ignore_term(seat: Seat, rest: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _commit(seat: Seat, rest: str) -> str:
    """In its own copy, as many agents do; stdout belongs to the protocol."""
    away = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    for words in (["add", "--all"], ["commit", "--quiet", "-m", rest or "Demo"]):
        command = ["git", "-C", seat.folder, *words]
        child = os.posix_spawnp("git", command, {**os.environ, **COMMITTER}, file_actions=away)
        if os.waitpid(child, 0)[1]:
            return "could not commit"
    seat.tool(f"commit {rest}", "execute")
    return f"committed {rest}"


def _tool(seat: Seat, rest: str) -> str:
    name, _, words = rest.partition(" ")
    seat.say(f"{seat.call(name, json.loads(words or '{}'))}\n")
    return f"called {name}"


def _subtask(seat: Seat, rest: str) -> str:
    seat.call("task_create", {"title": rest})
    return f"asked for: {rest}"


ACTS: dict[str, Act] = {
    "write": _write,
    "append": _append,
    "sleep": _sleep,
    "silent": _sleep,
    "say": _say,
    "usage": _usage,
    "ask": _ask,
    "fail": _fail,
    "limit": _limit,
    "block": _block,
    "crash": _crash,
    "hang": _hang,
    "flood": _flood,
    "spawn": _spawn,
    "ignore-term": _ignore_term,
    "noresult": _noresult,
    "commit": _commit,
    "tool": _tool,
    "subtask": _subtask,
}
