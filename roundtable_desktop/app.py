"""The one place that builds things, and the order in which they start and stop."""

import contextlib
import hashlib
import logging
import os
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import roundtable_desktop
from roundtable_desktop.adapters import home as homes
from roundtable_desktop.adapters import logs, processes
from roundtable_desktop.adapters.foreseeing import ForeseeingChild
from roundtable_desktop.adapters.git import Alone, HardenedGit
from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.reviewed.config import RepositoryConfig
from roundtable_desktop.adapters.runners import LocalRunners, own_program
from roundtable_desktop.adapters.runners.folder import check_sockets, socket_at
from roundtable_desktop.adapters.secrets import FileSecrets
from roundtable_desktop.adapters.system import (
    StandingClock,
    SystemClock,
    SystemIds,
    base32,
    clock_for,
    local_zone,
)
from roundtable_desktop.adapters.transcripts import FileTranscripts
from roundtable_desktop.dashboard import api as routes
from roundtable_desktop.dashboard import pages
from roundtable_desktop.dashboard.app import Parts, build_app
from roundtable_desktop.dashboard.guard import Doors
from roundtable_desktop.dashboard.live import Streams
from roundtable_desktop.dashboard.pages import agents_door
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.server import Server, check_host, listen_where_asked, serve
from roundtable_desktop.dashboard.signin import SignIn
from roundtable_desktop.engine import restored
from roundtable_desktop.engine.config_watch import ConfigWatch
from roundtable_desktop.engine.desk import Desk, kept_secrets
from roundtable_desktop.engine.desk.agency import Agency, Holders
from roundtable_desktop.engine.desk.browsers import Browsers
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.test_clock import ClockHands, stood_at
from roundtable_desktop.engine.forgotten import Runners
from roundtable_desktop.engine.housekeeping import Housekeeping
from roundtable_desktop.engine.launching import Equipment
from roundtable_desktop.engine.safety import Safety
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.mcp.server import Door
from roundtable_desktop.model import findings
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.programs import Programs
from roundtable_desktop.model.records import SYSTEM, Subject
from roundtable_desktop.model.settings import GlobalSettings
from roundtable_desktop.model.states import Health
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import events, journal, opening, settings
from roundtable_desktop.store.db import Reader, Store
from roundtable_desktop.store.migrate import Say, quietly
from roundtable_desktop.store.restored import Past
from roundtable_desktop.surroundings import doctor_of, gauges_of, programs_here, welcome_of

log = logging.getLogger(__name__)

