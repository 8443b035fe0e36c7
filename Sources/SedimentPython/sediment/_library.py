"""The C interface: where the library is, its structures, and its functions as `ctypes` calls them.

`Tests/Python/test_header.py` holds all of it to `sediment.h`.
"""

import ctypes
import os
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from ctypes.util import find_library
from pathlib import Path
from typing import Any, Union

VERSION_NUMBER = 1000

# Statuses that the module looks at; the others are in `_errors`.
OK, ABSENT, UNCHANGED, SHORT, END = 0, 1, 2, 3, 4
MISUSE, BUSY = -1, -3

CONTINUE, STOP = 0, 1
READ_ONLY_ACCESS, MUST_EXIST, UNMAPPED, UNVERIFIED_READS, NO_STORED_INDEX = 1, 2, 4, 8, 16
KEYS_ONLY = 1
KEEP_UNCERTAIN = 1
DURABILITIES = {"default": 0, "unsynced": 1, "interval": 2, "synced": 3}
CAPACITIES = {"unlimited": 0, "limited": 1, "evicting": 2}
COMPACTIONS = {"automatic": 0, "manual": 1, "off": 2}
COMPRESSIONS = {"automatic": 0, "zstd": 1, "off": 2}
EXPIRIES = {"default": 0, "never": 1, "unchanged": 2, "after": 3, "at": 4}
EVENTS = {1: "recovered", 2: "synced", 3: "segment sealed", 4: "checkpoint", 5: "failed", 6: "closed"}
SEGMENTS = {0: "other", 1: "hot", 2: "survivors", 3: "extent", 4: "index", 5: "window"}


def text(name: Union[str, bytes]) -> bytes:
    """A name or path as C takes it, for which it would end before a zero byte."""
    encoded = name.encode() if isinstance(name, str) else name
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


