"""A git of ours that can move one branch and nothing else, also when the user switches meanwhile.

`git merge` moves whatever HEAD names at its end. What we looked at before it may be another branch
by then, or none; git asks a hook of ours before it moves anything, while it holds the refs' locks.
"""

import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from roundtable_desktop.adapters.git.room import Room
from roundtable_desktop.model.ports import GitFailed

_HOOK = """#!/bin/sh
[ "$1" = prepared ] || exit 0
named= head=
while read -r old new ref; do
    case $ref in
        {ref}) named=yes ;;
        HEAD) head=yes ;;
        refs/*) exit 1 ;;
    esac
done
[ "$named" ] || [ ! "$head" ]
"""


@contextmanager
def moving_only(room: Room, ref: str) -> Iterator[Room]:
    """The same place; whatever would move HEAD or a ref besides this one fails there. Raises
    GitFailed(`hooks_switched_off`) where nothing may be run from the folder for temporary files."""
    with tempfile.TemporaryDirectory(prefix="roundtable-hooks-") as folder:
        program = os.path.join(folder, "reference-transaction")
        with open(os.open(program, os.O_WRONLY | os.O_CREAT, 0o700), "w") as file:
            file.write(_HOOK.format(ref=shlex.quote(ref)))
        if not os.access(program, os.X_OK):  # git asks the same, and goes on without its hook
            raise GitFailed("hooks_switched_off", os.path.dirname(folder))
        yield replace(room, config=room.config | {"core.hookspath": folder})


def stands_on(room: Room, ref: str) -> bool:
    """Whether HEAD names that branch."""
    return room.ask("symbolic-ref", "-q", "HEAD").out.strip() == os.fsencode(ref)
