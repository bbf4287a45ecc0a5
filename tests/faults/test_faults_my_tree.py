"""Random lives of a repository of nine acts each: `dev.py faults [--kills N] [--seed N]`.

ROUNDTABLE_FIRST is the number of the first one, to go on where another run ended.
"""

import os
from pathlib import Path

import pytest
from my_tree import lives

pytestmark = pytest.mark.faults
LIVES = int(os.environ.get("ROUNDTABLE_KILLS", "500"))
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))
FIRST = int(os.environ.get("ROUNDTABLE_FIRST", "0"))


@pytest.mark.timeout(60 + 20 * LIVES)
@pytest.mark.proves("my tree", "F-07")
def test_nothing_of_the_users_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = lives(tmp_path, SEED, range(FIRST, FIRST + LIVES))
    with capsys.disabled():
        print("\n" + "\n".join(f"{what}: {number}" for what, number in sorted(seen.items())))
    assert seen["fsck clean"] == LIVES
    assert seen["delivered"] > LIVES // 2
