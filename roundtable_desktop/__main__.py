"""Chooses which program of the product this process is."""

import gc
import importlib
import sys
from collections.abc import Mapping

from roundtable_desktop.cli.loading import for_good

PARTS: Mapping[str, str] = {
    "runner": "roundtable_desktop.runner.main",
    "demo-agent": "roundtable_desktop.demo.agent",
    "mcp-bridge": "roundtable_desktop.mcp.bridge",
    "simulation": "roundtable_desktop.simulation",
}
"""Each module's `main` takes its words and gives the exit code."""
USAGE = 64


def main() -> int:
    """`--part NAME …` comes first and loads nothing else: a runner starts in a few ms."""
    words = sys.argv[1:]
    if words[:1] == ["--part"]:
        return _part(words[1:])
    return _call("roundtable_desktop.cli.desktop", words)


def _part(words: list[str]) -> int:
    if not words or words[0] not in PARTS:
        sys.stderr.write(f"--part takes one of: {', '.join(PARTS)}\n")
        return USAGE
    return _call(PARTS[words[0]], words[1:])


def _call(module: str, words: list[str]) -> int:
    """Nor does the collector look through what was loaded when it ends."""
    with for_good():
        part = importlib.import_module(module)
    try:
        return int(part.main(words) or 0)
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
