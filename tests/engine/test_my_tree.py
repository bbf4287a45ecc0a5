"""Whatever the order of edits, runs, deliveries and kills: nothing of the user's is lost."""

from pathlib import Path

import pytest
from my_tree import lives

LIVES = 10


@pytest.mark.slow
@pytest.mark.proves("my tree", "F-07")
def test_random_lives_of_a_repository(tmp_path: Path) -> None:
    seen = lives(tmp_path, 4, LIVES)
    assert seen["deliver"] > LIVES and any("killed" in what for what in seen)
