"""A workspace is registered once, shown and changed; advice names the home that was named."""

from pathlib import Path

import pytest
from outside_house import House, Person, Room


@pytest.mark.proves("K-37", "W-26")
def test_a_workspaces_settings_are_changed_and_clamped(room: Room) -> None:
    house, path = room.house, f"/workspaces/{room.id}"
    assert house.get(path)["recovery_lookback_hours"] == 24
    for asked, kept in ((0, 1), (9999, 720), (48, 48)):
        changed = house.program("PATCH", path, {"recovery_lookback_hours": asked})
        assert (changed.status, changed.json["recovery_lookback_hours"]) == (200, kept)
    stale = house.program("PATCH", path, {"name": "other"}, If_Match='"1"')
    assert (stale.status, stale.json["code"]) == (412, "changed_meanwhile")
    now = house.get(path)["revision"]
    body = {"name": f"renamed-{room.id[-6:]}", "timezone": "Asia/Tokyo", "delivery": "auto"}
    done = house.program("PATCH", path, body, If_Match=f'"{now}"')
    assert done.status == 200 and body.items() <= done.json.items()
    assert done.json["revision"] == now + 1 and done["ETag"] == f'"{now + 1}"'
    same = house.program("PATCH", path, body)
    assert same.json["revision"] == now + 1, "nothing was changed"
    for wrong in ({"timezone": "Moon/Base"}, {"recovery_lookback_hours": "9"}, {"path": "/x"}):
        assert house.program("PATCH", path, wrong).status == 422
    assert house.program("PATCH", "/workspaces/zzzzzz", {"name": "x"}).status == 404
    told = [one for one in house.get("/events", workspace_id=room.id)["items"]]
    assert [one["kind"] for one in told].count("workspace.changed") == 4


@pytest.mark.proves("K-37")
def test_the_command_line_edits_and_shows_it(room: Room) -> None:
    edited = room.house.cli("workspace", "edit", "--recovery-lookback-hours", "9999", at=room.path)
    assert edited.code == 0 and "720" in edited.out, edited.err
    shown = room.house.cli("workspace", "show", "--json", at=room.path)
    assert shown.json["recovery_lookback_hours"] == 720
    assert room.house.cli("workspace", "edit", at=room.path).code == 2


@pytest.mark.slow
@pytest.mark.parametrize("owner", [True, False])
def test_a_second_init_says_that_it_is_registered(house: House, owner: bool) -> None:
    if owner:
        house.start()
    repository = house.repository()
    assert house.cli("init", at=repository).code == 0
    (repository / "deep").mkdir()
    for place in (repository, repository / "deep"):
        again = house.cli("init", at=place)
        assert again.code == 0 and "is registered already, as repo" in again.out, again.err
    shown = house.cli("init", "--json", at=repository)
    assert shown.code == 0
    assert (shown.json["path"], shown.json["name"]) == (str(repository), "repo")


def test_the_advice_names_the_home_that_was_named(tmp_path: Path) -> None:
    person = Person(tmp_path)
    usual = person.cli("status")
    assert usual.code == 3 and usual.err.rstrip().endswith("with: roundtable start")
    place = tmp_path / "an other home"
    named = person.cli("--home", str(place), "status")
    assert named.code == 3
    assert named.err.rstrip().endswith(f"with: roundtable --home '{place}' start")


def test_an_agent_whose_program_is_not_there_is_added_with_a_word(room: Room) -> None:
    there = room.house.cli(
        "agent", "add", "--adapter", "command", "--name", "a", "--", "sh", at=room.path
    )
    assert there.code == 0 and there.err == ""
    gone = room.house.cli(
        "agent", "add", "--adapter", "command", "--", "no-such-program", at=room.path
    )
    assert gone.code == 0 and "no-such-program" in gone.err and "found here" in gone.err
