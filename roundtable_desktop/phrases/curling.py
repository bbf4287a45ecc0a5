"""The call of a webhook, as it is typed in a shell."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from roundtable_desktop.phrases import _

_SIGNED = """\
SECRET={secret}
BODY={body}
AT=$(date +%s)
SIGNATURE=$(printf '%s' "$AT.$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl -sS {url} \\
  -H 'Content-Type: application/json' \\
  -H "X-Roundtable-Timestamp: $AT" \\
  -H "X-Roundtable-Signature: v1=$SIGNATURE" \\
  --data-binary "$BODY"
"""
_BEARER = """\
SECRET={secret}
curl -sS {url} \\
  -H 'Content-Type: application/json' \\
  -H "Authorization: Bearer $SECRET" \\
  --data-binary {body}
"""
_PLAIN = """\
curl -sS {url} \\
  -H 'Content-Type: application/json' \\
  --data-binary {body}
"""
_CURLS = {"hmac_sha256": _SIGNED, "bearer": _BEARER, "none": _PLAIN}
_VALUES: Mapping[str, object] = {"number": 1, "boolean": True}


def curl(mode: str, url: str, variables: Sequence[Mapping[str, Any]], secret: str | None) -> str:
    """A call for a shell that works as it stands. variables: as the routine declares them. secret:
    None where only its sender has it, so that it must be put in."""
    body = json.dumps({one["name"]: _value(one) for one in variables}, ensure_ascii=False)
    shown = _("the secret that you gave its sender") if secret is None else secret
    words = {"url": shlex.quote(url), "body": shlex.quote(body), "secret": shlex.quote(shown)}
    return _CURLS[mode].format(**words)


def _value(variable: Mapping[str, Any]) -> object:
    options, default = variable.get("options"), variable.get("default")
    if default is not None:
        return default
    return options[0] if options else _VALUES.get(str(variable.get("type")), "…")