class _Sized(ctypes.Structure):
    """A structure that begins with its own size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


class Bytes(ctypes.Structure):
    """Where bytes lie; whoever passes it keeps them."""

    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    @classmethod
    def of(cls, data: bytes) -> "Bytes":
        return cls(ctypes.cast(c_char_p(data), c_void_p).value, len(data))


class ErrorDetails(_Sized):
    _fields_ = [
        ("size", c_size_t), ("status", c_int32), ("system_error", c_int32), ("has_offset", c_int32),
        ("reserved", c_int32), ("offset", c_uint64), ("message", c_char_p), ("path", c_char_p),
        ("description", c_char_p),
    ]  # fmt: skip


class Recovery(_Sized):
    _fields_ = [
        ("size", c_size_t), ("was_closed", c_int32), ("is_durable", c_int32), ("replayed_records", c_uint64),
        ("replayed_bytes", c_uint64), ("stored_keys", c_uint64), ("scanned_records", c_uint64),
        ("scanned_bytes", c_uint64), ("cut_offset", c_uint64), ("cut_reason", c_char_p), ("nanoseconds", c_uint64),
    ]  # fmt: skip


class Event(_Sized):
    _fields_ = [
        ("size", c_size_t), ("kind", c_int32), ("reserved", c_int32), ("nanoseconds", c_uint64),
        ("recovery", POINTER(Recovery)), ("error", POINTER(ErrorDetails)),
    ]  # fmt: skip


OBSERVER: Any = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Event))
PROGRESS: Any = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
NAME: Any = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p)


class Options(_Sized):
    _fields_ = [
        ("size", c_size_t), ("version", c_uint32), ("flags", c_uint32), ("durability", c_int32),
        ("capacity", c_int32), ("compaction", c_int32), ("compression", c_int32), ("compression_level", c_int32),
        ("mode", c_int32), ("interval", c_int64), ("capacity_bytes", c_uint64), ("observer", OBSERVER),
        ("observer_context", c_void_p),
    ]  # fmt: skip


class Change(_Sized):
    _fields_ = [
        ("size", c_size_t), ("durability", c_int32), ("expiry", c_int32), ("interval", c_int64),
        ("expiry_time", c_int64),
    ]  # fmt: skip


class CompressionFigures(ctypes.Structure):
    _fields_ = [
        ("values", c_uint64), ("compressed_values", c_uint64), ("value_bytes", c_uint64), ("stored_bytes", c_uint64),
        ("nanoseconds", c_uint64),
    ]  # fmt: skip


class Statistics(_Sized):
    _fields_ = [
        ("size", c_size_t), ("live_keys", c_uint64), ("file_bytes", c_uint64), ("live_bytes", c_uint64),
        ("dead_bytes", c_uint64), ("free_bytes", c_uint64), ("hole_bytes", c_uint64), ("segments", c_uint64),
        ("collections", c_uint64), ("index_bytes", c_uint64), ("stored_index_bytes", c_uint64),
        ("unstored_log_bytes", c_uint64), ("user_bytes", c_uint64), ("written_bytes", c_uint64),
        ("moved_bytes", c_uint64), ("evicted_keys", c_uint64), ("expired_keys", c_uint64),
        ("compaction_debt_bytes", c_uint64), ("write_amplification", c_double),
        ("lifetime_write_amplification", c_double), ("compression", CompressionFigures), ("dictionaries", c_uint64),
        ("dictionary_bytes", c_uint64), ("lost_dictionaries", c_uint64), ("training_nanoseconds", c_uint64),
        ("syncs", c_uint64), ("sequence", c_uint64), ("syncing_nanoseconds", c_uint64), ("memory_bytes", c_uint64),
        ("reads_by_calls", c_uint64),
    ]  # fmt: skip


class Segment(_Sized):
    _fields_ = [
        ("size", c_size_t), ("kind", c_int32), ("is_tail", c_int32), ("generation", c_uint64), ("offset", c_uint64),
        ("bytes", c_uint64), ("used_bytes", c_uint64), ("live_bytes", c_uint64), ("records", c_uint64),
        ("tombstones", c_uint64),
    ]  # fmt: skip


class Finding(_Sized):
    _fields_ = [
        ("size", c_size_t), ("is_damage", c_int32), ("reserved", c_int32), ("begin", c_uint64), ("end", c_uint64),
        ("first_sequence", c_uint64), ("last_sequence", c_uint64), ("kind", c_char_p), ("message", c_char_p),
    ]  # fmt: skip


class Verification(_Sized):
    _fields_ = [
        ("size", c_size_t), ("is_intact", c_int32), ("was_closed", c_int32), ("file_bytes", c_uint64),
        ("log_end", c_uint64), ("sequence", c_uint64), ("findings", c_uint64), ("damages", c_uint64),
        ("segments", c_uint64),
    ]  # fmt: skip


class SalvageReport(_Sized):
    _fields_ = [
        ("size", c_size_t), ("is_complete", c_int32), ("knowledge", c_int32), ("keys", c_uint64), ("bytes", c_uint64),
        ("losses", c_uint64), ("lost_values", c_uint64), ("broken_batches", c_uint64), ("uncertain_keys", c_uint64),
        ("invented_names", c_uint64),
    ]  # fmt: skip


SEGMENT: Any = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Segment))
FINDING: Any = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Finding))

# A key or value is `bytes` and its size: `c_char_p` passes where the bytes lie. What is a `ctypes` object already, as
# handles are, is passed quicker than a number.
_KEY = [c_char_p, c_size_t]
_CHANGE = POINTER(Change)
_OUT = POINTER(c_void_p)

# What each function takes. All return a status but those in `_RESULTS`.
FUNCTIONS = {
    "version_number": [],
    "version": [],
    "last_error": [],
    "status_name": [c_int32],
    "free": [c_void_p],
    "open": [c_char_p, POINTER(Options), _OUT],
    "close": [c_void_p],
    "get_recovery": [c_void_p, POINTER(Recovery)],
    "default_collection": [c_void_p],
    "collection_open": [c_void_p, c_char_p, _OUT],
    "collection_close": [c_void_p],
    "collection_names": [c_void_p, NAME, c_void_p],
    "collection_drop": [c_void_p, c_char_p, _CHANGE],
    "set": [c_void_p, *_KEY, *_KEY, _CHANGE],
    "set_if_absent": [c_void_p, *_KEY, *_KEY, _CHANGE],
    "compare_and_set": [c_void_p, *_KEY, POINTER(Bytes), POINTER(Bytes), _CHANGE],
    "remove": [c_void_p, *_KEY, _CHANGE],
    "remove_all": [c_void_p, _CHANGE],
    "set_expiry": [c_void_p, *_KEY, _CHANGE],
    "remove_everything": [c_void_p, _CHANGE],
    "sync": [c_void_p],
    "batch_begin": [c_void_p, _OUT],
    "batch_set": [c_void_p, c_void_p, *_KEY, *_KEY, _CHANGE],
    "batch_remove": [c_void_p, c_void_p, *_KEY],
    "batch_commit": [c_void_p, _CHANGE],
    "batch_abandon": [c_void_p],
    "get": [c_void_p, *_KEY, c_void_p, c_size_t, POINTER(c_size_t)],
    "contains": [c_void_p, *_KEY],
    "count": [c_void_p, POINTER(c_uint64)],
    "get_expiry": [c_void_p, *_KEY, POINTER(c_uint64)],
    "get_many": [c_void_p, c_void_p, c_size_t, c_void_p, _OUT],
    "iterate": [c_void_p, *_KEY, c_uint32, _OUT],
    "iteration_next": [c_void_p, POINTER(Bytes), POINTER(Bytes)],
    "iteration_end": [c_void_p],
    "get_statistics": [c_void_p, POINTER(Statistics)],
    "each_segment": [c_void_p, SEGMENT, c_void_p],
    "compact": [c_void_p, PROGRESS, c_void_p],
    "compact_erasing": [c_void_p, PROGRESS, c_void_p],
    "backup": [c_void_p, c_char_p, PROGRESS, c_void_p],
    "backup_live": [c_void_p, c_char_p, PROGRESS, c_void_p],
    "verify": [c_char_p, PROGRESS, FINDING, c_void_p, POINTER(Verification)],
    "salvage": [c_char_p, c_char_p, c_uint32, PROGRESS, FINDING, c_void_p, POINTER(SalvageReport)],
    "destroy": [c_char_p],
}  # fmt: skip
_RESULTS = {
    "version_number": c_uint32, "version": c_char_p, "last_error": POINTER(ErrorDetails), "status_name": c_char_p,
    "free": None, "default_collection": c_void_p,
}  # fmt: skip

_FILE_NAME: Any = "libsediment.dylib" if sys.platform == "darwin" else "libsediment.so"


def _path() -> str:
    """Where the library is: as the environment says, beside this module, or where the system looks for libraries."""
    named = os.environ.get("SEDIMENT_LIBRARY")
    if named:
        return named
    beside = Path(__file__).with_name(_FILE_NAME)
    return str(beside) if beside.exists() else find_library("sediment") or _FILE_NAME


class Library:
    """The functions of the library, without their prefix; each lets other threads of Python run while it does."""

    def __init__(self, path: str) -> None:
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(
                f"The library of Sediment cannot be loaded: {error}. Install it, or name it in SEDIMENT_LIBRARY."
            ) from error
        for name, arguments in FUNCTIONS.items():
            function = getattr(library, f"sediment_{name}")
            function.argtypes = arguments
            function.restype = _RESULTS.get(name, c_int)
            setattr(self, name, function)
        # Those of one major version go together, and what is newer has all that is older.
        version = self.version_number()
        if version // 1_000_000 != VERSION_NUMBER // 1_000_000 or version < VERSION_NUMBER // 1000 * 1000:
            raise ImportError(
                f"The library of Sediment at {path} has the version {self.version().decode()}, which this module"
                f" cannot use; it takes {VERSION_NUMBER // 1_000_000}.{VERSION_NUMBER // 1000 % 1000} or newer."
            )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


library = Library(_path())
