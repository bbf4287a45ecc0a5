"""The built-in agent leads a mission: its plan, its references, and what it says later."""

import json
from typing import Any

import pytest

from roundtable_desktop.demo.acts import Reported
from roundtable_desktop.demo.leading import Chair, answer, lead, leads, said, stands, waits
from roundtable_desktop.demo.planning import MOST, parts_of
from roundtable_desktop.demo.script import lines_of
from roundtable_desktop.mcp.tools import TOOLS
from roundtable_desktop.rules.news import Remark
from roundtable_desktop.rules.news import told as told_of
from roundtable_desktop.rules.woken import Cause, _waited_for

AGENTS = [
    {"name": "Cora", "role": "coordinator"},
    {"name": "Wim", "role": "worker"},
    {"name": "Wanda", "role": "worker"},
    {"name": "Rita", "role": "reviewer"},
]


class Seat:
    """A mission with these tasks, behind the tools."""

    folder = "."

    def __init__(self, goal: str, *titles: str, agents: list[dict[str, str]] | None = None) -> None:
        self.goal = goal
        self.agents = AGENTS if agents is None else agents
        self.tasks: list[dict[str, Any]] = []
        self.calls: list[tuple[str, Any]] = []
        for title in titles:
            self._make(title)

    def _make(self, title: str, status: str = "todo") -> dict[str, Any]:
        number = len(self.tasks) + 2
        task = {"id": f"task-{number}", "number": number, "title": title, "status": status}
        self.tasks.append(task)
        return task

    def call(self, name: str, arguments: object) -> str:
        TOOLS[name].arguments.model_validate(arguments)
        self.calls.append((name, arguments))
        assert isinstance(arguments, dict)
        if name == "task_get":
            return json.dumps({"description": self.goal, "subtasks": self.tasks})
        if name == "state_get":
            return json.dumps({"agents": self.agents})
        return json.dumps(self._make(arguments["title"]) if name == "task_create" else {})

    def made(self) -> list[dict[str, Any]]:
        return [given for name, given in self.calls if name == "task_create"]

    def say(self, text: str) -> None:
        pass

    def tool(self, title: str, kind: str) -> None:
        pass

    def pause(self, seconds: float) -> None:
        pass

    def ask(self, text: str) -> bool:
        return True

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        pass


def led(seat: Seat, lines: str | None = None) -> list[str]:
    """One turn of it; lines: of a comment, else those of the goal."""
    done: list[str] = []
    lead(Chair(seat), lines_of(seat.goal if lines is None else lines), done)
    return done


# --- the plan ------------------------------------------------------------------------------------


@pytest.mark.proves("N-19 practice")
def test_a_list_becomes_tasks_beside_each_other_and_one_that_brings_them_together() -> None:
    seat = Seat("# Tea for all\n\n- green tea\n- black tea\n2. green tea\n")
    assert led(seat) == [
        "asked for: green tea",
        "asked for: black tea",
        "asked for: Bring together: Tea for all",
    ]
    green, black, last = seat.made()
    assert not set(green["write_area"]) & set(black["write_area"])
    assert green["depends_on"] == [] == green["gates"]
    assert [one["depends_on_task_id"] for one in last["depends_on"]] == ["task-2", "task-3"]
    assert last["gates"] == [{"kind": "review", "agents": ["Rita"]}]
    assert f"@demo write {green['write_area'][0]} green tea" in green["description"]


@pytest.mark.proves("N-19 practice")
def test_a_goal_without_a_list_is_one_task_and_nobody_reviews_where_nobody_can() -> None:
    seat = Seat("Mend the clock", agents=AGENTS[:2])
    assert led(seat) == ["asked for: Mend the clock"]
    assert seat.made()[0]["gates"] == []


@pytest.mark.parametrize("goal", ["", "\n\n", "#", "- ", "@demo", "- " + "x" * 5000, "ünïcödé"])
def test_any_goal_becomes_tasks_that_the_tools_take(goal: str) -> None:
    seat = Seat(goal)
    led(seat, "")
    assert seat.made() and all(one["write_area"][0].isascii() for one in seat.made())


def test_a_long_list_is_cut() -> None:
    parts = parts_of("\n".join(f"- part {number}" for number in range(50)))
    assert len(parts) == MOST + 1
    assert len({part.path for part in parts}) == len(parts)


# --- lines ---------------------------------------------------------------------------------------

PLAN = (
    "Tea.\n"
    '@demo tool task_create {"title": "Boil", "write_area": ["kettle"]}\n'
    "@demo subtask Pour\n"
    '@demo tool task_create {"title": "Taste", "assignee_agent": "@worker",'
    ' "depends_on": [{"depends_on_task_id": "@Boil", "dependency_type": "soft"}],'
    ' "blocked_by": ["@Pour"], "gates": [{"kind": "review", "agents": ["@reviewer"]}]}\n'
    '@demo tool task_comment {"task_id": "@Boil", "text": "@Boil well."}\n'
)


