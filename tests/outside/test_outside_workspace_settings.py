"""Settings of a workspace: listed with what they mean, changed by name and by part, cleared."""

import pytest
from outside_house import House, Room

DEFAULTS = {
    "default_model": None,
    "keep_copies_days": 7,
    "mission_max_parallel": 3,
    "mission_review": "off",
    "prices": "",
    "projects": {},
    "workspace_strategy": "isolated_copy",
}


def settings(room: Room, *words: str) -> dict[str, object]:
    done = room.house.cli("settings", "list", "--json", "--workspace", room.shown["name"], *words)
    assert done.code == 0, done.err
    return {one["key"]: one["value"] for one in done.json}


def change(room: Room, *words: str) -> str:
    done = room.house.cli("settings", *words, "--workspace", room.shown["name"])
    assert done.code == 0, done.err
    return done.out


@pytest.mark.slow
@pytest.mark.proves("K-45")
def test_a_workspace_has_settings_of_its_own(shared: House, room: Room) -> None:
    assert settings(room) == DEFAULTS
    assert "default_model is" in change(room, "set", "default_model", "small")
    change(room, "set", "projects.web.model", "large")
    change(room, "set", "projects.docs.model", "tiny")
    change(room, "clear", "projects.docs")
    kept = DEFAULTS | {"default_model": "small", "projects": {"web": {"model": "large"}}}
    assert settings(room) == kept
    another = shared.room("settings-of-another")
    assert settings(another)["default_model"] is None
    change(room, "clear", "default_model")
    assert settings(room)["default_model"] is None


@pytest.mark.parametrize(
    "body",
    [
        {"nothing": 1},
        {"workspace_strategy": "main"},
        {"port": 1},
        {"default_model": "--danger"},
        {"default_model": "two words"},
        {"default_model": ""},
        {"projects": {"a.b": {"model": "x"}}},
        {"projects": {"a": {"colour": "x"}}},
        {"projects": {f"p{number}": {"model": "x"} for number in range(201)}},
    ],
    ids=lambda body: str(body)[:40],
)
def test_what_is_no_setting_of_a_workspace_is_refused(
    shared: House, room: Room, body: dict[str, object]
) -> None:
    path = f"/workspaces/{room.id}/settings"
    assert shared.program("PATCH", path, body).status == 422
    assert settings(room) == DEFAULTS


def test_settings_of_a_workspace_that_is_not_there_are_not_found(shared: House) -> None:
    for method, body in (("GET", None), ("PATCH", {"default_model": "x"})):
        answer = shared.program(method, "/workspaces/zzzzzzzzzz/settings", body)
        assert answer.status == 404 and answer.json["code"] == "unknown_workspace"
