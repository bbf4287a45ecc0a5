"""By whom a gate is judged, and whose veto is one: tables."""

from dataclasses import replace
from typing import Any

import pytest
from ground import NOW
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.model.gates import (
    APPROVALS,
    Gate,
    GateKind,
    GateStatus,
    Verdict,
    VerdictStatus,
    Word,
)
from roundtable_desktop.model.states import Role
from roundtable_desktop.rules.reviews import (
    MOST_SEATS,
    Policy,
    counted,
    judged,
    kept,
    policy_of,
    seats,
)

R = Role
ABLE = (("a", R.REVIEWER), ("b", R.ARCHITECT), ("c", R.REVIEWER), ("d", R.WORKER))


def gate(**changes: Any) -> Gate:
    made = Gate(
        id="g",
        workspace_id="w",
        task_id="t",
        place=1,
        kind=GateKind.REVIEW,
        agents=("a", "b", "c"),
        needed=2,
        status=GateStatus.ASKED,
        round=1,
        returns=0,
        stuck=None,
        proposal_id=None,
        approval_id=None,
        policy={},
        snapshot=None,
        created_at=NOW,
        updated_at=NOW,
        revision=1,
    )
    return replace(made, **changes)


def verdict(author: str, word: Word | None, author_type: str = "agent") -> Verdict:
    status = VerdictStatus.ASKED if word is None else VerdictStatus.GIVEN
    return Verdict(
        id=author,
        workspace_id="w",
        task_id="t",
        gate_id="g",
        round=1,
        proposal_id=None,
        author_type=author_type,
        author_id=author,
        status=status,
        word=word,
        note="",
        findings=(),
        why=None,
        times=1,
        wakeup_id=None,
        run_id=None,
        decided_at=None,
        created_at=NOW,
        updated_at=NOW,
        revision=1,
    )


@pytest.mark.proves("C-26", "C-66")
@pytest.mark.parametrize(
    ("policy", "authors", "asked"),
    [
        (Policy(("x", "y"), needed=1), "", (("x", "y"), 1)),  # as they were named
        (Policy(("x",), needed=1), "x", (("x",), 1)),  # it is seen that the author does not count
        (Policy((), (R.REVIEWER,)), "", (("a", "c"), 2)),  # all that have the role
        (Policy((), (R.REVIEWER,), 1), "", (("a", "c"), 1)),
        (Policy((), (R.REVIEWER,)), "a", (("c",), 1)),  # but for whose work it is
        (Policy((), (R.REVIEWER,), 2), "a", (("c",), 2)),  # and no fewer are needed for that
        (Policy((), (R.REVIEWER, R.ARCHITECT)), "", (("a", "b", "c"), 3)),
        (Policy(("d",), (R.ARCHITECT,)), "", (("d", "b"), 2)),
        (Policy(("a",), (R.REVIEWER,)), "", (("a", "c"), 2)),  # each once
        (Policy((), (R.DEBUGGER,)), "", ((), 1)),  # nobody: it cannot be passed by itself
    ],
)
def test_who_is_asked_and_how_many_must_approve(
    policy: Policy, authors: str, asked: tuple[tuple[str, ...], int]
) -> None:
    assert seats(policy, ABLE, authors) == asked


@pytest.mark.proves("C-26")
def test_no_more_are_asked_than_have_a_seat() -> None:
    many = [(str(number), R.REVIEWER) for number in range(20)]
    asked, needed = seats(Policy(("x",), (R.REVIEWER,)), many, ())
    assert asked == ("x", *(str(number) for number in range(MOST_SEATS - 1)))
    assert needed == MOST_SEATS


@pytest.mark.proves("C-26")
@pytest.mark.parametrize(
    ("word", "role", "powers", "counts"),
    [
        (Word.VETO, R.REVIEWER, None, Word.VETO),  # everybody's is one, as it always was
        (Word.VETO, R.REVIEWER, (R.ARCHITECT,), Word.REJECT),
        (Word.VETO, R.ARCHITECT, (R.ARCHITECT,), Word.VETO),
        (Word.VETO, R.ARCHITECT, (), Word.REJECT),  # nobody has the power
        (Word.VETO, None, (), Word.VETO),  # but a person
        (Word.REVISE, R.REVIEWER, (), Word.REVISE),
        (Word.ABSTAIN, R.REVIEWER, (), Word.ABSTAIN),
    ],
)
def test_whose_veto_is_one(
    word: Word, role: Role | None, powers: tuple[Role, ...] | None, counts: Word
) -> None:
    assert counted(word, role, powers) is counts


@pytest.mark.proves("C-26")
@pytest.mark.parametrize(
    ("policy", "words", "amounts"),
    [
        ({}, ("veto", None, None), "returned"),
        ({"veto": ["architect"]}, ("veto", None, None), "open"),  # a rejection among others
        ({"veto": ["architect"]}, (None, "veto", None), "returned"),  # whatever the count
        ({"veto": ["architect"]}, ("approve", "veto", "approve"), "returned"),
        ({"veto": []}, ("veto", "approve", "approve"), "returned"),  # still a no, heard with all
        ({}, ("abstain", "approve", "abstain"), "too_few"),  # nobody is needed less for it
        ({}, ("abstain", "approve", "approve_with_notes"), "passed"),
        ({}, ("abstain", "approve", None), "open"),
        ({}, ("abstain", "abstain", "abstain"), "too_few"),
    ],
)
def test_what_the_words_of_three_amount_to_where_two_are_needed(
    policy: dict[str, object], words: tuple[str | None, ...], amounts: str
) -> None:
    said = [verdict(who, word and Word(word)) for who, word in zip("abc", words, strict=True)]  # type: ignore[arg-type]
    roles = dict(ABLE)
    assert judged(gate(policy=policy), said, roles) == amounts


POLICIES = st.builds(
    Policy,
    named=st.lists(st.sampled_from("abcdxy"), unique=True, min_size=1, max_size=4).map(tuple),
    roles=st.lists(st.sampled_from(list(Role)), unique=True, max_size=3).map(tuple),
    needed=st.none() | st.integers(1, 5),
    veto=st.none() | st.lists(st.sampled_from(list(Role)), unique=True).map(tuple),
)


@pytest.mark.proves("C-26")
@given(POLICIES, st.sets(st.sampled_from("abcd")))
def test_what_is_kept_is_what_was_set_and_no_author_is_asked_for_a_role(
    policy: Policy, authors: set[str]
) -> None:
    asked, needed = seats(policy, ABLE, authors)
    stored = gate(policy=kept(policy), agents=asked, needed=needed)
    assert needed >= 1 and needed >= (policy.needed or 1)
    assert not (set(asked) - set(policy.named)) & authors
    if policy.roles:
        assert policy_of(stored) == policy
    else:
        assert (policy_of(stored).named, policy_of(stored).veto) == (policy.named, policy.veto)


@pytest.mark.proves("C-26")
@given(st.lists(st.sampled_from([None, *Word]), min_size=3, max_size=3), st.booleans())
def test_never_passed_below_the_number_or_past_somebodys_no(
    words: list[Word | None], powerless: bool
) -> None:
    said = [verdict(who, word) for who, word in zip("abc", words, strict=True)]
    amounts = judged(gate(policy={"veto": []} if powerless else {}), said, dict(ABLE))
    if amounts == "passed":
        assert sum(word in APPROVALS for word in words) >= 2
        assert not {Word.REVISE, Word.REJECT, Word.VETO} & set(words)
