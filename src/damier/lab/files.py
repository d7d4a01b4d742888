"""Files that are whole or not there, whenever the process is killed."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from damier.i18n import N_
from damier.lab.errors import LabError
from damier.server.lock import FolderLock

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["held", "read_json", "sha256", "write", "write_json"]

_IN_USE = N_("Another process works in {folder}.")
_NO_JSON = N_("{file} is not a file of the laboratory.")


def write(path: Path, data: bytes) -> None:
    """Put a file in its place at once: it is whole, and on the disk, when this returns."""
    beside = path.with_name(f".{path.name}.part")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def write_json(path: Path, document: object) -> None:
    """The same for a document."""
    write(path, json.dumps(document, indent=1).encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """A document that :func:`write_json` has written. Raises :class:`LabError` if it is none, and OSError."""
    try:
        document: Any = json.loads(path.read_bytes())
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise LabError(_NO_JSON, code="no_json", file=str(path))
    return document  # pyright: ignore[reportUnknownVariableType] - whoever reads it checks what is in it


def sha256(data: bytes) -> str:
    """The digest in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def held(folder: Path) -> Generator[None]:
    """The folder, made where there is none, for this process alone. Raises :class:`LabError` while another has it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FolderLock(folder)
    except RuntimeError:
        raise LabError(_IN_USE, code="in_use", folder=str(folder)) from None
    try:
        yield
    finally:
        lock.release()
