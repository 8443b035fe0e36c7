"""How keys and values become bytes, and come back."""

import json
from typing import Any, Callable, Generic, TypeVar, Union

T = TypeVar("T")


class Coding(Generic[T]):
    """Two functions that turn keys or values into bytes and back, such as `pickle.dumps` and `pickle.loads`."""

    __slots__ = ("encode", "decode")

    def __init__(self, encode: Callable[[T], bytes], decode: Callable[[bytes], T]) -> None:
        self.encode = encode
        self.decode = decode


def _bytes(data: Union[bytes, bytearray, memoryview, str]) -> bytes:
    if type(data) is bytes:
        return data
    if isinstance(data, str):
        return data.encode()
    # A number would become as many zeros.
    return bytes(memoryview(data))


def _text(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"text is needed here, not {type(text).__name__}")
    return text.encode()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


#: Bytes as they are, and text as UTF-8; all comes back as bytes, as from `dbm`.
BYTES: Coding[Any] = Coding(_bytes, bytes)
#: Text, as UTF-8.
TEXT: Coding[str] = Coding(_text, bytes.decode)
#: Whatever JSON has: text, numbers, lists, dictionaries with keys of text, `True`, `False` and `None`.
JSON: Coding[Any] = Coding(_json, json.loads)
