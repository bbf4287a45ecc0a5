"""Which words may stand where git expects a branch, a ref or a commit (S-66)."""

import hashlib
import os
import re
import shlex

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import GitFailed

LONGEST_BRANCH = 200  # bytes; every part becomes a file name with ".lock" behind it
OURS = "refs/roundtable/"
HEADS = "refs/heads/"
TAGS = "refs/tags/"

# git refuses `~^:?*[\`; the others are legal and mean something to a shell that pastes them.
UNWANTED = re.compile(r"""[~^:?*\[\\;&|$`<>"'()!\s]|\.\.|@\{|//""")
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")  # sha1 or sha256

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

# Code points that HFS+ drops from names, so that `.g\u200cit` opens `.git`.
HFS_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


def check_branch(name: str) -> str:
    """The full ref of a branch; raises Invalid(`bad_branch_name`), without echoing it."""
    parts = name.split("/")
    if (
        name in ("", "@", "HEAD")
        or parts[0] == "refs"
        or UNWANTED.search(name)
        or not name.isprintable()
        or len(name.encode(errors="replace")) > LONGEST_BRANCH
        or any(map(_bad_part, parts))
    ):
        raise Invalid("bad_branch_name", "/base_branch")
    return HEADS + name


def _bad_part(part: str) -> bool:
    return part == "" or part[0] in "-." or part[-1] == "." or part.endswith(".lock")


def check_ref(ref: str) -> str:
    """A ref of ours, in full; the engine makes it, so another one is a fault."""
    if not ref.startswith(OURS) or ref == OURS:
        raise GitFailed("bad_ref")
    try:
        check_branch(ref.removeprefix(OURS))
    except Invalid as refused:
        raise GitFailed("bad_ref") from refused
    return ref


def check_commit(commit: str) -> str:
    """A whole object name: never an abbreviation, an expression or an option."""
    if not COMMIT.fullmatch(commit):
        raise GitFailed("bad_commit")
    return commit


def means_git(path: bytes) -> bool:
    """Whether some file system would open `.git` under a part of this path (S-67)."""
    return any(map(_disguised, path.decode(errors="replace").split("/")))


def _disguised(part: str) -> bool:
    plain = part.translate(HFS_IGNORED).casefold()
    windows = re.split(r"[:\\]", plain)  # streams and separators of NTFS
    return any(word.rstrip(" .") in (".git", "git~1") for word in (plain, *windows))


def shown(path: bytes) -> str:
    """A path as it leaves this package: text that JSON and SQLite can hold."""
    return path.decode(errors="backslashreplace")


def in_line(path: bytes) -> str:
    """The same in one line: whatever follows in the next is no part of it."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], shown(path))


def by_hand(*words: str) -> str:
    """The command line for a person's shell."""
    return pasted("git", *words)


def pasted(*words: str) -> str:
    """Words for any shell; what is no text in them is printed by it."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    raw = os.fsencode(word)
    if shown(raw) == word:
        return shlex.quote(word)
    kept = raw.rstrip(b"\n")  # a shell takes line ends away there
    ends = shlex.quote("\n" * (len(raw) - len(kept))) if kept != raw else ""
    return "\"$(printf '{}')\"".format("".join(f"\\{one:03o}" for one in kept)) + ends


def digest(folder: str) -> str:
    """The part of a name that stands for a folder."""
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
