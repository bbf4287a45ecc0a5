"""Drives an ACP agent: one session, a turn for the order and for each message that comes later."""

import asyncio
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop import __version__
from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.rules.fitting import NOT_TAKEN, told
from roundtable_desktop.runner.agent import StartFailed
from roundtable_desktop.runner.asks import SERVER, Asks
from roundtable_desktop.runner.control import Answer
from roundtable_desktop.runner.deadlines import Activity
from roundtable_desktop.runner.drivers.faults import kind_of, told_of
from roundtable_desktop.runner.drivers.models import choice_of, value_of
from roundtable_desktop.runner.ladder import Rung
from roundtable_desktop.runner.order import MCP_TOKEN, MCP_URL, Order
from roundtable_desktop.runner.output import Output
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.result import Report, best, find_block, take_result
from roundtable_desktop.runner.talk import pipe
from roundtable_desktop.runner.updates import Updates
from roundtable_desktop.runner.usage import Usage
from roundtable_desktop.runner.wire import METHOD_NOT_FOUND, Closed, Refused, Wire, text, words

VERSION = 1
"""Of the protocol."""
CLIENT: Mapping[str, object] = {
    "protocolVersion": VERSION,
    "clientCapabilities": {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    },
    "clientInfo": {"name": "roundtable-desktop", "version": __version__},
}
ERROR_BYTES = 4 * 1024
NOTE_BYTES = 500
ID_BYTES = 512
CHECKPOINT_BYTES = 4 * 1024
MESSAGES = 32
"""Messages of people that may wait for their turn."""
REFUSING = ("cancelled", "refusal")
"""Stop reasons after which the agent would not report either."""


@dataclass(slots=True)
class Checkpoint:
    """question: where it is, once that is to be asked; it is the last that is said to it."""

    question: str = ""
    said: bool = False
    answer: str = ""

    @property
    def asked(self) -> bool:
        return bool(self.question)

    def say(self) -> str | None:
        again, self.said = self.said, True
        return None if again else self.question


