"""Every page that the product has, with all kinds of work in it, and with hostile text in it."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from chromium import Watch, enter
from hostile_text import PAYLOADS
from outside_house import House, Room, started
from outside_talk import comment, demo, item_of, office, script
from pictures.album import Ids, Visit, faults, page_rules, visits, walk
from pictures.practice import Practice, furnish
from playwright.sync_api import BrowserContext, Page

NOUNS = ("tasks", "runs", "proposals", "agents")
OTHERS = "all the others"
BUSY = 400  # seconds; some ten on an idle machine, but much is drawn and much is started
VIEWS = ((1280, "light"), (360, "dark"))  # `dev.py pictures` looks at all four

ALL = " ".join(PAYLOADS)
SPILL = """
import pathlib, sys
print("\\n".join(sys.argv[1:]))
print("\\n".join(sys.argv[1:]), file=sys.stderr)
for text in sys.argv[1:]: pathlib.Path(text.replace("/", "_")[:60]).write_text(text)
"""
NOT_OURS = "iframe, base, math, style, embed, object, img[src*=evil], [onerror], [onload]"


def noun_of(visit: Visit) -> str:
    noun = visit.path.split("/")[1]
    return noun if noun in NOUNS else OTHERS


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return page_rules(tmp_path_factory.mktemp("rules"))


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    """A home of its own, so that what it holds is what the pictures show."""
    with started(tmp_path_factory.mktemp("bakery")) as house:
        yield furnish(house)


@pytest.mark.proves("E-01")
def test_a_new_route_is_visited_or_asked_about() -> None:
    rules = ["/", "/new", "/new/<>", "/runs/<>/diff", "/runs/<>/transcript", "/tasks/<>"]
    found, unknown = visits(rules, {"runs": {"long": "r1", "short": "r2"}, "tasks": {}})
    assert [one.path for one in found] == ["/", "/new", "/runs/r1/diff", "/runs/r2/diff"]
    assert unknown == ["/new/<>", "/tasks/<>"]


@pytest.mark.slow
@pytest.mark.timeout(BUSY)
@pytest.mark.proves("E-01")
@pytest.mark.parametrize("noun", [*NOUNS, OTHERS])
def test_every_page_is_fit_for_everybody(
    bakery: Practice,
    rules: list[str],
    new_context: Callable[..., BrowserContext],
    watch: Watch,
    noun: str,
) -> None:
    """axe finds nothing, and nothing scrolls sideways."""
    found, unknown = visits(rules, bakery.ids)
    assert not unknown, "furnish() remembers no id for these"
    here = bakery.house.facts["browser_url"]
    watch.own.add(here)
    page = new_context(base_url=here).new_page()
    enter(bakery.house, page)
    wrong = [
        f"{visit.path} {fault}"
        for visit in walk(page, [one for one in found if noun == noun_of(one)])
        for fault in faults(page, VIEWS)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.timeout(BUSY)
@pytest.mark.proves("S-33", "S-34", "S-38")
def test_hostile_text_is_no_more_than_text(house: House, person: Page, rules: list[str]) -> None:
    """`person` is watched: a content policy report or a request to elsewhere fails it as well."""
    found, unknown = visits(rules, plant(house))
    assert not unknown, "plant() remembers no id for these"
    seen = ""
    for visit in walk(person, [Visit(one.name, one.path) for one in found]):
        assert person.evaluate("typeof window.__x") == "undefined", visit.path
        assert person.locator(NOT_OURS).count() == 0, visit.path
        for address in person.locator("a[href], form[action]").evaluate_all(
            "all => all.map(one => one.getAttribute('href') ?? one.getAttribute('action'))"
        ):
            assert address[0] in "/#?" and address[:2] != "//", f"{visit.path}: {address}"
        seen += person.locator("body").inner_text()
    for payload in PAYLOADS:
        assert payload in seen


def plant(house: House) -> Ids:
    """Hostile text wherever the product takes any; the ids of what shows it."""
    for number, payload in enumerate(PAYLOADS):
        place = house.repository(f"{number}{payload.replace('/', '_')}")
        room = house.workspace(place, name=payload)
    tasks = {
        f"title-{number}": room.task(payload, description=payload)
        for number, payload in enumerate(PAYLOADS)
    }
    for payload in PAYLOADS:
        comment(room, tasks["title-0"], payload)
    return _work(house, room, tasks)


def _work(house: House, room: Room, tasks: dict[str, dict[str, str]]) -> Ids:
    """What agents say, ask, leave and end with."""
    actor = demo(room, ALL[:200], max_concurrent_sessions=4)
    spill = room.agent(sys.executable, "-c", SPILL, *PAYLOADS, name=PAYLOADS[1])
    spilled = room.task("Spill", spill)
    failed = room.task(
        "Fail", actor, description=script(f"say {ALL}", f"fail task_failed {ALL}"), retry_budget=1
    )
    blocked = room.task("Block", actor, description=script(f"block {ALL}"))
    asked = room.task("Ask", actor, description=script(f"ask {ALL}"))
    item = item_of(room, asked)
    ended = {"spilled": spilled, "failed": failed, "blocked": blocked}
    runs = {name: room.ended(task)["id"] for name, task in ended.items()}
    return {
        "routines": {"fired": _routine(house, room, actor)},
        "tasks": {name: one["id"] for name, one in {**tasks, **ended, "asked": asked}.items()},
        "runs": {**runs, "asked": item["data"]["run_id"]},
        "proposals": {"spilled": room.proposal(spilled)["id"]},
        "inbox": {"asked": item["id"]},
        "wakeups": {"told": _woken(house, actor)},
        "agents": {"actor": actor, "spill": spill},
    }


def _woken(house: House, agent: str) -> str:
    """One whose words are hostile, that waits."""
    at = datetime.now(UTC) + timedelta(days=99)
    later = {"context": ALL, "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    return str(house.post(f"/agents/{agent}/wake", later)["id"])


def _routine(house: House, room: Room, agent: str) -> str:
    """One whose texts are hostile, with the values that it was fired with."""
    body = {
        "workspace_id": room.id,
        "name": ALL[:200],
        "description": f"{{{{what}}}} {ALL}",
        "assignee_agent_id": agent,
    }
    made = office(house, "POST", "", body)
    assert made.status == 201, made.text
    values = {"variables": {"what": ALL}}
    assert office(house, "POST", f"/{made.json['id']}/fire", values).status == 202
    return str(made.json["id"])
