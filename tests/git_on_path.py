"""A git that does something else first when a certain word is among its arguments."""

import os
import shutil
from pathlib import Path


def path_with_git(folder: Path, word: str, before: str) -> str:
    """A PATH that begins with it. before: a line of shell; git's own arguments are "$@"."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        "#!/bin/sh\n"
        f'for word; do [ "$word" = {word} ] && {{ {before}; }}; done\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"
