"""Files that nobody has open."""

import os
from ctypes import byref
from typing import Any, Callable, List, Optional, Union

from . import _library
from ._errors import check
from ._library import library
from ._reports import Callbacks, Finding, SalvageReport, Verification, salvage_report, verification

StorePath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Progress = Callable[[int, int], Any]


def path_text(path: StorePath) -> bytes:
    """A path as C takes it."""
    return _library.text(os.fsencode(path))


def verify(path: StorePath, *, progress: Optional[Progress] = None) -> Verification:
    """Reads every byte of a store's file, which nobody may have open for writing, and writes nothing.

    `progress` is told the bytes done and the bytes there are; by returning `False` it ends the call with a
    `CancelledError`.
    """
    callbacks, report = Callbacks(), _library.Verification()
    findings: List[Finding] = []
    functions = (callbacks.progress(progress), callbacks.findings(findings))
    status = library.verify(path_text(path), *functions, None, byref(report))
    callbacks.raise_error()
    check(status)
    return verification(report, findings)


def salvage(
    path: StorePath, new_path: StorePath, *, keeps_uncertain: bool = False, progress: Optional[Progress] = None
) -> SalvageReport:
    """Saves what is whole of a damaged file to a new one, of which there must be none.

    Keys of which it is not certain that they were not removed go to a collection named "salvaged", if `keeps_uncertain`
    says so.
    """
    callbacks, report = Callbacks(), _library.SalvageReport()
    losses: List[Finding] = []
    functions = (callbacks.progress(progress), callbacks.findings(losses))
    flags = _library.KEEP_UNCERTAIN if keeps_uncertain else 0
    status = library.salvage(path_text(path), path_text(new_path), flags, *functions, None, byref(report))
    callbacks.raise_error()
    check(status)
    return salvage_report(report, losses)


def destroy(path: StorePath) -> None:
    """Removes the file of a store, which nobody may have open, and all that it holds."""
    check(library.destroy(path_text(path)))
