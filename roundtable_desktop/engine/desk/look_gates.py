"""What the faces may see of gates: who is asked, what was said, and what is still waited for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roundtable_desktop.model.gates import Gate, Verdict, VerdictStatus
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Task
from roundtable_desktop.rules.reviews import Policy, policy_of
from roundtable_desktop.store import agents, gates, verdicts
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict with whose it is; None: the person's."""

    verdict: Verdict
    name: str | None


@dataclass(frozen=True, slots=True)
class Stage:
    """A gate with its reviewers' names and the verdicts of its newest round."""

    gate: Gate
    names: Sequence[str]
    said: Sequence[Said]

    @property
    def policy(self) -> Policy:
        """By what it is judged, as it was set."""
        return policy_of(self.gate)

    @property
    def outstanding(self) -> list[str]:
        """Whose verdict it waits for."""
        left = (VerdictStatus.ASKED, VerdictStatus.MISSING)
        return [one.name for one in self.said if one.name and one.verdict.status in left]


class LookGates:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def of_tasks(self, found: Iterable[Task]) -> dict[str, list[Stage]]:
        """By the tasks' ids, in the order in which they are asked."""
        with self._reader.snapshot() as view:
            ids = [one.id for one in found]
            gated = gates.have_some(view, ids)
            return {one: stages(view, one) if one in gated else [] for one in ids}

    def of_proposal(self, proposal: Proposal) -> list[Said]:
        """All that was said of it, oldest first."""
        with self._reader.snapshot() as view:
            given = [
                one
                for one in verdicts.of_proposal(view, proposal.id)
                if one.status is VerdictStatus.GIVEN
            ]
            return _named(view, given)


def stages(view: View, task_id: str) -> list[Stage]:
    found = gates.of_task(view, task_id)
    known = agents.of_ids(view, [one for gate in found for one in gate.agents])
    return [
        Stage(
            gate,
            [known[one].name for one in gate.agents if one in known],
            _named(view, verdicts.of_round(view, gate)),
        )
        for gate in found
    ]


def _named(view: View, found: Sequence[Verdict]) -> list[Said]:
    known = agents.of_ids(view, [one.author_id for one in found if one.author_type == "agent"])
    return [
        Said(one, known[one.author_id].name if one.author_id in known else None) for one in found
    ]
