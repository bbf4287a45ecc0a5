"""An owner that delivers one commit and is killed meanwhile; run by its path, never imported.

python delivering_child.py ROOT OLD NEW
"""

import sys
from pathlib import Path

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.git import Alone, HardenedGit
from roundtable_desktop.model.ports import Repository

if __name__ == "__main__":
    root, old, new = Path(sys.argv[1]), *sys.argv[2:]
    alone = Alone(root / "git.lock", processes.sweep)
    git = HardenedGit(root / "empty", root / "user-home", alone=alone)
    facts = git.inspect(str(root / "repo"))
    repository = Repository(
        path=facts.path,
        git_dir=facts.git_dir,
        author_name=facts.author_name,
        author_email=facts.author_email,
        settings=facts.settings,
    )
    git.deliver(repository, "main", old=old, new=new, into_checkout=True)
