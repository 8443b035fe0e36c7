"""What the library tells of stores and their files."""

import os
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

from . import _library
from ._errors import explained
from ._library import EVENTS, SEGMENTS


@dataclass(frozen=True)
class CompressionFigures:
    """What compression made of values since the store was opened."""

    values: int
    compressed_values: int
    value_bytes: int
    stored_bytes: int
    nanoseconds: int


@dataclass(frozen=True)
class Statistics:
    """Figures of a store at one moment."""

    live_keys: int
    file_bytes: int
    live_bytes: int
    dead_bytes: int
    free_bytes: int
    hole_bytes: int
    segments: int
    collections: int
    index_bytes: int
    stored_index_bytes: int
    unstored_log_bytes: int
    user_bytes: int
    written_bytes: int
    moved_bytes: int
    evicted_keys: int
    expired_keys: int
    compaction_debt_bytes: int
    write_amplification: float
    lifetime_write_amplification: float
    compression: CompressionFigures
    dictionaries: int
    dictionary_bytes: int
    lost_dictionaries: int
    training_nanoseconds: int
    syncs: int
    sequence: int
    syncing_nanoseconds: int
    memory_bytes: int
    reads_by_calls: int


@dataclass(frozen=True)
class Recovery:
    """What opening a store found and did."""

    was_closed: bool
    is_durable: bool
    replayed_records: int
    replayed_bytes: int
    stored_keys: int
    scanned_records: int
    scanned_bytes: int
    cut_offset: int
    cut_reason: Optional[str]
    nanoseconds: int


@dataclass(frozen=True)
class Segment:
    """A part of the file that has one use."""

    kind: str
    is_tail: bool
    generation: int
    offset: int
    bytes: int
    used_bytes: int
    live_bytes: int
    records: int
    tombstones: int


@dataclass(frozen=True)
class Event:
    """What happened to a store: "recovered", "synced", "segment sealed", "checkpoint", "failed" or "closed"."""

    kind: str
    nanoseconds: int
    recovery: Optional[Recovery]
    error: Optional[Exception]


@dataclass(frozen=True)
class Finding:
    """Something that was found in a file: what it means, and what to do."""

    kind: str
    is_damage: bool
    begin: int
    end: int
    first_sequence: int
    last_sequence: int
    message: str


@dataclass(frozen=True)
class Verification:
    """What reading every byte of a file found."""

    is_intact: bool
    was_closed: Optional[bool]
    file_bytes: int
    log_end: int
    sequence: int
    damages: int
    segments: int
    findings: Tuple[Finding, ...]


@dataclass(frozen=True)
class SalvageReport:
    """What was saved of a damaged file, and what was lost."""

    is_complete: bool
    keys: int
    bytes: int
    lost_values: int
    broken_batches: int
    uncertain_keys: int
    invented_names: int
    losses: Tuple[Finding, ...]


def _fields(structure: Any, *left_out: str) -> Any:
    """The fields of a structure, as the arguments of its report."""
    found = {}
    for name, _ in structure._fields_:
        value = getattr(structure, name)
        if name in ("size", "reserved") or name in left_out:
            continue
        if isinstance(value, bytes):
            value = os.fsdecode(value)
        found[name] = bool(value) if name.startswith(("is_", "was_")) else value
    return found


def statistics(structure: _library.Statistics) -> Statistics:
    figures = CompressionFigures(**_fields(structure.compression))
    return Statistics(compression=figures, **_fields(structure, "compression"))


def recovery(structure: _library.Recovery) -> Recovery:
    return Recovery(**_fields(structure))


def segment(structure: _library.Segment) -> Segment:
    return Segment(kind=SEGMENTS.get(structure.kind, "other"), **_fields(structure, "kind"))


def finding(structure: _library.Finding) -> Finding:
    return Finding(**_fields(structure))


def event(structure: _library.Event) -> Event:
    error = structure.error.contents if structure.error else None
    return Event(
        EVENTS.get(structure.kind, "other"),
        structure.nanoseconds,
        recovery(structure.recovery.contents) if structure.recovery else None,
        explained(error.status, error) if error else None,
    )


def verification(structure: _library.Verification, findings: List[Finding]) -> Verification:
    fields = _fields(structure, "was_closed", "findings")
    was_closed = None if structure.was_closed < 0 else bool(structure.was_closed)
    return Verification(was_closed=was_closed, findings=tuple(findings), **fields)


def salvage_report(structure: _library.SalvageReport, losses: List[Finding]) -> SalvageReport:
    return SalvageReport(losses=tuple(losses), **_fields(structure, "losses", "knowledge"))


class Callbacks:
    """Functions of the caller as the library calls them; what one raises stops the call, and is raised again after."""

    def __init__(self) -> None:
        self._error: Optional[BaseException] = None

    def _stopping(self, function: Callable[..., Any]) -> Callable[..., int]:
        def call(_: Any, *arguments: Any) -> int:
            try:
                return _library.STOP if function(*arguments) is False else _library.CONTINUE
            except BaseException as error:
                self._error = error
                return _library.STOP

        return call

    def progress(self, function: Optional[Callable[[int, int], Any]]) -> Any:
        """A function that is told how far a call has come, and stops it by `False`."""
        return _library.PROGRESS(self._stopping(function)) if function else _library.PROGRESS()

    def names(self, found: List[str]) -> Any:
        return _library.NAME(self._stopping(lambda name: found.append(name.decode())))

    def findings(self, found: List[Finding]) -> Any:
        return _library.FINDING(self._stopping(lambda place: found.append(finding(place.contents))))

    def segments(self, found: List[Segment]) -> Any:
        return _library.SEGMENT(self._stopping(lambda place: found.append(segment(place.contents))))

    def raise_error(self) -> None:
        """Raises what a function of the caller raised meanwhile."""
        if self._error is not None:
            raise self._error
