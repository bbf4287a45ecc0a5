"""`.roundtable/config.yaml` is read as a stranger's file and written as the user's own."""

import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roundtable_desktop.adapters.reviewed.config import FILE_BYTES, RepositoryConfig
from roundtable_desktop.adapters.reviewed.plain import DEEPEST, Unclear, parse
from roundtable_desktop.dashboard.api.config import read
from roundtable_desktop.model.errors import Conflict, InvalidFields
from roundtable_desktop.rules.config import TEMPLATE

FILES = RepositoryConfig(0o022)


def put(root: Path, raw: bytes) -> Path:
    (root / ".roundtable").mkdir(exist_ok=True)
    file = root / ".roundtable" / "config.yaml"
    file.write_bytes(raw)
    return file


def link(root: Path) -> None:
    (root / "other.yaml").write_text("version: 1\n")
    (root / ".roundtable").mkdir()
    (root / ".roundtable" / "config.yaml").symlink_to(root / "other.yaml")


def dead_link(root: Path) -> None:
    (root / ".roundtable").mkdir()
    (root / ".roundtable" / "config.yaml").symlink_to(root / "nowhere")


def linked_folder(root: Path) -> None:
    put(root, b"version: 1\n")
    (root / ".roundtable").rename(root / "elsewhere")
    (root / ".roundtable").symlink_to(root / "elsewhere")


def pipe(root: Path) -> None:
    (root / ".roundtable").mkdir()
    os.mkfifo(root / ".roundtable" / "config.yaml")


def folder(root: Path) -> None:
    (root / ".roundtable" / "config.yaml").mkdir(parents=True)


