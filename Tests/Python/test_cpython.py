"""CPython's own tests of `dbm` and `shelve`, with a store in the place of a database."""

import dbm
import os
import pickle
import unittest
from pathlib import Path
from typing import Any, Iterator

import pytest
from test import mapping_tests, test_dbm, test_shelve

import sediment


@pytest.fixture(autouse=True)
def _as_a_database_of_dbm(monkeypatch: Any, tmp_path: Path) -> Iterator[None]:
    """Lets `dbm` open stores: it knows no other databases than its own by their files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(dbm._modules, "sediment", sediment)
    monkeypatch.setattr(dbm, "whichdb", lambda path: "sediment" if os.path.exists(path) else None)
    yield


class TestDBM(test_dbm.AnyDBMTestCase, unittest.TestCase):
    module = sediment

    # Keys are a view, as those of every mapping are, where databases of `dbm` give a list.
    def test_keys(self) -> None:
        with dbm.open(test_dbm._fname, "c") as database:
            assert list(database.keys()) == []
            database[b"a"], database[b"12345678910"] = b"b", b"019237410982340912840198242"
            assert sorted(database.keys()) == [b"12345678910", b"a"]
            assert b"a" in database and b"xxx" not in database
            with pytest.raises(KeyError):
                database[b"xxx"]

    def test_empty_value(self) -> None:
        with dbm.open(test_dbm._fname, "c") as database:
            database[b"empty"] = b""
            assert list(database.keys()) == [b"empty"] and b"empty" in database
            assert database[b"empty"] == database.get(b"empty") == database.setdefault(b"empty") == b""


class TestShelve(test_shelve.TestCase):
    def setUp(self) -> None:
        self.addCleanup(setattr, dbm, "_defaultmod", dbm._defaultmod)
        dbm._defaultmod = sediment


for _protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    _name = f"TestShelveOfProtocol{_protocol}"
    globals()[_name] = type(
        _name,
        (test_shelve.TestShelveFileBase, mapping_tests.BasicTestMappingProtocol),
        {"dbm_mod": sediment, "_args": {"protocol": _protocol}},
    )
