"""Calls a tool of the MCP server that the demo agent was given, over that server's own stdio."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

PROTOCOL = "2025-06-18"
LONGER = "takes_longer:"
"""How an answer begins that asks for the same call once more."""
TRIES, PAUSE = 60, 0.5
CLIENT = {"name": "roundtable-demo-agent", "version": "1"}


class Refused(Exception):
    """There is no such server, or the tool said no."""


def call_tool(servers: Sequence[Mapping[str, Any]], name: str, arguments: object) -> str:
    """What the tool answered, as text. Raises Refused."""
    given = [server for server in servers if server.get("command")]
    if not given:
        raise Refused("no MCP server was given")
    server = Server(given[0])
    try:
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": CLIENT}
        server.ask("initialize", hello)
        server.tell("notifications/initialized")
        for _ in range(TRIES):
            answer = server.ask("tools/call", {"name": name, "arguments": arguments})
            said = "\n".join(str(part.get("text", "")) for part in answer.get("content") or [])
            if not (answer.get("isError") and said.startswith(LONGER)):
                break
            time.sleep(PAUSE)
    finally:
        server.close()
    if answer.get("isError"):
        raise Refused(said)
    return said


class Server:
    """One stdio server, for as long as a call takes."""

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
        raise Refused("the MCP server ended")

    def tell(self, method: str) -> None:
        self._say({"method": method})

    def close(self) -> None:
        """Its input ends, so it does."""
        self._output.close()
        self._input.close()
        os.waitpid(self._pid, 0)

    def _say(self, message: Mapping[str, object]) -> None:
        self._output.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._output.flush()
