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
    Holder,
    LimitReached,
    Misused,
    Refused,
    TimedOut,
    Unavailable,
)
from ._hold import Hold
from ._options import Path, Read, Reading, Write, Writing
from ._presenter import Presenter, Refusal, set_answer_limit
from ._version import VERSION as __version__

__all__ = [
    "BadPath",
    "Cancelled",
    "CoordinationError",
    "Coordinator",
    "CopyFailed",
    "Deadlock",
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
    "TimedOut",
    "Unavailable",
    "Write",
    "Writing",
    "__version__",
    "accessing",
    "reading",
    "set_answer_limit",
    "set_label",
    "writing",
]