def channel(root: Path) -> None:
    (root / ".roundtable").mkdir()
    place = os.open(root / ".roundtable", os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as end:  # a path of a test is too long for one
        end.bind(f"/proc/self/fd/{place}/config.yaml")
    os.close(place)


def no_folder(root: Path) -> None:
    (root / ".roundtable").write_text("version: 1\n")


def huge(root: Path) -> None:
    with open(put(root, b""), "wb") as file:
        file.truncate(100 << 20)


def just_too_large(root: Path) -> None:
    put(root, b"#" * (FILE_BYTES + 1))


def long(root: Path) -> None:
    put(root, b"\r" * 3000)


def not_utf_8(root: Path) -> None:
    put(root, b"version: 1\n# \xff\n")


def raw(text: str) -> Callable[[Path], None]:
    def harm(root: Path) -> None:
        put(root, text.encode())

    return harm


BAD: list[tuple[str, Callable[[Path], None], str, int | None]] = [
    ("link", link, "config_is_link", None),
    ("dead link", dead_link, "config_is_link", None),
    ("linked folder", linked_folder, "config_is_link", None),
    ("pipe", pipe, "config_no_file", None),
    ("folder", folder, "config_no_file", None),
    ("socket", channel, "config_unreadable", None),
    ("no folder", no_folder, "config_unreadable", None),
    ("100 MB", huge, "config_too_large", None),
    ("a byte too much", just_too_large, "config_too_large", None),
    ("lines", long, "config_too_long", None),
    ("no UTF-8", not_utf_8, "config_unclear", None),
    ("empty", raw(""), "config_unclear", 1),
    ("a list", raw("- version: 1\n"), "config_unclear", 1),
    ("torn", raw("version: 1\nagents: [\n"), "config_unclear", 3),
    ("tab", raw("version: 1\nagents:\n\t- id: a\n"), "config_unclear", 3),
    ("escape", raw("version: 1\n# \x1b[31m\n"), "config_unclear", 2),
    ("twice", raw("version: 1\nversion: 1\n"), "config_unclear", 1),
    ("alias", raw("version: 1\na: &a [x]\nb: [*a, *a]\n"), "config_unclear", 3),
    ("bomb", raw("a: &a [x]\n" + "b: &b [*a, *a]\n" * 30), "config_unclear", 2),
    ("object", raw("version: !!python/object/apply:os.system [x]\n"), "config_unclear", 1),
    ("bytes", raw("version: !!binary aGk=\n"), "config_unclear", None),
    ("nan", raw("version: .nan\n"), "config_unclear", None),
    ("no date", raw("version: !!timestamp x\n"), "config_unclear", 1),
    ("no word of yes", raw("version: !!bool x\n"), "config_unclear", 1),
    ("no number", raw("version: 1\na: [!!int '']\n"), "config_unclear", 2),
    ("no fraction", raw("version: !!float ''\n"), "config_unclear", 1),
    ("hours", raw(f"version: 1{':00' * 300}.5\n"), "config_unclear", 1),
    ("deep", raw("[" * 60_000), "config_unclear", 1),
    ("deep blocks", raw("a:\n" + "- " * 20_000), "config_unclear", 2),
    ("deep names", raw("a: " + "{a: " * 15_000), "config_unclear", 1),
    ("deep questions", raw("? " * 30_000), "config_unclear", 1),
    ("two of them", raw("version: 1\n---\nversion: 1\n"), "config_unclear", 2),
]


@pytest.mark.slow
@pytest.mark.proves("C-105")
@pytest.mark.parametrize(
    ("harm", "code", "line"), [one[1:] for one in BAD], ids=[one[0] for one in BAD]
)
def test_whatever_stands_there_is_a_fault_with_its_line(
    tmp_path: Path, harm: Callable[[Path], None], code: str, line: int | None
) -> None:
    harm(tmp_path)
    found = FILES.read(str(tmp_path))
    assert found is not None and found.fault is not None
    assert (found.fault.code, found.fault.line) == (code, line), found.fault
    again = FILES.read(str(tmp_path))
    assert again is not None and again.sha == found.sha, "the same question, asked once"


@pytest.mark.proves("C-105")
@pytest.mark.parametrize("begin", ["[", "{", "- ", "? ", "{a: ", "[[],"])
def test_nesting_costs_nothing(begin: str) -> None:
    """The file is a stranger's, and is read before each run."""
    before = time.process_time()
    with pytest.raises(Unclear, match="levels in each other"):
        parse((begin * FILE_BYTES).encode()[:FILE_BYTES])
    assert time.process_time() - before < 0.5
    deep = "a: " + "[" * (DEEPEST - 2) + "x" + "]" * (DEEPEST - 2)
    assert parse(deep.encode()).lines


@pytest.mark.proves("C-105")
def test_no_file_is_no_fault(tmp_path: Path) -> None:
    assert FILES.read(str(tmp_path)) is None
    (tmp_path / ".roundtable").mkdir()
    assert FILES.read(str(tmp_path)) is None
    assert FILES.read(str(tmp_path / "gone")) is None


WRONG = [
    ("version: 2", "/version", 1),
    ("agents: []", "/version", 1),
    ("version: 1\nagent: []", "/agent", 2),
    ("version: 1\nagents:\n  - id: a\n    adapter: demo\n    comand: [x]", "/agents/0/comand", 5),
    ("version: 1\nagents:\n  - id: a", "/agents/0/adapter", 3),
    ("version: 1\nagents:\n  - {id: a, adapter: demo, enabled: true}", "/agents/0/enabled", 3),
    ("version: 1\nagents:\n- {id: a, adapter: demo, env: {A: b}}", "/agents/0/env", 3),
    ("version: 1\nagents:\n- {id: a, adapter: demo, count: -1}", "/agents/0/count", 3),
    ("version: 1\nagents:\n- {id: ../a, adapter: demo}", "/agents/0/id", 3),
    ("version: 1\nagents:\n- {id: no, adapter: demo}", "/agents/0/id", 3),
    ("version: 1\nagents:\n- {id: a, adapter: sh, command: sh -c x}", "/agents/0/adapter", 3),
    (
        'version: 1\nagents:\n- {id: a, adapter: command, command: ["\\0"]}',
        "/agents/0/command/0",
        3,
    ),
    ("version: 1\nworkspace:\n  delivery: now", "/workspace/delivery", 3),
    ("version: 1\nworkspace:\n  1: x", "/workspace/1", 3),
    ("version: 1\nroutines:\n- {name: a, agent: b, status: active}", "/routines/0/status", 3),
    ("version: 1\nroutines:\n- name: a\n  agent: b\n  triggers: [{secret: x}]", None, 5),
    ("version: 1\nchecks:\n- {name: test, command: make}", "/checks/0/command", 3),
]


@pytest.mark.proves("C-105", "W-14")
@pytest.mark.parametrize(("text", "pointer", "line"), WRONG, ids=range(len(WRONG)))
def test_what_has_another_form_is_refused_with_its_pointer(
    tmp_path: Path, text: str, pointer: str | None, line: int
) -> None:
    from roundtable_desktop.rules.config import line_of

    put(tmp_path, text.encode())
    found = FILES.read(str(tmp_path))
    assert found is not None and found.fault is None, found
    with pytest.raises(InvalidFields) as refused:
        read(found.data)
    pointers = [at for at, _, _ in refused.value.fields]
    assert pointer in (None, pointers[0]), refused.value.fields
    assert line_of(pointers[0], found.lines) == line


@pytest.mark.proves("C-105")
def test_what_the_contract_names_is_read(tmp_path: Path) -> None:
    written = [
        line.removeprefix("# ") for line in TEMPLATE.partition("version: 1\n")[2].split("\n")
    ]
    put(tmp_path, ("version: 1\n" + "\n".join(written).replace("\n#\n", "\n\n")).encode())
    found = FILES.read(str(tmp_path))
    assert found is not None and found.fault is None, found
    wanted = read(found.data)
    assert wanted["workspace"]["delivery"] == "approval"
    assert wanted["agents"][0]["id"] == wanted["routines"][0]["agent"] == "implementer"
    assert read({"version": 1, "routines": [{"name": "a", "agent_id": "b"}]})["routines"] == [
        {"name": "a", "agent": "b"}
    ]


@pytest.mark.proves("C-105")
def test_it_is_written_where_nothing_is_as_the_user_would(tmp_path: Path) -> None:
    before = os.umask(0o077)  # the owner's own
    try:
        assert FILES.create(str(tmp_path), TEMPLATE)
    finally:
        os.umask(before)
    file = tmp_path / ".roundtable" / "config.yaml"
    assert file.read_text() == TEMPLATE
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755
    assert not FILES.create(str(tmp_path), "version: 2\n"), "never twice"
    assert file.read_text() == TEMPLATE
    found = FILES.read(str(tmp_path))
    assert found is not None and read(found.data) == {}, "accepted, it changes nothing"


@pytest.mark.proves("C-105")
@pytest.mark.parametrize("harm", [linked_folder, no_folder])
def test_nothing_is_written_through_a_link_or_over_a_file(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    harm(tmp_path)
    (tmp_path / "elsewhere" / "config.yaml").unlink(missing_ok=True)
    with pytest.raises(Conflict) as refused:
        FILES.create(str(tmp_path), TEMPLATE)
    assert refused.value.code == "config_not_written"
    assert not (tmp_path / "elsewhere" / "config.yaml").exists()


@pytest.mark.proves("C-105")
def test_a_dead_link_in_its_place_is_left_alone(tmp_path: Path) -> None:
    dead_link(tmp_path)
    assert not FILES.create(str(tmp_path), TEMPLATE)
    assert not (tmp_path / "nowhere").exists()
