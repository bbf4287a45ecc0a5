"""How workspaces are set up is written down and taken over; hostile files are refused."""

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from outside_house import House

from roundtable_desktop.adapters.reviewed import bundles
from roundtable_desktop.model.errors import Broken, Invalid

KEY = "a-very-long-secret-value"


def written(folder: Path) -> str:
    return "".join(file.read_text() for file in sorted(folder.rglob("*.yaml")))


def did(done: Any) -> set[str]:
    return {f"{one['what']} {one['did']}" for one in done["items"]}


@pytest.mark.slow
@pytest.mark.proves("N-22", "S-71", "S-75")
def test_a_home_is_set_up_again_from_what_was_exported(
    running: House, another: Callable[[], House], tmp_path: Path
) -> None:
    room = running.room()
    path = ["--workspace", room.shown["name"]]
    agent = room.shell("echo $API_KEY", name="builder", env={"API_KEY": KEY}, cooldown_sec=7)
    chair = {"name": "chair", "adapter": "demo", "role": "coordinator"}
    running.post("/agents", {"workspace_id": room.id, **chair})
    routine = ["routine", "add", "Deps", "--cron", "0 9 * * 1-5", "--tz", "Europe/Berlin"]
    text = ["--task-title", "Deps {{date}} {{where}}", "--var", "where=here"]
    spelled = [KEY, base64.b64encode(KEY.encode()).decode(), KEY.encode().hex()]
    text += ["--task-description", f"With {' '.join(spelled)}"]
    made = running.cli(*routine, *text, "--agent", "builder", *path)
    assert made.code == 0, made.said
    running.cli("settings", "set", "default_model", "opus", *path)
    running.cli("settings", "set", "coalescing_window_sec", "9")
    out = tmp_path / "bundle"
    done = running.cli("export", str(out))
    assert done.code == 0, done.said
    assert sorted(file.name for file in out.rglob("*.yaml")) == ["repo.yaml", "roundtable.yaml"]
    assert not [one for one in spelled if one in written(out)] and "API_KEY" in written(out)
    same = running.cli("import", str(out), "--json")
    assert same.code == 0, same.said
    assert {one["did"] for one in same.json["items"]} == {"same"}, same.json
    running.end()
    again = running.cli("export", str(tmp_path / "offline"))
    assert again.code == 0 and written(tmp_path / "offline") == written(out)

    other = another()
    tried = other.cli("import", str(out), "--dry-run", "--json")
    assert tried.code == 0, tried.said
    assert did(tried.json) >= {"workspace added", "agent added", "routine added"}
    taken = other.cli("import", str(out))
    assert taken.code == 0, taken.said
    assert "builder needs values for API_KEY" in taken.out
    assert other.cli("export", str(tmp_path / "copy")).code == 0
    first, copy = written(out).splitlines(), written(tmp_path / "copy").splitlines()
    gone = [line for line in first if line not in copy]
    assert gone == ["  - API_KEY"], "only the value that nobody gave is missing"
    other.start()
    twice = other.cli("import", str(out), "--json")
    assert {one["did"] for one in twice.json["items"]} == {"same"}, twice.json
    [builder] = [one for one in other.get("/agents")["items"] if one["name"] == "builder"]
    assert builder["cooldown_sec"] == 7 and builder["id"] != agent
    file = out / "workspaces" / "repo.yaml"
    file.write_text(file.read_text().replace("cooldown_sec: 7", "cooldown_sec: 8"))
    changed = other.cli("import", str(out), "--json").json["items"]
    assert [(one["name"], one["fields"]) for one in changed if one["did"] == "changed"] == [
        ("builder", ["cooldown_sec"])
    ]
    hooks = ("routine", "webhook", "list", "Deps", *path, "--json")
    assert other.cli("routine", "webhook", "add", "Deps", *path).code == 0
    file.write_text(file.read_text().replace("0 9 * * 1-5", "0 8 * * 1-5"))
    changed = other.cli("import", str(out), "--json").json["items"]
    assert ["schedules"] in [one["fields"] for one in changed]
    assert len(other.cli(*hooks).json) == 1, "a bundle holds no webhook and takes none away"


@pytest.mark.slow
@pytest.mark.proves("S-75")
def test_a_redacted_export_is_for_reading_only(running: House, tmp_path: Path) -> None:
    room = running.room()
    room.agent("tool", "--key", "sk-ant-0123456789abcdef0123", name="worker")
    running.cli("agent", "add", "chief", "--role", "coordinator", "--adapter", "demo", at=room.path)
    out = tmp_path / "bundle"
    assert running.cli("export", "--redacted", str(out)).code == 0
    text = written(out)
    assert "workspace_events" in text, "a word that begins like a key is none in its middle"
    assert "sk-ant" not in text and "[redacted]" in text
    assert str(running.folder) not in text
    refused = running.cli("import", str(out))
    assert refused.code == 2 and "redacted" in refused.err


@pytest.mark.slow
@pytest.mark.proves("N-22", "S-75")
def test_a_secret_in_a_command_is_written_by_neither_export(running: House, tmp_path: Path) -> None:
    """Known by its shape alone: nobody gave it as a variable."""
    room, key = running.room(), "0123456789abcdefABCDEF0123"
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    words = [f"sk_live_{key}", f"Authorization: Bearer {key}", f"{begin}\n{key}\n{end}"]
    room.agent("tool", *words, name="worker")
    out = tmp_path / "bundle"
    for folder, more in ((tmp_path / "read", ["--redacted"]), (out, [])):
        assert running.cli("export", *more, str(folder)).code == 0
        text = written(folder)
        assert key not in text and begin not in text and text.count("[redacted]") >= 3
    same = running.cli("import", str(out), "--json")
    assert {one["did"] for one in same.json["items"]} == {"same"}, same.said
    file = out / "workspaces" / "repo.yaml"
    file.write_text(file.read_text().replace("name: worker", "name: another"))
    maimed = running.cli("import", str(out))
    assert maimed.code == 2 and "another of repo holds [redacted]" in maimed.err, maimed.said
    assert [one["name"] for one in running.get("/agents")["items"]] == ["worker"]


