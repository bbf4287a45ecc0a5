"""What faces show and do while the database takes nothing."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from ground import NOW, Ground

from roundtable_desktop.dashboard.api.status import sentence_of
from roundtable_desktop.engine.desk.browsers import Browsers
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.states import Health


def unasked(*_: object, **__: object) -> Any:
    raise AssertionError("nobody asks it here")


@pytest.mark.proves("F-18", "F-22")
def test_pages_go_on_and_every_face_has_the_words(ground: Ground) -> None:
    look: Any = Look(ground.reader, ground.clock, *[unasked] * 7)  # type: ignore[arg-type]
    browsers = Browsers(ground.store, ground.reader)
    browsers.create(WebSession(id_hash="h", created_at=NOW, seen_at=NOW))
    later = NOW + timedelta(minutes=11)
    ground.store.db.connection().execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(ground.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        browsers.touch("h", later)
        ground.clock.forward(seconds=3)
        glance = look.glance(Health.DEGRADED)
        assert (glance.trouble, look.trouble()) == ("database_busy",) * 2
        assert "another program holds it" in sentence_of(glance)
        ground.store.db.connection().execute("PRAGMA busy_timeout = 60000")
        browsers.touch("h", later)  # at once: nobody waits again for what is of use later only
    found = browsers.find("h")
    assert found is not None and found.seen_at == NOW
    with ground.store.transaction():
        pass
    browsers.touch("h", later)
    found = browsers.find("h")
    assert found is not None and found.seen_at == later
    assert sentence_of(look.glance(Health.OK)) == "The scheduler is running."
    ground.store.fault = "disk_full"
    assert "disk is full" in sentence_of(look.glance(Health.DEGRADED))
