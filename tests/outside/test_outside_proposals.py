"""The list of proposals: by its page, by the API and by the command line."""

import pytest
from outside_house import Browser, House
from outside_pages import got

STATES = ("waiting", "held", "delivered", "rejected", "replaced")


@pytest.mark.slow
@pytest.mark.proves("E-03 proposals", "W-21")
def test_proposals_are_looked_for_by_what_is_to_be_done(shared: House) -> None:
    browser, room = Browser(shared), shared.room("offers", {"hours.txt": "Mon\n"})
    empty = got(browser, f"/proposals?workspace={room.id}")
    assert "No proposals match this filter." in empty.text
    agent = room.shell('echo one > "$ROUNDTABLE_RUN"', "ada", max_concurrent_sessions=3)
    other = room.shell("echo Sun >> hours.txt", "lin")
    tasks = {
        name: room.task(name, other if name == "held" else agent)
        for name in ("waiting", "held", "delivered", "rejected")
    }
    offered = {name: room.proposal(task) for name, task in tasks.items()}
    (room.path / "hours.txt").write_text("closed\n")
    room.lands(offered["delivered"])
    assert room.delivered(offered["held"])["deliveries"][-1]["status"] == "held"
    shared.cli("agent", "pause", "ada", at=room.path)
    shared.post(f"/proposals/{offered['rejected']['id']}/reject", {"note": "Not so."})

    def listed(query: str) -> set[str]:
        links = got(browser, f"/proposals?workspace={room.id}&{query}").links
        return {name for name, one in offered.items() if f"/proposals/{one['id']}" in links}

    expected = {"waiting": {"waiting", "held"}, "replaced": set()}
    for state in STATES:
        wanted = expected.get(state, {state})
        assert listed(f"status={state}") == wanted, state
        api = shared.get("/proposals", workspace_id=room.id, state=state)["items"]
        assert {one["id"] for one in api} == {offered[name]["id"] for name in wanted}
        said = shared.cli("proposal", "list", "--state", state, "--json", at=room.path).json
        assert {one["id"] for one in said} == {one["id"] for one in api}
    assert listed("task=T-1") == {"waiting"} and listed("task=T-9") == set()
    assert listed(f"agent={other}") == {"held"} and listed("limit=3") < listed("") == set(offered)
    page = got(browser, f"/proposals?workspace={room.id}&status=held")
    held = offered["held"]
    assert {f"/proposals/{held['id']}#changes", f"/tasks/{held['task_id']}"} <= set(page.links)
    assert "T-2 held" in page.text
    assert "/proposals" in got(browser, "/").links
    assert "/proposals" in got(browser, "/search?q=proposals").links
    assert browser.ask("GET", "/proposals?status=moon").status == 422
    mine = shared.cli("proposal", "list", "--agent", "lin", "--json", at=room.path)
    assert [one["id"] for one in mine.json] == [held["id"]]


@pytest.mark.slow
@pytest.mark.proves("E-03 proposals")
def test_an_empty_list_says_what_comes_here(house: House) -> None:
    house.start("--port", "0")
    page = got(Browser(house), "/proposals")
    assert "No agent proposed a change yet" in page.text and "/board" in page.links
