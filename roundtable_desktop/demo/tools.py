"""Calls a tool of the MCP server that the demo agent was given, over that server's own stdio."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

PROTOCOL = "2025-06-18"
LONGER = "takes_longer:"
"""How an answer begins that asks for the same call once more."""
TRIES, PAUSE = 60, 0.5
CLIENT = {"name": "roundtable-demo-agent", "version": "1"}


class Refused(Exception):
    """There is no such server, or the tool said no."""


class Tools:
    """The first server that was given, from the first call until `close`."""

    def __init__(self, servers: Sequence[Mapping[str, Any]]) -> None:
        self._given = [server for server in servers if server.get("command")]
        self._server: Server | None = None

    def call(self, name: str, arguments: object) -> str:
        """What the tool answered, as text. Raises Refused."""
        if not self._given:
            raise Refused("no MCP server was given")
        try:
            said, refused = self._asked(name, arguments)
        except (OSError, EOFError):
            self.close()
            raise Refused("the MCP server ended") from None
        if refused:
            raise Refused(said)
        return said

    def _asked(self, name: str, arguments: object) -> tuple[str, bool]:
        """(what it answered, whether that was a no). What takes longer is asked for again."""
        for _ in range(TRIES):
            answer = self._begun().ask("tools/call", {"name": name, "arguments": arguments})
            said = "\n".join(str(part.get("text", "")) for part in answer.get("content") or [])
            if not (answer.get("isError") and said.startswith(LONGER)):
                break
            time.sleep(PAUSE)
        return said, bool(answer.get("isError"))

    def _begun(self) -> "Server":
        if self._server is None:
            self._server = Server(self._given[0])
            hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": CLIENT}
            self._server.ask("initialize", hello)
            self._server.tell("notifications/initialized")
        return self._server

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


class Server:
    """One stdio server."""

    def __init__(self, server: Mapping[str, Any]) -> None:
        command = [str(server["command"]), *map(str, server.get("args") or [])]
        given = {str(one["name"]): str(one["value"]) for one in server.get("env") or []}
        their_input, our_output = os.pipe()
        our_input, their_output = os.pipe()
        moves = [
            (os.POSIX_SPAWN_DUP2, their_input, 0),
            (os.POSIX_SPAWN_DUP2, their_output, 1),
        ]
        self._pid = os.posix_spawnp(
            command[0], command, {**os.environ, **given}, file_actions=moves
        )
        os.close(their_input)
        os.close(their_output)
        self._output = open(our_output, "w", encoding="utf-8")  # noqa: SIM115 -- see close
        self._input = open(our_input, encoding="utf-8")  # noqa: SIM115 -- see close
        self._number = 0

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        self._number += 1
        self._say({"id": self._number, "method": method, "params": params})
        for line in self._input:
            message = json.loads(line)
            if message.get("id") == self._number:
                if "error" in message:
                    raise Refused(str(message["error"].get("message")))
                return dict(message.get("result") or {})
        raise EOFError

    def tell(self, method: str) -> None:
        self._say({"method": method})

    def close(self) -> None:
        """Its input ends, so it does."""
        with suppress(OSError):
            self._output.close()
        self._input.close()
        os.waitpid(self._pid, 0)

    def _say(self, message: Mapping[str, object]) -> None:
        self._output.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._output.flush()
