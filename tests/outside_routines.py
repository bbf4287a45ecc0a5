"""Routines as a program makes and fires them."""

from typing import Any

from outside_house import House, Room, until
from outside_talk import demo, office, script


def made(room: Room, agent: str, **more: object) -> Any:
    body = {"workspace_id": room.id, "name": "Look", "assignee_agent_id": agent, **more}
    answer = office(room.house, "POST", "", body)
    assert answer.status == 201, answer.text
    return answer.json


def schedule(cron: str, zone: str = "Europe/Berlin") -> dict[str, str]:
    return {"kind": "schedule", "cron_expression": cron, "timezone": zone}


def fired(house: House, routine: Any, body: object = None, **headers: str) -> Any:
    answer = office(house, "POST", f"/{routine['id']}/fire", body or {}, **headers)
    assert answer.status == 202, answer.text
    return answer.json


def over(house: House, routine: Any) -> Any:
    """The newest firing, once there is one and it has ended."""

    def look() -> Any:
        newest = office(house, "GET", f"/{routine['id']}").json["recent_runs"][:1]
        return newest[0] if newest and newest[0]["completed_at"] else None

    return until(look)


def never_stick(room: Room, policy: str, fires: int) -> None:
    """Each fire ends with its policy's word, nothing is left, and the next one runs."""
    house = room.house
    agent = demo(room, max_concurrent_sessions=3)
    routine = made(room, agent, concurrency_policy=policy, description=script("say Looked."))
    for number in range(fires):
        fired(house, routine)
        if number % 5 == 4:
            over(house, routine)

    def all_over() -> Any:
        found = office(house, "GET", f"/{routine['id']}").json["recent_runs"]
        return found if all(one["completed_at"] for one in found) else None

    found = until(all_over, 120)
    assert len(found) == fires
    ways = {"coalesce_if_active": {"done", "coalesced"}, "skip_if_active": {"done", "skipped"}}
    assert {one["status"] for one in found} <= ways.get(policy, {"done"})
    left = (
        "SELECT id FROM agent_wakeup_requests "
        f"WHERE agent_id = '{agent}' AND status IN ('queued', 'claimed')"
    )
    until(lambda: not house.query(left))  # a follow-up too
    fired(house, routine)
    assert over(house, routine)["status"] == "done"
