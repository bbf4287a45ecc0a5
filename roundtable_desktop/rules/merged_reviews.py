"""Whether merged work of a mission is looked at, and what follows from what was found (A-28)."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from roundtable_desktop.model.gates import APPROVALS, DEMANDS, Topic, Weight, Word
from roundtable_desktop.model.merged_reviews import FollowUp, Merged, Risk
from roundtable_desktop.model.records import Json

MANY_FILES = 20
"""Changed by what was merged since the last review."""
MOST_REPAIRS = 3
"""So often in a row repairs are made by themselves; then a person decides (B-113)."""

_SENSITIVE = (
    *(".github/*", ".gitlab-ci.yml", ".ci/*", "ci/*", "jenkinsfile", "makefile", "dockerfile*"),
    *(
        "*.toml",
        "*.cfg",
        "*.ini",
        "*.yml",
        "*.yaml",
        "*.lock",
        "package*.json",
        "requirements*.txt",
    ),
    *("*.env", ".env*", "*.pem", "*.key", "*migrations/*", "*.sql"),
    *("*auth*", "*secret*", "*password*", "*permission*", "*crypt*", "*token*", "*session*"),
)
"""What decides how the product is built, what runs, and who may do what. Small letters."""

Setting = Literal["off", "risky", "always"]


def risks(setting: Setting, merged: Sequence[Merged]) -> tuple[Risk, ...]:
    """Why this is to be looked at; () when it is not. What a review gate of its own has passed
    bears no risk any more but for how it fits the rest, which `always` looks at."""
    if setting == "off" or not merged:
        return ()
    if setting == "always":
        return (Risk.ALWAYS,)
    unseen = [one for one in merged if not one.reviewed]
    paths = {path for one in unseen for path in one.paths}
    found = {
        Risk.MANY_FILES: len(paths) >= MANY_FILES,
        Risk.SENSITIVE: any(is_sensitive(path) for path in paths),
        Risk.NO_ACCEPTANCE: any(not one.acceptance and one.paths for one in unseen),
    }
    return tuple(risk for risk, here in found.items() if here)


def is_sensitive(path: str) -> bool:
    plain = path.lower()
    name = plain.rpartition("/")[2]
    return any(fnmatchcase(plain, one) or fnmatchcase(name, one) for one in _SENSITIVE)


def follow_up(words: Iterable[Word], findings: Iterable[Json], repairs: int = 0) -> FollowUp:
    """What the whole round amounts to; the worst decides. repairs: how many reviews of the mission
    in a row ended in one before this."""
    said, found = list(words), [one for one in findings if _weighs(one)]
    demanded = any(word in DEMANDS for word in said)
    if not demanded and any(word in APPROVALS for word in said):
        return FollowUp.CONTINUE
    if Word.VETO in said or any(_is_grave(one) for one in found):
        return FollowUp.BLOCK
    if Word.REJECT in said or any(is_of_design(one) for one in found):
        return FollowUp.ASSESS
    clear = [one for one in found if _about(one) is not Topic.EVIDENCE]
    if not demanded or (found and not clear):
        return FollowUp.VERIFY  # nobody could tell
    return FollowUp.BLOCK if repairs >= MOST_REPAIRS else FollowUp.REPAIR


def is_of_design(finding: Json) -> bool:
    """About how the parts fit: no worker mends that by itself."""
    major = finding.get("severity") in (Weight.MAJOR, Weight.CRITICAL)
    return major and _about(finding) is Topic.ARCHITECTURE


def _is_grave(finding: Json) -> bool:
    major = finding.get("severity") == Weight.MAJOR
    critical = finding.get("severity") == Weight.CRITICAL
    return critical or (major and _about(finding) is Topic.SECURITY)


def _weighs(finding: Json) -> bool:
    return finding.get("severity") != Weight.INFO


def _about(finding: Json) -> Topic:
    return Topic(str(finding.get("about") or Topic.CODE))


def by_task(findings: Iterable[Json], merged: Sequence[Merged]) -> Mapping[str, list[Json]]:
    """The findings by the task whose work they are about: the last that changed the path, else the
    last of all. What is only to know is left out."""
    assert merged, "something was merged"
    found: dict[str, list[Json]] = {}
    for one in findings:
        if not _weighs(one):
            continue
        whose = [each for each in merged if one.get("path") in each.paths] or merged
        found.setdefault(whose[-1].task_id, []).append(one)
    return found
