# SPDX-License-Identifier: Apache-2.0
"""The C library as ctypes sees it: where it is found, and what its functions take and return.

`filecoordination.h` says what they do. Nothing else in this package calls C.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t
from ctypes import c_uint32, c_void_p

from ._version import VERSION

_NAME = "libfilecoordination.so.1"


def _candidates() -> list[str]:
    """Where the library may be, first choice first."""
    given = os.environ.get("FILECOORDINATION_LIBRARY")
    if given:
        return [given]
    here = pathlib.Path(__file__).resolve().parent
    built = here.parents[2] / "C" / ".build" / "product" / "lib" / _NAME
    # In the wheel; beside the sources, for an editable installation; installed by ./install.
    return [str(path) for path in (here / _NAME, built) if path.exists()] + [_NAME]


def _number(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared."""
    return tuple(int(part) for part in version.split("."))


def _load() -> ctypes.CDLL:
    failures = []
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
            library.fc_version.restype = c_char_p
            version = library.fc_version().decode()
        except (OSError, AttributeError) as error:
            failures.append(str(error))
            continue
        # A newer one has all that this package needs (`soname`), an older one may not.
        if _number(version) >= _number(VERSION):
            return library
        failures.append(f"{candidate} is of version {version}, older than {VERSION}")
    raise ImportError("the C library of filecoordination cannot be loaded: " + "; ".join(failures))


class Item(Structure):
    """struct fc_item"""

    _fields_ = [("path", c_char_p), ("access", c_uint32), ("options", c_uint32)]


Accessor = CFUNCTYPE(None, c_size_t, POINTER(c_char_p), c_void_p)
Granted = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
Ask = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
AskAbout = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_void_p)
Tell = CFUNCTYPE(None, c_void_p, c_void_p)
TellFlags = CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)
TellPath = CFUNCTYPE(None, c_void_p, c_char_p, c_uint32, c_void_p)
TellPaths = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_uint32, c_void_p)
Removed = CFUNCTYPE(None, c_void_p)


class PresenterCallbacks(Structure):
    """struct fc_presenter_callbacks"""

    _fields_ = [
        ("size", c_size_t),
        ("relinquish_to_reader", Ask),
        ("relinquish_to_writer", Ask),
        ("reacquire_from_reader", Tell),
        ("reacquire_from_writer", Tell),
        ("save", Ask),
        ("accommodate_deletion", Ask),
        ("accommodate_subitem_deletion", AskAbout),
        ("did_move", TellPath),
        ("did_change", TellFlags),
        ("subitem_did_appear", TellPath),
        ("subitem_did_change", TellPath),
        ("subitem_did_move", TellPaths),
        ("removed", Removed),
    ]


#: FC_TOKEN_SIZE
TOKEN_SIZE = 201

ErrorOut = POINTER(c_void_p)
_Items = POINTER(Item)

# What each function returns and takes. Handles are c_void_p: ctypes makes None of NULL.
SIGNATURES = {
    "fc_version": (c_char_p, []),
    "fc_error_code": (c_int32, [c_void_p]),
    "fc_error_message": (c_char_p, [c_void_p]),
    "fc_error_domain": (c_char_p, [c_void_p]),
    "fc_error_number": (c_int64, [c_void_p]),
    "fc_error_item": (c_int64, [c_void_p]),
    "fc_error_holder_count": (c_size_t, [c_void_p]),
    "fc_error_holder": (c_char_p, [c_void_p, c_size_t]),
    "fc_error_holder_pid": (c_int64, [c_void_p, c_size_t]),
    "fc_error_free": (None, [c_void_p]),
    "fc_coordinator_new": (c_void_p, [c_char_p, c_char_p]),
    "fc_coordinator_new_for_presenter": (c_void_p, [c_void_p, c_char_p]),
    "fc_coordinator_purpose": (c_char_p, [c_void_p]),
    "fc_coordinator_set_surroundings": (None, [c_void_p, c_char_p]),
    "fc_coordinator_set_enclosing": (None, [c_void_p, POINTER(c_void_p), c_size_t]),
    "fc_coordinator_cancel": (None, [c_void_p]),
    "fc_coordinator_free": (None, [c_void_p]),
    "fc_begin": (c_void_p, [c_void_p, _Items, c_size_t, c_double, ErrorOut]),
    "fc_begin_reading": (c_void_p, [c_void_p, c_char_p, c_uint32, c_double, ErrorOut]),
    "fc_begin_writing": (c_void_p, [c_void_p, c_char_p, c_uint32, c_double, ErrorOut]),
    "fc_begin_async": (None, [c_void_p, _Items, c_size_t, c_double, Granted, c_void_p]),
    "fc_hold_count": (c_size_t, [c_void_p]),
    "fc_hold_path": (c_char_p, [c_void_p, c_size_t]),
    "fc_hold_is_held": (c_int32, [c_void_p]),
    "fc_hold_environment": (POINTER(c_char_p), [c_void_p]),
    "fc_hold_item_moved": (c_int32, [c_void_p, c_char_p, c_char_p, ErrorOut]),
    "fc_hold_token": (c_int32, [c_void_p, c_size_t, c_char_p, ErrorOut]),
    "fc_hold_replace": (
        c_int32,
        [c_void_p, c_size_t, c_char_p, c_char_p, c_size_t, c_char_p, ErrorOut],
    ),
    "fc_token": (c_int32, [c_char_p, c_uint32, c_char_p, ErrorOut]),
    "fc_token_check": (c_int32, [c_char_p, c_uint32, c_char_p, ErrorOut]),
    "fc_coordinator_set_only_if": (
        c_int32,
        [c_void_p, POINTER(c_char_p), c_size_t, ErrorOut],
    ),
    "fc_end": (None, [c_void_p]),
    "fc_coordinate": (
        c_int32,
        [c_void_p, _Items, c_size_t, c_double, Accessor, c_void_p, ErrorOut],
    ),
    "fc_read": (
        c_int32,
        [c_void_p, c_char_p, c_uint32, c_double, Accessor, c_void_p, ErrorOut],
    ),
    "fc_write": (
        c_int32,
        [c_void_p, c_char_p, c_uint32, c_double, Accessor, c_void_p, ErrorOut],
    ),
    "fc_item_moved": (c_int32, [c_void_p, c_char_p, c_char_p, ErrorOut]),
    "fc_answer_done": (None, [c_void_p]),
    "fc_answer_refuse": (None, [c_void_p, c_char_p, c_int64, c_char_p]),
    "fc_presenter_add": (
        c_void_p,
        [c_char_p, POINTER(PresenterCallbacks), c_void_p, c_char_p, ErrorOut],
    ),
    "fc_presenter_path": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "fc_presenter_remove": (None, [c_void_p]),
    "fc_set_label": (None, [c_char_p]),
    "fc_set_answer_limit": (None, [c_double]),
    "fc_end_callbacks": (c_int32, [c_double]),
}

fc = _load()
for _name, (_result, _arguments) in SIGNATURES.items():
    _function = getattr(fc, _name)
    _function.restype = _result
    _function.argtypes = _arguments

# Whether the interpreter ends, and the library calls nothing any more.
is_ending = False


def _end_callbacks() -> None:
    """Has nothing called from now on: threads that call an ending interpreter are ended in it.

    What waits then, and what is presented, ends with the process.
    """
    global is_ending
    is_ending = True
    fc.fc_end_callbacks(5.0)


atexit.register(_end_callbacks)
