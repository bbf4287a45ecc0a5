"""What `dev.py bench` measures can be run: a changed table is noticed here and not a week later."""

import pytest
from benchmarks import queue, sweeping, table


@pytest.mark.proves("G1", "G2")
@pytest.mark.parametrize("measured", [queue.enqueue, queue.claim], ids=["G1", "G2"])
def test_both_sides_of_the_queue_can_be_measured(
    measured: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(queue, "COUNT", 40)
    monkeypatch.setattr(table, "ROUNDS", 1)
    assert callable(measured)
    measured()
    assert capsys.readouterr().out.startswith(("G1 ", "G2 "))


@pytest.mark.proves("G6")
def test_the_sweep_and_the_seeds_own_find_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweeping, "TASKS", 60)
    monkeypatch.setattr(sweeping, "WAKEUPS", 200)
    monkeypatch.setattr(table, "ROUNDS", 1)
    sweeping.sweep()
    assert capsys.readouterr().out.startswith("G6 ")
