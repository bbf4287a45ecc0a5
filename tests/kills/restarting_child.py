"""An owner that is stopped and built anew in one process, as the tray does; run by its path.

    python restarting_child.py HOME

Each line on its standard input is a restart; its end is the end.
"""

import json
import sys
from pathlib import Path

from roundtable_desktop.app import Home, Owner


def main() -> None:
    home = Home(Path(sys.argv[1]))
    while True:
        owner = Owner(home, port=0, log_to_stderr=True)
        owner.start()
        print(json.dumps(owner.ready()), flush=True)
        line = sys.stdin.readline()
        owner.stop()
        if not line:
            return


if __name__ == "__main__":
    main()
