"""A store is a dictionary, as CPython's own tests and a dictionary beside it say."""

import json
import pickle
import random
import shelve
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from test import mapping_tests

import sediment


class _OfCPython(mapping_tests.BasicTestMappingProtocol):
    """Their tests make many mappings; each is a store of its own."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.stores: List[Any] = []

    def tearDown(self) -> None:
        for store in self.stores:
            store.close()
        self.folder.cleanup()

    def open(self, **options: Any) -> Any:
        store = sediment.open(f"{self.folder.name}/{len(self.stores)}", durability="unsynced", **options)
        self.stores.append(store)
        return store

    def _full_mapping(self, data: Dict[Any, Any]) -> Any:
        mapping = self._empty_mapping()
        mapping.update(data)
        return mapping


class TestBytes(_OfCPython):
    def _reference(self) -> Dict[Any, Any]:
        return {b"1": b"2", b"key1": b"value1", b"key2": b""}

    def _empty_mapping(self) -> Any:
        return self.open()


class TestText(_OfCPython):
    def _reference(self) -> Dict[Any, Any]:
        return {"1": "2", "key1": "value1", "ключ": "значение"}

    def _empty_mapping(self) -> Any:
        return self.open(keys=sediment.TEXT, values=sediment.TEXT)


class TestJSON(_OfCPython):
    def _reference(self) -> Dict[Any, Any]:
        return {"1": "2", "key1": 2.5, "key2": True}

    def _empty_mapping(self) -> Any:
        return self.open(keys=sediment.TEXT, values=sediment.JSON)


class TestCoding(_OfCPython):
    def _reference(self) -> Dict[Any, Any]:
        return {"1": 2, "key1": b"value", "key2": (1, 2, 3)}

    def _empty_mapping(self) -> Any:
        coding = sediment.Coding(pickle.dumps, pickle.loads)
        return self.open(keys=coding, values=coding)


class TestCollection(_OfCPython):
    def _reference(self) -> Dict[Any, Any]:
        return {b"1": b"2", b"key1": b"value1", b"key2": b"value2"}

    def _empty_mapping(self) -> Any:
        store = self.open()
        store[b"1"] = b"in no collection"
        return store.collection("named")


class TestShelf(_OfCPython):
    """A shelf of Python's own keeps whatever can be pickled in a store."""

    def _reference(self) -> Dict[Any, Any]:
        return {"1": "2", "key1": "value1", "key2": (1, 2, 3)}

    def _empty_mapping(self) -> Any:
        return shelve.Shelf(self.open())


class TestShelfThatWritesBack(TestShelf):
    def _empty_mapping(self) -> Any:
        return shelve.Shelf(self.open(), writeback=True)


del _OfCPython

small = st.binary(max_size=3)
# Short ones, and some that take more than the memory that is kept for values.
values = st.binary(max_size=20) | st.integers(4000, 5000).map(lambda size: random.Random(size).randbytes(size))


class BesideADictionary(RuleBasedStateMachine):
    """Whatever is done to a store and to a dictionary, both answer the same, also after the store was opened again."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "store"
        self.store = sediment.open(self.path, durability="unsynced")
        self.model: Dict[bytes, bytes] = {}

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(key=small, value=values)
    def set(self, key: bytes, value: bytes) -> None:
        self.store[key] = value
        self.model[key] = value

    @rule(key=small)
    def get(self, key: bytes) -> None:
        assert self.store.get(key) == self.model.get(key)
        assert (key in self.store) == (key in self.model)

    @rule(key=small)
    def delete(self, key: bytes) -> None:
        assert self.store.remove(key) == (self.model.pop(key, None) is not None)

    @rule(key=small, default=values)
    def pop(self, key: bytes, default: bytes) -> None:
        assert self.store.pop(key, default) == self.model.pop(key, default)

    @rule(key=small, value=values)
    def setdefault(self, key: bytes, value: bytes) -> None:
        assert self.store.setdefault(key, value) == self.model.setdefault(key, value)

    @rule(key=small, expected=st.none() | values, value=st.none() | values)
    def compare_and_set(self, key: bytes, expected: Optional[bytes], value: Optional[bytes]) -> None:
        matches = self.model.get(key) == expected
        assert self.store.compare_and_set(key, expected, value) == matches
        if matches:
            self._model_set(key, value)

    @rule(key=small, value=st.none() | values)
    def replace_what_is_there(self, key: bytes, value: Optional[bytes]) -> None:
        assert self.store.compare_and_set(key, self.model.get(key), value)
        self._model_set(key, value)

    def _model_set(self, key: bytes, value: Optional[bytes]) -> None:
        self.model.pop(key, None)
        if value is not None:
            self.model[key] = value

    @rule(changes=st.lists(st.tuples(small, st.none() | values), max_size=8), fails=st.booleans())
    def batch(self, changes: Any, fails: bool) -> None:
        try:
            with self.store.batch() as batch:
                for key, value in changes:
                    if value is None:
                        del batch[key]
                    else:
                        batch[key] = value
                if fails:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            return
        for key, value in changes:
            self._model_set(key, value)

    @rule(keys=st.lists(small, max_size=8))
    def get_many(self, keys: List[bytes]) -> None:
        assert self.store.get_many(keys) == [self.model.get(key) for key in keys]

    @rule(prefix=small)
    def walk(self, prefix: bytes) -> None:
        expected = sorted((key, value) for key, value in self.model.items() if key.startswith(prefix))
        assert sorted(self.store.items_with_prefix(prefix)) == expected
        assert list(self.store.items_with_prefix(prefix, is_sorted=True)) == expected
        assert list(self.store.keys_with_prefix(prefix, is_sorted=True)) == [key for key, _ in expected]

    @rule()
    def clear(self) -> None:
        self.store.clear()
        self.model.clear()

    @rule()
    def compact(self) -> None:
        self.store.compact()

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = sediment.open(self.path, "w", durability="unsynced")

    @invariant()
    def is_equal(self) -> None:
        assert len(self.store) == len(self.model)
        assert dict(self.store.items()) == self.model
        assert self.store == self.model


TestBesideADictionary = BesideADictionary.TestCase
TestBesideADictionary.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("kind", ["keys", "values"])
def test_text_that_no_file_can_hold_is_refused(path: Path, kind: str) -> None:
    with sediment.open(path, keys=sediment.TEXT, values=sediment.TEXT) as store:
        with pytest.raises(UnicodeEncodeError):
            store.update({"\ud800": ""} if kind == "keys" else {"": "\ud800"})
        assert len(store) == 0


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values)
def test_whatever_json_has_comes_back(store: Any, value: Any) -> None:
    collection = store.collection("json", keys=sediment.TEXT, values=sediment.JSON)
    collection["key"] = value
    assert collection["key"] == json.loads(json.dumps(value))
