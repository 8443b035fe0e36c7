"""How a change is made: what it survives, and when its value expires."""

from datetime import datetime, timedelta
from typing import Any, Optional, Tuple, Union

from ._library import DURABILITIES, EXPIRIES, Change

#: What a change survives once its call has returned: "synced", a power failure; "unsynced", the death of the process;
#: a number of seconds or a `timedelta`, a power failure from then on.
Durability = Union[str, float, timedelta]


def milliseconds(duration: Union[float, timedelta]) -> int:
    """A number of seconds as a whole number of milliseconds, at least one."""
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if not 0 < seconds < 1 << 53:
        raise ValueError(f"a time of more than nothing is needed here, not {duration}")
    return max(round(seconds * 1000), 1)


def durability_fields(durability: Optional[Durability]) -> Tuple[int, int]:
    """The number of a durability in the C interface, and its interval in milliseconds."""
    if durability is None:
        return DURABILITIES["default"], 0
    if isinstance(durability, str):
        if durability not in ("synced", "unsynced"):
            raise ValueError(f"durability is 'synced', 'unsynced' or a number of seconds, not {durability!r}")
        return DURABILITIES[durability], 0
    return DURABILITIES["interval"], milliseconds(durability)


def change(
    durability: Optional[Durability] = None,
    expires_in: Union[float, timedelta, None] = None,
    expires_at: Union[float, datetime, None] = None,
    is_certain: bool = False,
) -> Any:
    """A change as functions of the library take it.

    Without an expiry it says nothing of one, or `is_certain` lets it say "never".
    """
    if durability is None and expires_in is None and expires_at is None and not is_certain:
        return None
    kind, interval = durability_fields(durability)
    expiry, moment = ("never" if is_certain else "default"), 0
    if expires_in is not None and expires_at is not None:
        raise ValueError("a value expires either in a time or at one: give expires_in or expires_at")
    if expires_in is not None:
        expiry, moment = "after", milliseconds(expires_in)
    elif expires_at is not None:
        seconds = expires_at.timestamp() if isinstance(expires_at, datetime) else float(expires_at)
        expiry, moment = "at", min(max(round(seconds * 1000), 1), (1 << 63) - 1)
    return Change(durability=kind, interval=interval, expiry=EXPIRIES[expiry], expiry_time=moment)
