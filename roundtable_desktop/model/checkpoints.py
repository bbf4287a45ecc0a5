"""How far an agent is with saying where it is, before its person leaves (N-10)."""

from dataclasses import dataclass
from enum import StrEnum


class Hearing(StrEnum):
    """`deaf`: it cannot be asked. `waits`: it will be. `told`: it used a tool since, and was told
    by when. `asked`: its turn was broken off for the question. `given`: it has said it."""

    DEAF = "deaf"
    WAITS = "waits"
    TOLD = "told"
    ASKED = "asked"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Of one run that is still at work. task: its number; None of a run without one."""

    run_id: str
    agent: str
    task: int | None
    hearing: Hearing


@dataclass(frozen=True, slots=True)
class Rest:
    """What is still under way once no run is. deliveries: how many; pids: processes that runs left
    behind."""

    deliveries: int = 0
    pids: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deliveries or self.pids)


NOTHING = Rest()
