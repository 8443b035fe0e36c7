"""Keys and values as a dictionary."""

import ctypes
import heapq
from array import array
from ctypes import byref, c_char_p, c_size_t, c_uint64, c_void_p, sizeof, string_at
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Generic, Iterable, Iterator, List, MutableMapping, Optional, Tuple, TypeVar, Union, cast
from typing import ItemsView, ValuesView

from . import _library
from ._batch import Batch
from ._changes import Durability, change
from ._coding import Coding
from ._errors import DamagedError, check
from ._library import ABSENT, OK, SHORT, UNCHANGED, Bytes, library

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
_MISSING: Any = object()


class _Buffer:
    """Memory that values are copied into before they become objects."""

    __slots__ = ("memory", "address", "capacity", "is_kept", "size", "size_reference")
    #: Larger ones are not kept for the next value.
    KEPT_MAX = 1 << 16

    def __init__(self, capacity: int) -> None:
        self.memory: Any = ctypes.create_string_buffer(capacity)
        self.address = c_void_p(ctypes.addressof(self.memory))
        self.capacity = c_size_t(capacity)
        self.is_kept = capacity <= self.KEPT_MAX
        self.size = c_size_t()
        self.size_reference = byref(self.size)


# What an array calls a number as large as an address.
_WORD = "Q" if sizeof(c_void_p) == 8 else "L"


def _words(count: int) -> "array[int]":
    return array(_WORD, bytes(count * sizeof(c_void_p)))


def _addresses(pieces: List[bytes]) -> "array[int]":
    pointers = (c_char_p * len(pieces))(*pieces)
    return array(_WORD, string_at(pointers, sizeof(pointers)))


# Those that nobody uses now. Taking one and giving it back are one step each, whoever comes in between.
_spare: List[_Buffer] = []
_get = library.get


def _read(handle: c_void_p, key: bytes) -> Optional[bytes]:
    """The value of a key, None if it has none."""
    try:
        buffer = _spare.pop()
    except IndexError:
        buffer = _Buffer(4096)
    while True:
        status = _get(handle, key, len(key), buffer.address, buffer.capacity, buffer.size_reference)
        if status == OK:
            value: bytes = buffer.memory[: buffer.size.value]
            if buffer.is_kept:
                _spare.append(buffer)
            return value
        if status != SHORT:
            _spare.append(buffer)
            if status == ABSENT:
                return None
            check(status)
        # The next value of the key may be longer again.
        buffer = _Buffer(1 << buffer.size.value.bit_length())


class _Items(ItemsView[K, V]):
    """All keys with their values, each read where its key is found."""

    _mapping: "Collection[K, V]"

    def __iter__(self) -> Iterator[Tuple[K, V]]:
        return self._mapping.items_with_prefix()


class _Values(ValuesView[V]):
    """All values, each read where its key is found."""

    _mapping: "Collection[Any, V]"

    def __iter__(self) -> Iterator[V]:
        return map(itemgetter(1), self._mapping.items_with_prefix())

    def __contains__(self, value: object) -> bool:
        return any(value is other or value == other for other in self)


