"""The seeds' roles, by each of their names, on every face that takes one."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from roundtable_desktop.dashboard.api import bundles, config
from roundtable_desktop.dashboard.api.agents import Roles
from roundtable_desktop.dashboard.labels import LABELS
from roundtable_desktop.model.roles import ALIASES, by_own_name
from roundtable_desktop.model.states import Role

KNOWN: TypeAdapter[str] = TypeAdapter(Roles)


@pytest.mark.proves("C-66")
def test_every_role_has_a_word_and_is_taken_and_no_other() -> None:
    assert set(get_args(get_args(Roles)[0])) == set(Role)
    for one in Role:
        assert KNOWN.validate_python(one.value) == one.value
        assert one in LABELS
    for wrong in ("boss", "", 3, None, "reviewer!"):
        with pytest.raises(ValidationError):
            KNOWN.validate_python(wrong)


@pytest.mark.proves("C-66")
@pytest.mark.parametrize(
    ("given", "role"),
    [
        ("implementer", "worker"),
        ("chair", "coordinator"),
        ("Main Agent", "coordinator"),
        ("main-agent", "coordinator"),
        ("CEO", "coordinator"),
        ("debugger", "debugger"),
        ("architect", "architect"),
    ],
)
def test_another_systems_name_is_taken_for_ours(given: str, role: str) -> None:
    assert by_own_name(given) == role
    parts = (
        config.AgentPart(id="a", adapter="demo", role=given),  # type: ignore[arg-type]
        bundles.AgentPart(name="a", adapter="demo", role=given),  # type: ignore[arg-type]
    )
    assert {one.role for one in parts} == {role}
    assert not set(ALIASES) & set(Role)
