"""An open file."""

import atexit
import os
import weakref
from ctypes import byref, c_void_p
from types import TracebackType
from typing import Any, Callable, List, Optional, Type, TypeVar, Union, overload

from . import _library, _reports
from ._changes import Durability, change, durability_fields
from ._coding import BYTES, Coding
from ._collection import Collection
from ._errors import Error, NotFoundError, check
from ._files import Progress, StorePath, destroy, path_text
from ._library import ABSENT, library
from ._reports import Callbacks, Event, Recovery, Segment, Statistics

K = TypeVar("K")
V = TypeVar("V")
OtherK = TypeVar("OtherK")
OtherV = TypeVar("OtherV")
Observer = Callable[[Event], Any]


class NamedCollection(Collection[K, V]):
    """The keys of a store's collection that has a name."""

    __slots__ = ("_owner", "name")

    def __init__(self, store: "Store[Any, Any]", name: str, handle: c_void_p, keys: Coding[K], values: Coding[V]) -> None:
        super().__init__(store._store, handle, keys, values)
        # The store stays open as long as somebody has a collection of it.
        self._owner = store
        self.name = name

    def __del__(self, close: Any = library.collection_close) -> None:
        close(self._handle)

    def __repr__(self) -> str:
        return f"<sediment.NamedCollection {self.name!r} of {self._owner.path!r}>"


