"""Tens of thousands of requests made from the API's own description: none is answered otherwise."""

import os
from collections.abc import Callable

import pytest
from api_walk import things, walk
from outside_house import House

pytestmark = pytest.mark.faults

EXAMPLES = int(os.environ.get("ROUNDTABLE_API_EXAMPLES", "60"))


@pytest.mark.timeout(7200)
@pytest.mark.proves("C-110", "W-27")
def test_every_route_answers_as_it_is_described(house: House, show: Callable[[str], None]) -> None:
    house.start()
    found = walk(house, things(house.room()), EXAMPLES)
    show(f"asked {found.asked}, by status {dict(sorted(found.statuses.items()))}")
    assert not found.wrong, "\n\n".join(f"{kind}: {told}" for kind, told in found.wrong.items())
    assert house.ask("GET", "/healthz").json == {"status": "ok"}
