"""An agent's git in a linked tree, what is told of it, and a person who pastes the way back."""

import shlex
from pathlib import Path

from git_world import World

from roundtable_desktop.model.moved import Moved, mark

RUN = "0123456789abcdefghjkmnpqrs"
AGENT = {"GIT_COMMITTER_NAME": f"Ada Lovelace {mark(RUN)}"}


def by_agent(world: World, copy: Path, *words: str) -> str:
    script = " ".join(map(shlex.quote, ("git", *words)))
    return world.shell(script, copy, AGENT)


def moved(world: World) -> dict[str, Moved]:
    found = world.git.moved(world.repository, str(world.copy), RUN)
    assert found is not None
    return {one.name: one for one in found}


def put_back(world: World, found: dict[str, Moved]) -> None:
    """What a person would paste."""
    for one in found.values():
        world.shell(one.command, world.root)


def as_it_was(world: World) -> dict[str, str]:
    passing = (".git/logs", ".git/ORIG_HEAD", ".git/index", ".git/worktrees/roundtable-")
    seen = world.untouched() | {"status": world.plain("status", "--porcelain")}
    return {name: said for name, said in seen.items() if not name.startswith(passing)}
