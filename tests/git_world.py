"""A user's repository, an agent's copy of it, and plain git to play both of them."""

import hashlib
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from begun_repositories import begin

from roundtable_desktop.adapters.git import HardenedGit
from roundtable_desktop.model.ports import Collected, Delivered, Prepared, Repository

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
REF = "refs/roundtable/proposals/p1"
MESSAGE = "Do it\n\nRoundtable-Run: r1\n"


class World:
    """Everything real; what a person or an agent does is done by plain git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.user_home = root / "user-home"
        self.repo = root / "repo"
        self.copy = root / "copies" / "one"
        for folder in (self.user_home, root / "empty", self.repo):
            folder.mkdir()
        (self.user_home / ".gitconfig").write_text(
            "[user]\nname = Ada Lovelace\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
        )
        self.git = HardenedGit(root / "empty", self.user_home)

    # --- plain git -----------------------------------------------------------------------------

    def plain(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.repo,
            env={"PATH": os.environ["PATH"], "HOME": str(self.user_home), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            timeout=60,
        )
        if check and done.returncode:
            raise AssertionError(f"{words}: {done.stderr.decode()}")
        return done.stdout.decode(errors="surrogateescape").rstrip("\n")

    def shell(self, script: str, where: Path, more: dict[str, str] | None = None) -> str:
        """A line as it is pasted or as an agent runs it."""
        surroundings = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.user_home),
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=where,
            env=surroundings | (more or {}),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{script}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def write(self, files: dict[str, str | bytes | None], where: Path | None = None) -> None:
        for name, content in files.items():
            path = (where or self.repo) / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes | None], where: Path | None = None) -> str:
        self.write(files, where)
        self.plain("add", "-A", "-f", cwd=where)
        self.plain("commit", "-q", "-m", "work", cwd=where)
        return self.plain("rev-parse", "HEAD", cwd=where)

    def branch_head(self, branch: str = "main") -> str:
        return self.plain("rev-parse", f"refs/heads/{branch}")

    # --- ours ----------------------------------------------------------------------------------

    @property
    def repository(self) -> Repository:
        facts = self.git.inspect(str(self.repo))
        return Repository(
            path=facts.path,
            git_dir=facts.git_dir,
            author_name=facts.author_name,
            author_email=facts.author_email,
            settings=facts.settings,
        )

    def make_copy(
        self,
        commit: str | None = None,
        at: Path | str | None = None,
        *,
        linked: bool = False,
    ) -> Path:
        refs = self.git.refs(self.repository)
        folder = str(at or self.copy)
        start = commit or self.branch_head()
        self.git.make_copy(self.repository, folder, start, refs, linked=linked)
        return Path(folder)

    def move(self) -> Path:
        """An agent's own copy, brought to where its branch is now."""
        refs = self.git.refs(self.repository)
        self.git.move_copy(self.repository, str(self.copy), self.branch_head(), refs)
        return self.copy

    def collect(
        self, base: str | None = None, ref: str = REF, copy: Path | None = None
    ) -> Collected:
        return self.git.collect(
            self.repository,
            str(copy or self.copy),
            base=base or self.branch_head(),
            ref=ref,
            message=MESSAGE,
            at=AT,
        )

    def propose(self, files: dict[str, str | bytes | None], name: str = "p") -> str:
        """The commit of an agent's work on main's head."""
        base = self.branch_head()
        copy = self.make_copy(base, self.root / "copies" / name)
        self.write(files, copy)
        head = self.collect(base, f"refs/roundtable/proposals/{name}", copy).head
        assert head is not None
        return head

    def prepare(
        self, base: str, head: str, branch: str = "main", *, joins: bool = False
    ) -> Prepared:
        given = {"base": base, "head": head, "message": MESSAGE}
        return self.git.prepare(self.repository, branch, at=AT, joins=joins, **given)

    def deliver(
        self, new: str, *, old: str | None = None, branch: str = "main", into: bool = True
    ) -> Delivered:
        old = old or self.branch_head(branch)
        return self.git.deliver(self.repository, branch, old=old, new=new, into_checkout=into)

    # --- what is seen --------------------------------------------------------------------------

    def tree(self, folder: Path, *without: str) -> dict[str, str]:
        """Every file's kind, mode and bytes; `without`: prefixes that do not count."""
        seen = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if name.startswith(without) or (path.is_dir() and not path.is_symlink()):
                continue
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            seen[name] = f"{path.lstat().st_mode:o} {digest}"
        return seen

    def untouched(self) -> dict[str, str]:
        """The whole of the user's repository, but for our refs and for objects."""
        seen = self.tree(self.repo, ".git/objects", ".git/refs/roundtable", ".git/packed-refs")
        refs = self.plain("for-each-ref", "--format=%(refname) %(objectname)", "refs/")
        theirs = [ref for ref in refs.splitlines() if not ref.startswith("refs/roundtable/")]
        return seen | {"refs": "\n".join(theirs)}


def begun(root: Path) -> World:
    """On main: a.txt, b.txt, dir/c.txt, and an ignored .env that is not tracked."""
    made = World(root)
    files = {"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", ".gitignore": ".env\nbuild/\n"}
    begin(made.repo, files, name="Ada Lovelace", email="ada@example.org", message="work")
    made.write({".env": "SECRET=1\n"})
    return made
