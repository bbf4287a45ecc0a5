"""Says what is to be started for each adapter.

Nothing of asyncio here: the agent is started before that is loaded.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from roundtable_desktop.model.states import Adapter, ErrorKind
from roundtable_desktop.runner.agent import Plan, StartFailed
from roundtable_desktop.runner.order import MODEL, Order

PROMPT = "{prompt}"
PROMPT_FILE = "{prompt_file}"
NO_MODEL = (
    "the command asks for {model}, and no model is named by the task, the agent, the task's "
    "project or the workspace"
)


def plan(order: Order, environment: Mapping[str, str]) -> Plan:
    """environment: what every agent of this run gets. Raises StartFailed for an adapter that this
    version does not know, and OSError."""
    if order.adapter not in _PLANS:
        raise StartFailed(ErrorKind.SPAWN_FAILED, f"no driver for {order.adapter}")
    return _PLANS[order.adapter](_with_model(order), environment)


def _with_model(order: Order) -> Order:
    """Nothing is made up: a command that asks for a model is not started without one."""
    if not order.names_model:
        return order
    if order.model is None:
        raise StartFailed(ErrorKind.MODEL_UNAVAILABLE, NO_MODEL)
    named = (word.replace(MODEL, order.model) for word in order.command)
    return replace(order, command=tuple(named))


def command(order: Order, environment: Mapping[str, str]) -> Plan:
    """The prompt is its standard input, unless an argument asks for it or for the file's name.

    A file and not a pipe: if the runner dies, nobody acts on half a prompt.
    """
    path = order.folder / "prompt.md"
    _write(path, order.prompt)
    if not any(PROMPT in word or PROMPT_FILE in word for word in order.command):
        return Plan(order.command, environment, reads=path)
    # The prompt last: what it says of `{prompt_file}` is its own text.
    words = (word.replace(PROMPT_FILE, str(path)) for word in order.command)
    arguments = tuple(word.replace(PROMPT, order.prompt) for word in words)
    return Plan(arguments, environment, reads=Path(os.devnull))


def acp(order: Order, environment: Mapping[str, str]) -> Plan:
    return Plan(order.command, environment)


def demo(order: Order, environment: Mapping[str, str]) -> Plan:
    """The built-in agent's script lies in a file: its lines are no part of the prompt."""
    if order.demo_script is None:
        return Plan(order.command, environment)
    path = order.folder / "demo-script"
    _write(path, order.demo_script)
    return Plan(order.command, {**environment, "ROUNDTABLE_DEMO_SCRIPT": str(path)})


_PLANS: Mapping[str, Callable[[Order, Mapping[str, str]], Plan]] = {
    Adapter.COMMAND: command,
    Adapter.ACP: acp,
    Adapter.DEMO: demo,
}


def _write(path: Path, text: str) -> None:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "replace"))
