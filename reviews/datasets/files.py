"""Files of imports and exports: kept by Django's default storage, and unpacked where a collection is a folder."""

import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

from django.core.files.storage import default_storage

from reviews.evaluation.benchmarks.base import TraceDataError

# Real collections unpack to some tens of megabytes; what unpacks to more than this is an attack or a mistake.
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""Bytes that an uploaded archive may unpack to."""
# AgentDojo, the largest in number, has 570 files.
MAX_UNPACKED_FILES: Final = 20_000
"""Files that an uploaded archive may hold."""
_PIECE: Final = 1024 * 1024
# A letter takes up to four bytes, and a name in a file system 255 of them.
_MAX_NAME_LENGTH: Final = 60
_UNSAFE: Final = re.compile(r"[^\w.\- ]")


@contextmanager
def local_copy(name: str, *, unpack: bool, within: str | Path, called: str = "") -> Iterator[Path]:
    """The stored file at a path below this folder, or the folder it unpacks to, for as long as the block runs.

    The copy is `called` as its sender called it, as far as a path can be: reasons name it.

    Raises `TraceDataError` for an archive that is none or is too large, and in place of what the block cannot read.
    """
    with tempfile.TemporaryDirectory(prefix="import-", dir=within) as folder:
        safe_name = _UNSAFE.sub("_", called)[:_MAX_NAME_LENGTH].strip(".")
        path = Path(folder, "file" if unpack else safe_name or PurePosixPath(name).name)
        with default_storage.open(name, "rb") as stored, path.open("wb") as copy:
            shutil.copyfileobj(stored, copy, _PIECE)
        opened = path
        try:
            opened = _unpack_archive(path, Path(folder, "folder")) if unpack else path
            yield opened
        except (TraceDataError, OSError) as error:
            # Told to whoever sent the file: where it lies on this machine is none of their business.
            raise TraceDataError(_named_within(str(error), opened, Path(folder))) from error


def _named_within(message: str, *folders: Path) -> str:
    """The message with paths as they are within these folders."""
    for folder in folders:
        message = message.replace(f"{folder}/", "").replace(str(folder), "the archive")
    return message


def _unpack_archive(archive: Path, folder: Path) -> Path:
    """The folder with the archive's files; the one folder that it consists of, where that is so."""
    folder.mkdir()
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            if len(members) > MAX_UNPACKED_FILES:
                raise TraceDataError(f"The archive holds {len(members)} files; at most {MAX_UNPACKED_FILES} are read.")
            room = MAX_UNPACKED_BYTES
            for member in members:
                room -= _unpack_member(packed, member, folder, room)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise TraceDataError(f"The file is no zip archive that can be read: {error}") from error
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _unpack_member(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, room: int) -> int:
    """Write one member below the folder and return its size. A size that the archive states is not believed."""
    target = folder / member.filename
    if not target.resolve().is_relative_to(folder.resolve()):
        raise TraceDataError(f"The archive names a file outside of itself: {member.filename[:80]!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with packed.open(member) as source, target.open("wb") as copy:
        while piece := source.read(_PIECE):
            size += len(piece)
            if size > room:
                raise TraceDataError(f"The archive unpacks to more than {MAX_UNPACKED_BYTES // 1024**2} megabytes.")
            copy.write(piece)
    return size
