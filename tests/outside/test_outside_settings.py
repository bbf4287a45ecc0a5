"""Settings: listed with what they mean, changed within their range, and obeyed."""

import pytest
from outside_house import House, until
from outside_talk import comment, demo, script, wakeups


@pytest.mark.slow
@pytest.mark.proves("K-13", "K-11", "C-47")
def test_comments_in_a_burst_are_one_run_and_the_prompt_tells_of_each(house: House) -> None:
    house.start()
    room = house.room()
    task = room.task("Brew", demo(room), description=script("write a.txt one"))
    room.ended(task)
    for text in ("First word", "Second word", script("append a.txt two")):
        comment(room, task, text)
    first, *merged = wakeups(room, task, "comment")
    assert [one["status"] for one in merged] == ["coalesced"] * 2
    assert {one["coalesced_into"] for one in merged} == {first["id"]}
    waits = house.get(f"/wakeups/{first['id']}/explain")
    assert waits["code"] == "waits_window" and "others like it" in waits["sentence"]
    told = house.get(f"/wakeups/{merged[0]['id']}/explain")["sentence"]
    assert first["id"] in told
    done = until(
        lambda: (now := house.get(f"/wakeups/{first['id']}"))["status"] == "finished" and now
    )
    assert done["coalesced_count"] == 3 and len(done["context_snapshot"]["wakes"]) == 3
    run = house.run(done["run_id"])
    assert "3 causes became this one turn" in run["assembled_prompt"]
    assert len(house.get("/runs", task_id=task["id"])["items"]) == 2


@pytest.mark.slow
@pytest.mark.proves("K-13")
def test_a_setting_is_clamped_told_and_kept(running: House) -> None:
    for given, kept in ((9999, 300), (-5, 0), (7, 7)):
        done = running.cli("settings", "set", "coalescing_window_sec", "--", str(given))
        assert done.code == 0 and f"is {kept} now" in done.out
    listed = {one["key"]: one for one in running.cli("settings", "list", "--json").json}
    assert listed["coalescing_window_sec"]["value"] == 7
    assert listed["coalescing_window_sec"]["default"] == 5
    assert {"installation", "intake"}.isdisjoint(listed)
    running.end()
    running.start()
    kept_now = {one["key"]: one["value"] for one in running.get("/settings")["items"]}
    assert kept_now["coalescing_window_sec"] == 7
    kinds = [one["kind"] for one in running.get("/events", limit=200)["items"]]
    assert kinds.count("settings.changed") == 4


@pytest.mark.parametrize(
    "body",
    [{"installation": "x"}, {"intake": "open"}, {"nothing": 1}, {"browser_host": "moon"}],
    ids=str,
)
def test_what_is_no_setting_or_no_value_is_refused(shared: House, body: dict[str, object]) -> None:
    assert shared.program("PATCH", "/settings", body).status == 422


def test_a_wrong_word_at_the_command_line_is_a_usage_error(shared: House) -> None:
    done = shared.cli("settings", "set", "nothing", "1")
    assert done.code == 2 and "Traceback" not in done.err
