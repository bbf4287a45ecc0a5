"""Reads what the demo agent is to do: `@demo` lines, else a small file after its task, if any."""

import re
from collections.abc import Iterator, Mapping

Line = tuple[str, str]
"""A word and the rest of its line."""

_LINE = re.compile(r"^@demo +(\S+) ?(.*)$", re.MULTILINE)
_TITLE = re.compile(r"^T-(\d+): (.*)$", re.MULTILINE)


def script(environment: Mapping[str, str], prompt: str, *, default: bool = True) -> Iterator[Line]:
    """The lines in order; those after `once` count in the first attempt only. default: what there
    is to do where there are none."""
    first = int(environment.get("ROUNDTABLE_ATTEMPT") or 1) == 1
    found = lines_of(_file(environment.get("ROUNDTABLE_DEMO_SCRIPT"), prompt))
    for word, rest in found or (_default(prompt) if default else []):
        if word == "once":
            if not first:
                return
            continue
        yield word, rest


def lines_of(text: str) -> list[Line]:
    return _LINE.findall(text)


def _file(path: str | None, prompt: str) -> str:
    if path is None:
        return prompt
    with open(path, encoding="utf-8") as file:
        return file.read()


def _default(prompt: str) -> list[Line]:
    title = _TITLE.search(prompt)
    if title is None:
        return [("say", "I was woken without a task, and nothing was asked of me.")]
    return [("write", f"task-{title[1]}.md {title[2]}")]
