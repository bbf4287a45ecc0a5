"""Moves bytes through the agent's pipes without ever waiting for the agent."""

import asyncio
from collections.abc import Callable
from typing import IO

from roundtable_desktop.runner.output import Output

BATCH_SECONDS = 0.1


class Batch:
    """Writes what has gathered in some outputs, once, a moment after the first of it came."""

    def __init__(self, *outputs: Output) -> None:
        self._outputs = outputs
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def soon(self) -> None:
        if self._timer is None and any(output.waiting for output in self._outputs):
            self._timer = self._loop.call_later(BATCH_SECONDS, self._flush)

    def close(self) -> None:
        """Everything is written; nothing may be fed afterwards."""
        if self._timer:
            self._timer.cancel()
        for output in self._outputs:
            output.close()

    def _flush(self) -> None:
        self._timer = None
        for output in self._outputs:
            output.flush()


class Drain(asyncio.Protocol):
    """Reads one of the agent's streams as fast as it comes, and writes it in batches. also: gets
    what comes, and an end of line at its end."""

    def __init__(self, output: Output, also: Callable[[bytes], None] | None = None) -> None:
        self._output, self._also = output, also
        self._batch = Batch(output)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.BaseTransport | None = None
        self._closed = asyncio.Event()

    async def connect(self, pipe: IO[bytes]) -> None:
        self._transport, _ = await self._loop.connect_read_pipe(lambda: self, pipe)

    async def finish(self, seconds: float) -> None:
        """Waits for the end of the stream; somebody out of our reach may hold it open."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            if self._transport:
                self._transport.close()
            await self._closed.wait()

    def data_received(self, data: bytes) -> None:
        self._output.feed(data)
        if self._also is not None:
            self._also(data)
        self._batch.soon()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._also is not None:
            self._also(b"\n")  # its last line may have no end
        self._batch.close()
        self._closed.set()
