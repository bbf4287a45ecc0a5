"""A house whose clock stands until the test moves it."""

from datetime import UTC, datetime
from typing import Any

from outside_house import Answer, House

NOW = "2026-04-25T03:45:00Z"


def moved(house: House, body: object, **headers: str) -> Answer:
    return house.program("POST", "/test/clock", body, **headers)


def move(house: House, **how: object) -> Any:
    answer = moved(house, how)
    assert answer.status == 200, answer.text
    return answer.json


def advance(house: House, seconds: float) -> Any:
    seen = move(house, advance=seconds)
    assert seen["settled"], seen
    return seen


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def start(house: House, now: str | None = NOW, **env: str) -> None:
    """now: where the clock is put; None after a restart."""
    house.start(ROUNDTABLE_TEST_CLOCK="1", **env)
    if now is not None:
        move(house, now=now)
        house.program("PATCH", "/settings", {"coalescing_window_sec": 0})
