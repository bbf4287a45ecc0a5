"""Takes what an ACP agent tells during a turn: what it says, what it thinks and which tools it
uses."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from roundtable_desktop.runner.output import Output
from roundtable_desktop.runner.pipes import Batch
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.wire import text, words

MESSAGE = 128 * 1024
"""Characters kept of the last message: twice what a result may have."""
TOOLS = 10_000
"""Tool calls that are told of in the spool, which is never trimmed."""
OPEN = 1000
"""Tool calls that may run at the same time; more are not counted."""
NAME_BYTES = 200


class Voice:
    """One stream of the transcript. It ends its line before another one is heard."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._in_line = False

    def say(self, said: str) -> None:
        if said:
            self.output.feed(said.encode("utf-8", "replace"))
            self._in_line = not said.endswith("\n")

    def rest(self) -> None:
        if self._in_line:
            self.say("\n")
        self.output.flush()


class Message:
    """The agent's last message; a new one begins with a new id, or after a tool was used."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._id = ""
        self._done = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, identity: str, piece: str) -> bool:
        """True when a new message begins."""
        new = self._done or bool(identity and self._id and identity != self._id)
        if new:
            self._pieces, self._size = [], 0
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > 2 * MESSAGE:
            self._pieces, self._size = [self.text[-MESSAGE:]], MESSAGE
        self._id, self._done = identity, False
        return new

    def end(self) -> None:
        self._done = True


RESULT_TOOL = "task_result"
"""As agents show it: with the server's name before it, in many ways."""


class Tools:
    """The tool calls of a run. begun: how many; running: names of those that have not ended;
    reported: one that hands in a result went well, so nobody need ask for it."""

    def __init__(self, record: Record) -> None:
        self.begun = 0
        self.running: dict[str, str] = {}
        self.reported = False
        self._ended: deque[str] = deque(maxlen=64)
        self._record = record

    def take(self, update: Mapping[str, Any]) -> list[str]:
        """The lines that are to be said of it. Some agents tell of a call only when it ends, and
        some tell of one that has ended."""
        call = self._record.clean(text(update.get("toolCallId")), NAME_BYTES)
        title = self._record.clean(text(update.get("title")), NAME_BYTES)
        said = []
        known = call in self.running or call in self._ended
        if not known and len(self.running) < OPEN:
            self.begun += 1
            self.running[call] = title or "a tool"
            self._tell(call, "started")
            said.append(f"{self.running[call]} …\n")
        if call in self.running:
            self.running[call] = title or self.running[call]
            status = {"completed": "done", "failed": "failed"}.get(text(update.get("status")))
            if status:
                said.append(f"{self.running[call]}: {status}\n")
                self._end(call, status)
        return said

    def end_turn(self, *, good: bool) -> None:
        """Of some calls an agent never says how they ended."""
        for call in tuple(self.running):
            self._end(call, "done" if good else "failed")

    def _end(self, call: str, status: str) -> None:
        self.reported |= status == "done" and RESULT_TOOL in self.running[call]
        self._tell(call, status)
        self._ended.append(call)
        del self.running[call]

    def _tell(self, call: str, status: str) -> None:
        if self.begun <= TOOLS:
            self._record.note("tool", id=call, name=self.running[call], status=status)


class Updates:
    def __init__(self, record: Record, out: Output) -> None:
        self.tools = Tools(record)
        self.message = Message()
        self._out = Voice(out)
        self._note = Voice(record.stream("note"))
        self._speaking = self._out
        self.broken = False
        """The agent has said of itself that its turn came to nothing, whatever it answers."""
        self._batch = Batch(self._out.output, self._note.output)

    def take(self, update: Mapping[str, Any]) -> None:
        said = text(words(update.get("content")).get("text"))
        match text(update.get("sessionUpdate")):
            case "agent_message_chunk" if said:
                if self.message.add(text(update.get("messageId")), said):
                    self._speaking.rest()
                self._say(self._out, said)
            case "agent_thought_chunk":
                self._say(self._note, said)
            case "session_info_update":
                status = _thread_status(update)
                self.broken = status == "systemError" or (self.broken and status != "active")
            case "tool_call" | "tool_call_update" as kind:
                if kind == "tool_call":
                    self.message.end()
                for line in self.tools.take(update):
                    self.remark(line)

    def remark(self, line: str) -> None:
        """A line of its own beside what the agent says."""
        self._note.rest()
        self._say(self._note, line)

    def begin_turn(self) -> None:
        self.broken = False
        self.message.end()

    def end_turn(self, *, good: bool) -> None:
        self.tools.end_turn(good=good)
        self._speaking.rest()

    def close(self) -> None:
        self._batch.close()

    def _say(self, voice: Voice, said: str) -> None:
        if self._speaking is not voice:
            self._speaking.rest()
            self._speaking = voice
        voice.say(said)
        self._batch.soon()


def _thread_status(update: Mapping[str, Any]) -> str:
    """Of codex, which ends its turn as if nothing were wrong: active, idle or systemError."""
    own = words(words(update.get("_meta")).get("codex"))
    return text(words(own.get("threadStatus")).get("type"))
