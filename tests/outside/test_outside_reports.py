"""A report that does not fit is kept, and a person reads what was wrong with it."""

import pytest
from outside_house import Browser, Room, until
from outside_pages import got

SENT = '{"status": "completed", "finished": "yes"}'
AGENT = f"echo '{SENT}' > \"$ROUNDTABLE_RESULT_FILE\"; cat > told.txt; exit 3"


@pytest.mark.slow
@pytest.mark.proves("C-103 unfit")
def test_what_does_not_fit_is_said_on_the_run_and_told_to_the_next_attempt(room: Room) -> None:
    house = room.house
    task = room.task("Report", room.shell(AGENT), retry_budget=1)
    first, second = room.ended(task), room.ended(task, 2)
    assert first["report_unfit"].strip() == SENT
    (one,) = first["report_misfits"]
    assert one["pointer"] == "/finished" and "no such field" in one["sentence"]
    assert "- /finished: there is no such key in a result" in second["assembled_prompt"]
    end = first["id"][-8:]
    said = house.cli("runs", "show", end, at=room.path).out
    assert f"Its report was not taken. /finished: {one['sentence']}" in said
    assert f"“roundtable runs show {end} --report” prints" in said and "{" not in said
    assert SENT in house.cli("runs", "show", end, "--report", at=room.path).out
    (item,) = until(lambda: house.get("/inbox", workspace_id=room.id)["items"])
    assert "not in the form of a result" in item["sentence"]
    browser = Browser(house)
    assert "What each answer does" in got(browser, "/inbox").text
    assert "/finished" in got(browser, f"/runs/{first['id']}").text
    assert "&#34;finished&#34;" in got(browser, f"/runs/{first['id']}?part=result").raw


@pytest.mark.slow
@pytest.mark.proves("K-61 words")
def test_shown_things_are_lines_and_no_json(room: Room) -> None:
    """Programs take --json."""
    house = room.house
    report = (
        '{"status": "completed", "summary": "Did it", "evidence": [{"kind": "command",'
        ' "ref": "make", "text": "ok"}], "artifacts": [{"path": "note.txt"}], "next": "Rest"}'
    )
    script = f"cat > note.txt; echo '{report}' > \"$ROUNDTABLE_RESULT_FILE\""
    task = room.task("Look", room.shell(script))
    run = room.ended(task)
    house.post(f"/tasks/{task['id']}/comments", {"text": "Mind this"})
    room.ended(task, 2)
    proposal = until(lambda: house.get("/proposals", task_id=task["id"], status="pending"))[
        "items"
    ][0]
    shown = house.cli("runs", "show", run["id"], at=room.path).out
    assert "Evidence (command): make: ok" in shown and "Made: note.txt" in shown
    for words in (
        ("runs", "show", run["id"]),
        ("wakeup", "show", run["wakeup_id"]),
        ("proposal", "show", proposal["id"]),
        ("task", "show", str(task["number"])),
    ):
        said = house.cli(*words, at=room.path)
        assert said.code == 0, said.err
        head = said.out.partition("diff --git")[0]
        assert '{"' not in head and "[{" not in head, (words, head)
    assert f"roundtable proposal deliver {proposal['id'][-8:]}" in said.out
