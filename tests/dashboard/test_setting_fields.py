"""Fields of the settings page: made from the list of settings, and read as strictly as it says."""

from typing import Any

import pytest

from roundtable_desktop.dashboard.pages import fields
from roundtable_desktop.dashboard.pages.fields import Field, Unfit
from roundtable_desktop.model.settings import GlobalSettings, Scope, WorkspaceSettings
from roundtable_desktop.phrases.settings import ROW

SCOPES: list[type[Scope]] = [GlobalSettings, WorkspaceSettings]


def field(scope: type[Scope], key: str, **now: Any) -> Field:
    return next(one for one in fields.of(scope(**now)) if one.key == key)


@pytest.mark.proves("E-03 settings")
@pytest.mark.parametrize("scope", SCOPES)
def test_each_setting_has_its_name_its_sentence_and_its_default(scope: type[Scope]) -> None:
    shown = fields.of(scope())
    assert [one.key for one in shown] == scope.persons_keys()
    for one in shown:
        assert one.name and one.sentence[-1] == "." and one.default and not one.is_set
        assert one.kind != "number" or (one.least is not None and one.most is not None)
        assert one.kind not in ("choice", "switch") or one.value in [it.value for it in one.choices]
    assert all(said[-1] == "." for said in ROW.values())


@pytest.mark.proves("E-03 settings")
@pytest.mark.parametrize("scope", SCOPES)
def test_what_a_page_shows_is_read_as_what_is_set(scope: type[Scope]) -> None:
    now = scope()
    for one in fields.of(now):
        value = fields.read(scope, one, one.value)
        assert value == getattr(now, one.key), one.key


@pytest.mark.proves("E-03 settings")
@pytest.mark.parametrize(
    ("scope", "key", "typed", "said"),
    [
        (GlobalSettings, "backup_hours", "soon", "no whole number"),
        (GlobalSettings, "backup_hours", "", "no whole number"),
        (GlobalSettings, "backup_hours", "1.5", "no whole number"),
        (GlobalSettings, "backup_hours", "٣", "no whole number"),
        (GlobalSettings, "backup_hours", "0", "from 1 to 168"),
        (GlobalSettings, "backup_hours", "9" * 40, "no whole number"),
        (GlobalSettings, "browser_host", "moon", "none of its choices"),
        (GlobalSettings, "stop_agents_with_app", "perhaps", "none of its choices"),
        (WorkspaceSettings, "default_model", "--yolo", "cannot be taken"),
        (WorkspaceSettings, "projects", "web opus now", "Line 1"),
        (WorkspaceSettings, "projects", "a b\n../x opus", "cannot be taken"),
    ],
)
def test_what_cannot_be_taken_is_said(scope: type[Scope], key: str, typed: str, said: str) -> None:
    with pytest.raises(Unfit) as unfit:
        fields.read(scope, field(scope, key), typed)
    assert said in str(unfit.value)


@pytest.mark.proves("E-03 settings")
def test_names_are_set_and_taken_away_line_by_line() -> None:
    now = field(WorkspaceSettings, "projects", projects={"web": {"model": "a"}, "old": {}})
    assert now.value == "web a\nold" and now.is_set
    read = fields.read(WorkspaceSettings, now, "web b\n\n docs  c ")
    assert read == {"web": {"model": "b"}, "docs": {"model": "c"}, "old": None}
    assert fields.read(WorkspaceSettings, field(WorkspaceSettings, "default_model"), " ") is None
    assert fields.read(GlobalSettings, field(GlobalSettings, "backup_hours"), " 3 ") == 3
