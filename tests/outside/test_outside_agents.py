"""An agent after it was added: what can be changed, when it holds, and what stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from outside_files import holders
from outside_house import House, Room, until

SECRET = "hunter2-correct-horse"
WRITE = 'echo "$0 ${A-none} ${#B}" > seen.txt'


def changes(room: Room, agent: str, body: object, **headers: str) -> Any:
    return room.house.program("PATCH", f"/agents/{agent}", body, **headers)


def seen(room: Room, task: Any) -> str:
    return str(room.proposal(task)["diff"])


@pytest.mark.slow
@pytest.mark.proves("D-08 edit", "W-26")
def test_what_is_named_is_changed_and_holds_from_the_next_run_on(running: House) -> None:
    room = running.room()
    agent = room.agent("sh", "-c", WRITE, "before", env={"A": "1"})
    first = changes(room, agent, {}).json
    answer = changes(
        room,
        agent,
        {
            "name": "Nora",
            "command": ["sh", "-c", WRITE, "after"],
            "permission_policy": "deny",
            "env": {"A": None, "B": SECRET},
            "max_concurrent_sessions": 2,
            "hard_timeout_sec": 7200,
        },
        If_Match=f'"{first["revision"]}"',
    )
    changed = answer.json
    assert answer.status == 200 and answer["ETag"] == f'"{changed["revision"]}"'
    expected = first | {
        "name": "Nora",
        "command": ["sh", "-c", WRITE, "after"],
        "account": f"sh -c {WRITE} after",  # nobody chose one, so it follows the command
        "permission_policy": "deny",
        "env_names": ["B"],
        "max_concurrent_sessions": 2,
        "hard_timeout_sec": 7200,
        "revision": first["revision"] + 1,
        "updated_at": changed["updated_at"],
    }
    assert changed == expected == running.get(f"/agents/{agent}")
    late = changes(room, agent, {"role": "reviewer"}, If_Match=f'"{first["revision"]}"')
    assert (late.status, late.json["code"]) == (412, "changed_meanwhile")

    task = room.task("See", agent)
    assert f"+after none {len(SECRET)}" in seen(room, task)
    told = [one for one in running.get("/events")["items"] if one["kind"] == "agent.changed"]
    assert [one["data"]["changed"] for one in told] == [
        [
            "account",
            "command",
            "env_names",
            "hard_timeout_sec",
            "max_concurrent_sessions",
            "name",
            "permission_policy",
        ]
    ]
    running.end()
    database = [path for path in running.home.iterdir() if path.name.startswith("roundtable.db")]
    assert database and not {*database} & {*holders(running.home, [SECRET.encode()])}


@pytest.mark.slow
@pytest.mark.proves("D-08 edit", "S-71")
def test_a_working_agent_keeps_its_variables_until_its_run_is_over(
    room: Room, tmp_path: Path
) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    script = f"{WRITE}; while [ -e {hold} ]; do sleep 0.05; done"
    agent = room.agent("sh", "-c", script, "one", env={"A": "1"})
    task = room.task("Work", agent)
    room.live(task)
    refused = changes(room, agent, {"env": {"A": "2"}})
    assert (refused.status, refused.json["code"]) == (409, "agent_works")
    assert changes(room, agent, {"command": ["sh", "-c", WRITE, "two"]}).status == 200
    hold.unlink()
    assert "+one 1 0" in seen(room, task)
    until(lambda: changes(room, agent, {"env": {"A": "2"}}).status == 200)
    assert "+two 2 0" in seen(room, room.task("Again", agent))


@pytest.mark.proves("D-08 edit")
@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"command": []}, 422, "command_empty"),
        ({"command": [""]}, 422, "command_empty"),
        ({"name": "other"}, 409, "name_taken"),
        ({"name": ""}, 422, "invalid_body"),
        ({"adapter": "acp"}, 422, "invalid_body"),
        ({"status": "retired"}, 422, "invalid_body"),
        ({"cooldown_sec": -1}, 422, "invalid_body"),
        ({"hard_timeout_sec": 0}, 422, "invalid_body"),
        ({"env": {"1A": "x"}}, 422, "invalid_body"),
        ({"env": {f"A{n}": "x" for n in range(65)}}, 422, "too_many_variables"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    room: Room, body: dict[str, object], status: int, word: str
) -> None:
    agent = room.shell("true", env={"A": "1"})
    room.shell("true", name="other")
    before = room.house.get(f"/agents/{agent}")
    refused = changes(room, agent, body | {"cooldown_sec": body.get("cooldown_sec", 7)})
    assert (refused.status, refused.json["code"]) == (status, word)
    assert room.house.get(f"/agents/{agent}") == before
    secrets = room.house.home / "secrets" / f"{agent}.json"
    assert json.loads(secrets.read_text()) == {"A": "1"}


def test_an_agent_that_is_not_there_cannot_be_changed(room: Room) -> None:
    assert changes(room, "zzzzzzzzzz", {"cooldown_sec": 1}).status == 404


@pytest.mark.slow
@pytest.mark.proves("D-08 edit")
def test_the_command_line_adds_with_limits_and_changes_what_is_named(room: Room) -> None:
    cli = room.house.cli
    limits = ("--silence-limit", "50", "--soft-timeout", "60", "--hard-timeout", "70")
    added = cli(
        *("agent", "add", "--adapter", "command", "--name", "Ada", *limits, "--", "sh", "-c", "x"),
        at=room.path,
    )
    assert added.code == 0, added.err
    shown = cli("agent", "show", "Ada", "--json", at=room.path).json
    assert [shown[f"{name}_sec"] for name in ("silence_limit", "soft_timeout")] == [50, 60]
    assert (shown["hard_timeout_sec"], shown["cooldown_sec"]) == (70, 10)

    words = ("--sessions", "3", "--cooldown", "0", "--env", "KEY", "--hard-timeout", "80")
    edited = cli("agent", "edit", "Ada", *words, at=room.path, env={"KEY": "k"})
    assert edited.code == 0 and "hard_timeout" in edited.out and "Ada" in edited.out
    after = cli("agent", "show", "Ada", "--json", at=room.path).json
    kept = ("name", "command", "role", "soft_timeout_sec", "permission_policy")
    assert {name: after[name] for name in kept} == {name: shown[name] for name in kept}
    assert (after["max_concurrent_sessions"], after["cooldown_sec"]) == (3, 0)
    assert (after["hard_timeout_sec"], after["env_names"]) == (80, ["KEY"])

    words = ("--no-env", "KEY", "--name", "Bea", "--", "echo", "hello")
    assert cli("agent", "edit", "Ada", *words, at=room.path).code == 0
    last = cli("agent", "show", "Bea", "--json", at=room.path).json
    assert (last["env_names"], last["command"]) == ([], ["echo", "hello"])
    nothing = cli("agent", "edit", "Bea", at=room.path)
    assert nothing.code == 2 and "say what to change" in nothing.err


@pytest.mark.slow
@pytest.mark.proves("D-08 edit")
def test_a_hard_timeout_that_was_set_ends_the_next_run(room: Room) -> None:
    agent = room.shell("sleep 600")
    assert changes(room, agent, {"hard_timeout_sec": 1}).status == 200
    assert room.ended(room.task("Sleep", agent))["outcome"] == "timed_out"


@pytest.mark.proves("A-21", "C-87")
def test_the_last_sign_of_life_is_told_of_the_run_its_agent_and_its_task(room: Room) -> None:
    """By the seed's names where it has columns for it."""
    agent = room.shell("echo baked > cake.txt")  # without a change it is tried again
    task = room.task("Bake", agent)
    idle = room.task("Rest")
    assert idle["heartbeat_at"] is None
    run = room.ended(task)["id"]

    def told() -> bool:
        """Its last words may be read a moment after its end."""
        sign = room.house.run(run)["last_pulse_at"]
        (shown,) = room.house.get("/agents", workspace_id=room.id)["items"]
        listed = room.house.get("/tasks", workspace_id=room.id)["items"]
        here = room.house.get(f"/tasks/{task['id']}")["heartbeat_at"]
        signs = [here, shown["last_heartbeat_at"], *(one["heartbeat_at"] for one in listed)]
        return sign is not None and signs == [sign, sign, None, sign]

    until(told)
