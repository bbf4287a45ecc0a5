"""Lives through one run of an agent: from its first byte until nothing of it is left."""

import asyncio
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import IO, Any

from roundtable_desktop.rules.redact import Redactor
from roundtable_desktop.runner.agent import Plan
from roundtable_desktop.runner.control import UNKNOWN, Answer, listen_or_go_without
from roundtable_desktop.runner.deadlines import Watch, period_of
from roundtable_desktop.runner.ladder import Fall, Rung, end_tree
from roundtable_desktop.runner.order import Order
from roundtable_desktop.runner.output import Log, Output
from roundtable_desktop.runner.pipes import Drain, Feed
from roundtable_desktop.runner.result import take_result
from roundtable_desktop.runner.spool import Spool
from roundtable_desktop.runner.transcript import Transcript
from roundtable_desktop.runner.tree import Tree

TAIL_BYTES = 8 * 1024
ERROR_BYTES = 4 * 1024
DRAIN_SECONDS = 2.0
LAST_TRIES = 30
"""Seconds that the last message waits for a full disk."""


class Session:
    """One agent that has just been started. interrupted: SIGTERM came before we could listen."""

    def __init__(
        self,
        order: Order,
        spool: Spool,
        process: subprocess.Popen[bytes],
        redactor: Redactor,
        interrupted: Callable[[], bool],
    ) -> None:
        self._order = order
        self._spool = spool
        self._process = process
        self._redactor = redactor
        self._interrupted = interrupted
        self._tree = Tree(order.run, process.pid)
        self._why: str | None = None
        self._over = asyncio.Event()
        self._exited = asyncio.Event()
        self._feed = Feed()
        self._transcript = Transcript(order.folder / "out")
        self._out = Output("out", self._transcript, redactor, tail_bytes=TAIL_BYTES)
        self._err = Output(
            "err",
            self._transcript,
            redactor,
            tail_bytes=ERROR_BYTES,
            log=Log(order.folder / "stderr.log"),
        )

    async def run(self, plan: Plan) -> None:
        """1. be reachable  2. move bytes  3. wait for its end or a reason to end it
        4. leave nothing running  5. say how it ended."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGTERM, self.stop, "interrupted")
        if self._interrupted():
            self.stop("interrupted")
        order = self._order
        control = listen_or_go_without(
            order.control_address, order.control_key, self._spool, self._ask
        )
        threading.Thread(target=self._await_exit, daemon=True, name="agent").start()
        drains = await self._connect(plan)
        await self._wait_watching()
        fall = await self._end()
        for drain in drains:
            await drain.finish(DRAIN_SECONDS)
        self._transcript.close()
        await self._last(fall)
        if control:
            control.close()

    def stop(self, why: str) -> None:
        """The first reason counts; an agent that has ended by itself needs none."""
        if not self._over.is_set():
            self._why = why
            self._over.set()

    async def _wait_watching(self) -> None:
        """Raises what the watch raises: without it nobody would keep the deadlines."""
        watch = asyncio.create_task(self._watch())
        over = asyncio.create_task(self._over.wait())
        await asyncio.wait({watch, over}, return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            watch.result()
        watch.cancel()

    async def _connect(self, plan: Plan) -> list[Drain]:
        out, err = Drain(self._out), Drain(self._err)
        await out.connect(_pipe(self._process.stdout))
        await err.connect(_pipe(self._process.stderr))
        if plan.stdin is not None:
            await self._feed.connect(_pipe(self._process.stdin), plan.stdin)
        return [out, err]

    def _await_exit(self) -> None:
        """On a thread of its own: wait(2) is the one way that works on every platform."""
        self._process.wait()
        with suppress(RuntimeError):  # the loop is closed: a survivor ended after all
            self._loop.call_soon_threadsafe(self._has_exited)

    def _has_exited(self) -> None:
        self._exited.set()
        self._over.set()

    async def _end(self) -> Fall:
        """After its own exit the agent's report is read first, and what it left running gets no
        gentle rung: nobody is there who would understand it."""
        if self._why is None:
            self._report()
        rungs = self._order.ladder
        gentle = [Rung(self._feed.abort, rungs.stdin)] if self._why and self._feed.open else []
        fall = await end_tree(self._tree, gentle, rungs.term)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._exited.wait(), DRAIN_SECONDS)
        self._tree.reap()
        if self._why is not None:
            self._report()
        return fall

    def _report(self) -> None:
        text = take_result(self._order.result_file)
        if text is not None:
            self._note("result", source="file", text=self._redactor.redact(text))

    async def _last(self, fall: Fall) -> None:
        for _ in range(LAST_TRIES):
            with suppress(OSError):
                self._spool.put(
                    "end",
                    why=self._why or "exited",
                    exit_code=self._process.returncode,
                    error=None,
                    output_bytes=self._received(),
                    tail=self._out.tail,
                    stderr=self._err.tail,
                    killed=fall.killed,
                    survivors=fall.survivors,
                )
                return
            await asyncio.sleep(1)

    def _received(self) -> int:
        return self._out.received + self._err.received

    def _note(self, kind: str, **body: object) -> None:
        """What the run can do without when the disk is full."""
        with suppress(OSError):
            self._spool.put(kind, **body)

    # --- deadlines ---------------------------------------------------------------------------

    async def _watch(self) -> None:
        limits = self._order.deadlines
        period = period_of(limits)
        watch = Watch(limits, period, monotonic())
        while True:
            await asyncio.sleep(period)
            self._tree.reap()
            processes, cpu = self._tree.usage()
            for due in watch.look(monotonic(), self._received(), cpu):
                self._come_due(due, watch, processes)

    def _come_due(self, due: str, watch: Watch, processes: int) -> None:
        match due:
            case "silent":
                self._note("silent", seconds=round(watch.silence, 1))
            case "pulse":
                self._note(
                    "pulse",
                    processes=processes,
                    cpu=round(watch.share, 3),
                    output_bytes=self._received(),
                )
            case _:
                self._note("deadline", which=due)
                if due != "soft":  # nothing can be asked of a command: the record is all
                    self.stop(due)

    # --- control -----------------------------------------------------------------------------

    def _ask(self, request: Mapping[str, Any]) -> Answer:
        """In the connection's thread; TimeoutError closes that connection."""
        return asyncio.run_coroutine_threadsafe(self._answer(request), self._loop).result(5)

    async def _answer(self, request: Mapping[str, Any]) -> Answer:
        match request.get("do"):
            case "ping":
                return {"ok": True, "run": self._order.run, "seq": self._spool.seq}
            case "cancel":
                self._note("control", do="cancel")
                reason = request.get("reason")
                self.stop("interrupted" if reason == "interrupted" else "cancelled")
                return {"ok": True}
            case _:
                return UNKNOWN


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the agent was started without its pipes")
    return stream
