"""What is not as it was before a run in a linked working tree: who moved it, and the way back."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.names import HEADS, by_hand, pasted, shown
from roundtable_desktop.adapters.git.noted import (
    STASH,
    Note,
    kept,
    look,
    noted,
    state,
    without_git,
)
from roundtable_desktop.adapters.git.reflogs import Step, mover, steps
from roundtable_desktop.adapters.git.special import (
    is_in_the_way,
    mending,
    plain_bytes,
    removal,
    specials,
    written,
)
from roundtable_desktop.model.moved import By, Moved, What
from roundtable_desktop.model.ports import SPECIAL, GitFailed, Repository

MOST_KEYS = 50
WHOLE = ("refs", "logs", "objects", "worktrees")
REMOTES = "refs/remotes/"
SYMBOLIC = "ref: "


def compare(
    runner: Runner, repository: Repository, folder: str, run: str, home: Path
) -> tuple[Moved, ...] | None:
    """None when nothing was noted. What somebody else's log explains is not in it."""
    before = noted(folder, run)
    if before is None:
        return None
    try:
        now = look(runner, repository, folder, home, before)
    except GitFailed as failed:
        if failed.broken_off:
            raise
        now = without_git(repository, folder, before=before)
    pair = _Pair(repository, folder, run, before, now)
    found = [*pair.files(), *pair.heads()]
    if now.whole:
        found += [*pair.refs(), *pair.stash()]
    else:
        found += pair.specials()
    if not now.whole and not found:
        check = by_hand("-C", repository.path, "fsck")
        found = [_moved(What.FILE, repository.git_dir, "", None, By.UNKNOWN, check)]
    return tuple(found)


def _moved(
    what: What,
    name: str,
    old: str | None,
    new: str | None,
    by: By,
    command: str,
    keys: Sequence[str] = (),
) -> Moved:
    """Names of refs and targets of links are bytes; what is told of them is text."""
    was, now = (None if one is None else shown(os.fsencode(one)) for one in (old, new))
    plain = shown(os.fsencode(name))
    return Moved(what=what, name=plain, old=was, new=now, by=by, command=command, keys=keys)


def _as_folder(link: str) -> list[str]:
    """What makes a folder of a link to one."""
    beside = f"{link}.roundtable"
    return [
        pasted("mkdir", "--", beside),
        pasted("cp", "-R", "-p", "--", f"{link}/.", beside),
        pasted("rm", "-f", "--", link),
        pasted("mv", "--", beside, link),
    ]


def _unlinked(link: str) -> str:
    named = pasted(link)
    return f"{{ [ ! -L {named} ] || rm -f -- {named}; }}"


