"""What an agent plants in its copy runs nowhere when its work is merged, and what could is held."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_stage import Stage
from mission_stage import OnMission

from roundtable_desktop.model.states import ProposalStatus, TaskStatus

CHANGED = "repository_configuration_changed"
HOOKS = ("post-merge", "reference-transaction", "pre-merge-commit", "post-checkout", "post-commit")


class Trap:
    def __init__(self, root: Path) -> None:
        self.mark, self.program = root / "PWNED", root / "evil.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.mark}\ncat\n')
        self.program.chmod(0o755)


def hooks(copy: Path, trap: Trap) -> None:
    (copy / ".git" / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        (copy / ".git" / "hooks" / name).symlink_to(trap.program)
    config = copy / ".git" / "config"
    config.write_text(f"{config.read_text()}\n[core]\n\tfsmonitor = {trap.program}\n")
    (copy / "b.txt").write_text("b\n")


def filters(copy: Path, trap: Trap) -> None:
    (copy / ".gitattributes").write_text("*.txt filter=ev merge=ev\n")
    config = copy / ".git" / "config"
    drivers = f'[filter "ev"]\n\tclean = {trap.program}\n[merge "ev"]\n\tdriver = {trap.program}\n'
    config.write_text(f"{config.read_text()}\n{drivers}")
    (copy / "b.txt").write_text("b\n")


def link(copy: Path, trap: Trap) -> None:
    os.symlink("/etc/passwd", copy / "b.txt")


def runs_itself(copy: Path, trap: Trap) -> None:
    (copy / "b.sh").write_text("#!/bin/sh\n")
    (copy / "b.sh").chmod(0o755)


@pytest.mark.proves("S-65", "S-67", "A-26")
@pytest.mark.parametrize(
    ("plant", "code"),
    [(hooks, CHANGED), (filters, CHANGED), (link, "symlink_outside"), (runs_itself, None)],
)
def test_nothing_planted_runs_in_a_merge(
    stage: Stage, plant: Callable[[Path, Trap], None], code: str | None
) -> None:
    here = OnMission(stage)
    trap = Trap(stage.folders.root)
    first, task = here.task("First"), here.task("Second")
    begun = [here.begun(one) for one in (first, task)]
    here.worked(first, begun[0], c="c\n")
    stage.deliver()
    head = stage.folders.plain("rev-parse", here.branch)
    plant(stage.copy(begun[1]), trap)
    made = here.worked(task, begun[1])
    stage.deliver()
    assert not trap.mark.exists()
    now = stage.proposals_of(made)
    assert (now.held or {}).get("code") == code, "the reason; an executable is one by itself"
    assert now.status is ProposalStatus.PENDING and here.now(task).status is TaskStatus.IN_REVIEW
    assert stage.folders.plain("rev-parse", here.branch) == head
