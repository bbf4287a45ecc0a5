"""What a restored database does not know of: copies are kept out of the way, nothing is undone."""

import pytest
from engine_stage import Stage

from roundtable_desktop.adapters.git.copies import base_ref
from roundtable_desktop.engine.launching import repository_of


@pytest.mark.proves("F-25")
@pytest.mark.parametrize("told", [True, False], ids=["its ref tells", "nobody can tell"])
def test_a_copy_that_no_run_knows_of_takes_nothing_back(stage: Stage, told: bool) -> None:
    """It began at an older commit; the user has gone on since."""
    began = stage.folders.plain("rev-parse", "main")
    workspace = stage.workspace()
    task = stage.task(workspace, stage.agent(workspace))
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "new.txt").write_text("the user's\n")
    stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    folder = stage.folders.copies / "1" / f"t{task.number}"
    stage.git.make_copy(repository_of(workspace), str(folder), began, {})
    assert stage.folders.plain("rev-parse", base_ref(str(folder))) == began
    if not told:
        stage.folders.plain("update-ref", "-d", base_ref(str(folder)))
    run = stage.launch()
    assert stage.copy(run) == folder
    (folder / "work.txt").write_text("the agent's\n")
    stage.finish(run)
    [proposal] = stage.proposals(task)
    names = stage.folders.plain("diff", "--name-only", proposal.base_commit, proposal.head_commit)
    assert names == "work.txt"
    away = [*folder.parent.glob("*.before-*")]
    assert [one.joinpath("a.txt").read_text() for one in away] == ([] if told else ["a\n"])
