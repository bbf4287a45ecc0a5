"""No call of ours runs code of a repository, whoever planted it and wherever."""

import os
import subprocess
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from git_world import AT

from roundtable_desktop.adapters.git.programs import overrides, runs_a_program
from roundtable_desktop.model.ports import GitFailed

ATTRIBUTES = "*.txt filter=ev merge=ev diff=ev\n"
NO_FILTER = "*.txt merge=ev diff=ev\n"  # a filter holds the delivery before it merges


class Trap:
    """A program that leaves a mark when it is run, for anything that git will start."""

    def __init__(self, root):
        self.mark = root / "PWNED"
        self.program = root / "evil.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.mark}\ncat\n')
        self.program.chmod(0o755)

    def plant(self, world, git_dir, trick):
        getattr(self, trick)(world, git_dir)

    def _set(self, world, git_dir, *pairs):
        for key, value in pairs:
            world.plain("config", "--file", str(git_dir / "config"), key, value)

    def hooks(self, world, git_dir):
        (git_dir / "hooks").mkdir(exist_ok=True)
        for name in ("post-checkout", "post-merge", "pre-merge-commit", "reference-transaction",
                     "post-index-change", "pre-auto-gc", "post-commit", "commit-msg"):  # fmt: skip
            (git_dir / "hooks" / name).unlink(missing_ok=True)
            (git_dir / "hooks" / name).symlink_to(self.program)

    def fsmonitor(self, world, git_dir):
        self._set(world, git_dir, ("core.fsmonitor", str(self.program)))

    def hookspath(self, world, git_dir):
        elsewhere = world.root / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        self.hooks(world, world.root)
        self._set(world, git_dir, ("core.hooksPath", str(world.root / "hooks")))

    def filters(self, world, git_dir):
        for key in ("clean", "smudge", "process"):
            self._set(world, git_dir, (f"filter.ev.{key}", str(self.program)))
        self._set(world, git_dir, ("filter.ev.required", "true"))

    def equals(self, world, git_dir):
        """A subsection that `-c key=value` would cut in two."""
        self._set(world, git_dir, ("filter.e=v.smudge", str(self.program)))
        self._set(world, git_dir, ("filter.e=v.clean", str(self.program)))

    def merge_driver(self, world, git_dir):
        self._set(world, git_dir, ("merge.ev.driver", f"{self.program} %A"))

    def textconv(self, world, git_dir):
        program = str(self.program)
        self._set(world, git_dir, ("diff.ev.textconv", program), ("diff.ev.command", program))
        self._set(world, git_dir, ("diff.external", program))

    def include(self, world, git_dir):
        inner = world.root / "included"
        self._set(world, git_dir, ("include.path", str(inner)))
        for part in (self.filters, self.merge_driver, self.textconv, self.fsmonitor):
            part(world, _Folder(inner))

    def programs(self, world, git_dir):
        program = str(self.program)
        names = ("core.sshCommand", "core.pager", "core.editor", "core.askPass", "gpg.program",
                 "credential.helper", "uploadpack.packObjectsHook", "core.alternateRefsCommand",
                 "remote.origin.uploadpack", "pager.diff", "hook.x.command")  # fmt: skip
        self._set(world, git_dir, *((name, program) for name in names))
        self._set(
            world, git_dir,
            ("merge.verifySignatures", "true"), ("commit.gpgSign", "true"),
            ("gc.auto", "1"), ("branch.main.mergeoptions", "--no-ff -S"),
            ("hook.x.event", "post-merge"), ("protocol.ext.allow", "always"),
            ("url.ext::sh -c .insteadOf", "/"),
        )  # fmt: skip

    def other_git_directory(self, world, git_dir):
        """`.git` becomes a file that leads to a git directory of the agent's own."""
        theirs = world.root / "theirs"
        git_dir.rename(theirs)
        self.filters(world, theirs)
        self.fsmonitor(world, theirs)
        git_dir.write_text(f"gitdir: {theirs}\n")

    def fired(self):
        return self.mark.exists()


