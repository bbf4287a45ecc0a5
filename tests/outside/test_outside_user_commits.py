"""The user commits to the lines that a mission changes: it is delivered, with both of them."""

import json
from typing import Any

import pytest
from outside_house import Browser, House, until
from test_outside_mission_story import Office

SIGN = {
    "title": "Sign",
    "description": "@demo write sign.txt tea here",
    "write_area": ["sign.txt"],
}


class Moved(Office):
    """Its repository has a sign that everybody changes."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self.user("nothing here\n")

    def user(self, text: str) -> str:
        (self.room.path / "sign.txt").write_text(text)
        self.room.git("add", "sign.txt")
        self.room.git("commit", "-q", "-m", "a word of the user's")
        return str(self.room.git("rev-parse", "HEAD"))

    def newest(self, mission: Any, status: str) -> Any:
        return until(lambda: (one := self.offered(mission))["status"] == status and one, 60)


@pytest.mark.slow
@pytest.mark.proves("A-27", "A-26", "C-97 missions")
def test_what_clashes_with_the_users_commit_is_settled_and_delivered(running: House) -> None:
    office = Moved(running)
    house, at = running, office.room.path
    goal = f"Put up a sign\n@demo tool task_create {json.dumps(SIGN)}"
    mission = office.begin(goal=goal, delivery="approval")
    assert office.over(mission)["state"] == "completed"
    offered = office.newest(mission, "pending")
    user = office.user("coffee here\n")
    before = office.room.git("status", "--porcelain")

    done = house.cli("proposal", "deliver", offered["id"], at=at)
    assert done.code == 1 and "sign.txt" in done.err, done.said
    text = Browser(house).ask("GET", f"/proposals/{offered['id']}").text
    assert "Have it reworked" in text and "takes in what main has by now" in text
    done = house.cli("proposal", "rebase", offered["id"], "--note", "Both drinks", at=at)
    assert done.code == 0 and "does not fit onto main" in done.out, done.said
    first = f"/proposals/{offered['id']}"
    until(lambda: "a task settles what clashes" in house.get(first)["sentence"])
    repair = until(
        lambda: [
            one
            for one in house.get(f"/missions/{mission['id']}")["tasks"]
            if one["title"].startswith("Repair: ")
        ]
    )[0]
    seen = house.get(f"/tasks/{repair['id']}")
    assert seen["purpose"] == "repair" and "Both drinks" in seen["description"]
    assert office.room.git("status", "--porcelain") == before, "the checkout is the user's"
    assert office.room.git("rev-parse", "HEAD") == user

    again = until(lambda: (one := office.offered(mission))["id"] != offered["id"] and one, 120)
    assert again["base_commit"] == user and again["status"] == "pending" and not again["held"]
    assert office.over(mission)["state"] == "completed"
    done = house.cli("proposal", "deliver", again["id"], at=at)
    assert done.code == 0, done.said
    assert (at / "sign.txt").read_text().splitlines() == ["tea here", "coffee here"]
    office.room.git("merge-base", "--is-ancestor", user, "main")
    assert office.room.git("status", "--porcelain") == before
    office.room.git("fsck", "--strict")
    assert house.get(first)["status"] == "conflicted"
    assert house.get("/inbox", status="open")["items"] == []
