"""How claude-agent-acp is pointed at the stub: its environment and its command."""

import json
import os
from pathlib import Path
from typing import Any

PROGRAM = "ROUNDTABLE_CLAUDE_ACP"  # set by `dev.py agents`


def command() -> list[str]:
    return ["node", os.environ[PROGRAM]]


def settings(url: str, home: Path, servers: dict[str, Any]) -> dict[str, str]:
    """What is added to an environment.

    home: where all its folders are, so that it neither finds nor leaves anything of a person's.
    servers: the MCP servers that are its person's own, by name.
    """
    folder = home / "claude"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".claude.json").write_text(json.dumps({"mcpServers": servers}))
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(folder),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "stub",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "NO_COLOR": "1",
        # Else its first request goes out without the tools of a server that is slow to answer.
        "MCP_CONNECTION_NONBLOCKING": "0",
        "MCP_CONNECT_TIMEOUT_MS": "120000",
        "MCP_TIMEOUT": "120000",
    }
