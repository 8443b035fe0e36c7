"""A fast store of keys and values in one file, as a dictionary.

    import sediment

    with sediment.open("cache.sediment") as store:
        store[b"key"] = b"value"
        store.set(b"session", b"...", expires_in=3600)
        with store.batch() as batch:  # all of it or nothing
            batch[b"from"] = b"90"
            batch[b"to"] = b"110"

Any number of threads may use a store; one process at a time may open its file, or any number to read it.
"""

from ._batch import Batch
from ._changes import Durability
from ._coding import BYTES, JSON, TEXT, Coding
from ._collection import Collection
from ._errors import (
    AccessDeniedError,
    BusyError,
    CancelledError,
    ClosedError,
    CollectionDroppedError,
    DamagedError,
    Error,
    ExhaustedError,
    ExistsError,
    ForeignFileError,
    ForkedError,
    LockedError,
    MisuseError,
    NewerFileError,
    NotFoundError,
    OutcomeUnknownError,
    OutOfSpaceError,
    ReadOnlyError,
    SystemFailure,
    TooLargeError,
)
from ._files import destroy, salvage, verify
from ._library import library as _loaded
from ._reports import CompressionFigures, Event, Finding, Recovery, SalvageReport, Segment, Statistics, Verification
from ._store import NamedCollection, Store, open

#: What programs of `dbm` call the errors of a database.
error = Error
__version__ = _loaded.version().decode()

__all__ = [
    "AccessDeniedError",
    "BYTES",
    "Batch",
    "BusyError",
    "CancelledError",
    "ClosedError",
    "Coding",
    "Collection",
    "CollectionDroppedError",
    "CompressionFigures",
    "DamagedError",
    "Durability",
    "Error",
    "Event",
    "ExhaustedError",
    "ExistsError",
    "Finding",
    "ForeignFileError",
    "ForkedError",
    "JSON",
    "LockedError",
    "MisuseError",
    "NamedCollection",
    "NewerFileError",
    "NotFoundError",
    "OutOfSpaceError",
    "OutcomeUnknownError",
    "ReadOnlyError",
    "Recovery",
    "SalvageReport",
    "Segment",
    "Statistics",
    "Store",
    "SystemFailure",
    "TEXT",
    "TooLargeError",
    "Verification",
    "destroy",
    "open",
    "salvage",
    "verify",
]
