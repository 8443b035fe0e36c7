"""A backend of `dogpile.cache`, which keeps what a region caches in a store.

    from dogpile.cache import make_region
    import sediment.dogpile

    region = make_region().configure(
        "dogpile.cache.sediment", expiration_time=3600, arguments={"path": "cache.sediment", "capacity": 1 << 30}
    )

`path` is that of the store; regions with the same one share it, and `collection` gives a region keys of its own. With
`capacity`, what was not read lately makes room. `expires_in` removes values after so many seconds, read or not. Anything
else is an option of `sediment.open`; `durability` is "unsynced" unless it says something else.
"""

import os
import threading
import time
import weakref
from typing import Any, Mapping, Optional, Sequence

from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, BytesBackend

import sediment

_stores: "weakref.WeakValueDictionary[str, sediment.Store[Any, Any]]" = weakref.WeakValueDictionary()
_lock = threading.Lock()


def _store(path: str, options: Mapping[str, Any]) -> "sediment.Store[Any, Any]":
    path = os.path.realpath(path)
    with _lock:
        patience = 100
        while True:
            store = _stores.get(path)
            # It may be found while nobody has it any more, and another thread closes it.
            if store is not None and not store.is_closed:
                return store
            try:
                store = _stores[path] = sediment.open(path, **options)
                return store
            except sediment.LockedError:
                patience -= 1
                if patience == 0:
                    raise
                time.sleep(0.01)


class SedimentBackend(BytesBackend):  # type: ignore[misc]
    """What `dogpile.cache` calls to keep, find and remove the values of a region."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        options = dict(arguments)
        path = os.fspath(options.pop("path"))
        name = options.pop("collection", None)
        self._expires_in: Optional[float] = options.pop("expires_in", None)
        if "capacity" in options:
            options.setdefault("evicts", True)
        options.setdefault("durability", "unsynced")
        self._store = _store(path, options)
        self._values = self._store if name is None else self._store.collection(name)

    def get_serialized(self, key: str) -> Any:
        return self._values.get(key, NO_VALUE)

    def get_serialized_multi(self, keys: Sequence[str]) -> Sequence[Any]:
        return [NO_VALUE if value is None else value for value in self._values.get_many(keys)]

    def set_serialized(self, key: str, value: bytes) -> None:
        self._values.set(key, value, expires_in=self._expires_in)

    def set_serialized_multi(self, mapping: Mapping[str, bytes]) -> None:
        with self._values.batch() as batch:
            for key, value in mapping.items():
                batch.set(key, value, expires_in=self._expires_in)

    def delete(self, key: str) -> None:
        self._values.remove(key)

    def delete_multi(self, keys: Sequence[str]) -> None:
        with self._values.batch() as batch:
            for key in keys:
                batch.remove(key)


register_backend("dogpile.cache.sediment", "sediment.dogpile", "SedimentBackend")
