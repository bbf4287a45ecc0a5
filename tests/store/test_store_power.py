"""The power fails at any byte of the log: what was acknowledged before is there, and whole."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ground import NOW, Ground

from roundtable_desktop.store import migrate

POINTS = 500
COMMITS = 60


@pytest.mark.slow
@pytest.mark.proves("F-17")
def test_a_log_cut_anywhere_keeps_every_commit_before_the_cut(
    ground: Ground, tmp_path: Path
) -> None:
    """Only what follows the last fsync can be missing; each commit has one of its own."""
    log = ground.path.with_name(ground.path.name + "-wal")
    agent = ground.agent(ground.workspace())
    acked = []
    for _ in range(COMMITS):
        made = ground.wakeup(agent)
        acked.append((log.stat().st_size, made.id))
    base, whole = ground.path.read_bytes(), log.read_bytes()
    dice = random.Random(7)
    cuts = {size for size, _ in acked} | {dice.randrange(len(whole)) for _ in range(POINTS)}
    folder = tmp_path / "after"
    for cut in sorted(cuts):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / "a.db"
        path.write_bytes(base)
        path.with_name("a.db-wal").write_bytes(whole[:cut])
        before = {wakeup for size, wakeup in acked if size <= cut}
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], cut
            assert db.execute("PRAGMA foreign_key_check").fetchall() == []
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            known = (
                {row[0] for row in db.execute("SELECT id FROM agent_wakeup_requests")}
                if "agent_wakeup_requests" in tables
                else set()
            )
        assert before <= known, cut
    assert len(cuts) >= POINTS
    assert migrate.migrate(path, tmp_path, NOW) == []
