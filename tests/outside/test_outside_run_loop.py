"""The loop of `roundtable run`, beat by beat, beside an owner that is only pretended."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from roundtable_desktop.cli import live_view
from roundtable_desktop.cli import run as command
from roundtable_desktop.cli.client import Answer, Said
from roundtable_desktop.cli.paces import Short

SITTING: Answer = {
    "id": "sitting",
    "pace": {"interval_ms": 1000, "backoff_ms": 250, "max_errors": 3},
    "over": False,
}


class Pretended:
    """fails: numbers of the cycles in which the owner refuses. over: the cycle that ends it. takes:
    seconds of each cycle."""

    def __init__(self, fails: set[int], over: int, takes: float, status: int = 503) -> None:
        self.fails, self.over, self.takes, self.status = fails, over, takes, status
        self.beats = 0
        self.now = 100.0
        self.waits: list[float] = []
        self.shown: list[int] = []

    def post(self, path: str, body: Answer) -> Answer:
        assert path.endswith("/beat")
        self.beats += 1
        self.now += self.takes
        if self.beats in self.fails:
            raise Said({"status": self.status, "detail": "not now"})
        return {}

    def get(self, path: str) -> Answer:
        return {**SITTING, "over": self.beats >= self.over}

    def show(self, seen: Answer) -> None:
        self.shown.append(self.beats)


@pytest.fixture
def told() -> Iterator[int]:
    reading, writing = os.pipe()
    yield reading
    os.close(reading)
    os.close(writing)


def stay(
    owner: Pretended, told: int, monkeypatch: pytest.MonkeyPatch, limit: int = 0
) -> command.Stay:
    client: Any = owner
    monkeypatch.setattr(command.time, "monotonic", lambda: owner.now)

    def waits(reading: Any, *_: Any) -> tuple[list[int], list[int], list[int]]:
        owner.waits.append(round(_[2], 3))
        owner.now += _[2]
        return [], [], []

    monkeypatch.setattr(command.select, "select", waits)
    return command.Stay(client, lambda: None, owner, told, SITTING, limit)


@pytest.mark.proves("R-08")
@pytest.mark.parametrize(
    ("takes", "waits"),
    [(0.0, [1.0, 1.0, 1.0]), (0.25, [0.75, 0.75, 0.75]), (2.5, [0.5, 0.5, 0.5])],
)
def test_the_first_cycle_is_at_once_and_the_others_at_the_beat(
    told: int, monkeypatch: pytest.MonkeyPatch, takes: float, waits: list[float]
) -> None:
    """What takes long eats the wait, and beats that pass meanwhile are left out."""
    owner = Pretended(set(), 4, takes)
    assert stay(owner, told, monkeypatch).until_it_is_over() == "over"
    assert (owner.beats, owner.waits) == (4, waits)


@pytest.mark.proves("R-08", "R-07", "R-09")
def test_good_cycles_and_failed_ones_count_and_success_forgives(
    told: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = Pretended({1, 2, 4, 5}, 99, 0)
    loop = stay(owner, told, monkeypatch, limit=6)
    assert loop.until_it_is_over() == "iteration_limit"
    assert (loop.cycles, owner.shown) == (6, [3, 6])
    assert owner.waits[:2] == [0.25, 0.25], "after an error the rest is the backoff"
    assert "2 of 3 in a row" in capsys.readouterr().err
    with pytest.raises(Said):
        stay(Pretended({1, 2, 3}, 99, 0), told, monkeypatch).until_it_is_over()
    refused = Pretended({1}, 99, 0, status=404)
    with pytest.raises(Said):
        stay(refused, told, monkeypatch).until_it_is_over()
    assert refused.beats == 1, "what would be refused again is not asked again"


@pytest.mark.proves("R-07")
@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("250ms", 250), ("1s", 1000), ("1m30s", 90_000), ("0.5s", 500), ("0", 0), ("-1s", -1000)],
)
def test_short_times_as_people_write_them(text: str, milliseconds: int) -> None:
    assert Short().convert(text, None, None) == milliseconds


@pytest.mark.proves("R-04")
def test_a_pipe_is_told_what_changed_and_a_terminal_is_drawn_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = {"id": "t", "number": 3, "status": "todo", "sentence": "It is to be done."}
    seen: Answer = {
        **{"state": "active", "phase": "MONITORING", "waves": 1, "goal": "Go\x1b[2J"},
        **{"counts": {"done": 2, "todo": 1}, "tasks": [task]},
        **{"sentence": "It is being worked on.", "over": False},
        "runs": [{"agent": "Ada\x1b[2J", "task": 2}],
    }
    later = {**seen, "runs": [], "counts": {"done": 3}, "tasks": []}
    lines = live_view.Lines()
    for one in (seen, seen, later):
        lines.show(one)
    said = capsys.readouterr().out
    assert (
        said.count("T-3") == said.count("worked on") == 1
        and "2 of 3 tasks done" in said
        and "\x1b" not in said
    )
    assert "At work: Ada" in said and "3 of 3 tasks done" in said
    drawn = live_view.Live()
    many = [{**task, "id": str(n), "number": n} for n in range(50)]
    monkeypatch.setattr(live_view, "_size", lambda: (60, 12))
    for one in ({**seen, "tasks": many}, {**seen, "tasks": many}, later):
        drawn.show(one)
    said = capsys.readouterr().out
    first, second = said.split("\x1b[", 1)
    assert first.count("\n") <= 11 and "and 4" in first and max(map(len, first.split("\n"))) < 60
    assert second.startswith(f"{first.count(chr(10))}A\x1b[J") and "3 of 3" in second
    assert "\x1b[2J" not in said