__all__ = ["Home", "Owner", "lay_ground", "run_tray"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What stands before anything moves: the locked home and its open database."""

    home: Home
    clock: SystemClock | StandingClock
    ids: SystemIds
    store: Store
    reader: Reader
    secrets: FileSecrets
    git: HardenedGit
    runners: LocalRunners
    desk: Desk
    past: Past | None
    programs: Programs

    def close(self) -> None:
        self.git.stop()
        self.reader.close()
        self.store.close()
        self.home.unlock()


def lay_ground(home: Home, say: Say = quietly) -> Ground:
    """Takes the home, then migrates, then opens: the lock comes before all (D-06). say: hears what
    takes its time."""
    clock, ids = clock_for(os.environ), SystemIds()
    home.prepare()
    home.lock()
    try:
        made = opening.make_ready(home.database, home.backups, clock.now(), clock.monotonic, say)
    except BaseException:
        home.unlock()
        raise
    store = Store(home.database, clock)
    reader = Reader(home.database, clock, lambda: store.trouble)
    with reader.snapshot() as view:
        last, stood = events.last_instant(view), stood_at(view)
    if last is not None:
        store.start_after(last)
        ids.start_after(last)
    if isinstance(clock, StandingClock):
        clock.move_to(stood or clock.now())
        log.warning("a test clock stands at=%s", clock.now())
    elif last is not None:
        clock.start_after(last)
    log.info("home open path=%s migrations=%s", home.root, made.applied)
    secrets = FileSecrets(home.secrets, homes.read_private, homes.write_private)
    users, marked = home.users_umask, processes.Marked(home.lock_file)
    git = HardenedGit(home.empty, Path.home(), users, Alone(home.git_lock, processes.sweep))
    runners = LocalRunners(home.runs, home.sockets, sweep=marked.sweep, umask=users)
    those = Runners(runners, runners.works_in, marked.of_runs, home.runs)
    past = restored.settle(store, git, ids, home.copies, those, home.whereabouts(), made.applied)
    files, zone = RepositoryConfig(users), local_zone(os.environ)
    config = ConfigWatch(store, reader, files, ids, routes.config.read, secrets.values, git)
    desk = Desk(store, git, secrets, ids, runners, processes.facts, processes.end, zone, config)
    reader.stands = lambda: desk.parting.stands or store.stands
    kept_secrets.settle(desk)
    found = programs_here()
    return Ground(home, clock, ids, store, reader, secrets, git, runners, desk, past, found)


def run_tray(home: Home, *, port: int | None, hidden: bool) -> str:
    """Until it is told to quit. Answers why there can be no tray here, or nothing.

    Qt is loaded here alone, so that `roundtable start` runs where there is none.
    """
    from roundtable_desktop.tray import display

    if why := display.missing(os.environ):
        return why
    from roundtable_desktop.tray import program

    owner, monotonic = Owner(home, port=port), SystemClock().monotonic
    if failure := program.run(owner, hidden=hidden, monotonic=monotonic):
        raise failure
    return ""


@dataclass(frozen=True, slots=True)
class Faces:
    """What pages, API and tray are made with: commands, looks, the feed, and the way in."""

    desk: Desk
    look: Look
    feed: Feed
    signin: SignIn
    health: Callable[[], Health]
    revive: Callable[[], None]
    doctor: Doctor


TAKE_OVER_SECONDS = 30.0
"""For an orderly stop; after it the home is still held, and that is said."""


class Owner:
    """The long-running owner of a home: scheduler and dashboard, without Qt."""

    def __init__(
        self,
        home: Home,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        log_to_stderr: bool = False,
        say: Say = quietly,
        with_pages: bool = True,
    ) -> None:
        check_host(host)
        self.home, self._host, self._port, self._with_pages = home, host, port, with_pages
        self._log_to_stderr, self._say_slow = log_to_stderr, say
        self.look: Callable[[float], object] = lambda seconds: None
        self._stack, self._facts = contextlib.ExitStack(), dict[str, object]()
        self.faces: Faces | None = None
        self.past: Past | None = None
        """Where this start went on from a backup."""

    def start(self) -> None:
        """Home, database, recovery, scheduler, HTTP; what fails takes back what came before."""
        with contextlib.ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()

    def stop(self) -> None:
        """HTTP intake, scheduler, follower, acts, database; agents go on (C-101)."""
        self._stack.close()

    @property
    def meeting_place(self) -> str:
        """The socket at which a second start of the tray finds the first one (C-102).

        Empty when there is no room for sockets, which `start` says.
        """
        home = hashlib.sha256(os.fsencode(self.home.root)).hexdigest()
        with contextlib.suppress(OSError):
            return socket_at(self.home.sockets, home[:8])
        return ""

    def open_page(self, path: str) -> str:
        """Opens `path` in a browser, signed in (S-28); "", or the file to open by hand."""
        if self.faces is None:
            raise Absent("no_owner", home=str(self.home.root))
        page = self.home.write_redirect(self.faces.signin.link(path))
        return "" if self.home.show(page) else str(page)

    def take_over(self) -> None:
        """Ends the owner that holds this home, in order; its agents go on (C-102)."""
        said = (self.home.owner() or {}).get("pid")
        if isinstance(said, int):
            processes.ask_to_end(said, self.home.lock_file, TAKE_OVER_SECONDS)

    def ready(self) -> Mapping[str, object]:
        """The one line on stdout (contract, `roundtable start`)."""
        return {"event": "ready", **self._facts}

    def _start(self, stack: contextlib.ExitStack) -> None:
        ground = lay_ground(self.home, self._say_slow)
        stack.callback(ground.close)
        self.past = ground.past
        check_sockets(self.home.sockets)
        token = _token(ground)
        logs.set_up(self.home.log_file, _redaction(ground, token), to_stderr=self._log_to_stderr)
        chosen = _settings(ground)
        sockets = listen_where_asked(self._host, self._port, chosen.port)
        for sock in sockets:
            stack.callback(sock.close)
        port = sockets[0].getsockname()[1]
        agency = Agency(ground.desk, ground.reader, hidden=(token,))
        door = Door(Holders(ground.reader), agency, ground.ids)
        stack.callback(door.stop)
        scheduler = Scheduler(
            ground.store,
            ground.reader,
            ground.git,
            ground.runners,
            ground.secrets,
            ground.ids,
            ground.clock,
            random.random,
            copies=self.home.copies,
            environ=os.environ,
            equipment=Equipment(
                mcp_url=f"http://127.0.0.1:{port}/mcp",
                issue=lambda: astuple(door.issue()),
                bridge=own_program("mcp-bridge"),
                demo=own_program("demo-agent"),
                demo_state=str(self.home.demo),
                hidden=(token,),
                path=ground.programs.path,
            ),
            zone=ground.desk.local_zone,
            parting=ground.desk.parting,
            config=ground.desk.config,
            gauges=gauges_of(self.home),
        )
        doors = Doors(port, chosen.installation, chosen.browser_host == "name")
        faces = _faces(ground, scheduler, doors)
        web = _web(ground, faces, doors, door, scheduler, self._with_pages)
        server = serve(web, sockets, ground.clock, faces.feed.stir, ground.ids.new)
        with ground.store.transaction() as tx:  # a restart takes the last one
            settings.put_home(tx, port=port)
        scheduler.start()
        stack.callback(scheduler.stop)
        config = {"config": ground.desk.config.look_at_all}
        errands = {**config, **_safety(ground).errands(), "copies": scheduler.free_copies}
        housekeeping = Housekeeping(ground.store, ground.clock, errands)
        housekeeping.start()
        stack.callback(housekeeping.stop)
        stack.enter_context(_serving(server))
        stack.callback(faces.feed.close)
        self.faces, self.look = faces, scheduler.look
        self._say(ground, doors, chosen.port if self._port is None else port)
        stack.callback(self.home.forget_owner)
        stack.callback(_tell, ground, Kind.OWNER_STOPPED)

    def _say(self, ground: Ground, doors: Doors, wanted: int) -> None:
        shown = f"[{self._host}]" if ":" in self._host else self._host
        self._facts = {
            "url": f"http://{shown}:{doors.port}",
            "browser_url": doors.browser_url,
            "pid": os.getpid(),
            "home": str(self.home.root),
            "version": roundtable_desktop.__version__,
        }
        started_at = rfc3339(ground.clock.now())
        moved = {} if wanted in (0, doors.port) else {"port_taken": wanted}
        self.home.say_owner({**self._facts, "started_at": started_at, **moved})
        _tell(ground, Kind.OWNER_STARTED)
        log.info("ready url=%s", self._facts["url"])


def _safety(on: Ground) -> Safety:
    return Safety(on.store, on.reader, on.ids, on.clock, on.home.database, on.home.backups)


def _token(ground: Ground) -> str:
    """Made once; the same for all programs of this home until somebody changes it."""
    if not ground.home.token_file.exists():
        homes.write_private(ground.home.token_file, ground.ids.secret())
    return ground.home.token()


def _redaction(ground: Ground, token: str) -> Callable[[str], str]:
    def hide(text: str) -> str:
        return redact(text, {token, *ground.secrets.values()})

    return hide


def _settings(ground: Ground) -> GlobalSettings:
    with ground.store.transaction() as tx:
        chosen = settings.of_home(tx)
        if not chosen.installation:
            name = base32(int.from_bytes(os.urandom(8)), 12)
            chosen = settings.put_home(tx, installation=name)
    return chosen


def look_at(ground: Ground) -> Look:
    return Look(
        ground.reader,
        ground.clock,
        ground.git,
        FileTranscripts(ground.home.runs),
        processes.facts,
        ForeseeingChild(own_program("simulation"), ground.home.database),
        ground.home.copies,
        processes.lives,
        processes.Marked(ground.home.lock_file).of_runs,
    )


def _faces(ground: Ground, scheduler: Scheduler, doors: Doors) -> Faces:
    look = look_at(ground)
    browsers = Browsers(ground.store, ground.reader)
    signin = SignIn(doors, SystemClock(), ground.ids, ground.home.token, browsers)
    feed = Feed(ground.store, ground.reader)
    door = findings.Door.SERVED
    doctor = doctor_of(ground.home, ground.clock, ground.reader, door, ground.programs)
    return Faces(ground.desk, look, feed, signin, scheduler.health, scheduler.revive, doctor)


def _web(
    ground: Ground, faces: Faces, doors: Doors, door: Door, scheduler: Scheduler, with_pages: bool
) -> Any:
    clock, hands, zone = ground.clock, None, local_zone(os.environ)
    if isinstance(clock, StandingClock):
        hands = ClockHands(ground.store, ground.reader, ground.ids, clock, scheduler.look)
    look, signin, health, ended = faces.look, faces.signin, faces.health, scheduler.stopped_at
    api = Api("Roundtable Desktop", roundtable_desktop.__version__)
    streams = Streams(faces.feed, signin, ground.clock)
    welcome = welcome_of(ground.home, clock, ground.reader, ground.programs)
    routes.declare_all(api, ground.desk, look, signin, streams, health, hands, faces.doctor)
    people = pages.all_of_them(ground.desk, look, health, zone, faces.doctor, welcome, ended)
    return build_app(
        Parts(
            doors=doors,
            ids=ground.ids,
            signin=signin,
            health=lambda: health().value,
            api=api,
            stands_at=look.stands_at,
            pages=[*(people if with_pages else ()), agents_door.pages(door.answer)],
        )
    )


@contextlib.contextmanager
def _serving(server: Server) -> Iterator[None]:
    thread = threading.Thread(target=server.run, name="http")
    thread.start()
    try:
        yield
    finally:
        server.close()
        thread.join()


def _tell(ground: Ground, kind: Kind) -> None:
    with ground.store.transaction() as tx:
        journal.tell(tx, kind, Subject("owner", str(os.getpid())), workspace_id=None, actor=SYSTEM)
