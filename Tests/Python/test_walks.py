"""Walks through keys: what they keep open, how they go on, and what ends them."""

import os
import re
import signal
from pathlib import Path
from typing import Any, Callable, List

import pytest

import sediment


def test_a_walk_keeps_its_store_open(path: Path) -> None:
    expected = {b"%d" % number: b"value" for number in range(1000)}
    with sediment.open(path) as store:
        store.update(expected)
        store.collection("named").update(expected)

    def walked(walk: Callable[[Any], Any]) -> List[Any]:
        # The store is nobody's but the walk's.
        return list(walk(sediment.open(path)))

    assert dict(walked(lambda store: iter(store.items()))) == expected
    assert walked(lambda store: iter(store.values())) == [b"value"] * 1000
    assert set(walked(lambda store: iter(store.keys()))) == set(walked(iter)) == set(expected)
    ordered = walked(lambda store: store.keys_with_prefix(b"99", is_sorted=True))
    assert ordered == [b"99"] + [b"99%d" % number for number in range(10)]
    assert dict(walked(lambda store: store.collection("named").items_with_prefix())) == expected
    # Nobody walks any more.
    sediment.open(path).close()


@pytest.mark.parametrize("is_sorted", [False, True])
@pytest.mark.parametrize("stores_index", [False, True])
def test_a_walk_tells_of_damage_and_goes_on(path: Path, is_sorted: bool, stores_index: bool) -> None:
    expected = {b"key %d" % number: b"value %d of its own " % number * 50 for number in range(2000)}
    damaged = {b"key 7", b"key 1000", b"key 1999"}
    with sediment.open(path, compression="off", stores_index=stores_index) as store:
        store.update(expected)
        store.sync()
        content = path.read_bytes()
        with path.open("r+b") as file:
            for key in damaged:
                # The window may have a record, too.
                for found_at in re.finditer(re.escape(expected[key]), content):
                    file.seek(found_at.start())
                    file.write(bytes([content[found_at.start()] ^ 1]))
        for walk, whole in (
            (store.items_with_prefix(is_sorted=is_sorted), set(expected.items())),
            (store.keys_with_prefix(is_sorted=is_sorted), set(expected)),
        ):
            found, errors = [], 0
            while True:
                try:
                    found.append(next(walk))
                except sediment.DamagedError:
                    errors += 1
                except StopIteration:
                    break
            assert errors == len(damaged)
            lost = {entry for entry in whole if entry in damaged or entry[0] in damaged}
            assert set(found) == whole - lost and len(found) == len(whole - lost)
            assert not is_sorted or found == sorted(found)
        with pytest.raises(sediment.DamagedError):
            list(store.items())


def test_a_signal_ends_a_sorted_walk_before_its_first_key(path: Path) -> None:
    class Interrupt(Exception):
        pass

    def interrupt(*_: Any) -> None:
        raise Interrupt

    with sediment.open(path, durability="unsynced") as store:
        store.update({b"%d" % number: b"" for number in range(100_000)})
        walk_type, steps = type(store._walk(None, 1)), 0
        next_entry = walk_type.__next__

        def step(walk: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == 5000:
                os.kill(os.getpid(), signal.SIGUSR1)
            return next_entry(walk)

        before = signal.signal(signal.SIGUSR1, interrupt)
        try:
            walk_type.__next__ = step
            with pytest.raises(Interrupt):
                next(store.keys_with_prefix(is_sorted=True))
        finally:
            walk_type.__next__ = next_entry
            signal.signal(signal.SIGUSR1, before)
        assert steps == 5000
        assert list(store.keys_with_prefix(is_sorted=True)) == sorted(store)
