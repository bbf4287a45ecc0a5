"""The outside half of a launch: the copy, then the runner; the decision was made before."""

import errno
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from roundtable_desktop.engine.mission_control import may_start
from roundtable_desktop.engine.moved import linked_environment
from roundtable_desktop.engine.parting import Parting
from roundtable_desktop.engine.places import Place, place_of, was_removed
from roundtable_desktop.engine.putting_away import put_away
from roundtable_desktop.engine.talk import Talk, load_failed, talk_of
from roundtable_desktop.engine.wakers import checked
from roundtable_desktop.model.errors import PASSING, Refused
from roundtable_desktop.model.ports import (
    SPECIAL,
    STOPPED,
    Deadlines,
    Git,
    GitFailed,
    Ids,
    Launcher,
    LaunchFailed,
    LaunchHeld,
    LaunchOrder,
    Repository,
    Secrets,
    SpoolState,
)
from roundtable_desktop.model.programs import searched
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, Run, Workspace
from roundtable_desktop.model.states import Adapter, AgentStatus, ErrorKind, RunStatus
from roundtable_desktop.rules.environment import for_agents
from roundtable_desktop.rules.prompt import NUDGE
from roundtable_desktop.store import agents, runs, sessions, settings, workspaces
from roundtable_desktop.store.db import Reader, Store, View

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def repository_of(workspace: Workspace) -> Repository:
    return Repository(
        path=workspace.path,
        git_dir=workspace.git_dir,
        author_name=workspace.author_name,
        author_email=workspace.author_email,
        settings=workspace.git_settings,
    )


@dataclass(frozen=True, slots=True)
class Equipment:
    """What agents that speak are given: where `/mcp` is, the bridge to it, the built-in agent.

    issue: (a token for one run, the hash that its row keeps).
    demo_state: the folder where the built-in agent keeps its conversations.
    hidden: what no agent is given, and what is redacted where one finds it all the same.
    path: the folders in which an agent finds programs; "" leaves those of this process.
    """

    mcp_url: str
    issue: Callable[[], tuple[str, str]]
    bridge: Sequence[str]
    demo: Sequence[str]
    demo_state: str
    hidden: Sequence[str] = field(repr=False, default=())
    path: Callable[[], str] = str


