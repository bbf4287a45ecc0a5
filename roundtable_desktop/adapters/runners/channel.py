"""Speaks to one runner over its control channel."""

import json
import socket
import struct
from collections.abc import Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import TYPE_CHECKING, Any

from roundtable_desktop.adapters.runners.folder import Address
from roundtable_desktop.model.ports import RunnerGone

ANSWER_BYTES = 65536
if TYPE_CHECKING:  # generic in the type stubs only
    Channel = Connection[Any, Any]
else:
    Channel = Connection


def open_channel(address: Address, seconds: float) -> Channel:
    """Connects, and each side proves that it knows the key. Raises RunnerGone.

    The limit stays on: no later read or write waits longer either.
    """
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
    try:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        line.connect(address.path)
    except OSError as fault:
        line.close()
        raise RunnerGone(str(fault)) from fault
    channel: Channel = Connection(line.detach())
    try:
        answer_challenge(channel, address.key.encode())
        deliver_challenge(channel, address.key.encode())
    # A stranger, a stalled runner, another key; answer_challenge asserts in 3.11.
    except (EOFError, OSError, AuthenticationError, AssertionError) as fault:
        channel.close()
        raise RunnerGone(str(fault)) from fault
    return channel


def tell(channel: Channel, request: Mapping[str, object]) -> None:
    """Raises RunnerGone."""
    try:
        channel.send_bytes(json.dumps(request).encode())
    except OSError as fault:
        raise RunnerGone(str(fault)) from fault


def hear(channel: Channel) -> Mapping[str, object]:
    """The next message. Raises RunnerGone."""
    try:
        message = json.loads(channel.recv_bytes(ANSWER_BYTES))
    except (EOFError, OSError, ValueError) as fault:
        raise RunnerGone(str(fault)) from fault
    return message if isinstance(message, dict) else {}
