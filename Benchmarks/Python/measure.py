"""Says how many nanoseconds a set and a get take in a store of Python's.

    measure.py STORE KEYS FOLDER

STORE is `sediment`, `dbm.gnu`, `sqlite3` or `lmdb`. Keys of 16 bytes and values of 100 are set in random order and read in
another. None of the stores syncs, and each is used as its documents say: SQLite by prepared statements in one
transaction, LMDB in one transaction. What every store is measured with is the same: a function for a set, and one for a get.
"""

import os
import random
import sys
import time
from typing import Any, Callable, Tuple


def sediment_store(path: str) -> Tuple[Any, Any, Any]:
    import sediment

    store = sediment.open(path, durability="unsynced", compression="off")
    return store.__setitem__, store.__getitem__, store.close


def gnu_store(path: str) -> Tuple[Any, Any, Any]:
    import dbm.gnu

    store = dbm.gnu.open(path, "nf")
    return store.__setitem__, store.__getitem__, store.close


def sqlite_store(path: str) -> Tuple[Any, Any, Any]:
    import sqlite3

    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = OFF")
    store.execute("CREATE TABLE data (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
    store.execute("BEGIN")

    def set_value(key: bytes, value: bytes) -> None:
        store.execute("INSERT OR REPLACE INTO data VALUES (?, ?)", (key, value))

    def get_value(key: bytes) -> bytes:
        return store.execute("SELECT value FROM data WHERE key = ?", (key,)).fetchone()[0]

    return set_value, get_value, store.close


def lmdb_store(path: str) -> Tuple[Any, Any, Any]:
    import lmdb

    store = lmdb.open(path, map_size=1 << 34, sync=False, writemap=True)
    transaction = store.begin(write=True)

    def close() -> None:
        transaction.abort()
        store.close()

    return transaction.put, transaction.get, close


STORES = {"sediment": sediment_store, "dbm.gnu": gnu_store, "sqlite3": sqlite_store, "lmdb": lmdb_store}


def main() -> None:
    name, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    try:
        set_value, get_value, close = STORES[name](os.path.join(folder, "python-store"))
    except ImportError as error:
        sys.exit(f"{error}")
    chance = random.Random(91)
    keys = [chance.randbytes(16) for _ in range(count)]
    values = [key[:8] + bytes(92) for key in keys]
    set_time = timed(lambda: run_set(set_value, keys, values))
    # As programs have them: keys that were made just before they are used.
    numbers = list(range(count))
    chance.shuffle(numbers)
    keys = [bytes(bytearray(keys[number])) for number in numbers]
    get_time = timed(lambda: run_get(get_value, keys))
    close()
    print(round(set_time / count), round(get_time / count))


def timed(body: Callable[[], None]) -> int:
    start = time.perf_counter_ns()
    body()
    return time.perf_counter_ns() - start


def run_set(set_value: Any, keys: Any, values: Any) -> None:
    for key, value in zip(keys, values):
        set_value(key, value)


def run_get(get_value: Any, keys: Any) -> None:
    for key in keys:
        if get_value(key)[:8] != key[:8]:
            sys.exit("the store is wrong")


main()
