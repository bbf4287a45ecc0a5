"""A moved home is the same one; a copied one is another, wherever it lies."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.rules.copied import first_id_after, is_copy, is_id

WAS = Whereabouts(root="/a", machine="m", kind="ext4", database=7, lock=8, folder=9)
FUSE = replace(WAS, kind="fuse.cryfs")
MADE = replace(WAS, lock_made=3, folder_made=4)
BTRFS = replace(WAS, kind="btrfs", volume=5)

SAME = {
    "a start of the machine": (WAS, WAS),
    "a move, a bind mount, a linked parent": (WAS, replace(WAS, root="/b")),
    "its lock removed by hand": (WAS, replace(WAS, lock=10)),
    "its files moved into another folder": (WAS, replace(WAS, root="/b", folder=10)),
    "a system that tells no machine any more": (WAS, replace(WAS, machine="")),
    "a system that tells one now": (replace(WAS, machine=""), WAS),
    "numbers that do not last": (FUSE, replace(FUSE, database=1, lock=2, folder=3)),
    "a system that tells no kinds": (BTRFS, replace(BTRFS, kind="", volume=None)),
    "its lock made anew, with the number of the old one": (MADE, replace(MADE, lock_made=5)),
    "a system that tells less": (MADE, WAS),
    "a system that tells more": (WAS, MADE),
    "a snapshot's volume that stays": (BTRFS, BTRFS),
}
OTHER = {
    "cp -a": (WAS, replace(WAS, root="/b", database=1, lock=2, folder=3)),
    "cp -a and back to the same place": (WAS, replace(WAS, database=1, lock=2, folder=3)),
    "the database alone put there": (WAS, replace(WAS, database=1)),
    "a number that is the same by chance": (WAS, replace(WAS, lock=2, folder=3)),
    "cp -a and back, with the numbers that are free again": (
        MADE,
        replace(MADE, lock_made=5, folder_made=6),
    ),
    "another machine": (WAS, replace(WAS, machine="n")),
    "another machine, numbers that do not last": (FUSE, replace(FUSE, machine="n")),
    "a snapshot": (BTRFS, replace(BTRFS, root="/b", volume=6)),
}


@pytest.mark.proves("copied home")
@pytest.mark.parametrize("what", SAME)
def test_what_is_the_same_home(what: str) -> None:
    was, now = SAME[what]
    assert not is_copy(was, now, still_there=True)


@pytest.mark.proves("copied home")
@pytest.mark.parametrize("what", OTHER)
def test_what_is_another_home(what: str) -> None:
    was, now = OTHER[what]
    assert is_copy(was, now, still_there=False)


@pytest.mark.proves("copied home")
@pytest.mark.parametrize("still_there", [True, False])
def test_where_numbers_do_not_last_the_first_one_tells(still_there: bool) -> None:
    for was, now in ((FUSE, replace(FUSE, root="/b")), (WAS, replace(FUSE, root="/b"))):
        assert is_copy(was, now, still_there=still_there) is still_there
    disk = replace(WAS, kind="fuseblk")
    assert is_copy(disk, replace(disk, database=1), still_there=False), "that is a disk"


@pytest.mark.proves("copied home")
def test_ids_are_told_from_those_of_a_later_millisecond() -> None:
    ids = SystemIds()
    before = datetime.now(UTC)
    made = ids.new()
    after = datetime.now(UTC)
    assert first_id_after(before - timedelta(milliseconds=2)) < made
    assert is_id(made) and not is_id(made[1:]) and not is_id(f"{made[1:]}u")
    assert made < first_id_after(after) < "7" + "z" * 25
