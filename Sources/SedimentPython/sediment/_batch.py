"""Changes that are made all together or not at all."""

from ctypes import byref, c_void_p
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Optional, Type, TypeVar, Union

from ._changes import Durability, change
from ._errors import check
from ._library import BUSY, MISUSE, library

if TYPE_CHECKING:
    from ._collection import Collection

K = TypeVar("K")
V = TypeVar("V")
OtherK = TypeVar("OtherK")
OtherV = TypeVar("OtherV")


class _Changes:
    """The changes of a batch, until they are made."""

    def __init__(self, store: c_void_p) -> None:
        self.handle = c_void_p()
        self._is_over = True
        check(library.batch_begin(store, byref(self.handle)))
        self._is_over = False

    def commit(self, durability: Optional[Durability]) -> None:
        status = library.batch_commit(self.handle, change(durability))
        self._is_over = status not in (MISUSE, BUSY)
        check(status)

    def abandon(self, abandon: Any = library.batch_abandon) -> None:
        if not self._is_over:
            abandon(self.handle)

    __del__ = abandon


class Batch(Generic[K, V]):
    """Changes of a collection that are made when the block ends, all together; none if it ends with an exception.

    Others see all of them or none, also after a crash. A batch is used by one thread at a time.
    """

    def __init__(self, store: c_void_p, collection: "Collection[K, V]", durability: Optional[Durability] = None) -> None:
        self._collection = collection
        self._durability = durability
        self._changes = _Changes(store)

    def __enter__(self) -> "Batch[K, V]":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self._changes.commit(self._durability)
        else:
            self._changes.abandon()

    def within(self, collection: "Collection[OtherK, OtherV]") -> "Batch[OtherK, OtherV]":
        """The same batch, for changes of another collection of the store."""
        other: Batch[OtherK, OtherV] = Batch.__new__(Batch)
        other._collection, other._durability, other._changes = collection, self._durability, self._changes
        return other

    def __setitem__(self, key: K, value: V) -> None:
        self.set(key, value)

    def set(
        self,
        key: K,
        value: V,
        *,
        expires_in: Union[float, timedelta, None] = None,
        expires_at: Union[float, datetime, None] = None,
    ) -> None:
        """Adds a change that gives a key a value, which may expire."""
        collection = self._collection
        data, content = collection._keys.encode(key), collection._values.encode(value)
        options = change(None, expires_in, expires_at)
        check(
            library.batch_set(
                self._changes.handle, collection._handle, data, len(data), content, len(content), options
            )
        )

    def remove(self, key: K) -> None:
        """Adds a change that removes the value of a key, if it has one."""
        data = self._collection._keys.encode(key)
        check(library.batch_remove(self._changes.handle, self._collection._handle, data, len(data)))

    __delitem__ = remove
