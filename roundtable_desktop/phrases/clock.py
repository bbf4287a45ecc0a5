"""What is said about a test clock."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

CLOCK: Mapping[str, str] = {
    "clock_stands": N_(
        "Test clock: time stands still at {now}. Only POST /api/v1/test/clock moves it; start "
        "without ROUNDTABLE_TEST_CLOCK for real work."
    ),
    "clock_has_worked": N_(
        "There is work already, so the clock can no longer be put. Move it on with advance or "
        "sleep, or begin in an empty home."
    ),
    "clock_moves": N_("The clock is being moved by another request. Ask again when that is over."),
    "clock_out_of_range": N_("The clock goes from the year {earliest} to {latest} only."),
}
