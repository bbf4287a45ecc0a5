"""A real server with the real guard, and a desk for agents that keeps its rows in memory."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from http.client import HTTPConnection
from typing import Any

from flask import Flask, Response, request

from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.dashboard.app import Parts, build_app
from roundtable_desktop.dashboard.guard import Doors
from roundtable_desktop.dashboard.opening import open_to_all
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.server import listen, serve
from roundtable_desktop.dashboard.signin import SignIn
from roundtable_desktop.mcp.server import Door
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked
from roundtable_desktop.model.gates import Judged, Word
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.placed import Placed
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.rules.capabilities import may, purpose_of

DASHBOARD_TOKEN = "dashboard-" + "q" * 43
BRIDGE = [sys.executable, "-I", "-m", "roundtable_desktop", "--part", "mcp-bridge"]

Json = dict[str, Any]


class Noted:
    """Fulfils what `AgentDesk` has rooms for: writes down what it was asked, and answers that."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., Json]:
        def note(holder: Holder, *words: object) -> Json:
            self.asked.append((name, words))
            return {"asked": name}

        return note


class MemoryDesk:
    """Fulfils `Holders` and `AgentDesk`. `hold` stops every write after it was done, until `go`."""

    def __init__(self) -> None:
        self.claims = self.state = self.changes = Noted()
        self.repository = self.patches = self.turns = self.memories = self.checks = self.claims
        self.live: dict[str, Holder] = {}
        self.tasks: dict[str, Json] = {
            "task-parent": {"id": "task-parent", "title": "All of it", "parent_id": None},
            "task-mine": {"id": "task-mine", "title": "Mine", "parent_id": "task-parent"},
            "task-others": {"id": "task-others", "title": "Theirs", "parent_id": None},
        }
        self.comments: list[str] = []
        self.notices: dict[str, str] = {}
        self.results: list[WorkerResult] = []
        self.refused: list[str] = []
        self.votes: list[Any] = []
        self.wakes: list[tuple[str, datetime | None, timedelta | None]] = []
        self.placed: list[Placed] = []
        self.keys: list[str | None] = []
        self.lookups = 0
        self.inside = threading.Semaphore(0)
        self.go = threading.Event()
        self.go.set()
        self._lock = threading.Lock()
        self._done: dict[tuple[str, str], Json] = {}

    def notice(self, holder: Holder) -> str | None:
        return self.notices.pop(holder.run_id, None)

    def find(self, token_hash: str) -> Holder | None:
        self.lookups += 1
        return self.live.get(token_hash)

    def get_task(self, holder: Holder, task_id: str | None) -> Json:
        task = self.tasks.get(task_id or holder.task_id or "")
        own = self.tasks[holder.task_id or ""]
        if task is None or not (
            task["id"] in (own["id"], own["parent_id"]) or task["parent_id"] == own["id"]
        ):
            raise Absent("unknown_task", "/task_id")
        return task

    def list_tasks(
        self, holder: Holder, status: TaskStatus | None, after: str | None, limit: int
    ) -> Json:
        return {"tasks": list(self.tasks.values())[:limit], "next_cursor": None}

    def comment(self, holder: Holder, text: str, task_id: str | None, key: str | None) -> Json:
        if text == "break":
            raise RuntimeError("secret-of-the-inside")
        return self._once(holder, key, lambda: self._comment(text))

    def progress(self, holder: Holder, text: str, percent: int | None, key: str | None) -> Json:
        return self._once(holder, key, lambda: {"percent": percent})

    def result(self, holder: Holder, result: WorkerResult, key: str | None) -> Json:
        def act() -> Json:
            self.results.append(result)
            return {"status": result.status}

        return self._once(holder, key, act)

    def keep_refused(self, holder: Holder, text: str) -> None:
        self.refused.append(text)

    def create_task(
        self,
        holder: Holder,
        title: str,
        description: str,
        assignee: str | None,
        blocked_by: Sequence[str],
        key: str | None,
        judged: Judged,
        placed: Placed,
    ) -> Json:
        if assignee not in (None, "ada"):
            raise Absent("unknown_agent", "/assignee_agent")
        if title == "too many":
            raise Blocked("task_not_assigned", number=7)

        def act() -> Json:
            task = {"id": f"task-{len(self.tasks)}", "title": title, "parent_id": holder.task_id}
            self.placed.append(placed)
            self.tasks[task["id"]] = task
            return task

        return self._once(holder, key, act)

    def wake_self(
        self,
        holder: Holder,
        note: str,
        at: datetime | None,
        after: timedelta | None,
        key: str | None,
    ) -> Json:
        def act() -> Json:
            self.wakes.append((note, at, after))
            return {"wakeup_id": f"wakeup-{len(self.wakes)}"}

        return self._once(holder, key, act)

    def check_may(self, holder: Holder, tool: str) -> None:
        if not may(tool, purpose_of(holder.task_id, holder.gate_id)):
            raise Blocked("tool_not_allowed", tool=tool, purpose="work")

    def get_proposal(self, holder: Holder, proposal_id: str | None) -> Json:
        return {"id": proposal_id}

    def list_proposals(
        self, holder: Holder, status: ProposalStatus | None, after: str | None, limit: int
    ) -> Json:
        return {"proposals": [], "next_cursor": None}

    def vote(
        self, holder: Holder, word: Word, note: str, findings: Sequence[Any], key: str | None
    ) -> Json:
        def act() -> Json:
            self.votes.append((word, note, findings))
            return {"verdict_id": f"verdict-{len(self.votes)}", "verdict": str(word)}

        return self._once(holder, key, act)

    def request_approval(self, holder: Holder, text: str, key: str | None) -> Json:
        return self._once(holder, key, lambda: {"approval_id": "one", "status": "requested"})

    def _comment(self, text: str) -> Json:
        self.comments.append(text)
        return {"id": f"comment-{len(self.comments)}"}

    def _once(self, holder: Holder, key: str | None, act: Callable[[], Json]) -> Json:
        with self._lock:
            self.keys.append(key)
            known = self._done.get((holder.run_id, key)) if key else None
            made = known or act()
            if key:
                self._done[holder.run_id, key] = made
        self.inside.release()
        self.go.wait(100)
        return made


