"""What `dev.py bench` measures can be run: a changed table is noticed here and not a week later."""

import pytest
from benchmarks import depth, idle, lateness, missions, queue, serving, sweeping, table, ticking


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


@pytest.mark.proves("G4", "G5")
@pytest.mark.parametrize("measured", [depth.depth, depth.beside], ids=["G4", "G5"])
def test_a_long_queue_can_be_measured(
    measured: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("LONG", 400), ("DEFERRED", 40), ("OVER", 200), ("CLAIMS", 20)):
        monkeypatch.setattr(depth, name, value)
    monkeypatch.setattr(table, "ROUNDS", 1)
    assert callable(measured)
    measured()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in lines] in (["G4 "] * 3, ["G5 "])


@pytest.mark.slow
@pytest.mark.proves("G11")
def test_an_idle_owner_can_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(idle, "SETTLED", 0.1)
    idle.idle(1, 2)
    told = capsys.readouterr().out
    assert "wakeups of all threads" in told and "goal: at most 0.2" in told


@pytest.mark.proves("G7")
def test_an_idle_tick_can_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ticking, "MANY", 200)
    monkeypatch.setattr(ticking, "TICKS", 3)
    monkeypatch.setattr(table, "ROUNDS", 1)
    ticking.idle_tick()
    assert capsys.readouterr().out.startswith("G7 ")


@pytest.mark.proves("A-18 quick")
def test_the_planning_of_a_mission_can_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(missions, "TASKS", 12)
    monkeypatch.setattr(table, "ROUNDS", 1)
    missions.planning()
    assert capsys.readouterr().out.startswith("A-18 ")


@pytest.mark.slow
@pytest.mark.proves("G8")
def test_lateness_can_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lateness, "ROUTINES", 50)
    monkeypatch.setattr(lateness, "SECONDS", 1)
    assert lateness.lateness()
    assert capsys.readouterr().out.startswith("G8 ")


@pytest.mark.slow
@pytest.mark.proves("G13", "G14")
@pytest.mark.parametrize("measured", [serving.pages, serving.events], ids=["G13", "G14"])
def test_pages_and_streams_can_be_measured(
    measured: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("ROWS", 3), ("PAGES", 3), ("EVENTS", 4), ("BEAT", 0.1)):
        monkeypatch.setattr(serving, name, value)
    monkeypatch.setattr(table, "ROUNDS", 1)
    assert callable(measured)
    measured()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] in (["G13 "] * 3, ["G14 "] * 3)
