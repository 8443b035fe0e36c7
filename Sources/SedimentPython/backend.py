"""Builds the wheel of the module, with the library in it; `pip` calls it, as pyproject.toml says.

It takes nothing but Python's own library, so that nothing has to be fetched. The library is the one that the variable
SEDIMENT_LIBRARY of the environment names, or else is built by `Sources/SedimentC/install`.
"""

import base64
import ctypes
import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List

_here = Path(__file__).resolve().parent
_library_name = "libsediment.dylib" if sys.platform == "darwin" else "libsediment.so"
# The first moment that a zip file can tell: the same sources make the same wheel.
_moment = (1980, 1, 1, 0, 0, 0)


def get_requires_for_build_wheel(config_settings: Any = None) -> List[Any]:
    return []


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    with tempfile.TemporaryDirectory() as prefix:
        library = _library(Path(prefix))
        files = {f"sediment/{path.name}": path.read_bytes() for path in _sources()}
        files[f"sediment/{_library_name}"] = library.read_bytes()
        return _write(Path(wheel_directory), _version(library), files)


def _sources() -> List[Any]:
    folder = _here / "sediment"
    return sorted(path for path in folder.iterdir() if path.suffix == ".py" or path.name == "py.typed")


def _library(prefix: Path) -> Path:
    named = os.environ.get("SEDIMENT_LIBRARY")
    if named:
        return Path(named)
    install = _here.parent / "SedimentC" / "install"
    if not install.exists():
        raise RuntimeError("The sources of the library are not beside the module; name the library in SEDIMENT_LIBRARY.")
    subprocess.run([str(install), "--prefix", str(prefix)], check=True, stdout=sys.stderr)
    return prefix / "lib" / _library_name


def _version(library: Path) -> str:
    function = ctypes.CDLL(str(library)).sediment_version
    function.restype = ctypes.c_char_p
    return function().decode()


def _write(directory: Path, version: str, files: Dict[str, bytes]) -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"py3-none-{platform}"
    information = f"sediment-{version}.dist-info"
    files[f"{information}/METADATA"] = (
        "Metadata-Version: 2.1\nName: sediment\n"
        f"Version: {version}\n"
        "Summary: A fast store of keys and values in one file, as a dictionary\n"
        "Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        f"{(_here / 'README.md').read_text(encoding='utf-8')}"
    ).encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: sediment\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = f"{information}/RECORD"
    lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    files[record] = "".join(f"{line}\n" for line in lines + [f"{record},,"]).encode()
    name = f"sediment-{version}-{tag}.whl"
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _moment)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