class House:
    """The app as far as an agent sees it; `close` and `open` are a restart on the same port."""

    def __init__(self) -> None:
        self.desk = MemoryDesk()
        self.port = 0
        self.statuses: list[int] = []
        self.open()
        self.token = self.run("run-a")

    def run(self, run_id: str, task_id: str = "task-mine") -> str:
        """The token of a new live run."""
        issued = self.door.issue()
        self.desk.live[issued.hash] = Holder(
            run_id=run_id, agent_id="agent-a", task_id=task_id, workspace_id="ws"
        )
        return issued.token

    def end(self, run_id: str) -> None:
        live = self.desk.live
        self.desk.live = {h: holder for h, holder in live.items() if holder.run_id != run_id}

    def open(self) -> None:
        sockets = listen("127.0.0.1", self.port)
        self.port = sockets[0].getsockname()[1]
        clock, ids = SystemClock(), SystemIds()
        self.door = Door(self.desk, self.desk, ids)
        doors = Doors(self.port, "k3v9x0q2m7ab")
        parts = Parts(
            doors=doors,
            ids=ids,
            signin=SignIn(doors, clock, ids, lambda: DASHBOARD_TOKEN, {}),  # type: ignore[arg-type]
            health=lambda: "ok",
            api=Api("Roundtable", "0"),
            pages=(self._add_door,),
        )
        self._server = serve(build_app(parts), sockets, clock)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()

    def close(self) -> None:
        self._server.close()
        self._thread.join(60)
        self.door.stop()
        assert not self._thread.is_alive()

    def _add_door(self, app: Flask) -> None:
        @app.get("/closed")
        def closed() -> str:
            return "for people"

        @open_to_all
        def mcp() -> Response:
            answer = self.door.answer(request.method, request.headers, request.get_data())
            status, headers, body = answer
            self.statuses.append(status)
            return Response(body, status, headers)

        for path in ("/mcp", "/mcp/"):
            app.add_url_rule(path, path, mcp, methods=["GET", "POST", "DELETE"])

    # --- from outside --------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def ask(
        self,
        body: bytes | object = b"",
        token: str | None = "",
        method: str = "POST",
        path: str = "/mcp",
        **headers: str,
    ) -> tuple[int, Mapping[str, str], Any]:
        """token: "" is the run's own, None is none. Header names with _ for -."""
        sent = {"Content-Type": "application/json", "Accept": "application/json"}
        if token is not None:
            sent["Authorization"] = f"Bearer {token or self.token}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            with contextlib.suppress(BrokenPipeError):  # refused by its length, before it was read
                connection.request(method, path, raw, sent)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        is_json = "json" in response.getheader("Content-Type", "")
        return response.status, response.headers, json.loads(text) if is_json and text else text

    def bridge(self, **environment: str) -> "subprocess.Popen[bytes]":
        known = {"ROUNDTABLE_MCP_URL": self.url, "ROUNDTABLE_MCP_TOKEN": self.token}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            BRIDGE, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **known, **environment}
        )

    def through_bridge(self, *lines: bytes | object) -> list[Json]:
        """What the bridge answers to these lines before it ends."""
        with self.bridge() as bridge:
            raw = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines]
            out, err = bridge.communicate(b"".join(one + b"\n" for one in raw), timeout=90)
        assert bridge.returncode == 0
        assert err == b""
        return [json.loads(line) for line in out.splitlines()]


def call(tool: str, id_: object = 1, /, **arguments: object) -> Json:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


def play(scene: Callable[[AsyncExitStack], Coroutine[Any, Any, None]]) -> None:
    """Runs an asynchronous scene; what it opens is closed before this returns."""

    async def whole() -> None:
        async with AsyncExitStack() as stack:
            await scene(stack)

    asyncio.run(whole())
