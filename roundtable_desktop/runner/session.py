"""Lives through one run of an agent: from its first byte until nothing of it is left."""

import asyncio
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from roundtable_desktop.rules.redact import Redactor
from roundtable_desktop.runner import bounds, tie
from roundtable_desktop.runner.agent import Plan
from roundtable_desktop.runner.control import UNKNOWN, Answer, listen_or_go_without
from roundtable_desktop.runner.deadlines import Watch, elapsed, period_of
from roundtable_desktop.runner.drivers import begin
from roundtable_desktop.runner.ladder import Fall, end_tree
from roundtable_desktop.runner.order import Order
from roundtable_desktop.runner.output import Log
from roundtable_desktop.runner.pipes import Drain
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.result import best, redact_result, take_result
from roundtable_desktop.runner.spool import Spool
from roundtable_desktop.runner.talk import pipe
from roundtable_desktop.runner.tree import Tree, Use

ERROR_BYTES = 4 * 1024
DRAIN_SECONDS = 2.0
HURRY = 0.6
"""Of the ladder's seconds where the machine goes down: six, and then KILL (F-47)."""
PROCESSES, MEMORY = "processes", "memory"
"""It takes too many of them, or too much: there is no time to be gentle."""
SIGNALLED = (-signal.SIGHUP, -signal.SIGTERM, -signal.SIGKILL)
SIGNALS_APART = 1.0
"""Seconds between the agent's end by a signal and the same signal to us."""
LAST_TRIES = 30
"""Seconds that the last message waits for a full disk."""


