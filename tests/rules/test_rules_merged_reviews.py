"""When merged work is looked at, and what follows from what was found: tables."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.model.gates import APPROVALS, DEMANDS, Topic, Weight, Word
from roundtable_desktop.model.merged_reviews import FollowUp, Merged, Risk
from roundtable_desktop.rules.merged_reviews import (
    MANY_FILES,
    MOST_REPAIRS,
    by_task,
    follow_up,
    is_sensitive,
    risks,
)


def merged(*paths: str, task: str = "t", **more: Any) -> Merged:
    values: dict[str, Any] = {
        "task_id": task,
        "number": 1,
        "title": "Do it",
        "author": "a",
        "assignee": "a",
        "paths": paths,
        "acceptance": True,
        "reviewed": False,
        "delivery_id": "d",
        "old": "0",
        "new": "1",
    }
    return Merged(**{**values, **more})


def finding(
    severity: str = "minor", about: str | None = None, path: str = "a.py"
) -> dict[str, Any]:
    return {"path": path, "text": "so", "severity": severity, **({"about": about} if about else {})}


MANY = tuple(f"src/{number}.py" for number in range(MANY_FILES))


@pytest.mark.proves("A-28")
@pytest.mark.parametrize(
    ("setting", "work", "why"),
    [
        ("off", [merged(*MANY, "auth.py", acceptance=False)], []),  # none is required
        ("always", [merged("a.py")], ["always"]),
        ("always", [], []),  # nothing came onto the branch
        ("always", [merged("a.py", reviewed=True)], ["always"]),
        ("risky", [merged("a.py")], []),
        ("risky", [merged(*MANY)], ["many_files"]),
        ("risky", [merged(*MANY[:-1])], []),
        ("risky", [merged(*MANY[:-1]), merged("more.py")], ["many_files"]),  # together
        ("risky", [merged(".github/workflows/ci.yml")], ["sensitive"]),
        ("risky", [merged("a.py", acceptance=False)], ["no_acceptance"]),
        ("risky", [merged(acceptance=False)], []),  # it changed nothing
        ("risky", [merged(*MANY, "login/auth.py", reviewed=True, acceptance=False)], []),
        (
            "risky",
            [merged(*MANY, "pyproject.toml", acceptance=False)],
            ["many_files", "sensitive", "no_acceptance"],
        ),
    ],
)
def test_work_is_looked_at_where_the_workspace_or_its_risk_wants_it(
    setting: Any, work: list[Merged], why: list[str]
) -> None:
    assert list(risks(setting, work)) == [Risk(one) for one in why]


@pytest.mark.proves("A-28")
@pytest.mark.parametrize(
    ("path", "sensitive"),
    [
        ("src/page.py", False),
        ("README.md", False),
        ("pyproject.toml", True),
        ("deep/down/Dockerfile.dev", True),
        ("src/Authentication.java", True),
        ("db/migrations/0003.py", True),
        ("web/package-lock.json", True),
        ("server.pem", True),
        (".env.local", True),
        ("app/keys.py", False),
    ],
)
def test_what_decides_what_runs_and_who_may_is_sensitive(path: str, sensitive: bool) -> None:
    assert is_sensitive(path) is sensitive


@pytest.mark.proves("A-28", "A-34")
@pytest.mark.parametrize(
    ("words", "found", "follows"),
    [
        ("approve", [], "continue"),
        ("approve_with_notes", [finding("minor")], "continue"),
        ("approve abstain", [], "continue"),
        ("revise", [], "repair"),  # its note says what
        ("revise", [finding("minor")], "repair"),
        ("revise approve", [finding("major")], "repair"),
        ("revise", [finding("info", "architecture")], "repair"),  # only to know
        ("revise", [finding("minor", "architecture")], "repair"),
        ("revise", [finding("major", "architecture")], "assess"),
        ("reject", [finding("minor")], "assess"),
        ("reject approve", [], "assess"),
        ("revise", [finding("critical")], "block"),
        ("revise", [finding("major", "security")], "block"),
        ("revise", [finding("minor", "security")], "repair"),
        ("revise", [finding("critical", "evidence")], "block"),
        ("veto", [], "block"),
        ("veto reject revise", [finding("minor")], "block"),
        ("revise", [finding("major", "evidence")], "verify"),
        (
            "revise",
            [finding("major", "evidence"), finding("minor")],
            "repair",
        ),  # and a fix is clear
        ("abstain", [], "verify"),
        ("abstain abstain", [finding("minor", "evidence")], "verify"),
        ("", [], "verify"),
    ],
)
def test_the_worst_that_was_said_decides(words: str, found: list[Any], follows: str) -> None:
    assert follow_up([Word(one) for one in words.split()], found) == follows


@pytest.mark.proves("A-28", "B-113")
def test_repairs_are_not_made_for_ever() -> None:
    assert follow_up([Word.REVISE], [], MOST_REPAIRS - 1) is FollowUp.REPAIR
    assert follow_up([Word.REVISE], [], MOST_REPAIRS) is FollowUp.BLOCK
    assert follow_up([Word.APPROVE], [], MOST_REPAIRS) is FollowUp.CONTINUE


@pytest.mark.proves("A-28")
@given(
    st.lists(st.sampled_from(list(Word)), max_size=4),
    st.lists(
        st.builds(finding, st.sampled_from(list(Weight)), st.sampled_from([None, *Topic])),
        max_size=4,
    ),
)
def test_nothing_goes_on_past_a_no_and_nothing_grave_is_repaired_in_silence(
    words: list[Word], found: list[Any]
) -> None:
    follows = follow_up(words, found)
    if follows is FollowUp.CONTINUE:
        assert set(words) & set(APPROVALS) and not set(words) & set(DEMANDS)
    elif Word.VETO in words or any(one["severity"] == "critical" for one in found):
        assert follows is FollowUp.BLOCK


@pytest.mark.proves("A-28")
def test_a_finding_is_of_the_task_that_changed_its_path_last() -> None:
    work = [
        merged("a.py", "b.py", task="first"),
        merged("b.py", task="second"),
        merged("c.py", task="third"),
    ]
    found = [finding(path=path) for path in ("a.py", "b.py", "z.py")]
    assert by_task([*found, finding("info", path="a.py")], work) == {
        "first": [found[0]],
        "second": [found[1]],
        "third": [found[2]],
    }
