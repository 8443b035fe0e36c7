"""What the tests share."""

from pathlib import Path
from typing import Any, Iterator

import pytest

import sediment


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(path: Path) -> Iterator["sediment.Store[Any, Any]"]:
    with sediment.open(path, durability="unsynced") as store:
        yield store
