# SPDX-License-Identifier: Apache-2.0
"""Why access was not had, as exceptions."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Optional, Tuple

from ._library import fc


@dataclass(frozen=True)
class Holder:
    """A process in the way: one that holds the item, waits ahead, or has not answered."""

    pid: int
    #: What it is and does, in a sentence.
    text: str

    def __str__(self) -> str:
        return self.text


class CoordinationError(OSError):
    """Access was not granted. Nothing was read or written."""

    #: The number of the header: FC_ERROR_*.
    code: int
    #: Whose number `number` is: "filecoordination", "errno", or what a presenter said.
    domain: str
    number: int
    #: Which item of the call is at fault, from 0 on; None if that is not known.
    item: Optional[int]
    #: The processes in the way, if that is known.
    holders: Tuple[Holder, ...]

    def __init__(
        self,
        message: str,
        code: int = 8,
        domain: str = "filecoordination",
        number: int = 0,
        item: Optional[int] = None,
        holders: Tuple[Holder, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.domain = domain
        self.number = number
        self.item = item
        self.holders = holders
        if domain == "errno":
            self.errno = number

    @property
    def holder(self) -> Optional[str]:
        """Who is in the way, in a sentence; None if that is not known."""
        return self.holders[0].text if self.holders else None


class TimedOut(CoordinationError, TimeoutError):
    """The timeout passed; `holder` says who is in the way."""


class Cancelled(CoordinationError):
    """The coordinator was cancelled."""


class Refused(CoordinationError):
    """A presenter refused; `domain` and `number` are its own."""


class Deadlock(CoordinationError):
    """It would wait for itself, by way of others; `holders` names them."""


class Unavailable(CoordinationError):
    """No server can be reached or started."""


class LimitReached(CoordinationError):
    """This process, or its user, has too many claims or presenters."""


class BadPath(CoordinationError):
    """A path names no place; `item` says which."""


class Misused(CoordinationError, ValueError):
    """The call means nothing, such as an option of another access."""


class CopyFailed(CoordinationError):
    """The copy for uploading could not be made."""


class Stale(CoordinationError):
    """An item is not as the caller has seen it. Read it again, and make the change anew."""


class FileFailed(CoordinationError):
    """A file could not be looked at or replaced; `errno` says why, if the system does."""


_BY_CODE = {
    1: TimedOut,
    2: Cancelled,
    3: Refused,
    4: Deadlock,
    5: Unavailable,
    6: LimitReached,
    7: BadPath,
    8: Misused,
    9: CopyFailed,
    10: Stale,
    11: FileFailed,
}


def text(value: Optional[bytes]) -> str:
    """C's text for people."""
    return (value or b"").decode("utf-8", "replace")


def taken(handle: Optional[int]) -> CoordinationError:
    """The exception for an error of C's, which is freed."""
    code = fc.fc_error_code(handle)
    item = fc.fc_error_item(handle)
    holders = tuple(
        Holder(fc.fc_error_holder_pid(handle, index), text(fc.fc_error_holder(handle, index)))
        for index in range(fc.fc_error_holder_count(handle))
    )
    error = _BY_CODE.get(code, CoordinationError)(
        text(fc.fc_error_message(handle)),
        code,
        text(fc.fc_error_domain(handle)),
        fc.fc_error_number(handle),
        item if item >= 0 else None,
        holders,
    )
    fc.fc_error_free(handle)
    return error


class ErrorSlot:
    """Where a function of C puts its error."""

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()

    @property
    def place(self) -> object:
        """What C takes."""
        return ctypes.byref(self._handle)

    def error(self) -> CoordinationError:
        """The error that is there."""
        return taken(self._handle.value)
