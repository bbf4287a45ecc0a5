"""How opencode is pointed at the stub: its environment and its command, for tests and products."""

import json
import os
from pathlib import Path
from typing import Any, Protocol

from stub_model import MODEL

PROGRAM = "ROUNDTABLE_OPENCODE"  # set by `dev.py agents`

Json = dict[str, Any]


class Settings(Protocol):
    """`settings` for one test's server and home."""

    def __call__(
        self, *, edit: str = "allow", bash: str = "allow", servers: Json | None = None
    ) -> dict[str, str]: ...


def command() -> list[str]:
    """Its errors go to stderr: nothing else tells of a limit that it meets and tries again."""
    return [os.environ[PROGRAM], "acp", "--print-logs", "--log-level", "ERROR"]


def settings(
    url: str, home: Path, *, edit: str, bash: str, servers: Json | None = None
) -> dict[str, str]:
    """What is added to an environment; edit, bash: `allow`, `ask` or `deny`; servers: the MCP
    servers that are its person's own, by name.

    home: where all its folders are, so that it neither finds nor leaves anything of a person's.
    """
    folders = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_STATE_HOME": home / "state",
    }
    configuration = {
        "model": f"stub/{MODEL}",
        "small_model": "stub/stub-small",
        "enabled_providers": ["stub"],
        "autoupdate": False,
        "share": "disabled",
        "permission": {"edit": edit, "bash": bash},
        "mcp": servers or {},
        "provider": {
            "stub": {
                "npm": "@ai-sdk/openai-compatible",  # built in: nothing is fetched
                "options": {"baseURL": f"{url}/v1", "apiKey": "stub"},
                "models": {
                    MODEL: {
                        "limit": {"context": 128_000, "output": 8192},
                        "cost": {"input": 1, "output": 2, "cache_read": 0.1},
                    },
                    "stub-small": {},
                },
            }
        },
    }
    return {
        **{name: str(path) for name, path in folders.items()},
        "NO_COLOR": "1",
        "OPENCODE_CONFIG_CONTENT": json.dumps(configuration),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
