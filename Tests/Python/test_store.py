"""What a store does beyond a dictionary."""

import copy
import dbm
import errno
import gc
import multiprocessing
import os
import pickle
import shelve
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, List

import pytest

import sediment

# Opening


def test_what_was_set_is_there_after_a_close(path: Path) -> None:
    with sediment.open(path) as store:
        store[b"key"] = b"value"
    with sediment.open(path, "r") as store:
        assert store[b"key"] == b"value"
        assert store.recovery.was_closed


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_a_path_may_be_of_any_kind(path: Path, kind: Any) -> None:
    with sediment.open(kind(path)) as store:
        assert store.path == str(path)


def test_flags_are_those_of_dbm(path: Path) -> None:
    for flag in "rw":
        with pytest.raises(sediment.NotFoundError):
            sediment.open(path, flag)
    with sediment.open(path, "c") as store:
        store[b"key"] = b"value"
    with sediment.open(path, "w") as store:
        assert store[b"key"] == b"value"
    with sediment.open(path, "r") as store:
        with pytest.raises(sediment.ReadOnlyError):
            store[b"key"] = b"other"
        assert store[b"key"] == b"value"
    with sediment.open(path, "n") as store:
        assert list(store) == []
    with pytest.raises(ValueError, match="flag is"):
        sediment.open(path, "x")


def test_text_is_taken_as_dbm_takes_it(store: Any) -> None:
    store["key"] = "värde"
    assert store[b"key"] == "värde".encode()
    assert "key" in store and list(store) == [b"key"]
    for wrong in (1, None, 1.5, ["a"]):
        with pytest.raises(TypeError):
            store[wrong] = b""
        with pytest.raises(TypeError):
            store[b""] = wrong
        with pytest.raises(TypeError):
            wrong in store
    store[bytearray(b"a")] = memoryview(b"b")
    assert store[b"a"] == b"b"


