"""A home with a week's worth of work in it, all of it done by agents before the camera comes."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from outside_house import House, Room, until
from outside_talk import comment, demo, item_of, office, script, status
from outside_webhooks import Hook

FILES = {
    "README.md": "# Bakery\n\nTakes orders for bread.\n",
    "orders.py": 'PRICES = {"rye": 420, "spelt": 510}\n\n\n'
    "def total(order):\n    return sum(PRICES[bread] * count for bread, count in order)\n",
    "opening-hours.txt": "Mon-Fri 06:00-18:00\nSat 06:00-13:00\n",
}

TALKER = """
import functools, pathlib, sys
print = functools.partial(print, flush=True)
print("Reading orders.py")
print("\\x1b[1mChecking\\x1b[0m 2 prices: \\x1b[32mrye ok\\x1b[0m, \\x1b[31mspelt too high\\x1b[0m")
print("warning: no test covers total()", file=sys.stderr)
path = pathlib.Path("orders.py")
path.write_text(path.read_text().replace("510", "490") + "\\n\\ndef count(order):\\n"
    "    return sum(count for _, count in order)\\n")
deep = pathlib.Path("a folder", "deep")
deep.mkdir(parents=True)
(deep / "a-rather-long-name-of-a-file-that-nobody-will-ever-type.txt").write_text("x\\n" * 30)
for number in range(60):
    print(f"step {number}: looked at one more order, nothing to change there, and went on")
