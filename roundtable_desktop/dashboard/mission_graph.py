"""The graph of a mission for a page: its waves one below the other, then what is still to come."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.dashboard.plan_words import Telling
from roundtable_desktop.engine.desk.look_missions import Detail, Node, WaveHead
from roundtable_desktop.model.graph import Dependency
from roundtable_desktop.model.states import TERMINAL_TASKS

SIGNS = {"hard": "→", "soft": "⇢", "conflict": "⇹", "serialization": "⇄"}
"""Each kind of edge has a sign and a word of its own, besides its line."""
EDGES = 12
"""Of one task that are shown; its page has all."""


@dataclass(frozen=True, slots=True)
class EdgeShown:
    """other: T-3. inferred: by the planner."""

    kind: str
    sign: str
    word: str
    other: str
    other_id: str
    inferred: bool
    reason: str


@dataclass(frozen=True, slots=True)
class CardShown:
    node: Node
    edges: Sequence[EdgeShown]
    left_out: int
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """wave: None for what no wave has set off yet; step: then how many come before it."""

    wave: WaveHead | None
    step: int
    cards: Sequence[CardShown] = field(default_factory=list)

    @property
    def over(self) -> int:
        return sum(one.node.task.status in TERMINAL_TASKS for one in self.cards)


def graph_of(seen: Detail, words: Telling) -> list[Row]:
    """Each task once: in the newest wave that set it off, else by what must be done before it."""
    heads = {one.number: one for one in seen.waves}
    rows: dict[tuple[bool, int], list[CardShown]] = {}
    for node in seen.nodes:
        place = (node.wave is None, node.depth if node.wave is None else node.wave)
        rows.setdefault(place, []).append(_card(node, words))
    return [
        Row(None if later else heads[number], number, cards)
        for (later, number), cards in sorted(rows.items())
    ]


def _card(node: Node, words: Telling) -> CardShown:
    drawn = [_edge(one, words) for one in node.edges[:EDGES]]
    return CardShown(node, drawn, max(0, len(node.edges) - EDGES), words.why(node.why))


def _edge(one: Dependency, words: Telling) -> EdgeShown:
    kind, inferred = str(one.dependency_type), one.inferred
    reason: Any = one.reason
    if inferred and reason:
        reason = words.inferred(reason)
    other = one.depends_on_task_id
    return EdgeShown(
        kind, SIGNS[kind], label(kind), words.task(other), other, inferred, str(reason)
    )
