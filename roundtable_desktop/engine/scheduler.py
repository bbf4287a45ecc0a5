"""The moving parts of the engine, joined to each other, with their order of start and stop."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from roundtable_desktop.engine import budgets, checkpoints, mission_control, turns
from roundtable_desktop.engine.calling_off import break_off
from roundtable_desktop.engine.completion import Completion
from roundtable_desktop.engine.config_watch import ConfigWatch
from roundtable_desktop.engine.delivery import Deliveries
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.engine.follower import Follower
from roundtable_desktop.engine.launching import Equipment, Launching
from roundtable_desktop.engine.loop import DEGRADED_AFTER, Looked, Loop
from roundtable_desktop.engine.missions import Missions
from roundtable_desktop.engine.offering import Offering
from roundtable_desktop.engine.opening import Openings
from roundtable_desktop.engine.parting import Parting
from roundtable_desktop.engine.pool import Acts, Pool
from roundtable_desktop.engine.recovery import Hands, end_life, recover
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.ports import Dice, Git, Ids, Launcher, RowClock, Secrets
from roundtable_desktop.model.resources import Gauge, Gauges
from roundtable_desktop.model.states import ErrorKind, Health
from roundtable_desktop.store import offers, proposals, sittings
from roundtable_desktop.store.db import Reader, Store, Tx

ACTS_SECONDS = 3.0
"""For acts under way when the owner stops; git may take minutes for a large repository."""


class Scheduler:
    """Every callback between the parts hands work to the pool and returns at once.

    zone: of this machine; agents say in it when a limit ends. acts: where they go instead of the
    pool. config: what looks at the files of repositories, if anything does. gauges: what the
    machine has to give, where that is measured. A simulation takes
    the steps `recover`, `tick` and `consume` itself and starts nothing.
    """

    def __init__(
        self,
        store: Store,
        reader: Reader,
        git: Git,
        launcher: Launcher,
        secrets: Secrets,
        ids: Ids,
        clock: RowClock,
        dice: Dice,
        *,
        copies: Path,
        environ: Mapping[str, str],
        equipment: Equipment,
        zone: str,
        acts: Acts | None = None,
        parting: Parting | None = None,
        config: ConfigWatch | None = None,
        gauges: Gauges | None = None,
    ) -> None:
        self._store, self._reader, self._launcher, self._git = store, reader, launcher, git
        self._ids = ids
        self._pool = Pool(clock, dice)
        self._acts, parting = acts or self._pool, parting or Parting()
        self._completion = Completion(store, reader, git, launcher, ids, dice, copies, zone)
        look_at = config.pass_by if config else lambda workspace_id: None
        self._deliveries = Deliveries(store, reader, git, ids, look_at)
        self._offering = Offering(store, reader, git, ids)
        self._retention = Retention(store, reader, git, copies)
        self._follower = Follower(
            store,
            reader,
            launcher,
            clock,
            ids,
            ended=self._settle,
            lost=self._lost,
            unborn=self._never_came,
            over=self._break_off,
        )
        self._launching = Launching(
            store,
            reader,
            git,
            launcher,
            secrets,
            ids,
            copies=copies,
            environ=environ,
            equipment=equipment,
            follow=self._follower.follow,
            unborn=self._completion.unborn,
            parting=parting,
            look_at=look_at,
        )
        self._openings = Openings(store, reader, git, ids)
        self._gauge = gauge = gauges.read if gauges else Gauge
        self._missions = Missions(store, reader, clock, ids, dice, gauge, self._open)
        self._loop = self._loop_of(clock, dice, parting)

    def _loop_of(self, clock: RowClock, dice: Dice, parting: Parting) -> Loop:
        sweep = Sweep(self._store, self._reader, clock, self._ids)
        return Loop(
            self._store,
            Dispatcher(self._store, self._ids, self._launch, parting),
            Routines(self._store, self._ids, dice),
            clock,
            dice,
            self._deliver_intended,
            sweep.look,
            self._break_off,
            self._launcher.tie,
            sweep.due,
            self._ask_where,
            self._pass_time,
            self._missions,
            lambda: self._gauge().on_battery,
        )

    def _pass_time(self, tx: Tx) -> None:
        budgets.pass_time(tx, self._ids)
        mission_control.pass_time(tx)
        turns.pass_time(tx, self._ids)

    def start(self) -> None:
        """Recovery comes before the first claim: what lives is known before more is started."""
        self.recover()
        self._pool.start()
        self._follower.start()
        self._loop.start()

    def recover(self) -> None:
        hands = Hands(
            follow=self._follower.follow,
            never_born=self._never_born,
            settle=self._settle,
            deliver=self._deliver,
            break_off=self._break_off,
        )
        with self._store.transaction() as tx:
            sittings.lose_all(tx)
        recover(self._store, self._launcher, hands, self._ids)

    def tick(self) -> datetime | None:
        """All that is due now; when something will be (`Loop.tick`)."""
        return self._loop.tick()

    def consume(self, run_id: str) -> None:
        """All that the run's runner has written so far."""
        self._follower.consume(run_id)

    def stop(self) -> None:
        """No claim, then no message, then no act. What has begun may end; what takes longer is
        broken off as by a kill, and the next start takes it up."""
        self._loop.stop()
        self._follower.stop()
        self._pool.stop(ACTS_SECONDS)
        self._git.stop()
        self._pool.join()
        end_life(self._store)

    def revive(self) -> None:
        """Has the loop begin anew after it was given up (`Loop.revive`). Raises Conflict where
        another part is gone."""
        if not self._others_live():
            raise Conflict("scheduler_in_parts")
        self._loop.revive()

    def _others_live(self) -> bool:
        return self._follower.lives and self._pool.lives

    def look(self, seconds: float) -> Looked | None:
        """Has the loop look at what is due, now (`Loop.look`)."""
        return self._loop.look(seconds)

    def free_copies(self) -> int:
        """Takes away the copies that are done with (`Retention.free`)."""
        return self._retention.free()

    def stopped_at(self) -> datetime | None:
        return self._loop.stopped_at()

    def health(self) -> Health:
        """Degraded while any of the moving parts fails again and again; dead when one is gone."""
        health = self._loop.health()
        if not self._others_live():
            return Health.DEAD
        stumbling = self._acts.failing or self._follower.failures >= DEGRADED_AFTER
        stumbling = stumbling or self._missions.failing
        return Health.DEGRADED if health is Health.OK and stumbling else health

    def _launch(self, run_id: str) -> None:
        self._acts.submit(f"launch:{run_id}", lambda: self._launching.launch(run_id))

    def _settle(self, run_id: str) -> None:
        self._acts.submit(f"settle:{run_id}", lambda: self._completion.settle(run_id))

    def _lost(self, run_id: str) -> None:
        self._acts.submit(f"settle:{run_id}", lambda: self._completion.lost(run_id))

    def _never_born(self, run_id: str) -> None:
        self._acts.submit(f"settle:{run_id}", lambda: self._completion.never_born(run_id))

    def _never_came(self, run_id: str, why: str) -> None:
        """No spool, in time or for good. If a runner came after all, it is followed."""

        def act() -> None:
            if not self._completion.unborn(run_id, ErrorKind.SPAWN_FAILED, why):
                self._follower.follow(run_id)

        # A key of its own: the end of a runner that came after all must not find it at work.
        self._acts.submit(f"overdue:{run_id}", act)

    def _break_off(self, run_id: str, reason: str = "interrupted") -> None:
        act = lambda: break_off(self._launcher, run_id, reason=reason)  # noqa: E731
        self._acts.submit(f"break-off:{run_id}", act)

    def _ask_where(self, run_id: str) -> None:
        act = lambda: checkpoints.ask(self._store, self._launcher, run_id)  # noqa: E731
        self._acts.submit(f"checkpoint:{run_id}", act)

    def _open(self, mission_id: str) -> None:
        self._acts.submit(f"open:{mission_id}", lambda: self._openings.open(mission_id))

    def _deliver(self, delivery_id: str) -> None:
        self._acts.submit(f"deliver:{delivery_id}", lambda: self._deliveries.deliver(delivery_id))

    def _deliver_intended(self) -> None:
        with self._reader.snapshot() as view:
            waiting, offered = proposals.intended(view), offers.intended(view)
        for delivery in waiting:
            self._deliver(delivery.id)
        for offer in offered:
            self._offer(offer.id)

    def _offer(self, offer_id: str) -> None:
        self._acts.submit(f"offer:{offer_id}", lambda: self._offering.offer(offer_id))