class _Folder:
    """Stands where a git directory does, with `config` at another place."""

    def __init__(self, config):
        self._config = config

    def __truediv__(self, _):
        return self._config


TRICKS = ("hooks", "fsmonitor", "hookspath", "filters", "merge_driver", "textconv", "include",
          "programs", "equals")  # fmt: skip


@pytest.fixture
def trap(world):
    return Trap(world.root)


@pytest.mark.slow
@pytest.mark.proves("S-65")
@pytest.mark.parametrize("trick", [*TRICKS, "other_git_directory"])
def test_what_an_agent_plants_in_its_copy_is_never_run_and_is_told(world, trap, trick):
    base = world.branch_head()
    copy = world.make_copy()
    world.write({".gitattributes": ATTRIBUTES, "a.txt": "agent\n"}, copy)
    trap.plant(world, copy / ".git", trick)
    collected = world.collect()
    world.git.diff(world.repository, base, collected.head, 10**6)
    world.write({"b.txt": "the user's\n"})
    world.plain("add", "b.txt")
    world.plain("commit", "-q", "-m", "b")
    prepared = world.prepare(base, collected.head)
    world.deliver(prepared.new)
    world.make_copy(base, copy)
    world.git.unsaved(world.repository, str(copy), [collected.head])
    with suppress(GitFailed):  # where there is no git directory of ours any more
        world.git.rework_copy(
            world.repository,
            str(copy),
            base=base,
            head=collected.head,
            onto=world.branch_head(),
            at=AT,
            refs=world.git.refs(world.repository),
        )
    world.git.drop_copy(world.repository, str(copy))
    assert not trap.fired()
    assert collected.held["code"] == "repository_configuration_changed"
    assert collected.held["keys"] or collected.held["paths"]


@pytest.mark.slow
@pytest.mark.proves("S-65")
@pytest.mark.parametrize(
    ("trick", "attributes"),
    [
        *((trick, NO_FILTER) for trick in TRICKS),
        *((trick, ATTRIBUTES) for trick in ("filters", "include", "programs")),
        ("equals", "*.txt filter=e=v\n"),
    ],
)
def test_a_hostile_repository_runs_nothing(world, trap, trick, attributes):
    world.commit({".gitattributes": attributes})
    trap.plant(world, world.repo / ".git", trick)
    repository, base = world.repository, world.branch_head()
    for name in ("one", "two"):
        world.make_copy(base, world.root / "copies" / name)
        world.write({"a.txt": f"{name}\n", f"{name}.txt": "x\n"}, world.root / "copies" / name)
    heads = [
        world.collect(base, f"refs/roundtable/proposals/{name}", world.root / "copies" / name).head
        for name in ("one", "two")
    ]
    for head in heads:
        world.git.diff(repository, base, head, 10**6)
        world.git.changes(repository, base, head)
    first = world.deliver(heads[0])
    assert first.held is None if attributes == NO_FILTER else first.held["code"] == "filter"
    world.git.finish(repository, "main", old=base, new=heads[0], intended_at=datetime.now(UTC))
    assert world.prepare(base, heads[1]).conflicts or first.held
    world.git.drop_ref(repository, "refs/roundtable/proposals/one")
    world.git.drop_copy(repository, str(world.root / "copies" / "one"))
    assert not trap.fired()


@pytest.mark.proves("S-65")
@pytest.mark.parametrize(
    ("trick", "command"),
    [
        ("hooks", ("checkout", "-q", "-b", "x")),
        ("fsmonitor", ("status",)),
        ("hookspath", ("checkout", "-q", "-b", "x")),
        ("filters", ("add", "--renormalize", ".")),
        ("textconv", ("diff", "HEAD~1")),
        ("include", ("status",)),
    ],
)
def test_control_plain_git_does_run_it(world, trap, trick, command):
    world.commit({".gitattributes": ATTRIBUTES, "a.txt": "more\n"})
    trap.plant(world, world.repo / ".git", trick)
    world.plain(*command, check=False)
    assert trap.fired()


