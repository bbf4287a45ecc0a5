"""A proposal is in the API's inbox once: by itself, or by the item that asks about it."""

from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from test_engine_doable import look_at
from user_commits import Moved

from roundtable_desktop.dashboard.api import inbox_rows
from roundtable_desktop.engine.desk import inbox
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.states import DeliveryMode

HOUR = timedelta(hours=1)


def shown(stage: Stage, **asked: Any) -> list[str]:
    look = look_at(stage)
    found = inbox_rows.page(look, None, 50, **asked)
    return [row.kind for one in found if (row := one.shown(look)).data.get("proposal_id")]


@pytest.mark.proves("W-21")
def test_what_an_item_asks_about_is_not_there_a_second_time(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.APPROVAL)
    here.merged(here.task(), a="mission\n")
    here.user(a="user\n")
    offered: Proposal = here.offered()
    assert shown(stage) == ["proposal"]
    stage.ask_deliver(offered)
    assert shown(stage) == [], "it is on its way"
    stage.deliver()
    assert shown(stage) == ["delivery_blocked"]
    assert shown(stage, kind="proposal") == []
    look = look_at(stage)
    assert inbox_rows.find(look, offered.id).shown(look).status == "open", "still to be decided"
    [item] = [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"]
    inbox.snooze(stage.desk, ASKED, item["id"], stage.clock.now() + HOUR)
    assert shown(stage, status="open") == [], "nor while that is put off"