@pytest.mark.slow
@pytest.mark.proves("N-22", "S-75")
def test_another_branch_is_taken_over_and_one_that_is_not_there_is_refused(
    running: House, tmp_path: Path
) -> None:
    room = running.room()
    out = tmp_path / "bundle"
    running.cli("export", str(out))
    file = out / "workspaces" / "repo.yaml"
    whole = file.read_text()
    branch = f"base_branch: {room.shown['base_branch']}\n"
    file.write_text(whole.replace(branch, "base_branch: nowhere\n"))
    refused = running.cli("import", str(out))
    assert refused.code != 0 and "nowhere" in refused.err, refused.said
    room.git("branch", "release")
    file.write_text(whole.replace(branch, "base_branch: release\n"))
    for did, fields in (("changed", ["base_branch"]), ("same", [])):
        items = running.cli("import", str(out), "--json").json["items"]
        [seen] = [one for one in items if one["what"] == "workspace"]
        assert (seen["did"], seen["fields"]) == (did, fields)
    assert running.get("/workspaces")["items"][0]["base_branch"] == "release"


@pytest.mark.slow
@pytest.mark.proves("S-75")
def test_what_does_not_fit_changes_nothing(running: House, tmp_path: Path) -> None:
    room = running.room()
    room.shell("true")
    out = tmp_path / "bundle"
    running.cli("export", str(out))
    file = out / "workspaces" / "repo.yaml"
    whole = file.read_text()
    for harm, said in (
        (whole + "evil: true\n", "evil"),
        (whole.replace("adapter: command", "adapter: demo"), "another adapter"),
        (whole.replace(str(room.path), str(tmp_path / "elsewhere")), "another name"),
        (whole.replace("cooldown_sec: 0", "cooldown_sec: soon"), "cooldown_sec"),
        (whole.replace("name: worker", "name: !!python/name:os.system ''"), "python"),
    ):
        assert harm != whole, said
        file.write_text(harm)
        refused = running.cli("import", str(out))
        assert refused.code in (1, 2) and said in refused.err, refused.said
    assert len(running.get("/workspaces")["items"]) == 1
    assert len(running.get("/agents")["items"]) == 1


def _alias(folder: Path) -> None:
    (folder / "roundtable.yaml").write_text("a: &a [x]\nb: [*a, *a]\n")


def _deep(folder: Path) -> None:
    (folder / "roundtable.yaml").write_text("[" * 100_000)


def _large(folder: Path) -> None:
    (folder / "roundtable.yaml").write_bytes(b"#" * (bundles.FILE_BYTES + 1))


def _binary(folder: Path) -> None:
    (folder / "roundtable.yaml").write_bytes(b"\xff\x00version: 1\n")


def _object(folder: Path) -> None:
    (folder / "roundtable.yaml").write_text("!!python/object/apply:os.system ['touch pwned']\n")


def _twice(folder: Path) -> None:
    (folder / "roundtable.yaml").write_text("version: 1\nversion: 1\n")


def _bytes(folder: Path) -> None:
    (folder / "roundtable.yaml").write_text("version: !!binary aGk=\n")


def _link(folder: Path) -> None:
    target = folder.parent / "outside.yaml"
    target.write_text("path: /etc\n")
    (folder / "workspaces" / "a.yaml").symlink_to(target)


def _linked_head(folder: Path) -> None:
    (folder / "roundtable.yaml").rename(folder.parent / "elsewhere.yaml")
    (folder / "roundtable.yaml").symlink_to(folder.parent / "elsewhere.yaml")


def _linked_folder(folder: Path) -> None:
    (folder / "workspaces").rename(folder.parent / "elsewhere")
    (folder / "workspaces").symlink_to(folder.parent / "elsewhere")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "workspaces" / "pipe.yaml")


@pytest.mark.proves("S-75")
@pytest.mark.parametrize(
    "harm",
    [
        *(_alias, _deep, _large, _binary, _object, _twice, _bytes),
        *(_link, _linked_head, _linked_folder, _pipe),
    ],
    ids=lambda harm: harm.__name__.strip("_"),
)
def test_a_hostile_file_is_refused_in_a_sentence(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    folder = tmp_path / "bundle"
    (folder / "workspaces").mkdir(parents=True)
    (folder / "roundtable.yaml").write_text("version: 1\n")
    harm(folder)
    with pytest.raises((Broken, Invalid)) as refused:
        bundles.read(folder)
    assert refused.value.code.startswith("bundle_")


@pytest.mark.proves("S-75")
def test_names_of_workspaces_lead_nowhere(tmp_path: Path) -> None:
    names = ["../../evil", "/etc/passwd", "..", "a/b", "A-b", "ok"]
    bundle = {"version": 1, "workspaces": [{"name": name} for name in names]}
    folder = tmp_path / "bundle"

    def put(path: Path, text: str) -> None:
        path.write_text(text)

    made = bundles.write(folder, bundle, put)
    assert {file.parent for file in made[1:]} == {folder / "workspaces"}
    assert len(set(made)) == len(names) + 1
    assert {one["name"] for one in bundles.read(folder)["workspaces"]} == set(names)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear Joan\n")
    with pytest.raises(Broken, match="bundle_elsewhere"):
        bundles.write(tmp_path / "mine", bundle, put)