class Collection(MutableMapping[K, V], Generic[K, V]):
    """The keys of a store that are in no named collection, or those of a named one, as a dictionary.

    It differs from a `dict` in this: the order of its keys is none, a walk through it goes on while it is changed, and
    other threads may use it at any time. Each call lets other threads of Python run.
    """

    __slots__ = ("_store", "_handle", "_keys", "_values", "__weakref__")

    def __init__(self, store: c_void_p, handle: c_void_p, keys: Coding[K], values: Coding[V]) -> None:
        self._store = store
        self._handle = handle
        self._keys = keys
        self._values = values

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; open it where it is needed")

    # Reading

    def __getitem__(self, key: K) -> V:
        value = _read(self._handle, self._keys.encode(key))
        if value is None:
            raise KeyError(key)
        return self._values.decode(value)

    def get(self, key: K, default: Any = None) -> Any:
        """The value of a key, or `default` if it has none."""
        value = _read(self._handle, self._keys.encode(key))
        return default if value is None else self._values.decode(value)

    def __contains__(self, key: object) -> bool:
        data = self._keys.encode(cast(K, key))
        return check(library.contains(self._handle, data, len(data))) == OK

    def __len__(self) -> int:
        """How many keys have a value; looks at every key if some values expire."""
        count = c_uint64()
        check(library.count(self._handle, byref(count)))
        return count.value

    def get_many(self, keys: Iterable[K]) -> List[Optional[V]]:
        """The values of many keys, in their order, None where there is none; quicker than one by one."""
        encoded = [self._keys.encode(key) for key in keys]
        count = len(encoded)
        # Addresses and sizes in turns, as the structures of C have them; the bytes stay where `encoded` has them.
        places, found = _words(2 * count), _words(2 * count)
        places[::2] = _addresses(encoded)
        places[1::2] = array(_WORD, map(len, encoded))
        memory = c_void_p()
        check(library.get_many(self._handle, places.buffer_info()[0], count, found.buffer_info()[0], byref(memory)))
        if memory.value is None:
            return [None] * count
        try:
            first = memory.value
            ends = [start + size - first if start else 0 for start, size in zip(found[::2], found[1::2])]
            values = string_at(first, max(ends))
        finally:
            library.free(memory)
        decode = self._values.decode
        return [
            decode(values[end - size : end]) if start else None
            for start, size, end in zip(found[::2], found[1::2], ends)
        ]

    # Changing

    def __setitem__(self, key: K, value: V) -> None:
        data, content = self._keys.encode(key), self._values.encode(value)
        status = library.set(self._handle, data, len(data), content, len(content), None)
        if status != OK:
            check(status)

    def set(
        self,
        key: K,
        value: V,
        *,
        expires_in: Union[float, timedelta, None] = None,
        expires_at: Union[float, datetime, None] = None,
        durability: Optional[Durability] = None,
    ) -> None:
        """Gives a key a value that may expire, in so many seconds or at a time, with a durability of its own."""
        data, content = self._keys.encode(key), self._values.encode(value)
        options = change(durability, expires_in, expires_at)
        check(library.set(self._handle, data, len(data), content, len(content), options))

    def set_if_absent(
        self,
        key: K,
        value: V,
        *,
        expires_in: Union[float, timedelta, None] = None,
        expires_at: Union[float, datetime, None] = None,
        durability: Optional[Durability] = None,
    ) -> bool:
        """Gives a key a value only if it has none; whether it had none."""
        data, content = self._keys.encode(key), self._values.encode(value)
        options = change(durability, expires_in, expires_at)
        status = library.set_if_absent(self._handle, data, len(data), content, len(content), options)
        return check(status) == OK

    def compare_and_set(
        self, key: K, expected: Optional[V], value: Optional[V], *, durability: Optional[Durability] = None
    ) -> bool:
        """Replaces a key's value only if it is the expected one, as bytes; whether it was. None stands for no value."""
        old = None if expected is None else self._values.encode(expected)
        new = None if value is None else self._values.encode(value)
        return self._exchange(self._keys.encode(key), old, new, durability)

    def _exchange(
        self, key: bytes, old: Optional[bytes], new: Optional[bytes], durability: Optional[Durability] = None
    ) -> bool:
        references = [None if data is None else byref(Bytes.of(data)) for data in (old, new)]
        options = None if durability is None else change(durability)
        return check(library.compare_and_set(self._handle, key, len(key), *references, options)) == OK

    def __delitem__(self, key: K) -> None:
        if not self.remove(key):
            raise KeyError(key)

    def remove(self, key: K, *, durability: Optional[Durability] = None) -> bool:
        """Removes the value of a key; whether it had one."""
        data = self._keys.encode(key)
        return check(library.remove(self._handle, data, len(data), change(durability))) == OK

    def pop(self, key: K, default: Any = _MISSING) -> Any:
        """Removes a key and returns its value, in one step; if it has none, `default` or a `KeyError`."""
        data = self._keys.encode(key)
        while True:
            value = _read(self._handle, data)
            if value is None:
                if default is _MISSING:
                    raise KeyError(key)
                return default
            if self._exchange(data, value, None):
                return self._values.decode(value)

    def popitem(self) -> Tuple[K, V]:
        """Removes any key and returns it with its value, in one step; raises `KeyError` if there is none."""
        for key, value in self._walk(None, 0):
            if self._exchange(key, value, None):
                return self._keys.decode(key), self._values.decode(value)
        raise KeyError("there are no keys")

    def setdefault(self, key: K, default: V = cast(V, None)) -> V:
        """The value of a key, which it is given first if it has none, in one step."""
        data = self._keys.encode(key)
        while True:
            value = _read(self._handle, data)
            if value is not None:
                return self._values.decode(value)
            if self.set_if_absent(key, default):
                return default

    def clear(self) -> None:
        """Removes all keys at once."""
        check(library.remove_all(self._handle, None))

    def batch(self, *, durability: Optional[Durability] = None) -> Batch[K, V]:
        """Changes that are made all together when a `with` block ends."""
        return Batch(self._store, self, durability)

    # Expiry

    def expiry(self, key: K) -> Optional[float]:
        """When the value of a key expires, in seconds since 1970, None for never; raises `KeyError` if it has none."""
        data = self._keys.encode(key)
        moment = c_uint64()
        if check(library.get_expiry(self._handle, data, len(data), byref(moment))) == ABSENT:
            raise KeyError(key)
        return moment.value / 1000 if moment.value else None

    def set_expiry(
        self,
        key: K,
        *,
        expires_in: Union[float, timedelta, None] = None,
        expires_at: Union[float, datetime, None] = None,
        durability: Optional[Durability] = None,
    ) -> bool:
        """Lets the present value of a key expire in so many seconds, at a time, or never; whether it has one."""
        data = self._keys.encode(key)
        options = change(durability, expires_in, expires_at, is_certain=True)
        return check(library.set_expiry(self._handle, data, len(data), options)) == OK

    # Walking through keys

    def __iter__(self) -> Iterator[K]:
        return self.keys_with_prefix()

    def items(self) -> ItemsView[K, V]:
        """All keys with their values."""
        return _Items(self)

    def values(self) -> ValuesView[V]:
        """All values."""
        return _Values(self)

    def keys_with_prefix(self, prefix: Optional[K] = None, *, is_sorted: bool = False) -> Iterator[K]:
        """The keys that begin with a prefix, in no order, or in that of their bytes.

        A key that has a value the whole time comes exactly once; one that is set first, or removed, meanwhile may come.
        The store stays open as long as the iterator is there. A damaged record raises `DamagedError`, and the next call goes
        on after it.
        """
        decode = self._keys.decode
        walk: Iterator[Tuple[bytes, bytes]]
        walk = _SortedWalk(self, prefix, _library.KEYS_ONLY) if is_sorted else self._walk(prefix, _library.KEYS_ONLY)
        return map(lambda entry: decode(entry[0]), walk)

    def items_with_prefix(self, prefix: Optional[K] = None, *, is_sorted: bool = False) -> Iterator[Tuple[K, V]]:
        """The keys that begin with a prefix, with their values; otherwise as `keys_with_prefix`."""
        decode_key, decode_value = self._keys.decode, self._values.decode
        walk: Iterator[Tuple[bytes, bytes]]
        walk = _SortedWalk(self, prefix, 0) if is_sorted else self._walk(prefix, 0)
        return map(lambda entry: (decode_key(entry[0]), decode_value(entry[1])), walk)

    def _walk(self, prefix: Optional[K], flags: int) -> "_Walk":
        start = b"" if prefix is None else self._keys.encode(prefix)
        handle = c_void_p()
        check(library.iterate(self._handle, start, len(start), flags, byref(handle)))
        return _Walk(self, handle)


