"""The demo agent as an ACP program: sessions, turns, questions and reports."""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roundtable_desktop.demo import leading, mending
from roundtable_desktop.demo.acts import Fault, Reported, act
from roundtable_desktop.demo.line import Closed, Line
from roundtable_desktop.demo.remembered import Remembered
from roundtable_desktop.demo.script import Line as Step
from roundtable_desktop.demo.script import lines_of, script
from roundtable_desktop.demo.tools import Refused, Tools

AGENT: Mapping[str, object] = {
    "protocolVersion": 1,
    "agentCapabilities": {"loadSession": True, "promptCapabilities": {}},
    "agentInfo": {"name": "roundtable-demo-agent", "version": "1"},
    "authMethods": [],
}
INVALID = -32602
UNKNOWN = -32601
BUSY = -32600
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
WINDOW = 128_000
CHECKPOINT = "# Checkpoint"
"""How the question begins where it is, after its turn was broken off."""
MODELS = ("practice", "practice-small", "practice-large")
"""What it offers; it thinks alike with each, and says which it was told."""


class Cancelled(Exception):
    """The turn was cancelled from outside."""


class Invalid(Exception):
    """The request names what is not there."""


class Session:
    """turns: what was asked and said before. reluctant: it was told to give no result.
    model: what it was told to use. done: in its last turn of work."""

    def __init__(
        self, folder: str, turns: list[dict[str, str]], servers: Sequence[Mapping[str, Any]]
    ) -> None:
        self.folder = folder
        self.servers = servers
        self.turns = turns
        self.begun = False
        self.reluctant = False
        self.model: str | None = None
        self.result: dict[str, object] | None = None
        self.done: list[str] = []

    def options(self) -> dict[str, object]:
        values = [{"value": name, "name": name.capitalize()} for name in MODELS]
        option = {"id": "model", "name": "Model", "category": "model", "type": "select"}
        now = self.model or MODELS[0]
        return {"configOptions": [{**option, "currentValue": now, "options": values}]}


class Turn:
    """One prompt; the seat from which the acts are done."""

    def __init__(self, line: Line, identity: str, session: Session) -> None:
        self.folder = session.folder
        self.said: list[str] = []
        self.done: list[str] = []
        self.spent: list[int] = [0, 0]
        self.chair: leading.Chair | None = None
        self._line = line
        self._server = Tools(session.servers)
        self._session_id = identity
        self._tools = 0

    def say(self, text: str) -> None:
        if sum(map(len, self.said)) < WINDOW:
            self.said.append(text)
        self._update("agent_message_chunk", content={"type": "text", "text": text})

    def tool(self, title: str, kind: str) -> None:
        self._tools += 1
        call = {"toolCallId": f"call-{self._tools}", "title": title, "kind": kind}
        self._update("tool_call", status="in_progress", **call)
        self._update("tool_call_update", status="completed", toolCallId=call["toolCallId"])

    def pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            message = self._line.receive(left)
            if message:
                self._meanwhile(message)

    def ask(self, text: str) -> bool:
        number = self._line.next_number()
        call = {"toolCallId": f"ask-{number}", "title": text, "kind": "other", "status": "pending"}
        params = {"sessionId": self._session_id, "toolCall": call, "options": OPTIONS}
        self._line.send(id=number, method="session/request_permission", params=params)
        while True:
            message = self._line.receive() or {}
            if message.get("id") == number and "method" not in message:
                outcome = (message.get("result") or {}).get("outcome") or {}
                return bool(outcome.get("optionId") == "yes")
            self._meanwhile(message)

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        self.spent[0] += tokens_in
        self.spent[1] += tokens_out
        so_far = {"inputTokens": self.spent[0], "outputTokens": self.spent[1]}
        self._update("usage_update", used=sum(self.spent), size=WINDOW, _meta={"usage": so_far})

    def call(self, name: str, arguments: object) -> str:
        self.tool(name, "other")
        try:
            return self._server.call(name, arguments)
        except Refused as no:
            fault = {"kind": "task_failed", "text": f"{name}: {no}"}
            raise Reported("failed", error=fault) from None

    def end(self) -> None:
        self._server.close()

    def _meanwhile(self, message: dict[str, Any]) -> None:
        if message.get("method") == "session/cancel":
            raise Cancelled
        if "method" in message and "id" in message:
            fault = {"code": BUSY, "message": "a turn is in progress"}
            self._line.send(id=message["id"], error=fault)

    def _update(self, what: str, **update: object) -> None:
        params = {"sessionId": self._session_id, "update": {"sessionUpdate": what, **update}}
        self._line.send(method="session/update", params=params)


