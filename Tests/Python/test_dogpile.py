"""Another program's storage: `dogpile.cache`, as Debian has it, keeps what it caches in a store.

It was chosen because it is a plain way from a key to bytes with all that a cache needs: many at a time, removal, and
one creator of a value among many threads. Its own tests of backends, which Debian does not have, pass as well.
"""

import os
import threading
import time
from pathlib import Path
from typing import Any, List

import pytest

import sediment

dogpile = pytest.importorskip("dogpile.cache")
import sediment.dogpile  # noqa: E402


def make(path: Path, expiration_time: float = 3600, **arguments: Any) -> Any:
    return dogpile.make_region().configure(
        "dogpile.cache.sediment", expiration_time=expiration_time, arguments={"path": path, **arguments}
    )


def test_a_value_is_made_once_and_found_again(path: Path) -> None:
    made: List[str] = []

    def run() -> Any:
        region = make(path)

        @region.cache_on_arguments()
        def square(number: int) -> Any:
            made.append(str(number))
            return {"square": number**2}

        return square(3), square(3), square(4), square

    assert run()[:3] == ({"square": 9}, {"square": 9}, {"square": 16}) and made == ["3", "4"]
    # Nobody has the store any more: this is another run of a program.
    assert run()[:3] == ({"square": 9}, {"square": 9}, {"square": 16}) and made == ["3", "4"]
    square = run()[3]
    square.invalidate(3)
    assert square(3) == {"square": 9} and made == ["3", "4", "3"]


def test_many_values_at_a_time(path: Path) -> None:
    region = make(path)
    region.set_multi({"a": 1, "b": None, "c": [1, 2]})
    assert region.get_multi(["c", "none", "b", "a"]) == [[1, 2], dogpile.api.NO_VALUE, None, 1]
    region.delete_multi(["a", "c", "none"])
    assert region.get_multi(["a", "b", "c"]) == [dogpile.api.NO_VALUE, None, dogpile.api.NO_VALUE]
    assert region.get_or_create_multi(["b", "d"], lambda *keys: [key * 2 for key in keys]) == [None, "dd"]


def test_a_store_that_is_being_closed_is_not_used_again(path: Path) -> None:
    found: List[Any] = []

    def observe(event: sediment.Event) -> None:
        # The close waits for this; the store can still be found.
        if event.kind == "closed":
            store = sediment.dogpile._stores.get(os.path.realpath(path))
            found.append(store is None or store.is_closed)

    backend = sediment.dogpile.SedimentBackend({"path": path, "observer": observe})
    backend.set_serialized("key", b"value")
    del backend
    assert found == [True]
    assert make(path).backend.get_serialized("key") == b"value"


def test_one_of_many_threads_makes_a_value(path: Path) -> None:
    region = make(path)
    made: List[int] = []
    found: List[int] = []

    def create() -> int:
        made.append(1)
        time.sleep(0.05)
        return 7

    threads = [threading.Thread(target=lambda: found.append(region.get_or_create("key", create))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [7] * 8 and len(made) == 1


def test_regions_share_a_file_and_may_have_keys_of_their_own(path: Path) -> None:
    first, second, third = make(path), make(path), make(path, collection="third")
    first.set("key", 1)
    third.set("key", 3)
    assert second.get("key") == 1 and third.get("key") == 3


def test_values_expire_and_what_was_not_read_makes_room(path: Path) -> None:
    region = make(path, expires_in=0.02, capacity=2 << 20)
    region.set("soon", 1)
    time.sleep(0.05)
    assert region.get("soon") is dogpile.api.NO_VALUE
    region = make(path.with_name("other"), capacity=2 << 20)
    for number in range(500):
        region.set(str(number), os.urandom(10_000))
    assert len(region.get("499")) == 10_000 and region.get("0") is dogpile.api.NO_VALUE
    assert path.with_name("other").stat().st_size <= 2 << 20


def test_an_option_that_is_not_known_is_refused(path: Path) -> None:
    with pytest.raises(TypeError, match="durabilty"):
        make(path, durabilty="synced")
