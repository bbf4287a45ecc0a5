"""The pages' scripts keep the types that they declare."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _web import PROJECT, checker


def check(project: Path) -> subprocess.CompletedProcess[str]:
    command = [*checker(Path(sys.prefix)), "--project", str(project)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


@pytest.mark.slow
@pytest.mark.proves("K-61 run")
def test_every_script_keeps_its_types() -> None:
    done = check(PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_script_that_breaks_them_is_found(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "web", ignore=shutil.ignore_patterns("vendor"))
    script = tmp_path / "web" / "static" / "live.js"
    script.write_text(script.read_text() + '\nshow("nonsense");\n')
    done = check(tmp_path / "web")
    assert done.returncode != 0 and "live.js" in done.stdout and "nonsense" in done.stdout
