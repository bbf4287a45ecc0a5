"""Ends every process of some runs, now, and says which of them are gone and which are left."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.engine.calling_off import end_tree
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.model.ports import ProcessFacts
from roundtable_desktop.model.records import Json, Process

AT_ONCE = 16
_LISTS = ("killed", "survivors")


@dataclass(frozen=True, slots=True)
class Stopped:
    """What ran when it was asked for, and what of it is left; both as pid, name, role."""

    killed: Sequence[ProcessFacts]
    survivors: Sequence[ProcessFacts]


def end_runs(desk: Desk, known: Mapping[str, Sequence[Process]]) -> Stopped:
    """known: the runs, each with its stored processes. All are ended at the same time."""
    seen = [fact for found in known.values() for fact in desk.measure(found) if fact.alive]
    swept = end_all(desk, list(known))
    left = list(desk.end_left(seen))
    pids = {fact.pid for fact in left}
    left += [_named(pid, None, "child") for pid in swept if pid not in pids]  # came after we looked
    return Stopped([fact for fact in seen if fact.pid not in pids], left)


def end_all(desk: Desk, run_ids: Sequence[str]) -> list[int]:
    """The pids that are left."""
    if not run_ids:
        return []
    with ThreadPoolExecutor(min(len(run_ids), AT_ONCE)) as pool:
        ended = pool.map(lambda run_id: end_tree(desk.launcher, run_id), run_ids)
        return [pid for left in ended for pid in left]


def told(stopped: Stopped) -> Json:
    """As an event keeps it."""
    return {key: _names(getattr(stopped, key)) for key in _LISTS}


def read(data: Any) -> Stopped:
    killed, survivors = ([_named(**one) for one in data[key]] for key in _LISTS)
    return Stopped(killed, survivors)


def _names(processes: Iterable[ProcessFacts]) -> list[Json]:
    return [{"pid": one.pid, "name": one.name, "role": one.role} for one in processes]


def _named(pid: int, name: str | None, role: str) -> ProcessFacts:
    """As it was when it was seen; no more is known of it."""
    return ProcessFacts(
        pid=pid, name=name, role=role, started_at=None, alive=True, cpu=None, rss=None
    )