class Store(Collection[K, V]):
    """An open file: its keys that are in no named collection, as a dictionary, and all else that a store does.

    As a context manager it is closed when the block ends. What was set then survives a power failure.
    """

    __slots__ = ("_is_closed", "_observer", "path")

    def __init__(self, path: str, store: c_void_p, observer: Any, keys: Coding[K], values: Coding[V]) -> None:
        super().__init__(store, c_void_p(library.default_collection(store)), keys, values)
        self._is_closed = False
        # As long as the store is open, the library calls it.
        self._observer = observer
        self.path = path
        _open[store.value or 0] = self

    def __repr__(self) -> str:
        return f"<sediment.Store {self.path!r}>"

    def __enter__(self) -> "Store[K, V]":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Syncs all changes and closes the file; does nothing if the store was closed before."""
        if not self._is_closed:
            self._is_closed = True
            check(library.close(self._store))

    def __del__(self, close: Any = library.close) -> None:
        if not self._is_closed:
            # Who finds the store while it is being closed sees that.
            self._is_closed = True
            close(self._store)

    @property
    def is_closed(self) -> bool:
        """Whether the store was closed, or is being closed."""
        return self._is_closed

    # Changes

    def sync(self) -> None:
        """Returns once all changes that were made before survive a power failure."""
        check(library.sync(self._store))

    def remove_everything(self, *, durability: Optional[Durability] = None) -> None:
        """Removes all keys of all collections at once; the collections stay."""
        check(library.remove_everything(self._store, change(durability)))

    # Collections

    @overload
    def collection(self, name: str) -> NamedCollection[K, V]: ...

    @overload
    def collection(
        self, name: str, *, keys: Coding[OtherK], values: Coding[OtherV]
    ) -> NamedCollection[OtherK, OtherV]: ...

    def collection(self, name: str, *, keys: Any = None, values: Any = None) -> Any:
        """The collection of a name, which is made if it is not there; keys and values are those of the store, or other."""
        handle = c_void_p()
        check(library.collection_open(self._store, _library.text(name), byref(handle)))
        return NamedCollection(self, name, handle, keys or self._keys, values or self._values)

    @property
    def collection_names(self) -> List[str]:
        """The names of all named collections, in the order of their bytes."""
        callbacks = Callbacks()
        names: List[str] = []
        check(library.collection_names(self._store, callbacks.names(names), None))
        callbacks.raise_error()
        return names

    def drop_collection(self, name: str, *, durability: Optional[Durability] = None) -> bool:
        """Removes a collection with all its keys; whether there was one of that name."""
        return check(library.collection_drop(self._store, _library.text(name), change(durability))) != ABSENT

    # Figures

    @property
    def statistics(self) -> Statistics:
        """Figures of the store at this moment."""
        figures = _library.Statistics()
        check(library.get_statistics(self._store, byref(figures)))
        return _reports.statistics(figures)

    @property
    def recovery(self) -> Recovery:
        """What opening the store found and did."""
        report = _library.Recovery()
        check(library.get_recovery(self._store, byref(report)))
        return _reports.recovery(report)

    @property
    def segments(self) -> List[Segment]:
        """The parts of the file, in its order; none in a store that is only read."""
        callbacks = Callbacks()
        segments: List[Segment] = []
        check(library.each_segment(self._store, callbacks.segments(segments), None))
        callbacks.raise_error()
        return segments

    # Long calls

    def compact(self, *, erase: bool = False, progress: Optional[Progress] = None) -> None:
        """Wins back the space of all values that were replaced, removed or have expired.

        With `erase`, the file has no byte of them when the call returns: everything that lives is written anew, and all
        else is overwritten. That does not reach copies that the file system or the disk has made, or earlier backups.
        """
        callbacks = Callbacks()
        call = library.compact_erasing if erase else library.compact
        status = call(self._store, callbacks.progress(progress), None)
        callbacks.raise_error()
        check(status)

    def backup(self, path: StorePath, *, live: bool = False, progress: Optional[Progress] = None) -> None:
        """Copies the store, as it is at one moment of the call, to a new file, while others go on.

        The copy also has the bytes of what was replaced, removed or has expired and is not compacted yet. With `live` it
        has none of them, and takes longer.
        """
        callbacks = Callbacks()
        call = library.backup_live if live else library.backup
        status = call(self._store, path_text(path), callbacks.progress(progress), None)
        callbacks.raise_error()
        check(status)


# By their handles, of which no two are alike.
_open: "weakref.WeakValueDictionary[int, Store[Any, Any]]" = weakref.WeakValueDictionary()


@atexit.register
def _close_all() -> None:
    """Closes what is still open while there is an interpreter that observers can run in."""
    for store in list(_open.values()):
        try:
            store.close()
        except Error:
            # Whoever wants to know it closes the store.
            pass


def _compression(compression: Union[str, int]) -> "tuple[int, int]":
    if isinstance(compression, int):
        if 1 <= compression <= 19:
            return _library.COMPRESSIONS["zstd"], compression
    elif compression in ("automatic", "off"):
        return _library.COMPRESSIONS[compression], 0
    raise ValueError(f"compression is 'automatic', 'off' or a level of zstd, 1 to 19, not {compression!r}")


def _is_empty(path: bytes) -> bool:
    try:
        return os.stat(path).st_size == 0
    except OSError:
        # Opening says what is wrong.
        return False


def _observing(function: Observer) -> Any:
    def observe(_: Any, place: Any) -> None:
        function(_reports.event(place.contents))

    return _library.OBSERVER(observe)


@overload
def open(
    path: StorePath,
    flag: str = ...,
    mode: int = ...,
    *,
    durability: Durability = ...,
    capacity: Optional[int] = ...,
    evicts: bool = ...,
    compression: Union[str, int] = ...,
    compaction: str = ...,
    verifies_reads: bool = ...,
    stores_index: bool = ...,
    is_mapped: bool = ...,
    observer: Optional[Observer] = ...,
) -> Store[bytes, bytes]: ...


@overload
def open(
    path: StorePath,
    flag: str = ...,
    mode: int = ...,
    *,
    keys: Coding[K],
    durability: Durability = ...,
    capacity: Optional[int] = ...,
    evicts: bool = ...,
    compression: Union[str, int] = ...,
    compaction: str = ...,
    verifies_reads: bool = ...,
    stores_index: bool = ...,
    is_mapped: bool = ...,
    observer: Optional[Observer] = ...,
) -> Store[K, bytes]: ...


@overload
def open(
    path: StorePath,
    flag: str = ...,
    mode: int = ...,
    *,
    values: Coding[V],
    durability: Durability = ...,
    capacity: Optional[int] = ...,
    evicts: bool = ...,
    compression: Union[str, int] = ...,
    compaction: str = ...,
    verifies_reads: bool = ...,
    stores_index: bool = ...,
    is_mapped: bool = ...,
    observer: Optional[Observer] = ...,
) -> Store[bytes, V]: ...


@overload
def open(
    path: StorePath,
    flag: str = ...,
    mode: int = ...,
    *,
    keys: Coding[K],
    values: Coding[V],
    durability: Durability = ...,
    capacity: Optional[int] = ...,
    evicts: bool = ...,
    compression: Union[str, int] = ...,
    compaction: str = ...,
    verifies_reads: bool = ...,
    stores_index: bool = ...,
    is_mapped: bool = ...,
    observer: Optional[Observer] = ...,
) -> Store[K, V]: ...


def open(
    path: StorePath,
    flag: str = "c",
    mode: int = 0o600,
    *,
    keys: Any = BYTES,
    values: Any = BYTES,
    durability: Durability = 1.0,
    capacity: Optional[int] = None,
    evicts: bool = False,
    compression: Union[str, int] = "automatic",
    compaction: str = "automatic",
    verifies_reads: bool = True,
    stores_index: bool = True,
    is_mapped: bool = True,
    observer: Optional[Observer] = None,
) -> Any:
    """Opens the store at a path.

    `flag` is that of `dbm.open`: "c" makes the file if it is not there, "w" does not, "r" only reads it, and "n" begins
    with an empty one. A file that is damaged, of another kind or of a newer version stays as it is, and is refused. A file
    without a byte, as `tempfile` makes, is replaced by a store with "c" and "n". Symbolic links are followed.

    `mode` is that of a file which is made, less the bits of the process's umask; the owner must be allowed to read and
    write. Whoever may read the file can keep writers from opening it.

    `keys` and `values` say how these become bytes: `BYTES`, `TEXT`, `JSON`, or a `Coding` of two functions.

    `durability` is that of changes that say nothing else: "synced", "unsynced", or within how many seconds a change
    survives a power failure. What is set survives the death of the process in any case.

    `capacity` is how many bytes the file has at most. A change for which there is no room raises `OutOfSpaceError`; with
    `evicts`, what was not read lately makes room instead.

    `compression` is "automatic", "off", or a level of zstd. `compaction` is "automatic", "manual" or "off".
    `verifies_reads` compares a checksum at each read. `stores_index` keeps the index in the file, so that it opens at
    once. Without `is_mapped` the file is read and written by system calls alone. `observer` is called with each `Event`
    on a thread of the library.
    """
    if flag not in ("r", "w", "c", "n"):
        raise ValueError(f"flag is 'r', 'w', 'c' or 'n', not {flag!r}")
    if mode & ~0o777 or mode & 0o600 != 0o600:
        raise ValueError(f"mode is one from 0o600 to 0o777 with which the owner may read and write, not {mode:#o}")
    if compaction not in _library.COMPACTIONS:
        raise ValueError(f"compaction is 'automatic', 'manual' or 'off', not {compaction!r}")
    if evicts and capacity is None:
        raise ValueError("evicting needs a capacity")
    if capacity is not None and not 0 <= capacity < 1 << 64:
        raise ValueError(f"capacity is a number of bytes, not {capacity}")
    named, path = os.fsdecode(path), path_text(path)
    kind, interval = durability_fields(durability)
    method, level = _compression(compression)
    callback = _library.OBSERVER() if observer is None else _observing(observer)
    limit = "unlimited" if capacity is None else "evicting" if evicts else "limited"
    options = _library.Options(
        version=_library.VERSION_NUMBER,
        flags=(_library.READ_ONLY_ACCESS if flag == "r" else 0)
        | (_library.MUST_EXIST if flag in ("r", "w") else 0)
        | (0 if verifies_reads else _library.UNVERIFIED_READS)
        | (0 if stores_index else _library.NO_STORED_INDEX)
        | (0 if is_mapped else _library.UNMAPPED),
        durability=kind,
        interval=interval,
        capacity=_library.CAPACITIES[limit],
        capacity_bytes=capacity or 0,
        compaction=_library.COMPACTIONS[compaction],
        compression=method,
        compression_level=level,
        mode=mode,
        observer=callback,
    )
    # Only now, with nothing wrong in what was passed. An empty file is none of a store, and opening replaces it.
    if flag == "n" and not _is_empty(path):
        try:
            destroy(path)
        except NotFoundError:
            pass
    handle = c_void_p()
    check(library.open(path, byref(options), byref(handle)))
    return Store(named, handle, callback, keys, values)