@pytest.mark.proves("N-19 practice")
def test_lines_of_the_goal_are_the_plan_and_names_stand_for_what_was_made() -> None:
    seat = Seat(PLAN)
    assert led(seat) == [
        "called task_create",
        "asked for: Pour",
        "called task_create",
        "called task_comment",
    ]
    taste = seat.made()[2]
    assert taste["assignee_agent"] == "Wanda" and taste["blocked_by"] == ["task-3"]
    assert taste["depends_on"] == [{"depends_on_task_id": "task-2", "dependency_type": "soft"}]
    assert taste["gates"] == [{"kind": "review", "agents": ["Rita"]}]
    assert seat.calls[-1] == ("task_comment", {"task_id": "task-2", "text": "@Boil well."})


@pytest.mark.proves("N-19 practice")
def test_a_turn_that_broke_off_makes_only_what_is_missing() -> None:
    seat = Seat(PLAN, "Boil", "Pour")
    led(seat)
    assert [one["title"] for one in seat.made()] == ["Taste"]
    before = len(seat.calls)
    assert led(seat) == ["3 todo: T-2 Boil, T-3 Pour, T-4 Taste"]
    assert [name for name, _ in seat.calls[before:]] == ["task_get"], "the plan is made once"


@pytest.mark.proves("N-19 practice")
def test_lines_of_a_comment_are_done_and_words_alone_are_answered_by_how_it_stands() -> None:
    seat = Seat("Tea", "Boil")
    assert led(seat, "@demo subtask Sugar") == ["asked for: Sugar"]
    assert led(seat, "@demo say hello") == []
    assert led(seat, "Hurry up") == ["2 todo: T-2 Boil, T-3 Sugar"]


@pytest.mark.proves("N-19 practice", "A-23")
def test_what_the_developer_says_later_is_taken_up() -> None:
    seat, done = Seat("Tea", "Boil"), list[str]()
    told = told_of([Remark("The developer", "Make it strong.", by_person=True)])
    assert said(told) and not said(told_of([Remark("Agent Bob", "Oiled.", by_person=False)]))
    lead(Chair(seat), [], done, changed=said(told))
    assert done == ["took up what is wanted now", "1 todo: T-2 Boil"]
    assert seat.calls[-1][0] == "task_update"


@pytest.mark.proves("N-19 practice")
def test_agents_of_a_role_get_it_in_turn() -> None:
    line = '@demo tool task_create {"title": "%s", "assignee_agent": "@worker"}\n'
    seat = Seat("".join(line % number for number in range(3)))
    led(seat)
    assert [one["assignee_agent"] for one in seat.made()] == ["Wanda", "Wim", "Wanda"]
    assert sum(name == "state_get" for name, _ in seat.calls) == 1


# --- what it says --------------------------------------------------------------------------------


def test_how_it_stands_names_a_few_of_each() -> None:
    tasks = [{"number": n, "title": "x", "status": "done"} for n in range(7)]
    tasks += [{"number": 8, "title": "y", "status": "in_review"}]
    told = stands(tasks)
    assert told.startswith("7 done: T-0 x,") and "and 2 more; 1 in review: T-8 y" in told
    assert stands([]) == "no tasks"


@pytest.mark.proves("N-19 practice")
def test_it_reports_by_tool_once() -> None:
    seat = Seat("Tea", "Boil")
    chair = Chair(seat)
    chair.report({"status": "completed", "summary": "so"})
    chair.report({"status": "failed", "summary": "again"})
    assert [name for name, _ in seat.calls] == ["task_get", "task_result"]


@pytest.mark.proves("N-19 practice")
def test_it_answers_an_agent_that_waits_for_it() -> None:
    payload = {"agent_id": "a", "task_id": "01task000000", "error": "Which?", "blocked": True}
    told = _waited_for(Cause(source="agent_error", reason="blocked_on", payload=payload, known={}))  # type: ignore[arg-type]
    assert waits(told) == "01task000000"
    assert waits("Which?") is None
    seat = Seat("Tea")
    assert answer(seat, "task-2") == "answered who waited"
    assert seat.calls[0][1]["task_id"] == "task-2"


def test_only_the_words_of_the_product_make_it_the_leader() -> None:
    assert leads(["Go on", "# Your task\n\nYou lead this mission: what stands below is its goal."])
    assert not leads(["They say: You lead this mission"])


def test_a_line_that_fails_ends_the_turn() -> None:
    with pytest.raises(Reported):
        led(Seat("@demo fail task_failed no luck"))