def test_a_shelf_is_there_after_it_was_closed(path: Path) -> None:
    with shelve.Shelf(sediment.open(path)) as shelf:
        shelf["key"] = {"a": [1, 2]}
    with shelve.Shelf(sediment.open(path), writeback=True) as shelf:
        shelf["key"]["b"] = 3
        shelf.sync()
    with shelve.Shelf(sediment.open(path)) as shelf:
        assert shelf["key"] == {"a": [1, 2], "b": 3}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"durability": "often"}, "durability is"),
        ({"durability": 0}, "more than nothing"),
        ({"compression": "lzma"}, "compression is"),
        ({"compression": 99}, "level of zstd"),
        ({"compaction": "never"}, "compaction is"),
        ({"evicts": True}, "needs a capacity"),
    ],
)
def test_options_that_are_not_possible_are_refused(path: Path, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sediment.open(path, **options)
    assert not path.exists()


@pytest.mark.parametrize(
    "options",
    [
        {"durability": "synced"},
        {"durability": "unsynced"},
        {"durability": 0.01},
        {"durability": timedelta(milliseconds=5)},
        {"capacity": 8 << 20},
        {"capacity": 8 << 20, "evicts": True},
        {"compression": "off"},
        {"compression": 19},
        {"compaction": "manual"},
        {"compaction": "off"},
        {"verifies_reads": False},
        {"stores_index": False},
        {"is_mapped": False},
    ],
)
def test_each_option_opens_a_store_that_works(path: Path, options: Any) -> None:
    with sediment.open(path, **options) as store:
        store[b"key"] = b"value" * 100
        assert store[b"key"] == b"value" * 100
    with sediment.open(path, **options) as store:
        assert store[b"key"] == b"value" * 100


def test_a_full_store_says_so_and_one_that_evicts_makes_room(path: Path) -> None:
    value = os.urandom(10_000)
    with sediment.open(path, capacity=2 << 20, durability="unsynced") as store:
        with pytest.raises(sediment.OutOfSpaceError) as caught:
            for number in range(1000):
                store[b"%d" % number] = value
        assert caught.value.errno == errno.ENOSPC
        assert store[b"0"] == value
    with sediment.open(path, capacity=2 << 20, evicts=True, durability="unsynced") as store:
        for number in range(1000):
            store[b"%d" % number] = value
        assert store[b"999"] == value and b"0" not in store
        assert store.statistics.evicted_keys > 0


# Errors


def test_a_file_that_is_open_is_locked(path: Path) -> None:
    with sediment.open(path) as store:
        with pytest.raises(sediment.LockedError) as caught:
            sediment.open(path)
        assert caught.value.path == str(path) == caught.value.filename
        assert isinstance(caught.value, BlockingIOError)
        store[b"a"] = b"b"


def test_a_file_of_another_kind_stays_as_it_is(path: Path) -> None:
    path.write_bytes(b"#!/bin/sh\n" * 2000)
    with pytest.raises(sediment.ForeignFileError) as caught:
        sediment.open(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"#!/bin/sh\n" * 2000


def test_damage_is_told_with_its_place(path: Path) -> None:
    with sediment.open(path, compression="off") as store:
        store[b"key"] = b"a value to find" * 100
        store.update({b"%d" % number: b"another" for number in range(300)})
        expected = {key: store[key] for key in store if key != b"key"}
    content = bytearray(path.read_bytes())
    place = content.index(b"a value to find")
    content[place] ^= 1
    path.write_bytes(content)
    report = sediment.verify(path)
    assert not report.is_intact and report.damages == len(report.findings) == 1
    assert report.findings[0].begin <= place < report.findings[0].end
    with pytest.raises(sediment.DamagedError) as caught:
        sediment.open(path)
    assert caught.value.path == str(path) and 0 <= place - caught.value.offset < 100
    assert path.read_bytes() == content
    saved = path.with_name("saved")
    salvaged = sediment.salvage(path, saved)
    assert not salvaged.is_complete and len(salvaged.losses) == 1
    with sediment.open(saved) as store:
        assert dict(store) == expected


def test_what_is_closed_says_so(path: Path) -> None:
    store = sediment.open(path)
    store[b"key"] = b"value"
    collection = store.collection("named")
    batch = store.batch()
    walk = store.keys_with_prefix()
    store.close()
    store.close()
    calls = [
        lambda: store[b"key"],
        lambda: store.__setitem__(b"key", b""),
        lambda: len(store),
        lambda: collection.get(b"key"),
        lambda: batch.set(b"key", b""),
        lambda: next(walk),
        lambda: store.statistics,
        lambda: store.sync(),
        lambda: store.collection("other"),
        lambda: store.batch(),
        lambda: store.get_many([b"key"]),
    ]
    for call in calls:
        with pytest.raises(sediment.ClosedError):
            call()
    assert issubclass(sediment.ClosedError, ValueError)


def test_text_with_a_zero_byte_is_refused(path: Path) -> None:
    store = sediment.open(path)
    store.collection("users")[b"k"] = b"v"
    copy, other = str(path) + ".copy", str(path) + ".other"
    sediment.open(other).close()
    calls: List[Any] = [
        lambda: store.drop_collection("users\0x"),
        lambda: store.collection("users\0x"),
        lambda: store.backup(copy + "\0x"),
        lambda: sediment.open(other + "\0x", "n"),
        lambda: sediment.destroy(other + "\0x"),
        lambda: sediment.verify(other + "\0x"),
        lambda: sediment.salvage(other, copy + "\0x"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="null byte"):
            call()
    assert store.collection_names == ["users"] and os.path.exists(other) and not os.path.exists(copy)


@pytest.mark.parametrize(
    "options", [{"durability": "x"}, {"compression": 20}, {"compaction": "x"}, {"capacity": -1}, {"capacity": 1 << 64}]
)
def test_an_option_that_is_not_possible_costs_no_file(path: Path, options: Any) -> None:
    sediment.open(path).close()
    content = path.read_bytes()
    with pytest.raises(ValueError):
        sediment.open(path, "n", **options)
    assert path.read_bytes() == content


def test_errors_say_what_happened(path: Path) -> None:
    with pytest.raises(sediment.NotFoundError) as caught:
        sediment.open(path, "w")
    error = caught.value
    assert str(error) == error.args[0] and str(path) in str(error) and "None" not in str(error)
    assert error.errno == errno.ENOENT and error.strerror and error.filename == str(path)
    assert error.system_error == errno.ENOENT


def test_a_batch_that_is_let_go_of_fails_nothing(store: Any) -> None:
    with pytest.raises(sediment.TooLargeError):
        store[b"k" * 65_536] = b""
    before = sediment._library.library.last_error().contents.description
    with store.batch() as batch:
        batch[b"key"] = b"value"
    del batch
    gc.collect()
    assert sediment._library.library.last_error().contents.description == before


def test_what_a_batch_refuses_is_not_committed(store: Any) -> None:
    batch = store.batch()
    batch[b"a"] = b"1"
    with pytest.raises(sediment.TooLargeError):
        batch[b"k" * 65_536] = b"2"
    with pytest.raises(sediment.TooLargeError):
        batch.__exit__(None, None, None)
    assert b"a" not in store


def test_values_may_be_searched_while_keys_go(store: Any) -> None:
    store.update({b"%d" % number: b"" for number in range(50)})

    class Clearing(bytes):
        def __eq__(self, other: object) -> bool:
            store.clear()
            return False

        __hash__ = bytes.__hash__

    assert Clearing(b"x") not in store.values() and len(store) == 0
    store[b"key"] = b"value"
    assert b"value" in store.values() and b"other" not in store.values()


def test_what_is_too_large_is_refused(store: Any) -> None:
    with pytest.raises(sediment.TooLargeError):
        store[b"k" * 65_536] = b""
    store[b"k" * 65_535] = b"longest"
    assert store[b"k" * 65_535] == b"longest"


def test_a_store_cannot_be_pickled_or_copied(store: Any) -> None:
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied"):
            copied(store)


def test_stores_that_nobody_has_any_more_are_closed(path: Path) -> None:
    sediment.open(path)[b"key"] = b"value"
    gc.collect()
    store = sediment.open(path)
    collection = store.collection("named")
    del store
    gc.collect()
    # It keeps the store open.
    collection[b"a"] = b"b"
    del collection
    gc.collect()
    with sediment.open(path) as store:
        assert store[b"key"] == b"value"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_is_refused(store: Any) -> None:
    store[b"key"] = b"value"
    process = os.fork()
    if process == 0:
        try:
            store[b"key"]
        except sediment.ForkedError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
    assert store[b"key"] == b"value"


# Values


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 65_536, 65_537, 3_000_000])
def test_values_of_any_size_come_back(store: Any, size: int) -> None:
    value = os.urandom(size)
    store[b""] = value
    assert store[b""] == store.get(b"") == store.get_many([b""])[0] == value
    assert list(store.items()) == [(b"", value)]


def test_get_many_keeps_the_order_and_takes_any_number(store: Any) -> None:
    for number in range(0, 1000, 2):
        store[b"%d" % number] = b"value %d" % number
    keys = [b"%d" % number for number in reversed(range(1000))]
    expected = [b"value %d" % number if number % 2 == 0 else None for number in reversed(range(1000))]
    assert store.get_many(keys) == expected
    assert store.get_many(iter(keys[:3])) == expected[:3]
    assert store.get_many([]) == []


def test_conditions_are_one_step(store: Any) -> None:
    assert store.set_if_absent(b"key", b"1")
    assert not store.set_if_absent(b"key", b"2")
    assert not store.compare_and_set(b"key", b"2", b"3")
    assert not store.compare_and_set(b"key", None, b"3")
    assert store.compare_and_set(b"key", b"1", b"3")
    assert store.compare_and_set(b"key", b"3", None)
    assert store.compare_and_set(b"key", None, b"") and store[b"key"] == b""


# Expiry


def test_values_expire(store: Any) -> None:
    store.set(b"soon", b"", expires_in=0.02)
    store.set(b"later", b"", expires_in=timedelta(hours=1))
    store.set(b"past", b"", expires_at=1.0)
    moment = datetime.now().astimezone() + timedelta(days=1)
    store.set(b"at", b"", expires_at=moment)
    store[b"never"] = b""
    assert store.expiry(b"at") == pytest.approx(moment.timestamp(), abs=0.001)
    assert store.expiry(b"never") is None
    time.sleep(0.05)
    assert sorted(store) == [b"at", b"later", b"never"]
    with pytest.raises(KeyError):
        store.expiry(b"soon")
    assert store.set_expiry(b"later", expires_at=2.0) and b"later" not in store
    assert store.set_expiry(b"at") and store.expiry(b"at") is None
    assert not store.set_expiry(b"soon", expires_in=1)


def test_an_expiry_must_be_one(store: Any) -> None:
    for wrong in ({"expires_in": 0}, {"expires_in": -1}, {"expires_in": 1, "expires_at": 1}):
        with pytest.raises(ValueError):
            store.set(b"key", b"", **wrong)
    assert len(store) == 0


def test_a_replaced_value_keeps_its_expiry_if_it_is_compared(store: Any) -> None:
    store.set(b"key", b"1", expires_in=1000)
    moment = store.expiry(b"key")
    assert store.compare_and_set(b"key", b"1", b"2")
    assert store.expiry(b"key") == moment
    store[b"key"] = b"3"
    assert store.expiry(b"key") is None


# Batches and collections


def test_a_batch_is_made_as_a_whole_or_not_at_all(path: Path) -> None:
    with sediment.open(path) as store:
        users = store.collection("users", keys=sediment.TEXT, values=sediment.JSON)
        store[b"gone"] = b""
        with store.batch(durability="synced") as batch:
            batch[b"key"] = b"value"
            del batch[b"gone"]
            del batch[b"was never there"]
            batch.within(users)["anna"] = {"age": 30}
            batch.set(b"soon", b"", expires_in=1000)
            assert b"key" not in store
        assert dict(users) == {"anna": {"age": 30}} and sorted(store) == [b"key", b"soon"]
        assert store.expiry(b"soon") is not None
        with pytest.raises(ZeroDivisionError):
            with store.batch() as batch:
                batch[b"never"] = b""
                1 / 0
        assert b"never" not in store
        with pytest.raises(sediment.Error):
            batch[b"late"] = b""


def test_a_batch_of_another_store_is_refused(store: Any, tmp_path: Path) -> None:
    with sediment.open(tmp_path / "other") as other:
        with pytest.raises(sediment.MisuseError):
            with store.batch() as batch:
                batch.within(other)[b"key"] = b""
        assert len(other) == 0


def test_collections_have_keys_of_their_own(path: Path) -> None:
    with sediment.open(path) as store:
        first, second = store.collection("first"), store.collection("second", keys=sediment.TEXT, values=sediment.TEXT)
        first[b"key"], second["key"], store[b"key"] = b"1", "2", b"3"
        assert store.collection_names == ["first", "second"]
        assert store.drop_collection("first") and not store.drop_collection("first")
        with pytest.raises(sediment.CollectionDroppedError):
            first[b"key"]
        for wrong in ("", "x" * 256):
            with pytest.raises(ValueError):
                store.collection(wrong)
        store.remove_everything()
        assert len(second) == len(store) == 0
        second["key"] = "again"
    with sediment.open(path) as store:
        assert dict(store.collection("second")) == {b"key": b"again"}


# Walks


def test_a_walk_goes_on_while_keys_change(store: Any) -> None:
    keys = {b"%d" % number for number in range(1000)}
    for key in keys:
        store[key] = b""
    seen = []
    for key in store:
        seen.append(key)
        store[key] = b"again"
        store[key + b" new"] = b""
    assert keys <= set(seen) and len(set(seen)) == len(seen)


def test_a_walk_that_is_not_gone_to_its_end_is_ended(store: Any) -> None:
    for number in range(100):
        store[b"%d" % number] = b""
    for _ in range(2000):
        next(iter(store))
        next(store.items_with_prefix(b"5"))


# Long calls


def test_a_backup_is_a_store(store: Any, tmp_path: Path) -> None:
    store.update({b"%d" % number: b"value" for number in range(1000)})
    steps: List[Any] = []
    store.backup(tmp_path / "copy", progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    with sediment.open(tmp_path / "copy", "r") as copied:
        assert copied == store
    with pytest.raises(FileExistsError):
        store.backup(tmp_path / "copy")


def test_deleted_values_are_in_no_live_backup_and_not_in_an_erased_file(store: Any, tmp_path: Path) -> None:
    secret = b"the secret that was deleted"
    for number in range(500):
        store[b"%d" % number] = b"%d %s" % (number * 7919 % 503, secret)
        store[b"stays %d" % number] = b"value"
    for number in range(500):
        del store[b"%d" % number]
    store.backup(tmp_path / "copy")
    store.backup(tmp_path / "live", live=True)
    assert secret in (tmp_path / "copy").read_bytes()
    assert secret not in (tmp_path / "live").read_bytes()
    with sediment.open(tmp_path / "live", "r") as copied:
        assert copied == store
    store.compact(erase=True)
    assert secret not in Path(store.path).read_bytes()
    assert len(store) == 500


def test_a_long_call_stops_when_it_is_told_to(store: Any, tmp_path: Path) -> None:
    store.update({b"%d" % number: os.urandom(10_000) for number in range(300)})
    with pytest.raises(sediment.CancelledError):
        store.backup(tmp_path / "copy", progress=lambda done, total: False)

    def failing(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.backup(tmp_path / "copy", progress=failing)
    assert not (tmp_path / "copy").exists()


def test_figures_are_told(path: Path) -> None:
    events: List[sediment.Event] = []
    with sediment.open(path, observer=events.append) as store:
        for number in range(1000):
            store[b"%d" % number] = b'{"name": "a value that can be compressed"}' * 10
        store.sync()
        store.compact()
        figures = store.statistics
        assert figures.live_keys == 1000 and figures.file_bytes == path.stat().st_size
        assert figures.compression.values == 1000
        assert sum(segment.is_tail for segment in store.segments) == 1
    for _ in range(1000):
        if events and events[-1].kind == "closed":
            break
        time.sleep(0.01)
    kinds = [event.kind for event in events]
    assert kinds[0] == "recovered" and kinds[-1] == "closed" and "synced" in kinds
    assert events[0].recovery is not None and events[0].recovery.was_closed
    report = sediment.verify(path)
    assert report.is_intact and report.was_closed and report.findings == ()


def test_a_file_is_destroyed(path: Path) -> None:
    sediment.open(path).close()
    sediment.destroy(path)
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        sediment.destroy(path)


# Threads and processes


def test_threads_share_a_store(store: Any) -> None:
    def count(start: int) -> None:
        for number in range(start, start + 500):
            store[b"%d" % number] = b"%d" % number
            while True:
                old = store.get(b"sum")
                if store.compare_and_set(b"sum", old, b"%d" % (int(old or b"0") + 1)):
                    break

    threads = [threading.Thread(target=count, args=(start,)) for start in range(0, 2000, 500)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store[b"sum"] == b"2000"
    assert all(store[b"%d" % number] == b"%d" % number for number in range(2000))


def test_other_threads_run_while_a_call_does(store: Any) -> None:
    """A call that waits for another thread of Python ends only if that can run."""
    store[b"key"] = b"value" * 1000
    seen = threading.Event()

    def progress(done: int, total: int) -> bool:
        return seen.wait(60)

    thread = threading.Thread(target=seen.set)

    def start(done: int, total: int) -> bool:
        if not thread.ident:
            thread.start()
        return progress(done, total)

    store.compact(progress=start)
    store.backup(Path(store.path).with_name("copy"), progress=start)
    thread.join()
    assert seen.is_set()


def _set_until_killed(path: Path, told: Any) -> None:
    with sediment.open(path) as store:
        number = 0
        while True:
            store.set(b"%d" % number, os.urandom(100), durability="synced" if number % 10 == 0 else None)
            told.send(number)
            number += 1


@pytest.mark.parametrize("count", [1, 50, 500])
def test_what_was_set_survives_a_kill(path: Path, count: int) -> None:
    context = multiprocessing.get_context("spawn")
    told, telling = context.Pipe(duplex=False)
    process = context.Process(target=_set_until_killed, args=(path, telling))
    process.start()
    last = -1
    while last < count:
        last = told.recv()
    process.kill()
    process.join()
    while told.poll():
        last = told.recv()
    with sediment.open(path, "w") as store:
        assert not store.recovery.was_closed
        assert all(len(store[b"%d" % number]) == 100 for number in range(last + 1))
        assert last + 1 <= len(store) <= last + 2
        assert sediment.Store.__len__(store) == len(list(store))


def test_a_program_that_closes_nothing_ends_and_loses_nothing(path: Path) -> None:
    import subprocess

    program = (
        "import sediment, sys\n"
        "store = sediment.open(sys.argv[1], observer=lambda event: None)\n"
        "collection, batch, walk = store.collection('named'), store.batch(), iter(store)\n"
        "store[b'key'] = collection[b'key'] = b'value'\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)
    with sediment.open(path) as store:
        assert store[b"key"] == b"value" and store.recovery.was_closed


def test_names_of_dbm_are_there(path: Path) -> None:
    assert issubclass(sediment.error, Exception) and dbm.error
    with pytest.raises(sediment.error):
        sediment.open(path, "r")
