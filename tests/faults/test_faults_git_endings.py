"""Deliveries of some hundred files, ended at random: `dev.py faults [--kills N] [--seed N]`."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from git_endings import Endings, any_endings
from git_world import begun

pytestmark = pytest.mark.faults
KILLS = int(os.environ.get("ROUNDTABLE_KILLS", "200"))
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))
FILES = 400


@pytest.mark.timeout(60 + 5 * KILLS)
@pytest.mark.proves("F-07", "C-107")
def test_git_ended_anywhere_leaves_old_or_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, seen = random.Random(SEED), Counter[str]()
    endings = Endings(begun(tmp_path), FILES)
    for _ in range(KILLS):
        first, *then = any_endings(chance)
        outcome = endings.end(first, *then)
        seen[f"{first.signal.name} {first.call or 'moment':8} {outcome}"] += 1
    with capsys.disabled():
        print("\n" + "\n".join(f"{what}: {number}" for what, number in sorted(seen.items())))
    assert {name.split()[-1] for name in seen} >= {"old"}