@pytest.mark.proves("S-65")
def test_control_plain_merge_tree_runs_a_driver(world, trap):
    world.commit({".gitattributes": ATTRIBUTES})
    world.plain("switch", "-q", "-c", "side")
    world.commit({"a.txt": "side\n"})
    world.plain("switch", "-q", "main")
    world.commit({"a.txt": "main\n"})
    trap.plant(world, world.repo / ".git", "merge_driver")
    world.plain("merge", "side", check=False)
    assert trap.fired()


@pytest.mark.parametrize(
    "key",
    ["core.hookspath", "filter.X.clean", "filter.a.b.process", "include.path", "alias.x",
     "includeif.gitdir:/x.path", "diff.x.textconv", "merge.x.driver", "credential.helper",
     "core.worktree", "remote.o.uploadpack", "hook.x.command", "protocol.ext.allow"],
)  # fmt: skip
def test_a_key_that_runs_a_program_is_known(key):
    assert runs_a_program(key)


@pytest.mark.parametrize(
    "key", ["user.name", "branch.x.remote", "core.autocrlf", "remote.o.url", "remote.o.pushurl"]
)
def test_a_key_that_runs_nothing_is_no_change(key):
    assert not runs_a_program(key)


def test_the_keys_of_a_repository_are_pinned_one_by_one():
    found = overrides({"filter.LFS.clean", "merge.x.driver", "hook.y.event", "user.name"})
    assert found == {"filter.LFS.clean": "", "merge.x.driver": "false", "hook.y.enabled": "false"}


@pytest.mark.proves("S-65")
def test_an_agents_own_name_and_branch_are_no_change_of_configuration(world):
    copy = world.make_copy()
    world.plain("config", "user.email", "agent@example.org", cwd=copy)
    world.plain("switch", "-q", "-c", "work", cwd=copy)
    world.commit({"a.txt": "agent\n"}, copy)
    assert world.collect().held is None


@pytest.mark.proves("S-65")
def test_a_forged_object_of_the_copy_never_reaches_the_user(world):
    """A pack or a loose file of the copy may claim any name; only names are read from it."""
    base = world.branch_head()
    copy = world.make_copy()
    world.commit({"a.txt": "agent\n"}, copy)
    blob = world.plain("rev-parse", "HEAD:a.txt", cwd=copy)
    loose = copy / ".git/objects" / blob[:2] / blob[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"rubbish")
    head = world.collect(base).head
    assert world.plain("show", f"{head}:a.txt") == "agent"
    assert world.plain("fsck", "--strict") == ""


@pytest.mark.proves("S-65")
def test_a_git_that_hangs_is_ended_with_its_children(world, monkeypatch):
    folder = world.root / "slow"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\nsleep 300 & echo $! > {folder}/child\nwait\n")
    (folder / "git").chmod(0o755)
    runner = world.git._runner
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(GitFailed, match="git_timeout"):
        runner.run(["version"], cwd=world.root, seconds=0.5)
    child = (folder / "child").read_text().strip()
    state = subprocess.run(["ps", "-o", "stat=", "-p", child], capture_output=True, text=True)
    assert state.stdout.strip()[:1] in ("", "Z")  # behind it stands how it was started


def test_output_is_bounded(world):
    head = world.commit({"long.txt": "x\n" * 500_000})
    runner = world.git._runner
    answer = runner.run(["show", f"{head}:long.txt"], cwd=world.repo, limit=1000)
    assert (len(answer.out), answer.whole) == (1000, False)


def test_a_machine_that_cannot_start_git_now_is_no_verdict(world, monkeypatch):
    """Out of processes or memory: the act is done again, nothing is held for it."""

    def no_room(*words: object, **options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    repository = world.repository
    monkeypatch.setattr("subprocess.Popen", no_room)
    with pytest.raises(GitFailed, match="git_not_started") as failed:
        world.git.commit_of(repository, "main")
    assert failed.value.broken_off
