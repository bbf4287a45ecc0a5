"""Routines as a program makes and fires them."""

from typing import Any

from outside_house import House, Room, until
from outside_talk import office


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
    """The newest firing, once it has ended."""

    def look() -> Any:
        newest = office(house, "GET", f"/{routine['id']}").json["recent_runs"][0]
        return newest if newest["completed_at"] else None

    return until(look)