"""


@dataclass
class Practice:
    """Where the state is to be found: ids by the noun in the address of a page."""

    house: House
    ids: dict[str, dict[str, str]] = field(default_factory=dict)

    def remember(self, noun: str, name: str, thing: Any) -> Any:
        self.ids.setdefault(noun, {})[name] = str(thing["id"])
        return thing


def furnish(house: House) -> Practice:
    """Real work in every state that a page can show."""
    practice = Practice(house)
    room = house.room("bakery", FILES)
    house.workspace(house.repository("a-second-repository-with-nothing-to-do"))
    ada, lin = demo(room, "Ada", max_concurrent_sessions=3), demo(room, "Lin")
    talker = room.python(TALKER, "price-checker")
    practice.remember("agents", "working", {"id": ada})
    practice.remember("agents", "command", {"id": talker})
    _allow(room, ada)
    _set_missions(practice)
    waiting = _begin(practice, room, ada, lin, talker)
    _settle(practice, room, waiting)
    return practice


def _set_missions(practice: Practice) -> None:
    """A goal of which a part is done, a part is worked on, and the rest waits for one reason or
    another; and one that was stopped, without a task."""
    house = practice.house
    room = house.workspace(house.repository("mill"))
    agent = demo(room, "Milo", max_concurrent_sessions=2)
    goal = "Grind rye as fine as spelt\n\nThe stones are worn; the sieve is not."
    made = house.post("/missions", {"workspace_id": room.id, "goal": goal})
    practice.remember("missions", "graph", made)
    here = f"/missions/{made['id']}"
    until(lambda: house.get(here)["state"] == "active")
    house.post(f"{here}/pause")

    def add(title: str, line: str, *edges: tuple[str, Any], **more: object) -> Any:
        drawn = [
            {"depends_on_task_id": other["id"], "dependency_type": kind, "reason": "So it is."}
            for kind, other in edges
        ]
        more |= {"description": script(line), "mission_id": made["id"], "depends_on": drawn}
        return room.task(title, agent, **more)

    first = add("Measure", "write measures.txt 3", write_area=["measures.txt"])
    second = add("Turn the stones", "sleep 600", ("hard", first), write_area=["stones/"])
    add("Clean the stones", "sleep 600", ("conflict", second), optional=True)
    add("Order a sieve", "sleep 600", ("hard", second), ("soft", first), write_area=["stones/old"])
    last = add("Grind", "sleep 600", ("serialization", second), priority=3)
    practice.remember("tasks", "mission", last)
    house.post(f"{here}/resume")
    until(lambda: status(room, second) == "in_progress", 60)
    stopped = house.post("/missions", {"workspace_id": room.id, "goal": "Sell less white flour"})
    until(lambda: house.get(f"/missions/{stopped['id']}")["state"] == "active")
    practice.remember("missions", "stopped", house.post(f"/missions/{stopped['id']}/stop"))


def _allow(room: Room, agent: str) -> None:
    """Budgets of every kind that a page shows, none of which stops the work."""
    for words in (
        {"meter": "money", "period": "month", "limit": 40},
        {"meter": "tokens", "period": "rolling", "hours": 5, "limit": 20000, "agent_id": agent},
        {"meter": "quota", "limit": 60},
    ):
        scope = "agent" if "agent_id" in words else "workspace"
        body = {"workspace_id": room.id, "scope": scope, "action_on_exceed": "notify_only"}
        room.house.post("/budgets", {**body, **words})


def _begin(practice: Practice, room: Room, ada: str, lin: str, talker: str) -> dict[str, Any]:
    """All tasks at once; the agents take them as they can."""

    def task(
        name: str, title: str, agent: str | None, *lines: str, words: str = "", **more: Any
    ) -> Any:
        text = "\n".join(part for part in (words, script(*lines)) if part)
        return practice.remember("tasks", name, room.task(title, agent, description=text, **more))

    return {
        "review": task("review", "Lower the price of spelt bread", talker, words="It is too dear."),
        "delivered": task("delivered", "Say where the bakery is", ada, "write WHERE.md Mill Lane"),
        "held": task("held", "Open on Sundays", ada, "append opening-hours.txt Sun 07:00-11:00"),
        "blocked": task(
            "blocked", "Send the invoices", lin, "block Which account are they sent from?"
        ),
        "signed-out": task("signed-out", "Translate the menu", lin, "fail auth_required no key"),
        "failed": task(
            "failed",
            "Bake without flour",
            lin,
            "fail task_failed There is no bread without flour.",
            retry_budget=1,
        ),
        "limited": task(
            "limited",
            "Sort the recipes",
            demo(room, "Max", account="the bakery's plan"),
            "limit You've hit your limit · resets 11pm. Try again in 5 hours.",
        ),
        "retry": task("retry", "Count the flour", lin, "fail overloaded try later"),
        "ask": task(
            "ask",
            "Clean up old orders",
            ada,
            "say I found 3 orders from last year.",
            "write cleaned.txt three orders",
            "ask May I delete orders-2025.csv?",
        ),
        "running": task(
            "running",
            "Write tests for the orders, for totals as well as for counts, and for empty ones",
            ada,
            "say I read orders.py. It has one function, `total`.",
            "write test_orders.py def test_an_empty_order_costs_nothing(): ...",
            "usage 18200 900",
            "say Now the prices.",
            "sleep 600",
            words="Cover `total` first.\n\n- empty orders\n- unknown bread",
        ),
        "gated": task(
            "gated",
            "Sell gift cards",
            ada,
            "write gift-cards.txt ten of them",
            gates=[{"kind": "review", "agents": _reviewers(practice, room)}],
            acceptance=f"Every card has a number.\n{script(f'tool vote_cast {NOTED}')}",
            expected_files=["gift-cards.txt"],
        ),
        "todo": task("todo", "Draw a new sign", None),
    }


NOTED = json.dumps(
    {
        "verdict": "approve_with_notes",
        "note": "Good. Two things.",
        "findings": [
            {"path": "gift-cards.txt", "line": 1, "text": "Which ten?", "severity": "minor"},
            {"path": "orders.py", "text": "Does not know of them.", "severity": "major"},
        ],
    }
)


def _reviewers(practice: Practice, room: Room) -> list[str]:
    """One that has looked at it, and one that cannot."""
    nia, sol = demo(room, "Nia"), demo(room, "Sol")
    practice.house.post(f"/agents/{sol}/pause", {})
    return [nia, sol]


def _settle(practice: Practice, room: Room, tasks: dict[str, Any]) -> None:
    """Waits for what must have happened, and does the person's part."""
    house = practice.house
    for name in (
        "review",
        "delivered",
        "held",
        "blocked",
        "signed-out",
        "failed",
        "limited",
        "retry",
        "gated",
    ):
        practice.remember("runs", name, room.ended(tasks[name]))
    practice.remember("runs", "running", room.live(tasks["running"]))
    practice.remember("inbox", "ask", item_of(room, tasks["ask"]))
    comment(room, tasks["todo"], "With a pretzel on it, please.\n\nAnd *not* in brown.")
    offered = {
        name: room.proposal(tasks[name]) for name in ("review", "delivered", "held", "gated")
    }
    for name, proposal in offered.items():
        practice.remember("proposals", name, proposal)
    gated = f"/proposals/{offered['gated']['id']}"
    until(lambda: house.get(gated)["gates"][0]["stuck"] and house.get(gated)["verdicts"])
    room.lands(offered["delivered"])
    (room.path / "opening-hours.txt").write_text("closed for the holidays\n")
    assert room.delivered(offered["held"])["deliveries"][-1]["status"] == "held"
    until(lambda: status(room, tasks["blocked"]) == "blocked")
    until(lambda: status(room, tasks["failed"]) == "failed")
    newest = house.get("/runs", task_id=tasks["ask"]["id"])["items"][0]
    practice.remember("runs", "ask", newest)
    _recur(practice, room)
    _wake(practice, room)


