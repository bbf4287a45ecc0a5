"""What tokens cost by the list, and by what a person set."""

import re
from datetime import date

import pytest
from pydantic import ValidationError

from roundtable_desktop.model.settings import WorkspaceSettings
from roundtable_desktop.rules.prices import LIST, Price, cost_nano, own_prices, plain_name, price_of


@pytest.mark.parametrize(
    ("model", "plain"),
    [
        ("claude-opus-4-8[1m]", "claude-opus-4-8"),
        ("anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("gpt-5.3-codex", "gpt-5.3-codex"),
        ("claude-2024x", "claude-2024x"),
    ],
)
def test_a_model_is_found_by_its_own_name(model: str, plain: str) -> None:
    assert plain_name(model) == plain


@pytest.mark.proves("usage")
def test_the_list_reckons_as_claude_does() -> None:
    """2,468 in, 112 out and 400 from the cache were $0.01534 (recorded from Claude Code)."""
    price = price_of("claude-opus-4-8[1m]", {})
    assert price is not None and cost_nano(price, 2468, 112, 400) == 15_340_000


def test_cached_tokens_are_counted_once_where_they_are_part_of_the_input() -> None:
    apart = Price(10, 0, 1)
    within = Price(10, 0, 1, cached_within_input=True)
    assert (cost_nano(apart, 10, 0, 4), cost_nano(within, 10, 0, 4)) == (104_000, 64_000)


@pytest.mark.proves("W-22")
@pytest.mark.parametrize("known", [(None, 5), (5, None), (None, None)])
def test_half_of_a_cost_is_none(known: tuple[int | None, int | None]) -> None:
    assert cost_nano(Price(1, 1), *known, None) is None


def test_a_person_s_prices_come_first_and_are_read_as_they_are_checked() -> None:
    setting = "mine 1 2, claude-opus-4-8 3.5 4 0.5 within"
    assert WorkspaceSettings(prices=setting).prices == setting
    own = own_prices(setting)
    assert own == {"mine": Price(1, 2), "claude-opus-4-8": Price(3.5, 4, 0.5, True)}
    assert price_of("claude-opus-4-8[1m]", own) == own["claude-opus-4-8"]
    assert price_of("unheard-of", own) is None and price_of(None, own) is None
    for bad in ("mine 1", "mine 1 x", "mine 1 2 within", "mine -1 2", "mine 1e9 2", ","):
        with pytest.raises(ValidationError):
            WorkspaceSettings(prices=bad)


def test_each_row_of_the_list_says_where_it_is_from_and_when() -> None:
    for name, row in LIST.items():
        assert plain_name(name) == name and date.fromisoformat(row.as_of) and row.source
        assert re.fullmatch(r"[a-z0-9.-]+", name) and row.price.cached < row.price.input