class Acp:
    def __init__(self, line: Line) -> None:
        self._line = line
        self._remembered = Remembered(os.environ)
        self._sessions: dict[str, Session] = {}
        self._methods: dict[str, Callable[[dict[str, Any]], Mapping[str, object]]] = {
            "initialize": lambda params: AGENT,
            "session/new": self._new,
            "session/load": self._load,
            "session/set_config_option": self._set,
            "session/prompt": self._prompt,
        }

    def serve(self) -> int:
        """Until the input ends. Raises Gone."""
        while True:
            try:
                self._answer(self._line.receive() or {})
            except Closed:
                return 0

    def _answer(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method is None or number is None:
            return
        if method not in self._methods:
            fault = {"code": UNKNOWN, "message": f"Method not found: {method}"}
            self._line.send(id=number, error=fault)
            return
        try:
            result = self._methods[method](message.get("params") or {})
        except Invalid as invalid:
            self._line.send(id=number, error={"code": INVALID, "message": str(invalid)})
        except Fault as broken:
            self._line.send(id=number, error={"code": broken.code, "message": broken.text})
        else:
            self._line.send(id=number, result=result)

    def _new(self, params: dict[str, Any]) -> Mapping[str, object]:
        identity = self._remembered.new()
        self._sessions[identity] = _session(params, [])
        return {"sessionId": identity, **self._sessions[identity].options()}

    def _load(self, params: dict[str, Any]) -> Mapping[str, object]:
        """Tells the whole conversation again, as the protocol wants it."""
        identity = str(params.get("sessionId"))
        turns = self._remembered.load(identity)
        if turns is None:
            raise Invalid(f"no such session: {identity[:64]}")
        self._sessions[identity] = _session(params, turns)
        for turn in turns:
            for kind, text in (("user", turn["asked"]), ("agent", turn["said"])):
                content = {"type": "text", "text": text}
                update = {"sessionUpdate": f"{kind}_message_chunk", "content": content}
                told = {"sessionId": identity, "update": update}
                self._line.send(method="session/update", params=told)
        return self._sessions[identity].options()

    def _set(self, params: dict[str, Any]) -> Mapping[str, object]:
        session = self._session_of(params)
        if params.get("configId") != "model" or params.get("value") not in MODELS:
            raise Invalid("there is no such option, or no such value of it")
        session.model = str(params["value"])
        return session.options()

    def _session_of(self, params: dict[str, Any]) -> Session:
        identity = str(params.get("sessionId"))
        if identity not in self._sessions:
            raise Invalid(f"no such session: {identity[:64]}")
        return self._sessions[identity]

    def _prompt(self, params: dict[str, Any]) -> Mapping[str, object]:
        identity, session = str(params.get("sessionId")), self._session_of(params)
        prompt = "\n".join(str(block.get("text", "")) for block in params.get("prompt") or [])
        turn = Turn(self._line, identity, session)
        try:
            self._take(session, turn, prompt)
        except Cancelled:
            return {"stopReason": "cancelled"}
        finally:
            turn.end()
            session.turns.append({"asked": prompt, "said": "".join(turn.said)})
            self._remembered.save(identity, session.turns)
        told: dict[str, object] = {"stopReason": "end_turn"}
        if any(turn.spent):
            names = ("inputTokens", "outputTokens", "totalTokens")
            told["usage"] = dict(zip(names, (*turn.spent, sum(turn.spent)), strict=True))
        return told

    def _take(self, session: Session, turn: Turn, prompt: str) -> None:
        if session.turns and not session.begun:
            turn.say(f"Going on after {len(session.turns)} earlier turns.\n")
        if session.model and not session.begun:
            turn.say(f"Working with the model {session.model}.\n")
        if session.begun and prompt.startswith(CHECKPOINT):
            turn.say(f"Done: {'; '.join(session.done) or 'nothing yet'}. Next: what is left.\n")
            return
        session.done = turn.done
        try:
            self._work(session, turn, prompt)
        except Reported as over:
            session.reluctant = over.status is None
            session.result = {"status": over.status, **over.more}
        else:
            session.result = session.result or {"status": "completed"}
        if not session.reluctant:
            self._report(turn, {**(session.result or {}), "summary": "; ".join(turn.done)})

    def _work(self, session: Session, turn: Turn, prompt: str) -> None:
        """Raises Reported."""
        if leading.leads([prompt, *(one["asked"] for one in session.turns)]):
            turn.chair = leading.Chair(turn)
            lines = self._steps(session, prompt, default=False)
            changed = leading.said(prompt)
            return leading.lead(turn.chair, lines, turn.done, changed=changed)
        if (task_id := leading.waits(prompt)) and not session.begun:
            session.begun = True
            return turn.done.append(leading.answer(turn, task_id))
        steps = self._steps(session, prompt)
        if mending.is_asked(prompt) and (mended := mending.mend(turn.folder)):
            turn.tool(f"settle {', '.join(mended)}", "edit")
            return turn.done.append(f"settled {', '.join(mended)}")
        for word, rest in steps:
            if told := act(turn, word, rest):
                turn.done.append(told)
        return None

    def _steps(self, session: Session, prompt: str, *, default: bool = True) -> list[Step]:
        """The script is for the first prompt; what is said later has its own lines, or none.
        default: whether it works on something where there are no lines."""
        first, session.begun = not session.begun, True
        later = lines_of(prompt)
        if later and not first:
            session.reluctant, session.result = False, None
        return list(script(os.environ, prompt, default=default)) if first else later

    def _report(self, turn: Turn, result: dict[str, object]) -> None:
        """Who leads a mission does so by tool, as a real agent would; the others by a block, which
        agents without tools have."""
        told = f"{result['summary'] or 'nothing new'}\n\n"
        if turn.chair is not None:
            turn.say(told)
            return turn.chair.report(result)
        return turn.say(f"{told}```roundtable-result\n{json.dumps(result)}\n```\n")


def _session(params: Mapping[str, Any], turns: list[dict[str, str]]) -> Session:
    folder = str(params.get("cwd") or os.getcwd())
    return Session(folder, turns, params.get("mcpServers") or [])