def _wake(practice: Practice, room: Room) -> None:
    """One that waits, one that was taken back, and one that ran."""
    house, agent = practice.house, demo(room, "Ida")
    at = datetime.now(UTC) + timedelta(days=99)
    later = {"context": "Water the plants.", "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    practice.remember("wakeups", "waits", house.post(f"/agents/{agent}/wake", later))
    gone = practice.remember("wakeups", "gone", house.post(f"/agents/{agent}/wake", later))
    house.post(f"/wakeups/{gone['id']}/cancel")
    ran = house.get("/wakeups", status="finished")["items"][0]
    practice.remember("wakeups", "ran", ran)


def _recur(practice: Practice, room: Room) -> None:
    """A routine with variables that ran, and a paused one that never did."""
    house = practice.house
    baker = demo(room, "Otto")
    ovens = {
        "workspace_id": room.id,
        "name": "Look after the ovens",
        "assignee_agent_id": baker,
        "description": "Look at the {{oven}} oven.\n" + script("say All is warm."),
        "variables": [{"name": "oven", "required": True}],
        "triggers": [
            {"kind": "schedule", "cron_expression": "0 5 * * 1-6"},
            {"kind": "webhook", "secret": "of-the-thermometer"},
        ],
    }
    made = office(house, "POST", "", ovens).json
    practice.remember("routines", "active", made)
    office(house, "POST", f"/{made['id']}/fire", {"variables": {"oven": "stone"}})
    until(lambda: office(house, "GET", f"/{made['id']}").json["last_succeeded_at"])
    own = next(one for one in made["triggers"] if one["kind"] == "webhook")
    thermometer = Hook(house, made, own, "of-the-thermometer")
    thermometer.call({"oven": "stone", "degrees": 240}, "t-240")
    prices = {**ovens, "name": "Compare prices", "variables": [], "description": ""}
    paused = office(house, "POST", "", prices).json
    practice.remember("routines", "paused", paused)
    office(house, "PATCH", f"/{paused['id']}", {"status": "paused"})
    _unscheduled(practice, room)


def _unscheduled(practice: Practice, room: Room) -> None:
    """A coordinator whose only routine is paused."""
    cora = demo(room, "Cora", role="coordinator")
    practice.remember("agents", "coordinator", {"id": cora})
    for one in office(practice.house, "GET", f"?workspace_id={room.id}").json["items"]:
        if one["assignee_agent_id"] == cora:
            office(practice.house, "PATCH", f"/{one['id']}", {"status": "paused"})
