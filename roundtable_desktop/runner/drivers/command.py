"""Drives any program: a prompt goes in, text and an exit code come out."""

import os

from roundtable_desktop.runner.agent import Plan
from roundtable_desktop.runner.order import Order

PROMPT = "{prompt}"
PROMPT_FILE = "{prompt_file}"


def plan(order: Order) -> Plan:
    """The prompt goes to stdin, unless an argument asks for it or for a file that holds it."""
    asked = any(PROMPT in word or PROMPT_FILE in word for word in order.command)
    if not asked:
        return Plan(order.command, order.prompt.encode("utf-8", "replace"))
    path = order.folder / "prompt.md"
    if any(PROMPT_FILE in word for word in order.command):
        _write(str(path), order.prompt)
    # The prompt last: what it says of `{prompt_file}` is its own text.
    words = (word.replace(PROMPT_FILE, str(path)) for word in order.command)
    return Plan(tuple(word.replace(PROMPT, order.prompt) for word in words), None)


def _write(path: str, text: str) -> None:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "replace"))
