"""Agents that speak: the built-in one, and one that the test itself plays through `/mcp`."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outside_house import Answer, House, Room, until

PUPPET = """
import json, os, sys, time
def send(**message):
    sys.stdout.write(json.dumps({'jsonrpc': '2.0', **message}) + '\\n'); sys.stdout.flush()
def take_part():
    place = os.path.join(sys.argv[1], os.environ['ROUNDTABLE_RUN'])
    seat = {'url': os.environ['ROUNDTABLE_MCP_URL'], 'token': os.environ['ROUNDTABLE_MCP_TOKEN']}
    open(place + '.begun', 'w').write(json.dumps(seat)); os.rename(place + '.begun', place)
    while not os.path.exists(place + '.over'): time.sleep(0.02)
    text = open(place + '.over').read()
    update = {'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': text}}
    send(method='session/update', params={'sessionId': 's1', 'update': update})
    return {'stopReason': 'end_turn'}
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get('method'), message.get('id')
    if method is None or number is None: continue
    turns += method == 'session/prompt'
    answers = {'initialize': {'protocolVersion': 1, 'agentCapabilities': {}},
               'session/new': {'sessionId': 's1'}, 'session/prompt': {'stopReason': 'end_turn'}}
    first = method == 'session/prompt' and turns == 1
    send(id=number, result=take_part() if first else answers[method])
"""


@dataclass(frozen=True)
class Seat:
    """The place of one run's agent while its turn lasts."""

    house: House
    place: Path
    run: str
    token: str

    def ask(self, tool: str, token: str | None = None, **arguments: object) -> Any:
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Authorization": f"Bearer {self.token if token is None else token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        return self.house.ask("POST", "/mcp", json.dumps(body), headers)

    def call(self, tool: str, **arguments: object) -> Any:
        """What the tool answered, refusals too; where it takes longer, what it answered then."""

        def look() -> Any:
            answer = self.ask(tool, **arguments)
            assert answer.status == 200, answer.text
            told = answer.json["result"]["structuredContent"]
            return told if told.get("code") != "takes_longer" else None

        return until(look)

    def leave(self, text: str = "") -> None:
        """Ends the turn with these words."""
        begun = self.place.with_suffix(".words")
        begun.write_text(text)
        os.rename(begun, self.place.with_suffix(".over"))


class Stalls:
    """Where the puppets of one test meet it."""

    def __init__(self, room: Room, folder: Path) -> None:
        self.room, self.folder = room, folder
        folder.mkdir(exist_ok=True)

    def agent(self, name: str = "puppet", **more: object) -> str:
        words: dict[str, Any] = {"adapter": "acp", **more}
        return self.room.agent(sys.executable, "-c", PUPPET, str(self.folder), name=name, **words)

    def seat(self, task: Any) -> Seat:
        """Of the task's newest run, once its turn has begun."""

        def look() -> Seat | None:
            for run in self.room.house.get("/runs", task_id=task["id"])["items"][:1]:
                place = self.folder / run["id"]
                if place.exists():
                    token = json.loads(place.read_text())["token"]
                    return Seat(self.room.house, place, run["id"], token)
            return None

        seat = until(look)
        assert seat is not None
        return seat


def demo(room: Room, name: str = "demo", **more: object) -> str:
    return room.agent(name=name, **{"adapter": "demo", **more})


def script(*lines: str) -> str:
    return "\n".join(f"@demo {line}" for line in lines)


def comment(room: Room, task: Any, text: str, **headers: str) -> Any:
    return room.house.post(f"/tasks/{task['id']}/comments", {"text": text}, **headers)


def wakeups(room: Room, task: Any, source: str | None = None) -> list[Any]:
    """The oldest first."""
    found = room.house.get("/wakeups", task_id=task["id"])["items"]
    return [one for one in reversed(found) if source in (None, one["source"])]


def status(room: Room, task: Any) -> str:
    return str(room.house.get(f"/tasks/{task['id']}")["status"])


def opened(room: Room, run: Any) -> Any:
    """What the run's `session.opened` says."""
    events = room.house.get(f"/runs/{run['id']}/events")["items"]
    return next(one["data"] for one in events if one["kind"] == "session.opened")


def item_of(room: Room, task: Any) -> Any:
    """The open question of the task's run."""

    def look() -> Any:
        for one in room.house.get("/inbox", workspace_id=room.id, status="open")["items"]:
            run = one["data"].get("run_id")
            if run and one["kind"] != "proposal" and room.house.run(run)["task_id"] == task["id"]:
                return one
        return None

    return until(look)


def resolved(room: Room, item: Any) -> Any:
    def look() -> Any:
        seen = room.house.get(f"/inbox/{item['id']}")
        return seen["status"] == "resolved" and seen

    return until(look)


OFFICE = "/api/office/routines"


def office(
    house: House, method: str, path: str = "", body: object = None, **headers: str
) -> Answer:
    sent_with = {"Authorization": f"Bearer {house.token}"}
    sent_with |= {name.replace("_", "-"): value for name, value in headers.items()}
    raw = None if body is None else json.dumps(body)
    if raw is not None:
        sent_with["Content-Type"] = "application/json"
    return house.ask(method, f"{OFFICE}{path}", raw, sent_with)
