"""The counter of deliveries counts: each kind of fault, made by hand, is found."""

from typing import Any

import pytest
from kills.hooking import judge
from kills.ledgers import Acked


def firing(name: str, source: str = "webhook") -> dict[str, Any]:
    return {"id": name, "source": source}


def row(firing_id: str | None, became: str = "fired") -> dict[str, Any]:
    return {"firing_id": firing_id, "became": became}


FIRINGS = [firing("one"), firing("two"), firing("by hand", "manual")]
DELIVERIES = [row("one"), row("two"), row(None, "routine_paused")]
ACKS = [
    Acked("key-1", "hook", "one"),
    Acked("key-1", "hook", "one"),
    Acked("key-2", "hook", "two"),
    Acked("key-3", "fire", "by hand"),
]


@pytest.mark.proves("F-08", "S-48")
def test_what_fired_once_whatever_often_it_came_is_no_fault() -> None:
    assert judge(FIRINGS, DELIVERIES, ACKS) == []


FAULTS = {
    "acknowledged and not there": (FIRINGS[1:], DELIVERIES[1:], ACKS),
    "a firing that nobody was told of": ([*FIRINGS, firing("more")], DELIVERIES, ACKS),
    "one delivery with two firings": (
        [*FIRINGS, firing("more")],
        [*DELIVERIES, row("more")],
        [*ACKS, Acked("key-2", "hook", "more")],
    ),
    "two deliveries with one firing": (FIRINGS, DELIVERIES, [*ACKS, Acked("key-4", "hook", "two")]),
    "a firing whose delivery is forgotten": (FIRINGS, DELIVERIES[1:], ACKS),
    "a firing of two rows": (FIRINGS, [*DELIVERIES, row("one")], ACKS),
}


@pytest.mark.proves("F-08", "S-48")
@pytest.mark.parametrize("case", FAULTS)
def test_a_delivery_that_fired_not_exactly_once_is_found(case: str) -> None:
    assert judge(*FAULTS[case])
