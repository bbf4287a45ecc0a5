"""The program that foresees: a copy of the database, and the engine with a clock of its own.

It reads one JSON object and writes one; the database that it is told of is only read.
"""

import gc
import json
import os
import random
import sys
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters.pretend import DONE, Ending, NoSecrets, PretendGit, PretendLauncher
from roundtable_desktop.adapters.system import StandingClock, SystemIds, local_zone
from roundtable_desktop.engine.foresight import foreseen, standing, usual
from roundtable_desktop.engine.simulate import Simulation
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import RunStatus
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import backups, drafts, events, runs, usage
from roundtable_desktop.store.db import Reader, Store, View

UNKNOWN_SPAN = 300.0
"""Seconds of a run of an agent that nobody has seen at work."""


def main(words: list[str]) -> int:
    gc.set_threshold(100_000, 50, 50)  # it lives for a minute and makes hardly a circle
    request = json.load(sys.stdin)
    json.dump(simulate(request, Path(request["folder"])), sys.stdout)
    return 0


def simulate(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """request: database, folder, now and until in microseconds, seed, workspace_id or null, the
    seconds after which it answers with what it has, and perhaps `draft`: the rows of a routine as
    somebody would have it."""
    ends = time.monotonic() + request["seconds"]
    copy = folder / "copy.db"
    backups.back_up(Path(request["database"]), copy)
    clock, ids = StandingClock(), SystemIds()
    clock.move_to(instant(request["now"]))
    with (
        closing(Store(copy, clock, durable=False)) as store,
        closing(Reader(copy, clock)) as reader,
    ):
        began = clock.now()
        with reader.snapshot() as view:
            first, last = events.last_id(view), events.last_instant(view)
            kept = standing(view, clock.now(), request["workspace_id"])
        if last is not None:
            store.start_after(last)
            ids.start_after(last)
        if draft := request.get("draft"):
            with store.transaction() as tx:
                drafts.put(tx, drafts.Rows(**draft))
        simulation = Simulation(
            store,
            reader,
            clock,
            ids,
            random.Random(request["seed"]).random,
            launcher(reader, clock),
            PretendGit(),
            NoSecrets(),
            copies=folder / "copies",
            zone=local_zone(os.environ),
        )
        complete = simulation.run(
            instant(request["until"]), may_go_on=lambda: time.monotonic() < ends
        )
        items, whole = foreseen(reader, first, request["workspace_id"])
        with reader.snapshot() as view:
            of_routines = runs.of_routines_since(view, began, request["workspace_id"])
    until = micros(clock.now())
    told = {"items": kept + items, "whole": whole, "complete": complete, "until": until}
    return {**told, "routine_runs": of_routines}


def launcher(reader: Reader, clock: StandingClock) -> PretendLauncher:
    """Each run goes well and takes as long as its agent's usually do; those that live go on."""

    spans: dict[str, timedelta] = {}

    def after(view: View, run: Run) -> timedelta:
        """Asked once: what is pretended says nothing about what is usual."""
        if run.agent_id not in spans:
            seconds = usual(view, run.agent_id, UNKNOWN_SPAN)
            spans[run.agent_id] = timedelta(seconds=seconds)
        return spans[run.agent_id]

    uses: dict[str, dict[str, object]] = {}

    def typical(view: View, run: Run) -> dict[str, object]:
        """So that budgets hold as they do in reality."""
        if run.agent_id not in uses:
            uses[run.agent_id] = usage.typical(view, run.agent_id)
        return uses[run.agent_id]

    def ends(order: LaunchOrder) -> Ending:
        with reader.snapshot() as view:
            run = runs.get(view, order.run)
            assert run is not None, "it is born with its order"
            used = typical(view, run)
            return replace(DONE, after=after(view, run), used=used)

    made = PretendLauncher(clock, ends)
    with reader.snapshot() as view:
        for run in runs.live(view):
            if run.status is RunStatus.RUNNING:
                gone = clock.now() - (run.started_at or clock.now())
                left = max(timedelta(0), after(view, run) - gone)
                ending = replace(DONE, after=left)
                made.adopt(run.id, run.spool_offset, run.spool_seq, ending)
    return made
