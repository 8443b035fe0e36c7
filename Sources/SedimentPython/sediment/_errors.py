"""Exceptions for what the library refuses or cannot do."""

import errno
import os
from typing import Optional

from ._library import ErrorDetails, library


class Error(OSError):
    """What the library could not do: its text says what happened, where, and what can be done about it.

    It is an `OSError`, as the errors of all databases of `dbm` are.
    """

    #: The status of the C interface, a number below 0.
    status: int = -99
    #: The path of the file, if the failure is about one.
    path: Optional[str] = None
    #: The byte of the file where the failure is, if it is at one place.
    offset: Optional[int] = None
    #: The number of the system's error, if the system reported one.
    system_error: Optional[int] = None

    def __str__(self) -> str:
        # That of `OSError` would put its own text together.
        return str(self.args[0]) if self.args else ""


class MisuseError(Error, ValueError):
    """An argument is not possible, such as a name without characters."""


class ClosedError(Error, ValueError):
    """The store, or what belongs to it, was closed before."""


class BusyError(Error):
    """Another thread uses the batch or the iteration at this moment."""


class NotFoundError(Error, FileNotFoundError):
    """There is no file at the path, or no directory for it."""


class ExistsError(Error, FileExistsError):
    """There is a file at the path already."""


class ForeignFileError(Error):
    """The file was not made by Sediment."""


class NewerFileError(Error):
    """The file was made by a newer version."""


class DamagedError(Error):
    """The file is damaged."""


class OutOfSpaceError(Error):
    """There is no room: the disk, the user's share of it or the store's capacity is used up."""


class AccessDeniedError(Error, PermissionError):
    """The process has no right to read or write the file."""


class ExhaustedError(Error):
    """A number or a table of the file has reached the limit of the format."""


class SystemFailure(Error):
    """The operating system failed in another way."""


class LockedError(Error, BlockingIOError):
    """The file is open elsewhere, in another process or in this one."""


class ForkedError(Error):
    """The process is a fork of the one that opened the store, and cannot use it."""


class ReadOnlyError(Error):
    """The store was opened for reading."""


class TooLargeError(Error, ValueError):
    """A key, value or batch is larger than a store takes."""


class OutcomeUnknownError(Error):
    """A write or sync failed: changes that were not synced may be lost, and the store takes no further ones."""


class CollectionDroppedError(Error):
    """The collection was dropped before."""


class CancelledError(Error):
    """A callback stopped the call."""


# By the statuses of the C interface.
_KINDS = {
    -1: MisuseError,
    -2: ClosedError,
    -3: BusyError,
    -10: NotFoundError,
    -11: ExistsError,
    -12: ForeignFileError,
    -13: NewerFileError,
    -14: DamagedError,
    -15: OutOfSpaceError,
    -16: AccessDeniedError,
    -17: ExhaustedError,
    -18: SystemFailure,
    -19: LockedError,
    -20: ForkedError,
    -21: ReadOnlyError,
    -22: TooLargeError,
    -23: OutcomeUnknownError,
    -24: MisuseError,
    -25: CollectionDroppedError,
    -26: CancelledError,
}
_NO_MEMORY = -4

# What Python programs look for in `errno` where the system reported nothing.
_NUMBERS = {-10: errno.ENOENT, -11: errno.EEXIST, -15: errno.ENOSPC, -16: errno.EACCES, -19: errno.EAGAIN}


def failure(status: int) -> Exception:
    """The exception for a call of this thread that has just returned a status below 0."""
    last = library.last_error()
    return explained(status, last.contents if last and last.contents.status == status else None)


def explained(status: int, details: Optional[ErrorDetails]) -> Exception:
    """The exception for a status, with what the library says of it."""
    if details:
        # All at once: any code that runs in between may make a call that fails.
        fields = (details.description, details.path, details.offset, details.has_offset, details.system_error)
    else:
        fields = (library.status_name(status), b"", 0, 0, 0)
    text = os.fsdecode(fields[0])
    if status == _NO_MEMORY:
        return MemoryError(text)
    error = _KINDS.get(status, Error)(text)
    error.status = status
    error.path = os.fsdecode(fields[1]) or None
    error.offset = fields[2] if fields[3] else None
    error.system_error = fields[4] or None
    number = error.system_error or _NUMBERS.get(status)
    if number is not None:
        error.errno = number
        error.strerror = os.strerror(number)
    if error.path is not None:
        error.filename = error.path
    return error


def check(status: int) -> int:
    """Raises what a call failed by; its status if it did not fail."""
    if status < 0:
        raise failure(status)
    return status


