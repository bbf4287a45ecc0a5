"""Reads what this runner is to do: launch.json, and the secrets that lie beside it once."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtable_desktop.runner.tree import MARK

PROTOCOL = 1
MCP_URL = "ROUNDTABLE_MCP_URL"
MCP_TOKEN = "ROUNDTABLE_MCP_TOKEN"
MOST_PROCESSES = 512
"""Of one run's tree at once (F-36)."""
MODEL = "{model}"
"""Where a command wants the model."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds of awake time since the agent's start, (the first two) of its silence, or (ask) that
    a question waits for a person."""

    silent: float
    silence_limit: float
    soft: float
    hard: float
    ask: float


@dataclass(frozen=True, slots=True)
class Rungs:
    """Seconds that a rung of the ladder waits before the next (law 11); a command has no cancel."""

    cancel: float = 3.0
    stdin: float = 2.0
    term: float = 5.0


@dataclass(frozen=True, slots=True)
class Order:
    folder: Path
    run: str
    task: str | None
    attempt: int | None
    fence: str
    control_key: str = field(repr=False)
    control_address: str
    adapter: str
    command: tuple[str, ...]
    cwd: str
    model: str | None
    prompt: str = field(repr=False)
    resume_prompt: str = field(repr=False)
    environment: dict[str, str]
    deadlines: Deadlines
    ladder: Rungs
    session: str | None
    permission_policy: str
    nudge: str
    demo_script: str | None
    bridge: tuple[str, ...]
    most_processes: int
    most_memory: int
    """Bytes; 0: as the machine has it."""

    @property
    def result_file(self) -> Path:
        return self.folder / "result.json"

    @property
    def names_model(self) -> bool:
        """The command itself has a place for the model."""
        return any(MODEL in word for word in self.command)


def read_order(folder: Path) -> Order:
    """Raises OSError, ValueError, KeyError or TypeError: a runner without an order is not born."""
    raw: dict[str, Any] = json.loads((folder / "launch.json").read_bytes())
    if raw["protocol"] != PROTOCOL:
        raise ValueError(f"launch.json speaks protocol {raw['protocol']}, not {PROTOCOL}")
    return Order(
        folder=folder,
        run=raw["run"],
        task=raw["task"],
        attempt=raw["attempt"],
        fence=raw["fence"],
        control_key=raw["control_key"],
        control_address=raw["control_address"],
        adapter=raw["adapter"],
        command=tuple(raw["command"]),
        cwd=raw["cwd"],
        model=raw.get("model"),
        prompt=raw["prompt"],
        resume_prompt=raw["resume_prompt"],
        environment=raw["environment"],
        deadlines=Deadlines(**raw["deadlines"]),
        ladder=Rungs(**raw.get("agent_ladder", {})),
        session=raw["session"],
        permission_policy=raw["permission_policy"],
        nudge=raw["nudge"],
        demo_script=raw["demo_script"],
        bridge=tuple(raw["bridge"]),
        most_processes=raw.get("most_processes", MOST_PROCESSES),
        most_memory=raw.get("most_memory", 0),
    )


def take_secrets(folder: Path) -> dict[str, str]:
    """Reads env.json and removes it: from then on the secrets are in two processes only."""
    secrets: dict[str, str] = json.loads(_taken(folder / "env.json") or "{}")
    return secrets


def take_hidden(folder: Path) -> list[str]:
    """Reads hidden.json and removes it: what the agent is not given and must not tell either."""
    hidden: list[str] = json.loads(_taken(folder / "hidden.json") or "[]")
    return hidden


def _taken(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return b""
    os.unlink(path)
    return raw


def agent_environment(order: Order, secrets: dict[str, str]) -> dict[str, str]:
    """All that the agent's environment has (S-72); our own does not reach it."""
    marks = {
        MARK: order.run,
        "ROUNDTABLE_TASK": order.task,
        "ROUNDTABLE_ATTEMPT": None if order.attempt is None else str(order.attempt),
        "ROUNDTABLE_MODEL": order.model,
        "ROUNDTABLE_RESULT_FILE": str(order.result_file),
    }
    known = {name: value for name, value in marks.items() if value is not None}
    return {**order.environment, **secrets, **known}
