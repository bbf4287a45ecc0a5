"""Bundles as files: plain YAML that people review (S-75)."""

import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from roundtable_desktop.adapters.reviewed.plain import Unclear, parse
from roundtable_desktop.model.errors import Broken, Invalid

HEAD, FOLDER = "roundtable.yaml", "workspaces"
FILE_BYTES = 1 << 20
MOST_FILES = 500
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class _Reviewable(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> Any:
    """Several lines as several lines."""
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Reviewable.add_representer(str, _text)


def write(folder: Path, bundle: Mapping[str, Any], put: Callable[[Path, str], None]) -> list[Path]:
    """One file for the settings, one for each workspace. put: writes a private file whole.

    Raises Broken where the folder is a link, or holds something else than a bundle.
    """
    if folder.is_symlink() or (folder / FOLDER).is_symlink():
        raise Broken("bundle_is_link", path=str(folder))
    if folder.exists() and not folder.is_dir():
        raise Broken("bundle_no_folder", path=str(folder))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / HEAD).is_file():
        raise Broken("bundle_elsewhere", path=str(folder))
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    head = {name: value for name, value in bundle.items() if name != "workspaces"}
    written, taken = [folder / HEAD], set[str]()
    put(folder / HEAD, _dumped(head))
    for one in bundle["workspaces"]:
        path = folder / FOLDER / f"{_free(str(one['name']), taken)}.yaml"
        put(path, _dumped(one))
        written.append(path)
    return written


def read(folder: Path) -> dict[str, Any]:
    """The same, as it stands there; whether it means anything is for others to say.

    Raises Broken and Invalid, each with the file that is at fault.
    """
    if folder.is_symlink() or (folder / FOLDER).is_symlink():
        raise Broken("bundle_is_link", path=str(folder))
    if not (folder / HEAD).exists():
        raise Broken("bundle_not_there", path=str(folder / HEAD))
    bundle = _loaded(folder / HEAD)
    if "workspaces" in bundle:
        raise Invalid("bundle_file", path=str(folder / HEAD), text="unknown: workspaces")
    files = sorted((folder / FOLDER).iterdir()) if (folder / FOLDER).is_dir() else []
    if len(files) > MOST_FILES:
        raise Invalid("bundle_file", path=str(folder / FOLDER), text=f"more than {MOST_FILES}")
    return {**bundle, "workspaces": [_loaded(file) for file in files if file.suffix == ".yaml"]}


def _loaded(path: Path) -> dict[str, Any]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Invalid("bundle_file", path=str(path), text="no regular file")
            raw = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise Broken("bundle_unreadable", path=str(path), text=error.strerror or "") from None
    if len(raw) > FILE_BYTES:
        raise Invalid("bundle_file", path=str(path), text="more than 1 MB")
    try:
        return parse(raw).data
    except Unclear as unclear:
        raise Invalid("bundle_file", path=str(path), text=str(unclear)) from None


def _dumped(value: Any) -> str:
    words: str = yaml.dump(
        value, Dumper=_Reviewable, sort_keys=False, allow_unicode=True, width=100
    )
    return words


def _free(name: str, taken: set[str]) -> str:
    """A name for a file: nothing in it leads anywhere."""
    plain = _NAME.sub("-", name).strip(".-")[:80] or "workspace"
    free, number = plain, 1
    while free.lower() in taken:
        number += 1
        free = f"{plain}-{number}"
    taken.add(free.lower())
    return free
