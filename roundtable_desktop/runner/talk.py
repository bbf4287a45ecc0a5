"""What a run's session needs of the way in which its agent is spoken to."""

import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Protocol

from roundtable_desktop.runner.control import Answer
from roundtable_desktop.runner.deadlines import Activity
from roundtable_desktop.runner.ladder import Rung
from roundtable_desktop.runner.result import Report


class Talk(Protocol):
    """One driver's conversation with one agent; stderr, signals and time are the session's."""

    @property
    def received(self) -> int:
        """Bytes from the agent so far."""

    @property
    def errors_count(self) -> bool:
        """Whether what it writes to stderr is a sign of life, or only a log beside its words."""

    @property
    def tail(self) -> str:
        """The end of what it said, redacted."""

    @property
    def activity(self) -> Activity: ...

    @property
    def broken_off(self) -> bool:
        """Whether it was stopped to say where it is, and has not reported that it is done."""

    @property
    def block(self) -> Report | None:
        """A result that it gave in what it said, as found."""

    async def connect(self, process: subprocess.Popen[bytes]) -> None:
        """Takes over stdin and stdout, and begins."""

    def answer(self, request: Mapping[str, object]) -> Answer | None:
        """To a request of the control channel; None when it is none for this driver."""

    def grow_older(self, seconds: float) -> None:
        """Awake time has passed for what waits here."""

    def gentle(self, *, stopped: bool) -> Sequence[Rung]:
        """The rungs before SIGTERM. From now on nothing new is begun.
        stopped: the agent has not come to its end by itself."""

    async def finish(self, seconds: float) -> None:
        """Reads what is still in the pipe; somebody out of our reach may hold it open."""

    def ending(self) -> Mapping[str, object]:
        """What `end` says besides: stop_reason, nudged, error, checkpoint."""


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the agent was started without its pipes")
    return stream
