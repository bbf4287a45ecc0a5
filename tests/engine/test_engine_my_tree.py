"""Six random lives of a user's repository; five hundred are run by `dev.py faults`."""

from pathlib import Path

import pytest
from my_tree import lives


@pytest.mark.slow
@pytest.mark.proves("my tree", "F-07")
@pytest.mark.parametrize("first", [0, 3])
def test_nothing_of_the_users_is_lost(tmp_path: Path, first: int) -> None:
    seen = lives(tmp_path, 7, range(first, first + 3))
    assert seen["delivered"] and seen["fsck clean"] == 3
