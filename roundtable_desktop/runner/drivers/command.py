"""Drives any program: a prompt goes in, text and an exit code come out."""

import subprocess
from collections.abc import Mapping, Sequence

from roundtable_desktop.runner.control import Answer
from roundtable_desktop.runner.deadlines import UNTOLD, Activity
from roundtable_desktop.runner.ladder import Rung
from roundtable_desktop.runner.output import Output
from roundtable_desktop.runner.pipes import Drain
from roundtable_desktop.runner.printed import Printed
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.result import Report
from roundtable_desktop.runner.talk import pipe


class CommandTalk:
    """Fulfils `Talk`. Its turn is over when the program ends, and nothing can be asked of it."""

    activity: Activity = UNTOLD
    errors_count = True
    broken_off = False
    block: Report | None = None

    def __init__(self, out: Output, record: Record) -> None:
        self._out = out
        self._drain = Drain(out, Printed(record).feed)

    @property
    def received(self) -> int:
        return self._out.received

    @property
    def tail(self) -> str:
        return self._out.tail

    async def connect(self, process: subprocess.Popen[bytes]) -> None:
        await self._drain.connect(pipe(process.stdout))

    def answer(self, request: Mapping[str, object]) -> Answer | None:
        return None

    def grow_older(self, seconds: float) -> None:
        return None

    def gentle(self, *, stopped: bool) -> Sequence[Rung]:
        return []

    async def finish(self, seconds: float) -> None:
        await self._drain.finish(seconds)

    def ending(self) -> Mapping[str, object]:
        return {"error": None}
