"""A repository's own configuration, from outside: hostile until a person accepts it."""

import pytest
from outside_house import Browser, House, until
from outside_pages import got, sent

HOSTILE = """\
version: 1
agents:
  - {id: evil, adapter: command, command: [sh, -c, "touch %s/PWNED"]}
routines:
  - name: Evil
    agent: evil
    triggers: [{cron_expression: "* * * * *"}]
"""


@pytest.mark.slow
@pytest.mark.proves("S-77", "C-105")
def test_a_repository_cannot_make_anything_run(house: House) -> None:
    repo = house.repository()
    file = repo / ".roundtable" / "config.yaml"
    file.parent.mkdir()
    file.write_text(HOSTILE % house.root)
    done = house.cli("init", at=repo)
    assert done.code == 0 and "roundtable workspace config" in done.out, done.said
    assert file.read_text() == HOSTILE % house.root, "it is never overwritten"
    other = house.repository("other")
    assert "Wrote" in house.cli("init", at=other).out
    (other / ".roundtable" / "config.yaml").write_text(HOSTILE % house.root)
    house.start()
    found = until(lambda: len(house.get("/inbox", kind="config_changed")["items"]) == 2)
    assert found, "the start has looked at both"
    [room] = [one for one in house.get("/workspaces")["items"] if one["path"] == str(repo)]
    [item] = house.get("/inbox", workspace_id=room["id"])["items"]
    shown = house.cli("inbox", "show", item["id"], at=repo)
    assert (
        f'+  - {{id: evil, adapter: command, command: [sh, -c, "touch {house.root}/PWNED"]}}'
        in (shown.out)
    )
    assert "agent" in shown.out and "added" in shown.out
    good = house.cli("agent", "add", "good", "--adapter", "demo", at=repo)
    told = house.cli("task", "add", "Work", "--agent", "good", at=repo)
    assert (good.code, told.code) == (0, 0), told.said
    task = house.get("/tasks")["items"][0]["id"]
    until(lambda: house.get(f"/tasks/{task}")["status"] == "in_review")
    assert not list(house.root.rglob("PWNED"))
    assert [one["name"] for one in house.get("/agents")["items"]] == ["good"]

    seen = house.cli("workspace", "config", "--json", at=repo).json
    file.write_text(file.read_text() + "# another\n")
    late = house.cli("workspace", "config", "--accept", seen["sha"], at=repo)
    assert late.code == 1 and "was changed since it was shown" in late.err
    path = f"/workspaces/{room['id']}/config"
    asked = {"action": "accept", "sha": seen["sha"]}
    assert house.program("POST", path, asked).status == 409
    assert house.program("POST", path, {"action": "accept"}).status == 422
    assert house.get(path)["state"] == "waiting"
    browser = Browser(house)
    about = {"workspace_id": room["id"], "status": "open", "kind": "config_changed"}
    [item] = house.get("/inbox", **about)["items"]
    later = got(browser, "/inbox").form(f"/inbox/{item['id']}/snooze")
    sent(browser, later, span="1h")
    page = got(browser, "/inbox?status=snoozed")
    assert "touch" in page.printed and "# another" in page.printed, "it can be accepted here too"
    sent(browser, page.form(f"/inbox/{item['id']}/act"), action="keep")
    assert house.get("/inbox", **about)["items"] == []
    assert house.get(path)["state"] == "kept"
    file.write_text((HOSTILE % house.root).replace("touch", "echo").replace("evil", "tame"))
    now = house.cli("workspace", "config", at=repo)
    [command] = [line for line in now.out.splitlines() if line.startswith("Accept it: ")]
    words = command.removeprefix("Accept it: roundtable ").split()
    done = house.cli(*words, at=repo)
    assert done.code == 0 and "tame" in done.out and "added" in done.out, done.said
    assert {one["name"] for one in house.get("/agents")["items"]} == {"good", "tame"}
    assert not list(house.root.rglob("PWNED"))


@pytest.mark.slow
@pytest.mark.proves("C-105")
def test_init_writes_a_file_that_changes_nothing(shared: House) -> None:
    repo = shared.repository("fresh-config")
    (repo / "notes.txt").write_text("mine\n")
    done = shared.cli("init", at=repo)
    assert done.code == 0 and "Wrote .roundtable/config.yaml" in done.out
    assert shared.git("status", "--porcelain", at=repo) == " M notes.txt\n?? .roundtable/"
    seen = shared.cli("workspace", "config", at=repo)
    assert seen.out == ".roundtable/config.yaml is what you accepted.\n"
    name = shared.cli("workspace", "show", "--json", at=repo).json["id"]
    mine = [one for one in shared.get("/inbox")["items"] if one["workspace_id"] == name]
    assert mine == [], "nothing is asked about what the person had written"
    assert shared.cli("workspace", "config", "--keep", at=repo).code == 1
    file = repo / ".roundtable" / "config.yaml"
    file.write_text("version: 1\nagents:\n  - name: x\n")
    broken = shared.cli("workspace", "config", at=repo).out
    assert "line 3: /agents/0/id: This must be given." in broken and "--accept" not in broken
    assert shared.cli("workspace", "config", "--keep", at=repo).code == 0


@pytest.mark.proves("C-105")
def test_keeping_what_is_needs_no_file(shared: House) -> None:
    room = shared.room()
    kept = shared.cli("workspace", "config", "--keep", at=room.path)
    assert kept.code == 0 and "There is no .roundtable/config.yaml" in kept.out, kept.said


@pytest.mark.proves("C-105")
def test_init_goes_on_where_the_file_cannot_be_written(shared: House) -> None:
    repo = shared.repository("linked-config")
    (repo / ".roundtable").symlink_to(shared.root)
    done = shared.cli("init", at=repo)
    assert done.code == 0 and f"Registered {repo}" in done.out, done.said
    assert "symbolic link" in done.out and not (shared.root / "config.yaml").exists()