class Launching:
    """Acts of the launch pool; `unborn(run_id, kind, text)` settles what could not start
    and answers whether that is so; `look_at(workspace_id)` comes before each start."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        git: Git,
        launcher: Launcher,
        secrets: Secrets,
        ids: Ids,
        *,
        copies: Path,
        environ: Mapping[str, str],
        equipment: Equipment,
        follow: Callable[[str], None],
        unborn: Callable[[str, ErrorKind, str], bool],
        parting: Parting,
        look_at: Callable[[str], None] = lambda workspace_id: None,
    ) -> None:
        self._store, self._reader, self._look_at = store, reader, look_at
        self._git, self._launcher, self._secrets, self._ids = git, launcher, secrets, ids
        self._copies = copies
        self._environ = for_agents(environ)
        self._equipment = equipment
        self._follow, self._unborn, self._parting = follow, unborn, parting

    def launch(self, run_id: str) -> None:
        """Intent is the row `starting`; the outcome is the spool that the runner makes. Repeated
        after an error it goes on where it was: the copy is kept, the spool can be made once."""
        with self._reader.snapshot() as view:
            run = runs.get(view, run_id)
            assert run is not None
            agent, workspace = (
                agents.get(view, run.agent_id),
                workspaces.get(view, run.workspace_id),
            )
            assert agent is not None and workspace is not None, "foreign keys hold"
            place = place_of(view, self._copies, workspace, run)
            talk = talk_of(view, run)
            anew = self._why_anew(view, run, workspace, place) if talk.session else None
        if run.status is not RunStatus.STARTING:
            return
        if self._launcher.state(run_id) is not SpoolState.ABSENT:
            return self._follow(run_id)
        self._look_at(workspace.id)
        try:
            if anew:
                talk = self._begin_anew(run, talk, anew)
            self._prepare(run, workspace, place)
            if self._launcher.state(run_id) is SpoolState.ABSENT:  # not voided meanwhile
                environment = linked_environment(workspace, run) if place.linked else {}
                order = self._order(run, agent, place.folder, talk, environment)
                self._launcher.launch(order, lambda: self._may(run))
        except LaunchHeld:
            self._launcher.void(run_id)  # queued again at no cost, by the follower
        except LaunchFailed as error:
            if self._unborn(run_id, _kind(error.kind), error.text):
                return
        except PASSING:
            raise  # the run has no part in it: the act is tried again
        except (GitFailed, Refused, OSError) as error:
            if isinstance(error, GitFailed) and error.code == STOPPED:
                raise  # the owner ends: the next one finds that nothing was born, at no cost
            if self._unborn(run_id, *_fault(error)):
                return
        self._follow(run_id)

    def _why_anew(self, view: View, run: Run, workspace: Workspace, place: Place) -> str | None:
        """An agent that remembers what it wrote would look for it in a copy that has nothing."""
        if was_removed(view, self._copies, workspace, run, place.folder):
            return "copy_gone"
        return "load_failed" if load_failed(view, run) else None

    def _begin_anew(self, run: Run, talk: Talk, reason: str) -> Talk:
        with self._store.transaction() as tx:
            sessions.forget(tx, run, reason)
        return replace(talk, session=None)

    def _may(self, run: Run) -> bool:
        """Asked at the very start: a copy takes its time, and a pause that came meanwhile was
        answered (W-17), and so is the end of the session. A stop of everything voids what is not
        born by itself."""
        if self._parting.begun:
            return False
        with self._reader.snapshot() as view:
            agent = agents.get(view, run.agent_id)
            is_open = settings.of_home(view).intake == "open" and may_start(view, run)
        return is_open and agent is not None and agent.status is AgentStatus.ACTIVE

    def _prepare(self, run: Run, workspace: Workspace, place: Place) -> None:
        repository = repository_of(workspace)
        refs = self._git.refs(repository)
        began = place.base or self._began_at(run, repository, place)
        began = self._caught_up(repository, place, refs) if place.follows else began
        commit = began or refs.get(f"refs/heads/{place.branch}")
        if commit is None:
            raise LaunchFailed(ErrorKind.PERMISSION_DENIED, f"no branch {place.branch}")
        rework = place.rework
        if rework and (rework.base_commit != commit or not place.folder.exists()):
            self._rework(run, repository, place, rework, commit, refs)
        # Before the copy is there: a copy whose beginning nobody wrote down would be compared
        # with a later commit, and the proposal would take back what came in between.
        if run.base_commit is None:
            with self._store.transaction() as tx:
                runs.set_base(tx, run.id, commit)
        place.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.discards and not place.own:
            return self._git.move_copy(repository, str(place.folder), commit, refs)
        if place.linked:
            self._git.make_copy(repository, str(place.folder), commit, refs, linked=True)
            return self._git.note(repository, str(place.folder), run.id)
        if not place.own:
            return self._git.make_copy(repository, str(place.folder), commit, refs)
        try:
            self._git.move_copy(repository, str(place.folder), commit, refs)
        except (GitFailed, OSError) as error:
            if _is_the_copys(error, place.folder):
                self._keep_copy(run)
            raise

    def _caught_up(
        self, repository: Repository, place: Place, refs: Mapping[str, str]
    ) -> str | None:
        """An attempt that left nothing behind is no reason to work on an old state of the branch.
        Before the new base is written down: until then it is found untouched again."""
        folder, head = str(place.folder), refs.get(f"refs/heads/{place.branch}")
        if head is None or head == place.base == self._git.began_at(repository, folder):
            return place.base
        try:
            if self._git.unsaved(repository, folder, ()):
                return place.base
        except GitFailed:
            return place.base  # nobody can tell: it stays as it is
        self._git.move_copy(repository, folder, head, refs)
        return head

    def _began_at(self, run: Run, repository: Repository, place: Place) -> str | None:
        """Of a copy that no run knows of, as after a restore: compared with the newest commit, it
        would take back what came since. One of which nobody can tell is not worked in."""
        folder = place.folder
        if place.own or place.discards or place.rework or folder.is_symlink():
            return None
        if not folder.is_dir() or not any(folder.iterdir()):
            return None
        began = self._git.began_at(repository, str(folder))
        if began is None:
            put_away(folder, f"{run.created_at:%Y%m%dT%H%M%SZ}")
        return began

    def _rework(
        self,
        run: Run,
        repository: Repository,
        place: Place,
        proposal: Proposal,
        commit: str,
        refs: Mapping[str, str],
    ) -> None:
        """Before the new base is written down: until then it is done again, from the start."""
        self._git.rework_copy(
            repository,
            str(place.folder),
            base=proposal.base_commit,
            head=proposal.head_commit,
            onto=commit,
            at=run.created_at,
            refs=refs,
            linked=place.linked,
        )

    def _keep_copy(self, run: Run) -> None:
        """It cannot be moved: the agent's next run works in another one."""
        with self._store.transaction() as tx:
            runs.keep_copy(tx, run.id)

    def _token(self, run: Run) -> str:
        """A secret of this run alone; the database has its hash (attacker A)."""
        token, kept = self._equipment.issue()
        with self._store.transaction() as tx:
            runs.set_token(tx, run.id, kept)
        return token

    def _order(
        self, run: Run, agent: Agent, folder: Path, talk: Talk, more: Mapping[str, str]
    ) -> LaunchOrder:
        speaks = agent.adapter is not Adapter.COMMAND
        builtin = agent.adapter is Adapter.DEMO
        environment = {**searched(self._environ, self._equipment.path()), **more}
        secrets = dict(self._secrets.get(agent.id))
        if builtin:
            environment["XDG_STATE_HOME"] = self._equipment.demo_state
        if speaks:
            environment["ROUNDTABLE_MCP_URL"] = self._equipment.mcp_url
            secrets["ROUNDTABLE_MCP_TOKEN"] = self._token(run)
        return LaunchOrder(
            run=run.id,
            task=run.task_id,
            attempt=run.attempt_index if run.gate_id is None else _round(run),
            fence=run.fence,
            control_key=self._ids.secret(),
            adapter=str(agent.adapter),
            command=self._equipment.demo if builtin else _command(run, agent),
            cwd=str(folder),
            model=run.model,
            prompt=run.assembled_prompt,
            resume_prompt=run.resume_prompt,
            environment=environment,
            secrets=secrets,
            hidden=self._equipment.hidden,
            session=talk.session if speaks else None,
            permission_policy=str(agent.permission_policy),
            nudge=NUDGE if speaks else "",
            demo_script=talk.script if builtin else None,
            bridge=self._equipment.bridge if speaks else (),
            most_memory=agent.memory_limit_mb << 20,
            deadlines=Deadlines(
                silence_limit=agent.silence_limit_sec,
                soft=agent.soft_timeout_sec,
                hard=agent.hard_timeout_sec,
            ),
        )


