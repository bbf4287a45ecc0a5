"""A repository of twenty thousand files: a copy of it, small work and large work, delivered."""

import time
from pathlib import Path

import pytest
from engine_stage import Stage

from roundtable_desktop.model.proposals import Proposal

pytestmark = pytest.mark.faults
FILES = 20_000


@pytest.mark.timeout(600)
@pytest.mark.proves("delivery table")
def test_a_huge_repository_is_worked_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage(tmp_path)
    folders = stage.folders
    folders.plain("checkout", "-q", "main")
    for number in range(FILES):
        path = folders.repo / f"many/{number % 200}/{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n")
    folders.commit()
    mine = folders.repo / "many/7/7.txt"
    mine.write_text("mine\n")
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    took = {}

    def offered(what: str, names: range) -> Proposal:
        task = stage.task(workspace, agent)
        began = time.monotonic()
        run = stage.launch()
        took[f"{what}, copy"] = time.monotonic() - began
        for number in names:
            (stage.copy(run) / f"many/{number % 200}/{number}.txt").write_text("agent\n")
        began = time.monotonic()
        stage.finish(run, result={"status": "completed"})
        took[f"{what}, collect"] = time.monotonic() - began
        return stage.proposals(task)[-1]

    def deliver(what: str, proposal: Proposal) -> str:
        began = time.monotonic()
        stage.ask_deliver(proposal)
        stage.deliver()
        took[f"{what}, deliver"] = time.monotonic() - began
        return str(stage.tries(proposal)[-1].status)

    small, large = offered("small", range(1, 2)), offered("large", range(FILES))
    assert deliver("small", small) == "delivered"
    assert deliver("large", large) == "held", "the user's own edit is in its way"
    folders.plain("checkout", "-q", "--", "many/7/7.txt")
    assert deliver("large again", large) == "delivered"
    assert mine.read_text() == "agent\n" and folders.plain("status", "--porcelain") == ""
    stage.ground.close()
    with capsys.disabled():
        print("\n" + "\n".join(f"{what}: {seconds:.1f} s" for what, seconds in took.items()))