class Session:
    """One agent that has just been started. interrupted: SIGTERM came before we could listen."""

    def __init__(
        self,
        order: Order,
        spool: Spool,
        process: subprocess.Popen[bytes],
        tree: Tree,
        redactor: Redactor,
        interrupted: Callable[[], bool],
    ) -> None:
        self._order = order
        self._spool = spool
        self._process = process
        self._redactor = redactor
        self._interrupted = interrupted
        self._tree = tree
        self._why: str | None = None
        self._hurry = False
        self._over = asyncio.Event()
        self._exited = asyncio.Event()
        self._reported = False
        self._unfit = False  # a report that counts as none was told
        self._silence: float | None = None
        self._most_memory, self._memory = bounds.most_memory(order.most_memory), 0
        self._kernel = bounds.Kernel()
        self._record = Record(order.folder, spool, redactor)
        log = Log(order.folder / "stderr.log")
        self._err = self._record.stream("err", tail_bytes=ERROR_BYTES, log=log)
        self._errors = Drain(self._err)

    async def run(self, plan: Plan) -> None:
        """1. be reachable  2. speak with the agent  3. wait for its end or a reason to end it
        4. leave nothing running  5. say how it ended."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGTERM, self._told_to_end)
        if self._interrupted():
            self._told_to_end()
        tie.watch(tie.file_of(self._order.folder), self._app_is_gone)
        order = self._order
        self._talk = begin(order, plan, self._record, self._agent_is_done)
        control = listen_or_go_without(
            order.control_address, order.control_key, self._spool, self._ask
        )
        threading.Thread(target=self._await_exit, daemon=True, name="agent").start()
        await self._errors.connect(pipe(self._process.stderr))
        await self._talk.connect(self._process)
        await self._wait_watching()
        if self._why is None and self._process.returncode in SIGNALLED:
            await asyncio.sleep(SIGNALS_APART)
            self._look_for_kernel()
        fall = await self._end()
        await self._talk.finish(DRAIN_SECONDS)
        await self._errors.finish(DRAIN_SECONDS)
        self._report(file=self._why is not None)
        redact_result(order.result_file, self._redactor)
        self._record.close()
        await self._last(fall)
        if control:
            control.close()

    def stop(self, why: str) -> None:
        """The first reason counts; an agent that has ended by itself needs none."""
        if not self._over.is_set():
            self._why = why
            self._over.set()

    def _told_to_end(self) -> None:
        """The machine or the session goes down, and there is no time for the whole ladder. It says
        so to every process, so that the agent may have gone an instant before we hear of it."""
        self._hurry = True
        if self._why is None and not self._reported and self._process.returncode != 0:
            self._why = "interrupted"
        self._over.set()

    def _app_is_gone(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the run is over
            self._loop.call_soon_threadsafe(self._told_to_end)

    async def _wait_watching(self) -> None:
        """Raises what the watch raises: without it nobody would keep the deadlines."""
        watch = asyncio.create_task(self._watch())
        guard = asyncio.create_task(self._guard())
        over = asyncio.create_task(self._over.wait())
        await asyncio.wait({watch, guard, over}, return_when=asyncio.FIRST_COMPLETED)
        for one in (watch, guard):
            if one.done():
                one.result()
            one.cancel()

    def _await_exit(self) -> None:
        """On a thread of its own: wait(2) is the one way that works on every platform."""
        self._process.wait()
        with suppress(RuntimeError):  # the loop is closed: a survivor ended after all
            self._loop.call_soon_threadsafe(self._has_exited)

    def _has_exited(self) -> None:
        self._exited.set()
        self._over.set()

    def _agent_is_done(self) -> None:
        """It lives, but has come to its end; its report is told before it is ended."""
        if self._why is None:
            self._report()
        self._over.set()

    async def _end(self) -> Fall:
        """After its own exit the agent's report is read first, and what it left running gets no
        gentle rung: nobody is there who would understand it."""
        if self._why is None:
            self._report()
            self._why = "interrupted" if self._talk.broken_off else None
        rungs = self._talk.gentle(stopped=self._why is not None)
        share = 0.0 if self._why in (PROCESSES, MEMORY) else HURRY if self._hurry else 1.0
        rungs = [replace(rung, seconds=rung.seconds * share) for rung in rungs if share]
        fall = await end_tree(
            self._tree, [] if self._exited.is_set() else rungs, self._order.ladder.term * share
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(self._exited.wait(), DRAIN_SECONDS)
        self._tree.take_leave()
        return fall

    def _report(self, *, file: bool = True) -> None:
        """The first that fits is told, once (contract, How an agent reports); where none does, the
        first that is there, so that it can be said what was wrong with it."""
        if self._reported:
            return
        in_file = take_result(self._order.result_file) if file else None
        report = best(in_file, self._talk.block)
        if report is None:
            return
        self._reported = not report.misfits()
        if self._reported or not self._unfit:
            source = "file" if report is in_file else "block"
            text = self._redactor.redact(report.text)
            self._record.note("result", source=source, text=text, fault=report.fault)
        self._unfit = True

    async def _last(self, fall: Fall) -> None:
        for _ in range(LAST_TRIES):
            with suppress(OSError):
                self._spool.put(
                    "end",
                    why=self._why or "exited",
                    exit_code=self._process.returncode,
                    output_bytes=self._received(),
                    tail=self._talk.tail,
                    stderr=self._err.tail,
                    killed=fall.killed,
                    swept=fall.swept,
                    silence=self._silence,
                    memory=self._memory,
                    most_memory=self._most_memory,
                    survivors=fall.survivors,
                    **self._talk.ending(),
                )
                return
            await asyncio.sleep(1)

    def _received(self) -> int:
        return self._talk.received + self._err.received

    def _signs(self) -> int:
        """Bytes that are a sign of life. An agent that tries a refused request again for ever says
        so on stderr each time, and nothing else."""
        return self._received() if self._talk.errors_count else self._talk.received

    async def _guard(self) -> None:
        """Between two looks at the tree a fork bomb, or one that takes memory, would fill the
        machine. The room falls without it, too; that costs a look."""
        tasks, room = bounds.tasks_on_machine(), bounds.room()
        pause = bounds.LOOK
        while not self._over.is_set():
            await asyncio.sleep(pause)
            pause = bounds.until_next(self._tree.count_ended())
            if self._tree.held() > self._order.most_processes:
                self.stop(PROCESSES)
            more, left = bounds.tasks_on_machine(), bounds.room()
            fell = room - left > bounds.worth_a_look(self._most_memory, self._memory)
            if fell or more > tasks + bounds.JUMP:
                self._bound(self._tree.usage(), looks_close=fell)
            tasks, room = more, left if fell else max(room, left)

    def _bound(self, use: Use, *, looks_close: bool = False) -> None:
        """Shared pages count for each that has them, so a sum over the limit is looked at closely,
        and so is one that may lie in swap."""
        if len(use.pids) > self._order.most_processes:
            self.stop(PROCESSES)
        memory, most = use.memory, self._most_memory
        if looks_close or (most and memory > most):
            memory = bounds.used(use.pids)
        self._memory = max(self._memory, memory)
        if most and memory > most:
            self.stop(MEMORY)

    def _look_for_kernel(self) -> None:
        """Where no memory is left, it takes an agent first; trying again at once takes as much."""
        killed = self._process.returncode == -signal.SIGKILL
        if self._why is None and killed and self._kernel.struck():
            self._why = MEMORY

    # --- deadlines ---------------------------------------------------------------------------

    async def _watch(self) -> None:
        limits = self._order.deadlines
        period = period_of(limits)
        watch = Watch(limits, period, elapsed())
        while True:
            await asyncio.sleep(period)
            self._tree.reap()
            use = self._tree.usage()
            self._bound(use)
            self._kernel.look()
            due = watch.look(elapsed(), self._signs(), use.cpu, self._talk.activity)
            self._talk.grow_older(watch.step)
            for name in due:
                self._come_due(name, watch, len(use.pids))

    def _come_due(self, due: str, watch: Watch, processes: int) -> None:
        match due:
            case "silent":
                self._record.note("silent", seconds=round(watch.silence, 1))
            case "heard":
                self._record.note("heard")
            case "pulse":
                self._record.note(
                    "pulse",
                    processes=processes,
                    cpu=round(watch.share, 3),
                    output_bytes=self._received(),
                )
            case _:
                self._record.note("deadline", which=due)
                if due == "silence":
                    self._silence = round(watch.silence, 1)
                if due != "soft":  # it is asked with the answer of a tool
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
                self._record.note("control", do="cancel")
                self._hurry = self._hurry or request.get("hurry") is True
                reason = request.get("reason")
                self.stop("interrupted" if reason == "interrupted" else "cancelled")
                return {"ok": True}
            case _:
                return self._talk.answer(request) or UNKNOWN
