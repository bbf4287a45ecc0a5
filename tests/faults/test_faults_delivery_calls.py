"""A delivery killed at every system call that changes anything, in repositories as they are."""

from pathlib import Path

import delivery_calls
import pytest
from delivery_calls import Point, Scene

pytestmark = pytest.mark.faults
STATES = [
    *("clean", "packed", "dirty elsewhere", "moved on", "not checked out", "linked", "bare"),
    *("mission", "base moved"),
]


@pytest.fixture(autouse=True)
def strace() -> None:
    if delivery_calls.STRACE is None:
        pytest.skip("strace is not installed; get it with `apt install strace`")


@pytest.mark.timeout(1800)
@pytest.mark.proves("F-07")
@pytest.mark.parametrize("state", STATES)
def test_each_call_of_a_delivery(
    state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path, state)
    points = scene.points(scene.deliver)
    seen = [(point, _tried(scene, point)) for point in points]
    wrong = [(str(point), what) for point, what in seen if what not in ("old", "new")]
    with capsys.disabled():
        old = sum(what == "old" for _, what in seen)
        print(f"\n{state}: {len(points)} points, {old} old, {len(wrong)} wrong")
    assert wrong == []
    assert {what for _, what in seen} == {"old", "new"}


@pytest.mark.timeout(1800)
@pytest.mark.proves("F-07")
def test_each_call_of_a_recovery(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of merges that had written a little, the half, and all of the files."""
    scene = Scene(tmp_path, "dirty elsewhere")
    writes = [one for one in scene.points(scene.deliver) if one.call in ("write", "rename")]
    merge = writes[-1].git
    of_merge = [one for one in writes if one.git == merge]
    wrong, count = [], 0
    for first in (of_merge[0], of_merge[len(of_merge) // 2], of_merge[-1]):
        scene.go_back()
        with scene.killed(first):
            scene.deliver()
        points = scene.points(scene.finish)
        owners = [Point(0, call, n) for call in ("unlink", "rmdir") for n in range(1, 6)]
        for point in [*points, *owners]:
            count += 1
            what = _tried(scene, first, point)
            if what not in ("old", "new"):
                wrong.append((str(first), str(point), what))
    with capsys.disabled():
        print(f"\nrecovery: {count} points, {len(wrong)} wrong")
    assert wrong == []


@pytest.mark.timeout(1800)
@pytest.mark.proves("F-07")
def test_each_call_of_the_recovery_of_a_merge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever the merge of a mission's task had died."""
    scene = Scene(tmp_path, "mission")
    wrong, count = [], 0
    for first in scene.points(scene.deliver):
        scene.go_back()
        with scene.killed(first):
            scene.deliver()
        if scene.aim is None:
            continue  # before its intent was aimed, and so it begins anew
        for point in scene.points(scene.finish):
            count += 1
            what = _tried(scene, first, point)
            if what not in ("old", "new"):
                wrong.append((str(first), str(point), what))
    with capsys.disabled():
        print(f"\nrecovery of a merge: {count} points, {len(wrong)} wrong")
    assert wrong == []
    assert count


def _tried(scene: Scene, *points: Point) -> str:
    try:
        return scene.whole_after(*points)
    except AssertionError as fault:
        return f"wrong: {fault}"
