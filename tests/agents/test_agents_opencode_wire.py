"""The ground of the agent tests holds: opencode itself, without our product, against our stub."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from opencode import Settings
from stub_model import INPUT_TOKENS, OUTPUT_TOKENS, StubModel

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

PATIENCE = 110.0
MARK = "ROUNDTABLE_WIRE_TEST"

Json = dict[str, Any]
Connect = Callable[..., "Wire"]


class Wire:
    """An ACP client of forty lines: one request at a time, all else is kept in `heard`."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str], stderr: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.cwd = cwd
        self.heard: list[Json] = []  # notifications and requests of the agent
        self.choice = "allow_once"
        self._ids = 0
        self._lines: queue.Queue[bytes] = queue.Queue()
        with stderr.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**os.environ, **env, MARK: self.mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", protocolVersion=1, clientCapabilities={})

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)

    def send(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> int:
        self._ids += 1
        self.send(id=self._ids, method=method, params=params)
        return self._ids

    def ask(self, method: str, **params: Any) -> Json:
        return self.answer(self.request(method, **params))

    def answer(self, number: int, seconds: float = PATIENCE) -> Json:
        """Of our request; what the agent asks meanwhile is answered at once."""
        until = time.monotonic() + seconds
        while True:
            message = json.loads(self._lines.get(timeout=max(0.0, until - time.monotonic())))
            if "method" not in message and message["id"] == number:
                return message["result"]
            self.heard.append(message)
            if "id" in message:
                self._answer_agent(message)

    def _answer_agent(self, message: Json) -> None:
        if message["method"] != "session/request_permission":
            error = {"code": -32601, "message": "not offered"}
            return self.send(id=message["id"], error=error)
        options = message["params"]["options"]
        [chosen] = [one["optionId"] for one in options if one["kind"] == self.choice]
        outcome = {"outcome": "selected", "optionId": chosen}
        return self.send(id=message["id"], result={"outcome": outcome})

    def open(self) -> str:
        return self.ask("session/new", cwd=str(self.cwd), mcpServers=[])["sessionId"]

    def prompt(self, session: str, text: str) -> int:
        block = {"type": "text", "text": text}
        return self.request("session/prompt", sessionId=session, prompt=[block])

    def updates(self, kind: str) -> list[Json]:
        found = [m["params"]["update"] for m in self.heard if m["method"] == "session/update"]
        return [update for update in found if update["sessionUpdate"] == kind]

    def said(self) -> str:
        return "".join(one["content"]["text"] for one in self.updates("agent_message_chunk"))

    def permissions(self) -> int:
        return sum(one["method"] == "session/request_permission" for one in self.heard)

    def silent_for(self, seconds: float) -> bool:
        with suppress(queue.Empty):
            self.heard.append(json.loads(self._lines.get(timeout=seconds)))
            return False
        return True

    def tree(self) -> list[psutil.Process]:
        """All that carry our mark."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get(MARK) == self.mark:
                    found.append(process)
        return found

    def end(self) -> int:
        """The ladder: stdin is closed, then SIGTERM, then SIGKILL to all that is left."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self.tree():
                with suppress(psutil.Error):
                    process.send_signal(number)
            until = time.monotonic() + 3
            while self.tree() and time.monotonic() < until:
                self.process.poll()
                time.sleep(0.05)
        return self.process.wait(PATIENCE)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@pytest.fixture
def connect(
    tmp_path: Path, repository: Path, opencode_command: list[str], opencode_env: Settings
) -> Iterator[Connect]:
    wires: list[Wire] = []

    def start(**permissions: str) -> Wire:
        env = opencode_env(**permissions)
        wires.append(Wire(opencode_command, repository, env, tmp_path / "stderr"))
        return wires[-1]

    yield start
    for wire in wires:
        wire.end()
        assert wire.tree() == []


def test_it_writes_a_file_and_reports(connect: Connect, repository: Path) -> None:
    wire = connect()
    text = "Please:\nSTUB-WRITE notes/hello.txt good morning\nSTUB-SAY Written.\n"
    turn = wire.answer(wire.prompt(wire.open(), text + "STUB-RESULT completed It is there."))
    assert (repository / "notes/hello.txt").read_text() == "good morning\n"
    assert turn["stopReason"] == "end_turn"
    assert turn["usage"]["inputTokens"] == INPUT_TOKENS
    assert turn["usage"]["outputTokens"] == OUTPUT_TOKENS
    assert wire.permissions() == 0
    assert wire.said().endswith(
        'Written.\n\n```roundtable-result\n{"status": "completed", "summary": "It is there."}\n```'
    )
    assert wire.end() == 0  # the end of its input is enough


@pytest.mark.parametrize(("choice", "written"), [("allow_once", True), ("reject_once", False)])
def test_it_asks_before_it_writes(
    connect: Connect, repository: Path, choice: str, written: bool
) -> None:
    wire = connect(edit="ask")
    wire.choice = choice
    turn = wire.answer(wire.prompt(wire.open(), "STUB-WRITE a.txt x"))
    assert wire.permissions() == 1
    assert (repository / "a.txt").exists() is written
    assert turn["stopReason"] == "end_turn"


def test_a_session_is_loaded_by_another_process(connect: Connect, stub: StubModel) -> None:
    first = connect()
    session = first.open()
    first.answer(first.prompt(session, "STUB-REMEMBER walnut"))
    assert first.end() == 0
    second = connect()
    second.ask("session/load", sessionId=session, cwd=str(second.cwd), mcpServers=[])
    second.heard.clear()  # the load tells the old turns again
    second.answer(second.prompt(session, "STUB-RECALL"))
    assert second.said() == "I remember walnut."
    assert stub.asked()[-1].user_texts == ["STUB-REMEMBER walnut", "STUB-RECALL"]


def test_it_is_silent_while_it_is_refused(
    connect: Connect, stub: StubModel, tmp_path: Path
) -> None:
    wire = connect()
    session = wire.open()
    turn = wire.prompt(session, "STUB-429")
    assert len(stub.wait(1, PATIENCE)) == 1
    while not wire.silent_for(1.0):
        pass  # what it says when a session opens
    assert wire.silent_for(10.0)
    refused = [seen.reply.status for seen in stub.wait(3, PATIENCE)]
    assert len(refused) >= 3
    assert set(refused) == {429}
    assert "Rate limit reached for stub-model" in (tmp_path / "stderr").read_text()
    wire.send(method="session/cancel", params={"sessionId": session})
    assert wire.answer(turn)["stopReason"] in ("cancelled", "end_turn")


def test_a_tool_call_outlives_the_group_but_not_the_ladder(
    connect: Connect, stub: StubModel
) -> None:
    wire = connect()
    wire.prompt(wire.open(), "STUB-BASH sleep 600")
    sleep = wait_for_tool(wire)
    assert os.getpgid(sleep.pid) != wire.process.pid
    os.killpg(wire.process.pid, signal.SIGTERM)
    wire.process.wait(PATIENCE)
    print(f"the tool's process survives its agent's group: {sleep in wire.tree()}")
    wire.end()
    assert wire.tree() == []


def wait_for_tool(wire: Wire) -> psutil.Process:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for process in wire.tree():
            with suppress(psutil.Error):
                if process.name() == "sleep":
                    return process
        time.sleep(0.1)
    raise AssertionError("no tool was started")
