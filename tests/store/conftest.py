"""The ground under every test of the store, and a home whose file is to be harmed."""

import shutil
from pathlib import Path

import pytest
from ground import NOW, Ground, ground

from roundtable_desktop.store import backups, migrate

__all__ = ["ground"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with rows and a backup of before the last of them, and nobody at it."""
    folder = tmp_path_factory.mktemp("made")
    ground = Ground(folder)
    (folder / "backups").mkdir()
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    for _ in range(200):
        ground.task(workspace, agent, description="words " * 40)
    backups.keep(ground.path, folder / "backups", NOW, len(migrate.migrations()))
    ground.task(workspace, title="Since the backup")
    ground.close()
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home")) / "roundtable.db"
