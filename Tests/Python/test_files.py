"""Files as other programs have them: their modes, empty ones, and errors as those of other databases."""

import os
import tempfile
from pathlib import Path

import pytest

import sediment


@pytest.mark.parametrize("mode, found", [(0o600, 0o600), (0o666, 0o640), (0o637, 0o610), (0o777, 0o750)])
@pytest.mark.parametrize("flag", "cn")
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_file_has_the_mode_that_was_asked_for(path: Path, mode: int, found: int, flag: str, is_empty: bool) -> None:
    if is_empty:
        path.touch()
    mask = os.umask(0o027)
    try:
        sediment.open(path, flag, mode).close()
        assert path.stat().st_mode & 0o777 == found
        sediment.open(path, "c", 0o644).close()
        assert path.stat().st_mode & 0o777 == found
    finally:
        os.umask(mask)


@pytest.mark.parametrize("mode", [0, 0o400, 0o1600, -1, 1 << 40])
def test_a_mode_that_is_not_possible_is_refused(path: Path, mode: int) -> None:
    with pytest.raises(ValueError, match="mode is one"):
        sediment.open(path, "c", mode)
    assert not path.exists()


def test_a_temporary_file_becomes_a_store() -> None:
    with tempfile.NamedTemporaryFile() as file:
        with sediment.open(file.name) as store:
            store[b"key"] = b"value"
        with sediment.open(file.name, "r") as store:
            assert store[b"key"] == b"value"


def test_all_errors_are_those_of_a_database() -> None:
    errors = [kind for kind in vars(sediment).values() if isinstance(kind, type) and issubclass(kind, BaseException)]
    assert len(errors) > 15
    assert all(issubclass(kind, OSError) and issubclass(kind, sediment.error) for kind in errors)
