"""Hundreds of firings of a routine by each policy, and thirty real ones: `dev.py faults`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_stage import Stage
from outside_house import House
from outside_routines import never_stick as never_really_stick
from routine_stage import HEAVY, Routines, never_stick

from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import ConcurrencyPolicy


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.ground.close()


@pytest.mark.faults
@pytest.mark.proves("K-16")
@pytest.mark.parametrize("policy", list(ConcurrencyPolicy))
@pytest.mark.parametrize("template", [None, HEAVY], ids=["light", "heavy"])
def test_five_hundred_firings_never_stick(
    stage: Stage, policy: ConcurrencyPolicy, template: Template | None
) -> None:
    never_stick(Routines(stage), policy, template, 500)


@pytest.mark.faults
@pytest.mark.timeout(240)
@pytest.mark.proves("K-16", "K-18", "K-24")
@pytest.mark.parametrize("policy", list(ConcurrencyPolicy))
def test_thirty_fires_with_real_runners_never_stick(
    running: House, policy: ConcurrencyPolicy
) -> None:
    never_really_stick(running.room(), policy, 30)
