# SPDX-License-Identifier: Apache-2.0
"""Coordinated access to files, in turn with every program that coordinates.

    import filecoordination

    with filecoordination.writing("notes.txt", timeout=5) as item:
        item.path.write_text("…")

    async with filecoordination.reading("notes.txt") as item:
        text = item.path.read_text()

`Presenter` is for a program that keeps a file open, and wants to be asked before others use it.
"""

from ._access import Request, accessing, reading, writing
from ._coordinator import Coordinator, set_label
from ._errors import (
    BadPath,
    Cancelled,
    CoordinationError,
    CopyFailed,
    Deadlock,
    FileFailed,
    Holder,
    LimitReached,
    Misused,
    Refused,
    Stale,
    TimedOut,
    Unavailable,
)
from ._hold import Hold
from ._options import Path, Read, Reading, Write, Writing
from ._presenter import Presenter, Refusal, set_answer_limit
from ._token import is_current, token, update, update_async
from ._version import VERSION as __version__

__all__ = [
    "BadPath",
    "Cancelled",
    "CoordinationError",
    "Coordinator",
    "CopyFailed",
    "Deadlock",
    "FileFailed",
    "Hold",
    "Holder",
    "LimitReached",
    "Misused",
    "Path",
    "Presenter",
    "Read",
    "Reading",
    "Refusal",
    "Refused",
    "Request",
    "Stale",
    "TimedOut",
    "Unavailable",
    "Write",
    "Writing",
    "__version__",
    "accessing",
    "is_current",
    "reading",
    "set_answer_limit",
    "set_label",
    "token",
    "update",
    "update_async",
    "writing",
]
