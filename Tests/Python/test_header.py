"""The module says of the library what the header says."""

import ctypes
import re
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

from sediment import _errors, _library

HEADER = (
    Path(__file__).resolve().parents[2] / "Sources" / "CSedimentInterface" / "include" / "sediment.h"
).read_text()
CODE = re.sub(r"///.*", "", HEADER)


def _enumerations() -> Dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"^\s+(SEDIMENT_\w+) = (-?\d+)", CODE, re.M)}


def _functions() -> Dict[str, List[str]]:
    found = {}
    for name, arguments in re.findall(r"SEDIMENT_API\b[^;]*?\bsediment_(\w+)\(([^;]*?)\);", CODE):
        arguments = re.sub(r"\s+", " ", arguments).strip()
        found[name] = [] if arguments == "void" else arguments.split(", ")
    return found


def _structures() -> Dict[str, List[Tuple[str, str]]]:
    found = {}
    for body, name in re.findall(r"typedef struct sediment_\w+ \{(.*?)\} sediment_(\w+);", CODE, re.S):
        fields = []
        for line in body.split(";"):
            line = re.sub(r"\s+", " ", line).strip()
            if line:
                kind, names = re.match(r"(.*?[ *])(\w+(?:, \w+)*)$", line).groups()  # type: ignore[union-attr]
                fields += [(kind.strip(), field) for field in names.split(", ")]
        found[name] = fields
    return found


STRUCTURES = {
    "error": _library.ErrorDetails,
    "bytes": _library.Bytes,
    "recovery": _library.Recovery,
    "event": _library.Event,
    "options": _library.Options,
    "change": _library.Change,
    "compression_figures": _library.CompressionFigures,
    "statistics": _library.Statistics,
    "segment": _library.Segment,
    "finding": _library.Finding,
    "verification": _library.Verification,
    "salvage_report": _library.SalvageReport,
}
# What the module does in a way of its own: it reads and walks by copies, and makes an update of a comparison.
LEFT_OUT = {
    "format_version", "zstd_version", "update", "sync_later", "get_copy", "read", "pin", "unpin", "read_many", "each",
    "each_compression",
}  # fmt: skip
KINDS = {
    "size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64, "double": ctypes.c_double, "const char *": ctypes.c_char_p,
    "const void *": ctypes.c_void_p, "void *": ctypes.c_void_p,
}  # fmt: skip


def test_the_version_is_the_headers() -> None:
    assert f"#define SEDIMENT_VERSION_NUMBER {_library.VERSION_NUMBER}\n" in HEADER


def test_each_status_has_an_exception() -> None:
    statuses = set(re.findall(r"^\s+(SEDIMENT_\w+) = -\d+", CODE, re.M))
    numbers = {_enumerations()[name] for name in statuses}
    # Memory and versions have exceptions of Python's, or none: the module looks at the version itself.
    assert numbers - {-4, -5, -99} == set(_errors._KINDS)


@pytest.mark.parametrize(
    "prefix, numbers",
    [
        ("DURABILITY_", {"default": 0}),
        ("", {name: number for name, number in _library.DURABILITIES.items() if name != "default"}),
        ("", _library.CAPACITIES),
        ("COMPACTION_", _library.COMPACTIONS),
        ("COMPRESSION_", _library.COMPRESSIONS),
        ("EXPIRY_", _library.EXPIRIES),
        ("EVENT_", {name: number for number, name in _library.EVENTS.items()}),
        ("SEGMENT_", {name: number for number, name in _library.SEGMENTS.items()}),
        (
            "",
            {
                name: getattr(_library, name)
                for name in (
                    "READ_ONLY_ACCESS MUST_EXIST UNMAPPED UNVERIFIED_READS NO_STORED_INDEX KEYS_ONLY"
                    " KEEP_UNCERTAIN OK ABSENT UNCHANGED SHORT END CONTINUE STOP"
                ).split()
            },
        ),
    ],
)
def test_numbers_are_the_headers(prefix: str, numbers: Dict[str, int]) -> None:
    known = _enumerations()
    for name, number in numbers.items():
        assert known[f"SEDIMENT_{prefix}{name.upper().replace(' ', '_')}"] == number


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_are_the_headers(name: str) -> None:
    fields = STRUCTURES[name]._fields_
    expected = _structures()[name]
    assert [field for field, _ in fields] == [field for _, field in expected]
    for (field, kind), (declared, _) in zip(fields, expected):
        if declared in KINDS:
            assert kind is KINDS[declared], f"{name}.{field}"


def test_functions_are_the_headers() -> None:
    functions = _functions()
    assert set(functions) - LEFT_OUT == set(_library.FUNCTIONS)
    for name, kinds in _library.FUNCTIONS.items():
        assert len(kinds) == len(functions[name]), name
        for kind, declared in zip(kinds, functions[name]):
            is_pointer = "*" in declared or declared.startswith("sediment_") and "_fn" in declared
            assert is_pointer == (ctypes.sizeof(kind) == 8 and kind is not ctypes.c_size_t), f"{name}: {declared}"
