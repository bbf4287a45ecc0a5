"""The story of practice mode: a sample repository, and a mission that a person could have set."""

import json
from collections.abc import Mapping, Sequence

FILES = {
    "README.md": "# Tea timer\n\nSays when the tea is ready. A sample repository for practice.\n",
    "tea.py": '"""Minutes for each tea."""\n\nMINUTES = {"green": 2, "black": 4}\n',
    "CHANGELOG.md": "# Changelog\n\n",
    ".gitignore": "__pycache__/\n",
    ".roundtable/config.yaml": (
        "version: 1\n"
        "checks:\n"
        "  - name: every tea\n"
        "    command: [git, grep, --quiet, oolong, --, docs/teas.md]\n"
    ),
}
"""The last one says by which command a mission's work is checked before it is delivered."""
OWN: Mapping[str, str] = {
    "notes.txt": "My own notes. Nobody has committed them.\n",
    ".gitignore": "__pycache__/\n*.swp\n",
}
"""What the person has changed and not committed; it is theirs before and after."""

MODEL, OTHER_MODEL = "practice-huge", "practice-small"
"""The built-in agent has no such model as the first: it is not there on the day of the story."""

AGENTS: tuple[Mapping[str, object], ...] = (
    {"name": "cora", "role": "coordinator"},
    {"name": "ada", "role": "worker"},
    {"name": "bob", "role": "worker"},
    {"name": "cleo", "role": "worker", "model": MODEL, "fallback_models": [OTHER_MODEL]},
    {"name": "rita", "role": "reviewer"},
)

USAGE, LICENCE, WHITE, OOLONG, TEAS = (
    "Say how to run it",
    "Choose a licence",
    "Add white tea",
    "Add oolong",
    "List the teas",
)
TOGETHER = (USAGE, LICENCE, WHITE)
"""They are at work at the same time, each in a copy of its own."""
APART = (WHITE, OOLONG)
"""They write the same file, so one waits for the other."""

_LONG, _SHORTER = "sleep 4", "sleep 3"
"""So long the first three are at work that they are so at the same time, though one of them has to
begin anew."""
_REVISE = {
    "verdict": "revise",
    "note": "Say the command, too.",
    "findings": [
        {"path": "docs/usage.md", "line": 1, "severity": "major", "text": "How is it run?"}
    ],
}


def _task(
    title: str,
    words: str,
    *lines: str,
    area: Sequence[str],
    seen_by: str,
    **more: object,
) -> str:
    """A line of the goal by which the coordinator makes a task."""
    description = "\n".join([words, *(f"@demo {line}" for line in lines)])
    wanted = {
        "title": title,
        "description": description,
        "acceptance": seen_by,
        "write_area": area,
        **more,
    }
    return f"@demo tool task_create {json.dumps(wanted)}"


def _after(*titles: str) -> list[dict[str, str]]:
    return [{"depends_on_task_id": f"@{one}"} for one in titles]


_PLAN = (
    _task(
        USAGE,
        "Say in docs/usage.md how the timer is run.",
        _LONG,
        "write docs/usage.md Run it with: python tea.py green",
        "once",
        "write docs/usage.md It can be run.",
        area=["docs/usage.md"],
        assignee_agent="ada",
        seen_by=f"It says the command.\n@demo once\n@demo tool vote_cast {json.dumps(_REVISE)}",
        gates=[{"kind": "review", "agents": ["@reviewer"]}],
    ),
    _task(
        LICENCE,
        "Add a licence file, and say so in the changelog.",
        _SHORTER,
        "write LICENSE MIT",
        "append CHANGELOG.md - It has a licence.",
        area=["LICENSE"],
        assignee_agent="cleo",
        seen_by="LICENSE is there.",
    ),
    _task(
        WHITE,
        "White tea takes three minutes. Say so in the changelog.",
        _LONG,
        'append tea.py MINUTES["white"] = 3',
        "append CHANGELOG.md - It knows white tea.",
        area=["tea.py"],
        assignee_agent="bob",
        seen_by="tea.py knows white tea.",
    ),
    _task(
        OOLONG,
        "Oolong takes five minutes.",
        'append tea.py MINUTES["oolong"] = 5',
        area=["tea.py"],
        assignee_agent="ada",
        seen_by="tea.py knows oolong.",
    ),
    _task(
        TEAS,
        "List all teas in docs/teas.md.",
        "write docs/teas.md green, black, white, oolong",
        "once",
        "fail task_failed One tea was missing from the list",
        area=["docs/teas.md"],
        assignee_agent="bob",
        seen_by="All four are there.",
        depends_on=_after(WHITE, OOLONG),
    ),
)

GOAL = "\n".join(
    (
        "Make the tea timer ready for others",
        "",
        "It needs a licence, a page that says how to run it, white tea and oolong, and a list of",
        "all teas.",
        "",
        *_PLAN,
    )
)

ROUTINE = {
    "name": "Afternoon tea",
    "description": "Look whether the tea is ready.\n@demo say The tea is ready.",
}

CONTENTS: Mapping[str, str] = {
    "docs/usage.md": "Run it with: python tea.py green\n",
    "docs/teas.md": "green, black, white, oolong\n",
    "LICENSE": "MIT\n",
}
"""Files of the base branch when all is done."""
LINES: Mapping[str, tuple[str, ...]] = {
    "CHANGELOG.md": ("# Changelog", "- It has a licence.", "- It knows white tea."),
    "tea.py": (
        'MINUTES = {"green": 2, "black": 4}',
        'MINUTES["white"] = 3',
        'MINUTES["oolong"] = 5',
    ),
}
"""Lines of files, in whatever order they came in."""