class _Walk(Iterator[Tuple[bytes, bytes]]):
    """A walk through keys in no order.

    It is no generator, which would end with the first error: after one of a damaged value, the next key comes.
    """

    __slots__ = ("_collection", "_handle", "_key", "_value", "_places")

    def __init__(self, collection: Any, handle: c_void_p) -> None:
        # The store stays open as long as somebody walks through it.
        self._collection = collection
        self._handle = handle
        self._key, self._value = Bytes(), Bytes()
        self._places = byref(self._key), byref(self._value)

    def __next__(self, next_entry: Any = library.iteration_next) -> Tuple[bytes, bytes]:
        status = next_entry(self._handle, *self._places)
        if status != OK:
            check(status)
            raise StopIteration
        key, value = self._key, self._value
        return string_at(key.data, key.size), string_at(value.data, value.size) if value.data else b""

    def __del__(self, end: Any = library.iteration_end) -> None:
        end(self._handle)


class _SortedWalk(Iterator[Tuple[bytes, bytes]]):
    """A walk through keys in the order of their bytes.

    The keys are gathered and sorted here, some at a time, so that Ctrl-C can end that.
    """

    __slots__ = ("_collection", "_has_values", "_errors", "_keys")
    #: How many keys are sorted at once, which no signal interrupts.
    RUN = 10_000

    def __init__(self, collection: Any, prefix: Any, flags: int) -> None:
        self._collection = collection
        self._has_values = not flags & _library.KEYS_ONLY
        self._errors: List[DamagedError] = []
        runs: List[List[bytes]] = [[]]
        walk = collection._walk(prefix, _library.KEYS_ONLY)
        while True:
            try:
                for key, _ in walk:
                    if len(runs[-1]) == self.RUN:
                        runs[-1].sort()
                        runs.append([])
                    runs[-1].append(key)
                break
            except DamagedError as error:
                # Each is raised once before the first key.
                self._errors.append(error)
        runs[-1].sort()
        self._keys = heapq.merge(*runs)

    def __next__(self) -> Tuple[bytes, bytes]:
        if self._errors:
            raise self._errors.pop()
        for key in self._keys:
            if not self._has_values:
                return key, b""
            value = _read(self._collection._handle, key)
            # One that was removed since it was gathered is left out.
            if value is not None:
                return key, value
        raise StopIteration
