"""The doctor: looks at the home and its surroundings; each finding has its cure (N-22)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from roundtable_desktop.engine import copied
from roundtable_desktop.engine.desk import next_start
from roundtable_desktop.engine.desk.keeping import KeptBackups
from roundtable_desktop.engine.putting_away import BEFORE
from roundtable_desktop.model.copies import task_of_copy
from roundtable_desktop.model.errors import Broken, Refused
from roundtable_desktop.model.findings import Door, Finding, Premises, Standing
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.programs import Programs, SignIn
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import AgentStatus, ErrorKind
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import (
    agents,
    backups,
    checkups,
    events,
    migrate,
    opening,
    restored,
    restoring,
    routines,
    runs,
    settings,
    webhooks,
)
from roundtable_desktop.store import copied as copied_rows
from roundtable_desktop.store.db import Reader, View
from roundtable_desktop.store.soundness import faults

OK, NOTICE, CRITICAL = Standing
LOOK_SECONDS = 3.0
"""For the look through the database; a larger one has housekeeping's."""
LITTLE, TOO_LITTLE = 1 << 30, 100 << 20
"""Bytes that are free: below them a day's work, or the next write, may not fit."""


class Doctor:
    """path: of the database; folder: of the backups. reader: None where the file cannot be read
    by this version, which is a finding of its own then. door: whose the dashboard's port is."""

    def __init__(
        self,
        premises: Premises,
        clock: Clock,
        path: Path,
        folder: Path,
        reader: Reader | None,
        door: Door,
    ) -> None:
        self._premises, self._clock = premises, clock
        self._path, self._folder, self._reader = path, folder, reader
        self._door = door
        self.backups = KeptBackups(path, folder, clock)

    @property
    def programs(self) -> Programs:
        return self._premises.programs

    def findings(self) -> list[Finding]:
        return list(self._all())

    def next_start(self) -> list[next_start.Told]:
        """What a start would do now; nothing where the file cannot be read, for then a finding says
        it."""
        if self._reader is None:
            return []
        with self._reader.snapshot() as view:
            return list(next_start.of(view))

    def fix(self) -> list[Finding]:
        """Mends what can be mended without taking anything of the user's away, and looks again.
        What was found and is gone now is shown as mended."""
        before = [one for one in self.findings() if one.fixable]
        if any(one.check == "modes" for one in before):
            self._premises.mend_loose()
        if any(one.check == "sockets" for one in before):
            self._premises.mend_sockets()
        for one in before:
            if one.check == "processes":
                self._premises.end(str(one.values["run"]))
        after = self.findings()
        left = [(one.code, one.values) for one in after]
        mended = [one for one in before if (one.code, one.values) not in left]
        return [*(replace(one, standing=OK, fixed=True) for one in mended), *after]

    def _all(self) -> Iterator[Finding]:
        yield self._database()
        yield from self._machine()
        if self._reader is None:
            return
        marked, copies = self._premises.marked(), self._premises.copies()
        ours = set(self._premises.runs())
        with self._reader.snapshot() as view:
            found = [
                *self._port(view),
                self._settings(view),
                self._backups(view),
                self._time(view),
                self._intake(view),
                *self._runs(view),
                *self._processes(view, marked, ours),
                *self._copies(view, copies),
                *self._webhooks(view),
            ]
            every = [one for one in agents.every(view) if one.status is not AgentStatus.RETIRED]
            errors = {one.id: runs.last_errors(view, one.id, 1) for one in every}
        yield from found
        for agent in every:
            yield self._agent(agent, errors[agent.id])

    def _database(self) -> Finding:
        until = self._clock.monotonic() + LOOK_SECONDS
        path = str(self._path)
        try:
            if migrate.version_of(self._path) == 0:
                return self._no_database()
            text = faults(self._path, may_go_on=lambda: self._clock.monotonic() < until)
            if text:
                raise Broken("database_damaged", path=path, text=text)
        except Broken as refused:
            return self._harmed(refused)
        except Refused as refused:
            return _as_it_says(refused)
        size = self._path.stat().st_size
        return _finding("database", OK, "doctor_database", path=path, megabytes=_megabytes(size))

    def _no_database(self) -> Finding:
        """Nobody has begun here, or somebody took it away."""
        path, made = str(self._path), backups.kept(self._folder, self._clock.now())
        if not made:
            return _finding("database", OK, "doctor_no_database", path=path)
        backup = str(made[0].path)
        return _finding("database", CRITICAL, "database_gone", path=path, backup=backup)

    def _harmed(self, refused: Broken) -> Finding:
        """What the next start will do, without doing it."""
        try:
            harm = opening.harm_of(self._path, self._folder, refused)
        except Refused as other:
            return _as_it_says(other)
        backup = restoring.newest_sound(self._folder, self._clock.now())
        if backup is None:
            lost = "" if restoring.sound_alone(self._path) else "_lost"
            return _as_it_says(Broken(f"{harm.code}{lost}", **harm.values))
        of = {"at": rfc3339(backup.at), "backup": str(backup.path)}
        code = harm.code.replace("database_", "doctor_")
        return Finding(check="database", standing=CRITICAL, code=code, values={**harm.values, **of})

    def _port(self, view: View) -> Iterator[Finding]:
        """Only who holds the home knows whose a port is that is taken."""
        if self._door is Door.SERVED:
            said = self._premises.owner()
            yield _finding("owner", OK, "doctor_owner", pid=said.get("pid"), url=said.get("url"))
            if taken := said.get("port_taken"):
                yield _finding("port", NOTICE, "doctor_port_moved", port=taken, url=said["url"])
        elif self._door is Door.CLOSED and (port := settings.of_home(view).port):
            free = self._premises.port_is_free(port)
            standing, code = (OK, "doctor_port") if free else (NOTICE, "doctor_port_taken")
            yield _finding("port", standing, code, port=port)

    def _settings(self, view: View) -> Finding:
        known = checkups.connection_settings(view)
        words = ", ".join(f"{name}={value}" for name, value in known.items())
        return _finding("sqlite", OK, "doctor_sqlite", settings=words)

    def _machine(self) -> Iterator[Finding]:
        loose = self._premises.loose()
        if loose:
            yield _finding(
                "modes",
                CRITICAL,
                "doctor_loose",
                fixable=True,
                count=len(loose),
                path=str(loose[0]),
            )
        else:
            yield _finding("modes", OK, "doctor_private")
        free = self._premises.free_bytes()
        low = CRITICAL if free < TOO_LITTLE else NOTICE
        standing, code = (low, "doctor_disk_low") if free < LITTLE else (OK, "doctor_disk")
        yield _finding("disk", standing, code, megabytes=_megabytes(free), free=_room(free))
        stale = self._premises.stale_sockets()
        if stale:
            yield _finding("sockets", NOTICE, "doctor_sockets", fixable=True, count=len(stale))
        for path, size in self._premises.aside():
            yield _finding(
                "aside", NOTICE, "doctor_aside", path=str(path), megabytes=_megabytes(size)
            )
        if self._premises.git() is None:
            yield _finding("git", CRITICAL, "doctor_no_git")

    def _backups(self, view: View) -> Finding:
        made = backups.kept(self._folder, self._clock.now())
        longest = timedelta(hours=2 * settings.of_home(view).backup_hours)
        if not made:
            empty = not restored.numbers(view)
            return _finding("backups", OK if empty else NOTICE, "doctor_no_backup")
        newest, now = made[0], self._clock.now()
        values = {"at": rfc3339(newest.at), "path": str(newest.path), "count": len(made)}
        old = now - newest.at > longest
        standing, code = (NOTICE, "doctor_backup_old") if old else (OK, "doctor_backup")
        return Finding(check="backups", standing=standing, code=code, values=values)

    def _time(self, view: View) -> Finding:
        last, now = events.last_instant(view), self._clock.now()
        if last is not None and last - now > timedelta(minutes=1):
            return _finding(
                "clock", NOTICE, "doctor_clock_back", now=rfc3339(now), last=rfc3339(last)
            )
        return _finding("clock", OK, "doctor_clock", now=rfc3339(now))

    def _intake(self, view: View) -> Finding:
        intake = settings.of_home(view).intake
        if source := copied_rows.source(view):
            return _finding("intake", NOTICE, "doctor_intake_copied", source=source)
        if self._door is not Door.SERVED and restored.mark(view) is None:
            past = copied.noticed(view, self._premises.whereabouts())
            if past is not None:
                return _finding("intake", NOTICE, "doctor_copied", source=past.source)
        standing = OK if intake == "open" else NOTICE
        return _finding("intake", standing, f"doctor_intake_{intake}")

    def _runs(self, view: View) -> Iterator[Finding]:
        for run in checkups.leases_left(view):
            yield _finding("leases", NOTICE, "doctor_lease", run=run)
        yield _finding("runs", OK, "doctor_runs", count=runs.count_live(view))

    def _processes(
        self, view: View, marked: Mapping[str, Sequence[int]], ours: set[str]
    ) -> Iterator[Finding]:
        """Of runs of this home only: another home's processes bear marks too."""
        for run, pids in sorted(marked.items()):
            known = checkups.knows_run(view, run)
            if (run in ours or known) and not checkups.is_at_work(view, run):
                told = ", ".join(map(str, pids))
                code = "doctor_orphans" if known else "doctor_forgotten"
                yield _finding("processes", CRITICAL, code, fixable=True, run=run, pids=told)

    def _copies(self, view: View, copies: Sequence[tuple[int, str]]) -> Iterator[Finding]:
        """What lies in one may be somebody's only copy of it, so a person looks first."""
        numbers = restored.numbers(view)
        for number, name in sorted(copies):
            task = task_of_copy(name)
            if BEFORE in name:
                place = self._path.parent / "copies" / str(number) / name
                yield _finding("copies", NOTICE, "doctor_copy_before", path=str(place))
            elif number not in numbers or (
                task and not checkups.has_task(view, numbers[number], task[0])
            ):
                place = self._path.parent / "copies" / str(number) / name
                yield _finding("copies", NOTICE, "doctor_copy", path=str(place))

    def _webhooks(self, view: View) -> Iterator[Finding]:
        """Secrets are in no backup, so a restore may leave a webhook without its own."""
        for trigger in webhooks.every(view):
            routine = routines.present(view, trigger.routine_id)
            if trigger.secret_missing and routine is not None:
                yield _finding("webhooks", NOTICE, "doctor_webhook_secret", routine=routine.name)

    def _agent(self, agent: Agent, errors: list[str | None]) -> Finding:
        name = agent.command[0] if agent.command else ""
        programs = self._premises.programs
        place = programs.place(name) if name else agent.adapter
        sign_in, variable = programs.sign_in(name)
        if place is None:
            standing, code = CRITICAL, "doctor_agent_missing"
        elif errors[:1] == [ErrorKind.AUTH_REQUIRED]:
            standing, code = CRITICAL, "doctor_agent_login"
        elif sign_in is SignIn.NONE and not agent.env_names:
            standing, code = NOTICE, "doctor_agent_no_login"
        elif sign_in is SignIn.VARIABLE and not agent.env_names:  # agents do not get it (S-72)
            standing, code = NOTICE, "doctor_agent_key"
        else:
            standing, code = OK, "doctor_agent" if name else "doctor_agent_built_in"
        program = name or str(agent.adapter)  # the built-in one has no command
        values: dict[str, object] = {"agent": agent.name, "program": program, "place": place}
        if variable:
            values["variable"] = variable
        return Finding(check="agents", standing=standing, code=code, values=values)


def _as_it_says(refused: Refused) -> Finding:
    return Finding(check="database", standing=CRITICAL, code=refused.code, values=refused.values)


def _finding(
    check: str, standing: Standing, code: str, *, fixable: bool = False, **values: object
) -> Finding:
    return Finding(check=check, standing=standing, code=code, values=values, fixable=fixable)


def _room(size: int) -> str:
    """68.7 GB, or 512.0 MB below one of them."""
    return f"{size / (1 << 30):,.1f} GB" if size >= 1 << 30 else f"{_megabytes(size)} MB"


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):,.1f}"
