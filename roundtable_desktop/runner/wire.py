"""Speaks JSON-RPC with one agent, a line a message; no agent can stall it or make it grow."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Protocol

LIMIT = 1024 * 1024
"""Bytes of a line; a longer one is cut, noted and not understood."""
HEAD = 500
"""Bytes of a cut line in which its id is looked for."""
ANSWERS = 64
"""Requests of the agent that are answered at the same time."""
UNREAD = 4 * LIMIT
"""Bytes that the agent may leave unread before it gets no more answers."""

METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600
BUSY = -32000

_BODY = re.compile(rb'"(?:params|result|error)"\s*:')
_ID = re.compile(rb'"id"\s*:\s*("[^"\\]{1,100}"|\d{1,15})')


class Refused(Exception):
    """A request was answered with an error, by the agent or by us. data: as it came."""

    def __init__(self, code: int, text: str, data: object = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.data = data


class Closed(Exception):
    """The agent has closed the line, and will not answer any more."""


class Host(Protocol):
    """Whom the agent speaks to."""

    async def serve(self, method: str, params: Mapping[str, Any]) -> Mapping[str, object]:
        """Answers a request. Raises Refused."""

    def hear(self, method: str, params: Mapping[str, Any]) -> None:
        """Takes a notification."""

    def puzzle(self, line: str, cut: int) -> None:
        """Is told of a line that is no message, and of how many bytes were cut from it."""


def words(value: object) -> Mapping[str, Any]:
    """What should be an object, whatever the agent has sent."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """What should be a text, whatever the agent has sent."""
    return value if isinstance(value, str) else ""


_READER = json.JSONDecoder(parse_constant=lambda name: None)
"""NaN and Infinity are no JSON and cannot be passed on, but what holds one may be an answer."""


class Lines:
    """Cuts a stream into lines, and holds no more than the limit of any of them."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()
        self._cut = 0

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, int]]:
        """Whole lines, each with the number of bytes that were cut from it."""
        *whole, rest = piece.split(b"\n")
        for part in whole:
            self._add(part)
            yield self.take()
        self._add(rest)

    def take(self) -> tuple[bytes, int]:
        """What is held, whole or not."""
        taken = bytes(self._held), self._cut
        self._held.clear()
        self._cut = 0
        return taken

    def _add(self, part: bytes) -> None:
        room = self._limit - len(self._held)
        self._held += part[:room]
        self._cut += max(0, len(part) - room)


class Wire(asyncio.Protocol):
    """JSON-RPC 2.0 over the agent's stdin and stdout, both ways."""

    def __init__(self, host: Host) -> None:
        self.received = 0
        self._host = host
        self._lines = Lines()
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._number = 0
        self._answers: set[asyncio.Task[None]] = set()
        self._closed = asyncio.Event()
        self._in: asyncio.BaseTransport | None = None
        self._out: asyncio.WriteTransport | None = None

    async def connect(self, stdout: IO[bytes], stdin: IO[bytes]) -> None:
        self._out, _ = await self._loop.connect_write_pipe(asyncio.BaseProtocol, stdin)
        self._in, _ = await self._loop.connect_read_pipe(lambda: self, stdout)

    async def call(self, method: str, params: Mapping[str, object]) -> Mapping[str, Any]:
        """Waits for the answer as long as it takes. Raises Refused or Closed."""
        if self._closed.is_set() or self._out is None or self._out.is_closing():
            raise Closed
        self._number += 1
        number = self._number
        answer: asyncio.Future[Mapping[str, Any]] = self._loop.create_future()
        self._calls[number] = answer
        self._send({"id": number, "method": method, "params": params})
        try:
            return await answer
        finally:
            del self._calls[number]

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        self._send({"method": method, "params": params})

    def close_input(self) -> None:
        """The agent reads its end now, even when it left something unread."""
        if self._out and not self._out.is_closing():
            self._out.abort()

    async def finish(self, seconds: float) -> None:
        """Waits for the end of what the agent says; somebody else may hold its pipe open. The
        host has no answer to wait for any more."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            if self._in:
                self._in.close()
            await self._closed.wait()
        await asyncio.gather(*self._answers)

    # --- what comes in -----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        for line, cut in self._lines.feed(data):
            self._take(line, cut)

    def connection_lost(self, exc: Exception | None) -> None:
        self._take(*self._lines.take())
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(Closed())
        self._closed.set()

    def _take(self, line: bytes, cut: int) -> None:
        readable = line.decode("utf-8", "replace").strip()
        if not readable:
            return
        if cut:
            self._host.puzzle(readable, cut)
            self._settle_cut(line)
            return
        try:
            message = _READER.decode(readable)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not self._dispatch(message):
            self._host.puzzle(readable, 0)

    def _dispatch(self, message: dict[str, Any]) -> bool:
        method = message.get("method")
        if isinstance(method, str):
            params = words(message.get("params"))
            if "id" in message:
                self._answer(message["id"], method, params)
            else:
                self._host.hear(method, params)
            return True
        return self._settle(message)

    def _settle(self, message: dict[str, Any]) -> bool:
        number = message.get("id")
        answer = self._calls.get(number) if isinstance(number, int) else None
        if answer is None or answer.done():
            return False
        if "error" in message:
            fault = words(message["error"])
            code = fault.get("code")
            known = code if isinstance(code, int) else 0
            answer.set_exception(Refused(known, text(fault.get("message")), fault.get("data")))
        else:
            answer.set_result(words(message.get("result")))
        return True

    def _settle_cut(self, line: bytes) -> None:
        """A cut line still says what it was for; whoever waits on it is told that it came to
        nothing. The id stands before the body, or it is lost."""
        body = _BODY.search(line)
        head = line[: body.start() if body else HEAD]
        number = _ID.search(head)
        if number is None:
            return
        fault = {"code": INVALID_REQUEST, "message": "the line is too long"}
        if b'"method"' in head:
            self._send({"id": json.loads(number[1]), "error": fault})
        else:
            self._settle({"id": json.loads(number[1]), "error": fault})

    # --- what goes out -----------------------------------------------------------------------

    def _answer(self, number: object, method: str, params: Mapping[str, Any]) -> None:
        """On a task of its own: an answer may have to wait for a person."""
        if len(self._answers) >= ANSWERS:
            self._send({"id": number, "error": {"code": BUSY, "message": "too many requests"}})
            return
        task = self._loop.create_task(self._serve(number, method, params))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _serve(self, number: object, method: str, params: Mapping[str, Any]) -> None:
        try:
            result = await self._host.serve(method, params)
        except Refused as fault:
            self._send({"id": number, "error": {"code": fault.code, "message": fault.text}})
        else:
            self._send({"id": number, "result": result})

    def _send(self, message: Mapping[str, object]) -> None:
        """Never waits. To an agent that does not read, nothing more is said."""
        out = self._out
        if out is None or out.is_closing() or out.get_write_buffer_size() > UNREAD:
            return
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"))
        out.write(line.encode() + b"\n")