class AcpTalk:
    """Fulfils `Talk`, and is the host of its wire. Two prompts never overlap: `_live` is the only
    one that speaks them."""

    errors_count = False

    def __init__(
        self,
        order: Order,
        environment: Mapping[str, str],
        record: Record,
        out: Output,
        over: Callable[[], None],
    ) -> None:
        self._order = order
        self._environment = environment
        self._record = record
        self._out = out
        self._over = over
        self._wire = Wire(self)
        given = bool(order.bridge)
        self._asks = Asks(order.permission_policy, order.deadlines.ask, record, ours=given)
        self._updates = Updates(record, out)
        self._usage = Usage(record)
        self._ahead: deque[tuple[str, str]] = deque()
        self._heard: set[str] = set()
        self._session = ""
        self._turns = 0
        self._loading = False
        self._in_turn = False
        self._ending = False
        self._stopped = False
        self._nudged = False
        self._checkpoint = Checkpoint()
        self._stop_reason: str | None = None
        self._error: dict[str, str] | None = None
        self.block: Report | None = None

    # --- what the session of the run asks ----------------------------------------------------

    @property
    def received(self) -> int:
        return self._wire.received

    @property
    def tail(self) -> str:
        return self._out.tail

    @property
    def activity(self) -> Activity:
        tools = self._updates.tools
        return Activity(tools.begun, bool(tools.running), self._asks.open)

    async def connect(self, process: subprocess.Popen[bytes]) -> None:
        await self._wire.connect(pipe(process.stdout), pipe(process.stdin))
        self._life = asyncio.create_task(self._live())
        self._life.add_done_callback(lambda _: self._over())

    def answer(self, request: Mapping[str, object]) -> Answer | None:
        match request.get("do"):
            case "reply":
                answer = self._asks.reply(request.get("ask"), request.get("option"))
            case "message":
                answer = self._queue(request.get("text"), request.get("id"))
            case "checkpoint":
                answer = self._part(request.get("text"))
            case _:
                return None
        if answer["ok"]:
            self._record.note("control", do=request["do"])
        return answer

    def grow_older(self, seconds: float) -> None:
        self._asks.grow_older(seconds)

    def gentle(self, *, stopped: bool) -> Sequence[Rung]:
        self._ending = True
        self._stopped = stopped
        rungs = self._order.ladder
        cancel = Rung(self._cancel, rungs.cancel, lambda: not self._in_turn)
        close = Rung(self._wire.close_input, rungs.stdin)
        return [cancel, close] if stopped and self._in_turn else [close]

    async def finish(self, seconds: float) -> None:
        """Raises what `_live` has raised: a fault of ours is no end of an agent."""
        self._asks.close_for_good()
        await self._wire.finish(seconds)
        await self._life
        self._usage.end_turn({})
        self._updates.close()

    def ending(self) -> Mapping[str, object]:
        return {
            "stop_reason": self._stop_reason,
            "nudged": self._nudged,
            "error": self._error,
            "checkpoint": self._record.clean(self._checkpoint.answer, CHECKPOINT_BYTES),
        }

    # --- the conversation --------------------------------------------------------------------

    async def _live(self) -> None:
        try:
            await self._open()
            while (said := self._next()) is not None:
                prompt, name = said
                await self._turn(prompt)
                if name:  # it came to the end of its turn: only now is it sure to have heard it
                    self._record.note("control", do="heard", message=name)
        except Refused as fault:
            self._fail(kind_of(fault), told_of(fault))
        except StartFailed as fault:
            self._fail(fault.kind, str(fault))
        except Closed:
            self._fail(ErrorKind.CRASHED, "the agent ended before it had answered")
        finally:
            self._ending = True

    async def _open(self) -> None:
        hello = await self._wire.call("initialize", CLIENT)
        spoken = hello.get("protocolVersion", VERSION)
        if spoken != VERSION:
            raise StartFailed(ErrorKind.CLI_OUTDATED, f"it speaks version {spoken} of ACP")
        place = {"cwd": self._order.cwd, "mcpServers": self._servers()}
        note = ""
        if self._order.session is not None:
            able = words(hello.get("agentCapabilities")).get("loadSession") is True
            note = await self._load(place) if able else "the agent cannot load a session"
            if not note:
                # What it was told before it still knows: only what is new is said (K-52).
                self._ahead.appendleft((self._order.resume_prompt or self._order.prompt, ""))
                self._opened(self._order.session, loaded=True)
                return
        opened = await self._wire.call("session/new", place)
        session = text(opened.get("sessionId"))
        if not session:
            raise StartFailed(ErrorKind.CRASHED, "it opened no session")
        await self._choose_model(session, opened)
        self._ahead.appendleft((self._order.prompt, ""))
        self._opened(session, loaded=False, note=note)

    async def _load(self, place: Mapping[str, object]) -> str:
        """Why it did not work; "" when it did (K-48)."""
        self._session = self._order.session or ""
        self._usage.resume()
        self._loading = True
        try:
            loaded = await self._wire.call("session/load", {"sessionId": self._session, **place})
            await self._choose_model(self._session, loaded)
        except (Refused, StartFailed) as fault:
            self._usage = Usage(self._record)
            return told_of(fault) or "the session could not be loaded"
        finally:
            self._loading = False
        return ""

    async def _choose_model(self, session: str, opened: Mapping[str, Any]) -> None:
        """Raises StartFailed rather than let it work with another one."""
        wanted = self._order.model
        if wanted is None or self._order.names_model:
            return
        choice = choice_of(opened)
        value = value_of(choice, wanted)
        if choice is None or value == choice.current:
            return
        try:
            answer = await self._wire.call(*choice.request(session, value))
        except Refused as fault:
            if kind_of(fault) == ErrorKind.AUTH_REQUIRED:
                raise
            raise StartFailed(ErrorKind.MODEL_UNAVAILABLE, told_of(fault)) from fault
        now = choice_of(answer)
        if now is not None and now.current != value:
            why = f"asked for the model {wanted}, it goes on with {now.current}"
            raise StartFailed(ErrorKind.MODEL_UNAVAILABLE, why)

    def _opened(self, session: str, *, loaded: bool, note: str = "") -> None:
        self._session = session
        self._record.note(
            "session",
            id=self._record.clean(session, ID_BYTES),
            loaded=loaded,
            note=self._record.clean(note, NOTE_BYTES),
        )

    def _servers(self) -> list[dict[str, object]]:
        """The bridge's token goes there by name: agents filter what their children inherit."""
        if not self._order.bridge:
            return []
        command, *arguments = self._order.bridge
        given = [(name, self._environment.get(name)) for name in (MCP_URL, MCP_TOKEN)]
        known = [{"name": name, "value": value} for name, value in given if value is not None]
        return [{"name": SERVER, "command": command, "args": arguments, "env": known}]

    def _next(self) -> tuple[str, str] | None:
        """What is to be said next, and the name of a person's message; None when all is said."""
        if self._ending:
            return None
        if self._checkpoint.asked:
            question = self._checkpoint.say()
            return None if question is None else (question, "")
        if self._ahead:
            return self._ahead.popleft()
        if not self._order.nudge or self._nudged or self._has_reported():
            return None
        if self._stop_reason in REFUSING:
            return None
        self._nudged = True
        return self._nudge(), ""

    def _has_reported(self) -> bool:
        """One that does not fit counts as none (C-103), and is asked for again."""
        if self._updates.tools.reported:
            return True
        report = self._report()
        return report is not None and not report.misfits()

    def _report(self) -> Report | None:
        return best(take_result(self._order.result_file), self.block)

    def _nudge(self) -> str:
        report = self._report()
        if report is None:
            return self._order.nudge
        return f"{self._order.nudge}\n\n{NOT_TAKEN}\n\n{told(report.misfits())}"

    async def _turn(self, prompt: str) -> None:
        self._in_turn = True
        self._turns += 1
        self._updates.begin_turn()
        if self._turns > 1:
            self._updates.remark(f"> {self._record.clean(prompt, NOTE_BYTES)}\n")
        result: Mapping[str, Any] = {}
        try:
            block = {"type": "text", "text": prompt}
            result = await self._wire.call(
                "session/prompt", {"sessionId": self._session, "prompt": [block]}
            )
        except Refused:
            if not self._checkpoint.asked or self._checkpoint.said:
                raise  # else it is how some say that their turn was cancelled
        finally:
            self._in_turn = False
            self._asks.close()
            self._updates.end_turn(good=result.get("stopReason") == "end_turn")
            self._usage.end_turn(result)
            # Of two different reports the last one counts.
            self.block = find_block(self._updates.message.text) or self.block
        self._stop_reason = self._record.clean(text(result.get("stopReason")), ID_BYTES) or None
        if self._checkpoint.said:
            self._checkpoint.answer = self._updates.message.text.strip()
        if self._updates.broken:
            raise Refused(0, self._updates.message.text.strip())

    def _cancel(self) -> None:
        self._wire.notify("session/cancel", {"sessionId": self._session})
        self._asks.close_for_good()

    def _fail(self, kind: str, why: str) -> None:
        """What goes wrong once the run is being ended is no news."""
        if not self._stopped:
            self._error = {"kind": kind, "text": self._record.clean(why, ERROR_BYTES)}

    def _queue(self, message: object, name: object) -> Answer:
        """name: of this message; one that comes again was taken before."""
        if isinstance(name, str) and name in self._heard:
            return {"ok": True}
        if not isinstance(message, str) or not message.strip():
            return {"ok": False, "why": "no text"}
        if self._ending:
            return {"ok": False, "why": "ended"}
        if len(self._ahead) >= MESSAGES:
            return {"ok": False, "why": "too many"}
        known = self._record.clean(name, ID_BYTES) if isinstance(name, str) else ""
        self._ahead.append((message, known))
        if isinstance(name, str):
            self._heard.add(name)
        return {"ok": True}

    @property
    def broken_off(self) -> bool:
        """Asked where it is, instead of going on; a report that it made all the same counts."""
        return self._checkpoint.asked and not self._has_reported()

    def _part(self, question: object) -> Answer:
        """Its turn is broken off, and where it is, is asked in the same conversation: nothing can
        be said in the middle of a turn."""
        if self._checkpoint.asked:
            return {"ok": True}
        if not isinstance(question, str) or not question.strip():
            return {"ok": False, "why": "no text"}
        if self._ending or self._has_reported():
            return {"ok": False, "why": "ended"}
        if not self._turns:
            return {"ok": False, "why": "not ready"}
        self._checkpoint.question = question
        if self._in_turn:
            self._wire.notify("session/cancel", {"sessionId": self._session})
            self._asks.close()
        return {"ok": True}

    # --- what the agent asks and tells ---------------------------------------------------------

    async def serve(self, method: str, params: Mapping[str, Any]) -> Mapping[str, object]:
        if method == "session/request_permission":
            return await self._asks.put(params)
        raise Refused(METHOD_NOT_FOUND, "Method not found")

    def hear(self, method: str, params: Mapping[str, Any]) -> None:
        """What is told outside a turn is the history of a loaded session, or about another."""
        if method != "session/update" or params.get("sessionId") != self._session:
            return
        update = words(params.get("update"))
        if update.get("sessionUpdate") == "usage_update":
            if self._loading:
                self._usage.replay(update)
            else:
                self._usage.take(update, self._session)
        elif self._in_turn:
            self._updates.take(update)

    def puzzle(self, line: str, cut: int) -> None:
        more = f" [and {cut} bytes that were too many]" if cut else ""
        self._updates.remark(f"not understood: {self._record.clean(line, NOTE_BYTES)}{more}\n")
