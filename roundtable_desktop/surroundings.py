"""Builds what looks around the home: the doctor, the programs of agents, the start at login."""

import os
from pathlib import Path

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.premises import HomePremises
from roundtable_desktop.adapters.programs import InstalledPrograms
from roundtable_desktop.adapters.resources import MachineGauges
from roundtable_desktop.adapters.system import local_zone
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.welcome import Welcome
from roundtable_desktop.model.findings import Door
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.programs import Programs
from roundtable_desktop.model.resources import Gauges
from roundtable_desktop.rules.environment import for_agents
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store.db import Reader
from roundtable_desktop.tray import autostart


def programs_here() -> Programs:
    environment = for_agents(os.environ)
    return InstalledPrograms(Path.home(), os.environ, environment, lambda text: redact(text, ()))


def gauges_of(home: Home) -> Gauges:
    """What the machine has to give where the copies lie."""
    return MachineGauges(home.copies)


def doctor_of(
    home: Home, clock: Clock, reader: Reader | None, door: Door, programs: Programs | None = None
) -> Doctor:
    """programs: of the owner, where there is one."""
    marked = processes.Marked(home.lock_file)
    found = programs or programs_here()
    premises = HomePremises(home.root, os.environ, marked, home, found)
    return Doctor(premises, clock, home.database, home.backups, reader, door)


class StartAtLogin:
    """Fulfils `welcome.AtLogin`. root: of the home."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def is_on(self) -> bool | None:
        if not autostart.is_possible():
            return None
        return autostart.found(self._root) is autostart.AtLogin.ON

    def turn(self, on: bool) -> None:
        autostart.turn(on, self._root)

    def file(self) -> str:
        return str(autostart.file())


def welcome_of(home: Home, clock: Clock, reader: Reader, programs: Programs) -> Welcome:
    zone = local_zone(os.environ)
    return Welcome(reader, clock, zone, programs, StartAtLogin(home.root))
