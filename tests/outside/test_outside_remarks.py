"""Comments on lines of a proposal come back to its author as a request for changes."""

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import check_inert, got, send, sent
from outside_talk import demo, script

FILE = "write bread.txt rye"


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.mark.slow
@pytest.mark.proves("A-28")
def test_a_comment_on_a_line_sends_the_work_back_with_that_line(
    room: Room, browser: Browser
) -> None:
    task = room.task("Bake", demo(room, "Ada"), description=script(FILE))
    first = room.proposal(task)
    room.ended(task)
    here = f"/proposals/{first['id']}"
    page = got(browser, here)
    form = page.form(f"{here}/remarks")
    assert form.fields["path-0"] == "bread.txt" and "Comment on lines" in page.text
    refused = send(browser, form, **{"line-0-0": "1", "note": "Hm", "once": "r.1"})
    again = check_inert(refused.text)
    assert refused.status == 422 and "what is to be said of line 1" in again.text
    assert 'value="1"' in refused.text and ">Hm</textarea>" in refused.text
    for wrong in ({"line-0-1": "none", "text-0-1": "x"}, {}):
        answer = send(browser, form, **wrong, once=f"r.2{len(wrong)}")
        assert answer.status == 422, answer.text
    page = sent(browser, form, **{"line-0-0": "1", "text-0-0": "Which rye?", "note": "Nearly."})
    assert "Changes are asked for." in page.text and "Rejected" in page.text
    run = room.ended(task, 2)
    assert "bread.txt:1 (minor): Which rye?" in run["assembled_prompt"]
    assert "Nearly." in run["assembled_prompt"]


@pytest.mark.slow
@pytest.mark.proves("A-28")
def test_at_a_gate_it_is_a_verdict_and_stands_beside_its_line(room: Room, browser: Browser) -> None:
    gates = [{"kind": "approval"}, {"kind": "review", "agents": [demo(room, "Nia")]}]
    task = room.task("Bake", demo(room, "Ada"), description=script(FILE), gates=gates)
    first = room.proposal(task)
    here = f"/proposals/{first['id']}"
    until(lambda: room.house.get(here)["gates"][0]["status"] == "asked")
    form = got(browser, here).form(f"{here}/remarks")
    page = sent(browser, form, **{"line-0-0": "1", "text-0-0": "Which rye?"})
    assert "You: Which rye?" in page.text
    seen = room.house.get(here)
    assert seen["verdicts"][0]["verdict"] == "revise"
    assert seen["verdicts"][0]["findings"] == [
        {"path": "bread.txt", "line": 1, "text": "Which rye?", "severity": "minor"}
    ]
    assert "bread.txt:1 (minor): Which rye?" in room.ended(task, 2)["assembled_prompt"]
    assert not got(browser, here).has_form(f"{here}/remarks"), "nothing is decided there any more"
