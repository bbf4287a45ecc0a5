"""Every route of the API asked by what its own description says, as it should be and as not."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from outside_house import House, Room
from outside_routines import made
from outside_talk import demo, item_of, script
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import AcceptedNegativeData, Failure, FailureGroup

load_all_checks()
ASKED = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
    ]
)
APART = {
    ("get", "/api/v1/events/stream"): "never ends; it has tests of its own",
    ("post", "/api/v1/control"): "would stop the owner's work; it has tests of its own",
}
LAST = ("delete",)
"""What takes the thing away that others ask about."""
TOO_LARGE = 413
"""A refusal, whatever else is wrong with a body."""


@dataclass
class Found:
    """How many requests were made, and what was wrong, one line a kind."""

    asked: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


def things(room: Room) -> dict[str, str]:
    """One real id of each noun, with a past; nothing is launched from then on."""
    house = room.house
    task = room.task("Described", room.shell("echo d > d.txt"))
    asks = room.task("Ask", demo(room), description=script("ask May I?"))
    run, proposal, item = room.ended(task), room.proposal(task), item_of(room, asks)
    agent = task["assignee_agent_id"]
    gate = room.task("Gate", requires_approval=True)
    for to in ("in_progress", "in_review"):
        house.post(f"/tasks/{gate['id']}/move", {"status": to})
    house.post(f"/tasks/{task['id']}/comments", {"text": "Well."})
    house.post("/control", {"action": "pause"})
    return {
        "approvals": house.get("/approvals", task_id=gate["id"])["items"][0]["id"],
        "workspaces": room.id,
        "agents": agent,
        "routines": made(room, agent, name="Recurs")["id"],
        "tasks": task["id"],
        "runs": run["id"],
        "wakeups": run["wakeup_id"],
        "proposals": proposal["id"],
        "inbox": item["id"],
        "missions": house.post("/missions", {"workspace_id": room.id, "goal": "Go"})["id"],
    }


def walk(house: House, refs: dict[str, str], examples: int, about_none: bool = True) -> Found:
    """`examples` of each route in each way: right and wrong, about real things and about none, or
    about none only where there is no real one: to think requests up costs most of the time."""
    found = Found()
    document = copy.deepcopy(house.get("/openapi.json"))
    operations = list(_operations(document))
    assert len(operations) > 80
    with requests.Session() as session:
        session.trust_env = False
        for operation in sorted(operations, key=lambda one: one.method.lower() in LAST):
            real = refs.get(operation.path.split("/")[3]) if "{ref}" in operation.path else None
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                for ref in {real, None} if about_none else {real}:
                    _ask(house, session, found, operation, mode, ref, examples)
    return found


def _operations(document: dict[str, Any]) -> Iterator[Any]:
    del document["components"]["securitySchemes"]  # the token is ours to send, and always right
    for methods in document["paths"].values():
        for told in methods.values():
            del told["security"]
    for one in schemathesis.openapi.from_dict(document).get_all_operations():
        operation = one.ok()
        if (operation.method.lower(), operation.path) not in APART:
            yield operation


def _is_right(house: House, case: Any) -> bool:
    """What was meant to be wrong is not: one way in which it may be spelt is broken, and another
    one holds."""
    document = house.get("/openapi.json")
    told = document["paths"][case.operation.path][case.operation.method.lower()]
    if not isinstance(case.body, dict | list) or "requestBody" not in told:
        return False
    form = told["requestBody"]["content"]["application/json"]["schema"]
    whole = {**form, "components": document["components"]}
    return bool(Draft202012Validator(whole).is_valid(case.body))


def _ask(
    house: House,
    session: requests.Session,
    found: Found,
    operation: Any,
    mode: GenerationMode,
    ref: str | None,
    examples: int,
) -> None:
    path = {"path_parameters": {"ref": ref}} if ref else {}
    sent = {"Authorization": f"Bearer {house.token}"}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(mode, **path))
    def asks(case: Any) -> None:
        answer = case.call(base_url=house.facts["url"], session=session, headers=sent)
        found.asked += 1
        found.statuses[answer.status_code] = found.statuses.get(answer.status_code, 0) + 1
        try:
            case.validate_response(answer, checks=ASKED, headers=sent)
        except (Failure, FailureGroup) as wrong:
            for one in getattr(wrong, "exceptions", [wrong]):
                refused = answer.status_code == TOO_LARGE or _is_right(house, case)
                if isinstance(one, AcceptedNegativeData) and refused:
                    continue
                kind = f"{operation.method.upper()} {operation.path} {type(one).__name__}"
                told = (
                    f"{one}\n{case.as_curl_command()}\n-> {answer.status_code} {answer.text[:600]}"
                )
                found.wrong.setdefault(kind, told)

    try:
        asks()
    except Exception as error:
        if type(error).__name__ not in ("Unsatisfiable", "SkipTest"):
            raise
