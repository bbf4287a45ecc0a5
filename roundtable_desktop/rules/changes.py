"""Which changed paths want a person's eye before they are delivered by rule (S-67, attacker R)."""

import re
from collections.abc import Iterable, Mapping

from roundtable_desktop.model.ports import Change

_TELLING = re.compile(
    r"(^|/)(\.git(attributes|modules|ignore)|\.github|\.gitlab-ci\.yml|\.vscode|\.idea|\.claude|"
    r"\.cursor(rules)?|\.codex|\.gemini|\.opencode|opencode\.jsonc?|AGENTS\.md|CLAUDE\.md|GEMINI\.md|"
    r"\.circleci|\.devcontainer|Jenkinsfile|\.npmrc|conftest\.py|setup\.(py|cfg)|pyproject\.toml|"
    r"\.mcp\.json|\.envrc|\.husky|\.pre-commit-config\.yaml|"
    r"\.roundtable|package\.json|Makefile|[^/]*\.hook)(/|$)",
    re.IGNORECASE,
)
_SYMLINK, _EXECUTABLE = "120000", "100755"

Reason = Mapping[str, object]


def telling(changes: Iterable[Change]) -> list[str]:
    """Paths that can run code or change what agents and tools do: automatic delivery waits."""
    return [
        change.path
        for change in changes
        if _TELLING.search(change.path)
        or change.new_mode == _SYMLINK
        or change.new_mode == _EXECUTABLE
    ]


def also(held: Reason | None, why: Reason | None) -> Reason | None:
    """`why` with the reasons that were there behind it: a person must see them all."""
    if held is None or why is None:
        return why or held
    first = {name: value for name, value in held.items() if name != "also"}
    more = held.get("also")
    return {**why, "also": [first, *(more if isinstance(more, list) else [])]}
