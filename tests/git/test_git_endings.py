"""A git that is told to end, or killed, anywhere in a delivery of some hundred files."""

import random

import pytest
from git_endings import Endings, any_endings

FILES = 200
ENDINGS = 8


@pytest.mark.slow
@pytest.mark.proves("F-07", "C-107")
def test_wherever_git_is_ended_the_branch_is_old_or_new_and_the_rest_the_users(world):
    chance = random.Random(7)
    endings = Endings(world, FILES)
    for _ in range(ENDINGS):
        endings.end(*any_endings(chance))
