"""What tokens cost by the list, where neither the agent nor its provider says what they cost."""

from collections.abc import Mapping
from dataclasses import dataclass

_DATED = "-20"
"""Before the date in a model's name, as in claude-sonnet-4-5-20250929."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of one model. cached: of those that came from a cache.
    cached_within_input: whether its agents count them among the input as well."""

    input: float
    output: float
    cached: float = 0.0
    cached_within_input: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of the table: US dollars for a million tokens. as_of, source: when and where it was
    read. The providers' lists change: who needs it exact sets `prices`."""

    price: Price
    as_of: str
    source: str


def _anthropic(input: float, output: float, cached: float, as_of: str, source: str) -> Listed:
    """Their agents tell tokens that were read from a cache apart from the others."""
    return Listed(Price(input, output, cached), as_of, source)


def _openai(input: float, output: float, cached: float) -> Listed:
    """Their agents count the cached ones among the others."""
    price = Price(input, output, cached, cached_within_input=True)
    return Listed(price, "2026-06-01", "GitHub Copilot's list of models and prices")


_RECKONED = "what Claude Code 2.1.185 reckons with"
_PAGE = "claude.com/pricing"

LIST: Mapping[str, Listed] = {
    "claude-opus-4-8": _anthropic(5, 25, 0.5, "2026-11-26", _RECKONED),
    "claude-opus-4-5": _anthropic(5, 25, 0.5, "2026-01-08", _PAGE),
    "claude-sonnet-5-5": _anthropic(2, 10, 0.2, "2026-09-29", _PAGE),
    "claude-sonnet-4-5": _anthropic(3, 15, 0.3, "2026-01-08", _PAGE),
    "claude-haiku-4-5": _anthropic(1, 5, 0.1, "2026-01-08", _PAGE),
    "gpt-5.3-codex": _openai(1.75, 14, 0.175),
    "gpt-5.2-codex": _openai(1.75, 14, 0.175),
    "gpt-5-mini": _openai(0.25, 2, 0.025),
}


def own_prices(setting: str) -> dict[str, Price]:
    """The setting `prices` (its pattern is checked where it is written)."""
    found: dict[str, Price] = {}
    for part in filter(None, (one.strip() for one in setting.split(","))):
        name, *words = part.split()
        within = words[-1] == "within"
        numbers = [float(word) for word in words if word != "within"]
        cached = numbers[2] if len(numbers) > 2 else 0.0
        found[name] = Price(numbers[0], numbers[1], cached, cached_within_input=within)
    return found


def price_of(model: str | None, own: Mapping[str, Price]) -> Price | None:
    """By the model's own name; a date or a provider before it, and a window after it, are left
    away. own: what a person set, which comes first."""
    if not model:
        return None
    plain = plain_name(model)
    listed = LIST.get(plain)
    return own.get(model) or own.get(plain) or (listed.price if listed else None)


def plain_name(model: str) -> str:
    last = model.rpartition("/")[2].partition("[")[0].lower()
    name, dated, date = last.rpartition(_DATED)
    return name if dated and len(date) == 6 and date.isdigit() else last


def cost_nano(
    price: Price, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None
) -> int | None:
    """In billionths of a dollar. None where input or output are not known: half of a cost is none.
    Tokens from a cache that are not said cost what the others do, or nothing where they come on
    top."""
    if input_tokens is None or output_tokens is None:
        return None
    cached = cached_tokens or 0
    full = max(input_tokens - cached, 0) if price.cached_within_input else input_tokens
    # A dollar for a million tokens is a thousand billionths for each.
    return round((full * price.input + output_tokens * price.output + cached * price.cached) * 1000)
