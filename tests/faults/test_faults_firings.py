"""Five hundred firings of a routine by each policy, light and heavy: `dev.py faults`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_stage import Stage
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