def _command(run: Run, agent: Agent) -> Sequence[str]:
    """A check's own; else what its agent is started by."""
    words = (checked(run.payload) or {}).get("command")
    return [str(word) for word in words] if isinstance(words, list) else agent.command


def _round(run: Run) -> int | None:
    """How often its gate was asked, of a run that judges somebody's work."""
    found = run.payload.get("round")
    return found if isinstance(found, int) else None


def _is_the_copys(error: GitFailed | OSError, folder: Path) -> bool:
    """Whether the same would happen in it again, however much room there is."""
    if isinstance(error, GitFailed) and error.code == SPECIAL:
        return Path(error.text).is_relative_to(folder)
    if isinstance(error, GitFailed):
        return not error.broken_off
    return error.errno not in _NO_ROOM


def _fault(error: GitFailed | Refused | OSError) -> tuple[ErrorKind, str]:
    """What waiting cannot cure blocks the task, the rest is tried again (A-20)."""
    match error:
        case GitFailed(code="special_file", text=path, command=mend):
            return ErrorKind.SPECIAL_FILE, f"{path}\n{mend}"
        case GitFailed(code=code, text=text):
            return ErrorKind.SPAWN_FAILED, f"{code}: {text}"
        case Refused() | PermissionError():
            return ErrorKind.PERMISSION_DENIED, str(error)
        case _:
            return ErrorKind.SPAWN_FAILED, str(error)


def _kind(word: str) -> ErrorKind:
    return ErrorKind(word) if word in list(ErrorKind) else ErrorKind.SPAWN_FAILED
