"""Reads the two ledgers that the product does not write."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the agents' ledger."""

    kind: str
    run: str
    attempt: int
    pid: int
    ticks: int
    at: float
    task: str


@dataclass(frozen=True, slots=True)
class Acked:
    key: str
    kind: str
    task: str


@dataclass
class Launches:
    """All that the agents themselves told, by kind, in the order of their writes."""

    by_kind: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))

    def of(self, kind: str) -> list[Record]:
        return self.by_kind.get(kind, [])

    def spans(self) -> dict[str, list[tuple[float, float]]]:
        """For each run from START to END; without an END the START alone is known."""
        ends = {record.run: record.at for record in self.of("END")}
        found: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for record in self.of("START"):
            found[record.run].append((record.at, ends.get(record.run, record.at)))
        return found


def read_launches(path: Path) -> Launches:
    launches = Launches()
    for line in path.read_text().splitlines() if path.exists() else []:
        kind, run, attempt, pid, ticks, at, task = line.split()
        record = Record(kind, run, int(attempt), int(pid), int(ticks), float(at), task)
        launches.by_kind[kind].append(record)
    return launches


def read_acks(path: Path) -> list[Acked]:
    return [Acked(*line.split()) for line in path.read_text().splitlines()] if path.exists() else []
