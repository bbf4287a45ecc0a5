"""How often the person is spoken to."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.rules.attention import GAP, MOST, WINDOW, speak_at

pytestmark = pytest.mark.proves("N-12")


def test_the_first_word_is_said_at_once():
    assert speak_at((), 5.0) == 5.0


def test_the_next_one_waits_until_twenty_seconds_are_over():
    assert speak_at((100.0,), 101.0) == 120.0
    assert speak_at((100.0,), 120.0) == 120.0
    assert speak_at((100.0,), 500.0) == 500.0


def test_after_six_within_an_hour_the_next_waits_for_the_hour_to_pass():
    spoken = tuple(100.0 * number for number in range(1, 7))
    assert speak_at(spoken, 700.0) == 100.0 + WINDOW
    assert speak_at(spoken, 100.0 + WINDOW) == 100.0 + WINDOW


@given(st.lists(st.floats(0, 4000), max_size=60).map(sorted))
def test_no_hour_has_more_than_six_and_no_two_are_closer_than_the_gap(wishes):
    spoken: list[float] = []
    for wish in wishes:
        now = max([wish, *spoken[-1:]])
        spoken.append(speak_at(spoken[-MOST:], now))
    for first, second in pairwise(spoken):
        assert second - first >= GAP - 1e-6
    for number in range(len(spoken) - MOST):
        assert spoken[number + MOST] - spoken[number] >= WINDOW - 1e-6
