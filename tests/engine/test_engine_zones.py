"""A workspace keeps a zone that there is, and takes the machine's when none is named."""

import pytest
from engine_stage import Stage

from roundtable_desktop.model.errors import Invalid


@pytest.mark.proves("B-009 rule")
def test_a_zone_that_there_is_not_is_refused_with_a_better_one(stage: Stage) -> None:
    with pytest.raises(Invalid) as caught:
        stage.workspace(timezone="Europe/Berlim")
    assert (caught.value.code, caught.value.pointer) == ("unknown_timezone", "/timezone")
    assert caught.value.values == {"timezone": "Europe/Berlim", "suggestion": "Europe/Berlin"}


@pytest.mark.proves("B-009 rule")
@pytest.mark.parametrize(
    ("named", "kept"), [("Asia/Calcutta", "Asia/Calcutta"), ("", "UTC"), (None, "UTC")]
)
def test_a_zone_is_kept_as_it_is_named(stage: Stage, named: str | None, kept: str) -> None:
    assert stage.workspace(timezone=named).timezone == kept
