"""Which level says with what a run is executed."""

import itertools
from dataclasses import replace

import pytest
from test_rules_admission import agent, task

from roundtable_desktop.model.settings import Project, WorkspaceSettings
from roundtable_desktop.model.states import Level
from roundtable_desktop.rules.executor import Chosen, model_of

LEVELS = list(Level)


@pytest.mark.proves("K-45")
@pytest.mark.parametrize("named", list(itertools.product([True, False], repeat=4)), ids=str)
def test_the_first_level_that_names_a_model_decides(named: tuple[bool, ...]) -> None:
    said = dict(zip(LEVELS, named, strict=True))
    by_task, by_agent, by_project, by_workspace = (
        f"by-{level}" if said[level] else None for level in LEVELS
    )
    settings = WorkspaceSettings(
        default_model=by_workspace, projects={"web": Project(model=by_project)}
    )
    found = model_of(
        replace(task(), model=by_task, project="web"), replace(agent(), model=by_agent), settings
    )
    first = next((level for level in LEVELS if said[level]), None)
    assert found == (Chosen(f"by-{first}", first) if first else Chosen())


@pytest.mark.proves("K-45")
def test_another_project_or_none_has_no_say() -> None:
    settings = WorkspaceSettings(default_model="small", projects={"web": Project(model="large")})
    for label in (None, "docs"):
        found = model_of(replace(task(), project=label), agent(), settings)
        assert found == Chosen("small", Level.WORKSPACE)
    assert model_of(None, agent(), settings) == Chosen("small", Level.WORKSPACE)