@dataclass(frozen=True, slots=True)
class _Pair:
    repository: Repository
    folder: str
    run: str
    before: Note
    now: Note

    def files(self) -> Iterator[Moved]:
        """What is there more comes first: a link that stands for a folder is out of the way before
        a file of the folder is put back."""
        keys, configs = self._keys(), {*self.before.configs, *self.now.configs}
        more = [path for path in self.now.files if path not in self.before.files]
        for path in (*more, *self.before.files):
            old, new = self.before.files.get(path), self.now.files.get(path)
            new = new or state(Path(path), self.before) or None
            if old != new:
                named, back = keys if path in configs else (), self._put_back(path, old)
                yield _moved(What.FILE, path, old, new, By.UNKNOWN, back, named)

    def _keys(self) -> tuple[str, ...]:
        if not self.now.whole:
            return ()
        old, new = map(tuple, self.before.keys), map(tuple, self.now.keys)
        return tuple(sorted({key for key, _ in set(old) ^ set(new)})[:MOST_KEYS])

    def _put_back(self, path: str, old: str | None) -> str:
        """Never through a link: it may lead to any file of the person's."""
        links = self._links_above(path)
        remove = removal(Path(path))
        saved = kept(self.folder, self.run, self.before, path)
        if old is None:
            away = _as_folder(path) if self._is_part(path) else [remove]
            return " && ".join([*links, *away])
        if old.startswith("link "):
            put = pasted("ln", "-s", "--", old.removeprefix("link "), path)
        elif saved is not None:
            put = pasted("cp", "-p", "--", str(saved), path)
        else:
            return ""
        above = os.path.dirname(path)
        is_folder = os.path.isdir(above) and not links
        made = [] if is_folder else [pasted("mkdir", "-p", "--", above)]
        return " && ".join([*links, *made, remove, put])

    def _links_above(self, path: str) -> list[str]:
        """The command that takes a link out of the way which stands for a folder of git's, unless
        another command has done so."""
        git_dir = Path(self.repository.git_dir)
        inside = [one for one in Path(path).parents if git_dir in one.parents]
        known = self.before.files
        links = [one for one in map(str, inside) if os.path.islink(one) and one not in known]
        return [_unlinked(one) for one in links[-1:]]

    def _is_part(self, path: str) -> bool:
        """A link that stands for a folder of refs, logs or objects: what is in it stays, as no
        other command brings it back."""
        top = os.path.relpath(path, self.repository.git_dir).partition(os.sep)[0]
        return top in WHOLE and os.path.islink(path) and os.path.isdir(path)

    def specials(self) -> Iterator[Moved]:
        """What git would wait for is why it was not asked; none was there before."""
        common = Path(self.repository.git_dir)
        for path in islice(specials(common), MOST_KEYS):
            is_head = str(path.parent) in self.before.heads and path.name == "HEAD"
            if str(path) not in self.before.files and not is_head:
                name = str(path.relative_to(common))
                saved = kept(self.folder, self.run, self.before, str(path))
                old = self.before.refs.get(name) or ("file" if saved else None)
                back = self._instead(path, name, saved)
                yield _moved(What.FILE, str(path), old, SPECIAL, By.UNKNOWN, back)

    def _instead(self, path: Path, name: str, saved: Path | None) -> str:
        remove = removal(path)
        if said := self.before.refs.get(name):
            return f"{remove} && {written(path, said)}"
        if saved is not None:
            return f"{remove} && {pasted('cp', '-p', '--', str(saved), str(path))}"
        return mending(path, self.repository.git_dir, self.repository.path)

    def heads(self) -> Iterator[Moved]:
        for place, old in self.before.heads.items():
            new = self.now.heads.get(place)
            if new == old or new is None:  # one that its owner removed is no checkout any more
                continue
            log = self._steps(f"{place}/logs/HEAD")
            by, where, file = self._head_mover(log), self._checkout(place), Path(place, "HEAD")
            if is_in_the_way(file):
                back = f"{removal(file)} && {written(file, old)}"
                yield _moved(What.HEAD, where, old, SPECIAL, By.UNKNOWN, back)
            elif by is not None:
                yield _moved(What.HEAD, where, old, new, by, self._head_back(where, old, log))

    def _head_mover(self, log: list[Step] | None) -> By | None:
        """git writes it down when a checkout is switched; nobody else does."""
        if not log:
            return By.UNKNOWN
        return By.AGENT if mover(log, log[0].old, log[-1].new, self.run) is By.AGENT else None

    def _head_back(self, where: str, old: str, log: list[Step] | None) -> str:
        branch = old.removeprefix(SYMBOLIC).removeprefix(HEADS)
        if log and old.startswith(SYMBOLIC):
            return by_hand("-C", where, "switch", branch)
        if log:
            return by_hand("-C", where, "switch", "--detach", old)
        if old.startswith(SYMBOLIC):
            return by_hand("-C", where, "symbolic-ref", "HEAD", old.removeprefix(SYMBOLIC))
        return by_hand("-C", where, "update-ref", "--no-deref", "HEAD", old)

    def refs(self) -> Iterator[Moved]:
        before, now = self.before.refs, self.now.refs
        for ref in {**before, **now}:
            old, new = before.get(ref), now.get(ref)
            if old == new or ref == STASH or (old is None and ref.startswith("refs/roundtable/")):
                continue
            by = mover(self._steps(self._log(ref)), old, new, self.run)
            if by is not None:
                what = What.REMOTE if ref.startswith(REMOTES) else What.REF
                yield _moved(what, ref, old, new, by, self._ref_back(ref, old, new))

    def _ref_back(self, ref: str, old: str | None, new: str | None) -> str:
        main = self.repository.path
        if old is not None and old.startswith(SYMBOLIC):
            return by_hand("-C", main, "symbolic-ref", ref, old.removeprefix(SYMBOLIC))
        if old is None:
            was = [new] if new and not new.startswith(SYMBOLIC) else []
            return by_hand("-C", main, "update-ref", "--no-deref", "-d", ref, *was)
        if new is None:
            return by_hand("-C", main, "update-ref", ref, old, "0" * len(old))
        if new.startswith(SYMBOLIC):
            return by_hand("-C", main, "update-ref", "--no-deref", ref, old)
        if where := self._moved_in(ref, new):
            return by_hand("-C", where, "reset", "--keep", old)
        return by_hand("-C", main, "update-ref", ref, old, new)

    def _moved_in(self, ref: str, new: str) -> str | None:
        """The checkout whose files went along with the branch."""
        for place, head in self.now.heads.items():
            log = self._steps(f"{place}/logs/HEAD")
            if head == SYMBOLIC + ref and log and log[-1].new == new:
                return self._checkout(place)
        return None

    def stash(self) -> Iterator[Moved]:
        before, now = self.before.stash, self.now.stash
        old, new = self.before.refs.get(STASH), self.now.refs.get(STASH)
        by = mover(self._steps(self._log(STASH)), old, new, self.run)
        if (before == now and old == new) or by is None:
            return
        main, more = self.repository.path, len(now) - len(before)
        lost = [one for one in before if one not in now]
        words: list[tuple[str, ...]] = [("store", "-m", "put back", one) for one in lost]
        if not lost and more > 0:
            words = [("drop", "stash@{0}")] * more
        command = "; ".join(by_hand("-C", main, "stash", *one) for one in words)
        yield _moved(What.STASH, STASH, old, new, by, command)

    def _log(self, ref: str) -> str:
        return str(Path(self.repository.git_dir, "logs", ref))

    def _steps(self, log: str) -> list[Step] | None:
        return steps(Path(log), self.before.logs.get(log, 0))

    def _checkout(self, place: str) -> str:
        if place == self.repository.git_dir:
            return self.repository.path
        named = os.fsdecode((plain_bytes(Path(place, "gitdir")) or b"").strip())
        return os.path.dirname(os.path.normpath(os.path.join(place, named)))
