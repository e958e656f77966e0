# SPDX-License-Identifier: Apache-2.0
"""How items are accessed, and which."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from typing import Optional, Union

from ._library import Item

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Read(enum.IntFlag):
    """Options of a read."""

    NONE = 0
    #: Presenters are not asked to save.
    WITHOUT_CHANGES = 0x1
    #: As without it; not with NO_FOLLOW.
    RESOLVES_SYMBOLIC_LINK = 0x2
    #: Only what is known of it without a download.
    METADATA_ONLY = 0x4
    #: A final symbolic link itself, not what it leads to.
    NO_FOLLOW = 0x20
    #: A directory with everything inside.
    RECURSIVE = 0x40


class Write(enum.IntFlag):
    """Options of a write."""

    NONE = 0
    FOR_DELETING = 0x1
    #: The item will be moved; presenters follow it.
    FOR_MOVING = 0x2
    FOR_MERGING = 0x4
    FOR_REPLACING = 0x8
    #: Of the item, not of its content.
    METADATA_ONLY = 0x10
    #: A final symbolic link itself, not what it leads to: to delete or move a link.
    NO_FOLLOW = 0x20
    #: A directory with everything inside.
    RECURSIVE = 0x40


@dataclass(frozen=True)
class Reading:
    """An item to read."""

    path: Path
    options: Read = Read.NONE
    #: The state in which it must be, or the access is refused with `Stale`; None for any.
    only_if: Optional[str] = None


@dataclass(frozen=True)
class Writing:
    """An item to write."""

    path: Path
    options: Write = Write.NONE
    #: The state in which it must be, or the access is refused with `Stale`; None for any.
    only_if: Optional[str] = None


Wanted = Union[Reading, Writing]


def encoded(path: Path) -> bytes:
    """The path's bytes, which C ends with a NUL."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a path contains a NUL byte")
    return name


def c_item(wanted: Wanted) -> Item:
    """The item as C takes it."""
    if isinstance(wanted, Reading):
        return Item(encoded(wanted.path), 1, int(wanted.options))
    if isinstance(wanted, Writing):
        return Item(encoded(wanted.path), 2, int(wanted.options))
    raise TypeError(f"an item is a Reading or a Writing, not {type(wanted).__name__}")
