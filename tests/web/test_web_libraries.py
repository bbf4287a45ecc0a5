"""The browser's libraries: pinned, fetched once, in every wheel; only a release fails for them."""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from _libraries import STAMP, VENDORED, are_there, fetch
from _node import of_machine
from house.source import ROOT, checkout_files

PROJECT = ROOT / "web"


def test_the_lock_names_exact_versions_and_no_registry() -> None:
    package = json.loads((PROJECT / "package.json").read_text())
    lock = json.loads((PROJECT / "package-lock.json").read_text())["packages"]
    wanted = package["dependencies"] | package["devDependencies"]
    assert {name: lock[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert len(lock) == 1 + len(wanted)
    assert all(one["integrity"].startswith("sha512-") for path, one in lock.items() if path)
    assert "//" not in (PROJECT / "package-lock.json").read_text()


def test_the_installation_brought_them_into_the_checkout() -> None:
    vendor = PROJECT / "static" / "vendor"
    assert are_there(PROJECT)
    assert {path.name for path in vendor.iterdir()} == {*VENDORED, STAMP}
    assert "htmx" in (vendor / "htmx.js").read_text()
    assert "Zero-Clause BSD" in (vendor / "idiomorph.LICENSE.txt").read_text()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The checkout's, without them."""
    ignore = shutil.ignore_patterns("vendor", "node_modules")
    return shutil.copytree(PROJECT, tmp_path / "web", ignore=ignore)


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node and an npm that note each call, and fail once there is `broken`."""
    programs, told = tmp_path / "bin", tmp_path / "told"
    files = " ".join(f"node_modules/{source}" for source in VENDORED.values())
    folders = " ".join({f"node_modules/{Path(s).parent}" for s in VENDORED.values()})
    scripts = {
        "node": "echo v22.1.0",
        "npm": f'echo "$*" >> {told}\n'
        f"[ ! -e {tmp_path}/broken ] || {{ echo no such registry >&2; exit 1; }}\n"
        f"mkdir -p {folders}\nfor file in {files}; do echo made > $file; done",
    }
    programs.mkdir()
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return told


def test_they_are_fetched_once_until_the_lock_changes(project: Path, npm: Path) -> None:
    assert fetch(project, of_machine) == "" and are_there(project)
    assert fetch(project, of_machine) == ""
    [told] = npm.read_text().splitlines()
    assert told.startswith("ci --ignore-scripts ") and "--omit=dev" in told
    lock = project / "package-lock.json"
    lock.write_text(lock.read_text() + "\n")
    assert not are_there(project)
    assert fetch(project, of_machine) == "" and len(npm.read_text().splitlines()) == 2


def test_a_registry_out_of_reach_is_told_and_tried_again(
    project: Path, npm: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken").touch()
    assert "no such registry" in fetch(project, of_machine)
    assert not are_there(project)
    (tmp_path / "broken").unlink()
    assert fetch(project, of_machine) == "" and are_there(project)


def test_without_a_node_it_is_told_too(project: Path) -> None:
    assert "Node" in fetch(project, lambda: None)
    assert not are_there(project)


@pytest.mark.parametrize("version", ["v18.19.0", "nonsense", ""])
def test_a_node_that_is_too_old_does_not_count(npm: Path, version: str) -> None:
    (npm.parent / "bin" / "node").write_text(f"#!/bin/sh\necho {version}\n")
    assert of_machine() is None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clean checkout."""
    tree = tmp_path / "tree"
    for path in checkout_files(ROOT):
        (tree / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tree / path.relative_to(ROOT))
    return tree


def build(tree: Path, target: str, into: Path, path: str) -> Path:
    done = tried(tree, target, into, path)
    assert done.returncode == 0, done.stderr
    [made] = [one for one in into.iterdir() if one.suffix in (".whl", ".gz")]
    return made


def tried(tree: Path, target: str, into: Path, path: str) -> subprocess.CompletedProcess[str]:
    """By hatchling as it stands here: nothing is fetched for the build itself."""
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)],
        cwd=tree,
        env={"PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
    )


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if name.startswith("roundtable_desktop/web/")}


@pytest.mark.slow
def test_a_wheel_has_them_also_when_it_is_built_from_an_sdist(tree: Path, tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "static" / "vendor", tree / "web" / "static" / "vendor")
    sdist = build(tree, "sdist", tmp_path / "sdist", "/nowhere")
    with tarfile.open(sdist) as opened:
        opened.extractall(tmp_path / "unpacked", filter="data")
    [unpacked] = (tmp_path / "unpacked").iterdir()
    direct = contents(build(tree, "wheel", tmp_path / "direct", "/nowhere"))
    again = contents(build(unpacked, "wheel", tmp_path / "again", "/nowhere"))
    inside = {name.removeprefix("roundtable_desktop/web/") for name in direct}
    assert direct == again
    assert {f"static/vendor/{name}" for name in VENDORED} < inside
    assert {"static/live.js", "templates/layout.html"} < inside
    assert {name.partition("/")[0] for name in inside} == {"static", "templates"}


@pytest.mark.slow
def test_a_wheel_is_built_without_them_where_they_cannot_be_had(tree: Path, tmp_path: Path) -> None:
    inside = contents(build(tree, "wheel", tmp_path / "wheel", "/nowhere"))
    assert "roundtable_desktop/web/static/live.js" in inside
    assert not [name for name in inside if "vendor" in name]


@pytest.mark.slow
def test_a_release_is_not_built_without_them(tree: Path, tmp_path: Path) -> None:
    done = tried(tree, "sdist", tmp_path / "sdist", "/nowhere")
    assert done.returncode != 0
    assert "no release without the browser's libraries" in done.stderr
    assert not list(tmp_path.glob("sdist/*.gz"))
