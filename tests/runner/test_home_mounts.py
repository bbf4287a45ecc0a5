"""A home on a network drive is refused: a lock there keeps no second owner away."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from roundtable_desktop.adapters.home import Home, kind_of, machine_name, network_kind
from roundtable_desktop.model.errors import Broken

MOUNTS = """\
20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
21 20 0:40 / /net rw - nfs4 server:/export rw
22 21 8:2 / /net/local\\040disk rw - ext4 /dev/sdb1 rw
23 20 0:41 / /share rw - cifs //server/share rw
24 20 0:42 / /dev/shm rw shared:4 master:2 - tmpfs tmpfs rw
25 20 0:43 / /twice rw - nfs server:/x rw
26 20 0:44 / /twice rw - ext4 /dev/sdc1 rw
27
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    file = tmp_path / "mountinfo"
    file.write_text(MOUNTS.replace("\\\\", "\\"))
    return file


@pytest.mark.proves("S-74")
@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/net/home", "nfs4"),
        ("/net", "nfs4"),
        ("/network/home", None),
        ("/net/local disk/home", None),
        ("/share/deep/er", "cifs"),
        ("/srv/grace", None),
        ("/dev/shm/x", None),
        ("/twice/home", None),
    ],
)
def test_what_lies_on_another_machine_is_told(mounts: Path, folder: str, kind: str | None) -> None:
    assert network_kind(Path(folder), mounts) == kind


@pytest.mark.proves("S-74")
def test_such_a_home_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.mounts = tmp_path / "mountinfo"
    home.mounts.write_text(f"20 1 0:40 / {tmp_path} rw - nfs server:/x rw\n")
    home.prepare()
    with pytest.raises(Broken, match="home_on_network"):
        home.lock()
    assert not home.lock_file.exists() and not home.database.exists()
    home.mounts = tmp_path / "nothing"
    home.lock()
    home.unlock()


@pytest.mark.proves("copied home")
def test_a_machine_is_told_by_a_name_that_lasts(tmp_path: Path) -> None:
    mounts, file = tmp_path / "mountinfo", tmp_path / "machine-id"
    mounts.write_text(
        f"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 0:9 / {tmp_path} rw - xfs x rw\n"
    )
    assert (kind_of(tmp_path, mounts), kind_of(Path("/"), mounts)) == ("xfs", "ext4")
    assert machine_name(file, mounts) == "", "there is none"
    file.write_text(f"{'0a' * 16}\n")
    one = machine_name(file, mounts)
    assert len(one) == 32 and "0a0a" not in one, "the system's own name is nobody else's business"
    assert machine_name(file, mounts) == one
    file.write_text("0b" * 16)
    assert machine_name(file, mounts) not in ("", one)
    for told in ("", "uninitialized\n", "\xff"):
        file.write_text(told)
        assert machine_name(file, mounts) == ""
    file.write_text("0a" * 16)
    with mounts.open("a") as more:
        more.write(f"22 21 0:10 /machine-id {file} ro - tmpfs tmpfs rw\n")
    assert machine_name(file, mounts) == "", "the next boot has another one"


@pytest.mark.proves("copied home")
def test_where_a_home_lies_stays_the_same_by_every_path(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "home")
    home.prepare()
    home.lock()
    home.database.touch()
    here = home.whereabouts()
    assert here.database and here.lock and here.folder and here.root == str(home.root)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert Home(tmp_path / "link" / "home").whereabouts() == here
    (tmp_path / "a").rename(tmp_path / "b")
    moved = Home(tmp_path / "b" / "home").whereabouts()
    assert moved == replace(here, root=moved.root) and moved.root == str(tmp_path / "b" / "home")
    home.unlock()
    assert Home(tmp_path / "nothing").machine_file == Path("/etc/machine-id")


@pytest.mark.slow
@pytest.mark.proves("S-43 modes")
def test_what_is_started_for_the_user_has_their_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.umask(0o027)
    home = Home(tmp_path / "home")
    home.prepare()
    home.prepare()  # once more, as a start does
    assert home.users_umask == 0o027
    said = tmp_path / "said"
    words = f"(umask; echo $1) > {said}.new\nmv {said}.new {said}\n"
    (tmp_path / "xdg-open").write_text(f"#!/bin/sh\n{words}")
    (tmp_path / "xdg-open").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    os.umask(0o077)
    assert home.show(tmp_path / "a page.html")
    for _ in range(500):
        if said.exists():
            break
        time.sleep(0.01)
    assert said.read_text().split() == ["0027", f"file://{tmp_path}/a%20page.html"]
    assert os.umask(0o077) == 0o077
    (tmp_path / "xdg-open").write_text("#!/bin/sh\nsleep 0.1\nexit 3\n")
    assert not home.show(tmp_path / "a page.html"), "it found nothing that opens it"
    (tmp_path / "xdg-open").write_text("#!/bin/sh\nexec sleep 3\n")
    began = time.monotonic()
    assert home.show(tmp_path / "a page.html") and time.monotonic() - began < 2.5
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert not home.show(tmp_path / "a page.html")
