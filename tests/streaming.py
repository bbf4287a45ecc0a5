"""Reads an event stream as its watchers do: line by line, each with the time it may take."""

import json
import socket
import time
from collections.abc import Mapping
from http.client import HTTPResponse
from typing import Any

PATH = "/api/v1/events/stream"
PATIENCE = 20.0


class Stream:
    """One open connection; `status` is known once it is made."""

    def __init__(self, port: int, headers: Mapping[str, str], query: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        sent = {"Host": f"127.0.0.1:{port}"} | dict(headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self.socket.sendall(f"GET {PATH}{query} HTTP/1.1\r\n{head}\r\n".encode())
        self.response = HTTPResponse(self.socket, method="GET")
        self.response.begin()
        self.status = self.response.status

    def __getitem__(self, name: str) -> str:
        return self.response.headers.get(name, "")

    def problem(self) -> Any:
        return json.loads(self.response.read())

    def block(self, seconds: float = PATIENCE) -> list[str] | None:
        """The lines up to the next empty one; None when the stream has ended."""
        self.socket.settimeout(seconds)
        lines = []
        while True:
            line = self.response.readline().decode()
            if not line:
                return None
            if line == "\n":
                return lines
            lines.append(line.rstrip("\n"))

    def begin(self) -> int:
        """The id that it begins after."""
        [line] = self.block() or [""]
        name, _, value = line.partition(": ")
        assert name == "id"
        return int(value)

    def event(self, seconds: float = PATIENCE) -> Any:
        """The next event; comments are passed over."""
        while True:
            lines = self.block(seconds)
            assert lines is not None, "the stream has ended"
            if not lines[0].startswith(":"):
                break
        fields = dict(line.split(": ", 1) for line in lines)
        assert list(fields) == ["id", "data"]
        event = json.loads(fields["data"])
        assert str(event["id"]) == fields["id"]
        return event

    def ends_within(self, seconds: float) -> float:
        """How long it took until the server ended it."""
        began = time.monotonic()
        while self.block(seconds) is not None:
            assert time.monotonic() - began < seconds, "it goes on"
        return time.monotonic() - began

    def vanish(self) -> None:
        """Gone without a word, as a killed browser is."""
        self.response.close()
        self.socket.close()
