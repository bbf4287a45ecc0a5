"""Cuts a goal into tasks without a model: its list, if it has one, and a task that ends it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

MOST = 8
"""Parts that are taken from a list."""
TITLE = 120
"""Characters."""
FOLDER = "notes"
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)]) +(.*\S)", re.MULTILINE)
_PLAIN = re.compile(r"[^a-z0-9]+")


class Part(NamedTuple):
    """A task to be. path: the one file that it writes. after: titles that come first. reviewed:
    whether somebody looks at it, if there is anybody."""

    title: str
    path: str
    after: tuple[str, ...] = ()
    reviewed: bool = False

    def arguments(self) -> Mapping[str, object]:
        """For `task_create`; what begins with `@` stands for an id or for agents of a role."""
        words = f"{self.title}\n\n@demo write {self.path} {self.title}"
        gates = [{"kind": "review", "agents": ["@reviewer"]}] if self.reviewed else []
        return {
            "title": self.title,
            "description": words,
            "acceptance": f"{self.path} says so.",
            "write_area": [self.path],
            "depends_on": [{"depends_on_task_id": f"@{one}"} for one in self.after],
            "gates": gates,
        }


def parts_of(goal: str) -> list[Part]:
    """Those of its list can be done beside each other; what brings them together comes last."""
    first = next((line.strip() for line in goal.splitlines() if line.strip()), "Begin")
    items = list(dict.fromkeys(one[:TITLE].strip() for one in _ITEM.findall(goal)))[:MOST]
    if not items:
        return [Part(_title(first), f"{FOLDER}/{_slug(first)}.md", reviewed=True)]
    parts = [
        Part(item, f"{FOLDER}/{number}-{_slug(item)}.md") for number, item in enumerate(items, 1)
    ]
    last = _title(f"Bring together: {first.lstrip('#').strip()}")
    return [*parts, Part(last, f"{FOLDER}/together.md", tuple(items), reviewed=True)]


def _title(text: str) -> str:
    return text.lstrip("#").strip()[:TITLE].strip() or "Begin"


def _slug(text: str) -> str:
    return _PLAIN.sub("-", text.lower()).strip("-")[:40].strip("-") or "part"
