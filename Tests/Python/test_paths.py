"""Each kind of path for each way into the module, as `Tests/Paths/table.txt` has it for the engine.

Each way is a process of its own, which has a current directory and rights of its own, and ends if a call never returns.
"""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

import sediment

TABLE = Path(__file__).resolve().parents[1] / "Paths" / "table.txt"
ROWS = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]
LINKS = {
    "to-store": "store", "to-to-store": "elsewhere/up", "elsewhere/up": "../to-store", "to-none": "none",
    "to-nowhere": "nowhere/none", "to-itself": "to-itself", "to-directory": "directory", "to-text": "text",
    "to-empty": "empty", "to-pipe": "pipe", "to-slash": "store/",
}  # fmt: skip
MODES = {"sealed": 0, "fixed": 0o500, "blind": 0o300}


def column(way: str) -> Dict[str, str]:
    place = ROWS[0].index(way)
    return {row[0]: row[place] for row in ROWS[1:]}


class Folder:
    """A folder with something of every kind that a path can lead to, which becomes the current directory."""

    def __init__(self, path: Path, store: bytes) -> None:
        self.path = path
        path.mkdir(mode=0o700)
        os.chdir(path)
        for name in ("directory", "elsewhere", "sealed", "fixed", "blind", "removed"):
            os.mkdir(name, 0o700)
        for name in (".", "sealed", "fixed", "blind"):
            self._write(f"{name}/store", store, 0o600)
            self._write(f"{name}/empty", b"", 0o600)
        self._write("text", b"No store has this text. " + b"a" * 40_000, 0o600)
        for name, mode in (("readable", 0o400), ("writable", 0o200), ("locked", 0)):
            self._write(name, store, mode)
        for name, target in LINKS.items():
            os.symlink(target, name)
        os.mkfifo("pipe", 0o600)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
        self._seal()

    def _write(self, name: str, data: bytes, mode: int) -> None:
        Path(name).write_bytes(data)
        os.chmod(name, mode)

    def _seal(self) -> None:
        for name, mode in MODES.items():
            os.chmod(self.path / name, mode)

    def _unseal(self) -> None:
        for name in MODES:
            os.chmod(self.path / name, 0o700)

    def remove(self) -> None:
        self._unseal()
        os.chdir("/")
        shutil.rmtree(self.path)

    def named(self, name: str) -> str:
        """The path that a name of the table stands for."""
        lengths = re.fullmatch(r"\((\d+)\)", name)
        if lengths and int(lengths[1]) < 1000:
            return "n" * int(lengths[1])
        if lengths:
            return "./" * (int(lengths[1]) // 2) + "n"
        if name.startswith("(removed)"):
            os.chdir("removed")
            os.rmdir("../removed")
            return name[len("(removed)") :]
        if name.startswith("(absolute)"):
            return f"{self.path}/{name[len('(absolute)'):]}"
        return {"(empty)": "", "(zero)": "none\0", "(store-zero)": "store\0"}.get(name, name)

    def snapshot(self) -> Dict[str, Any]:
        os.chdir(self.path)
        self._unseal()
        found: Dict[str, Any] = {}
        for directory, directories, files in os.walk("."):
            for name in directories + files:
                path = os.path.normpath(os.path.join(directory, name))
                status = os.lstat(path)
                found[path] = [status.st_mode, status.st_ino]
                if stat.S_ISREG(status.st_mode):
                    os.chmod(path, 0o600)
                    found[path].append(Path(path).read_bytes())
                    os.chmod(path, stat.S_IMODE(status.st_mode))
        self._seal()
        found.pop("removed", None)
        return found


def changes(before: Dict[str, Any], after: Dict[str, Any]) -> List[str]:
    found = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            sign = "+" if name not in before else "-" if name not in after else "*"
            found.append(sign + (f"({len(name)})" if len(name) > 200 else name))
    return found


def use(path: str, flag: str) -> None:
    with sediment.open(path, flag) as store:
        store[b"other"] = b"new"
    with sediment.open(path, "r") as store:
        assert b"other" in store


def back_up(source: str, path: str) -> None:
    with sediment.open(source) as store:
        store.backup(path)
    use(path, "w")


def save(source: str, path: str) -> None:
    assert sediment.salvage(source, path).is_complete
    use(path, "w")


def save_from(source: str, path: str) -> None:
    assert sediment.salvage(path, source + ".saved").is_complete
    sediment.destroy(source + ".saved")


def read(path: str) -> None:
    with sediment.open(path, "r") as store:
        assert b"key" in store


WAYS: Dict[str, Callable[[str, str], Any]] = {
    "creating": lambda _, path: use(path, "c"),
    "existing": lambda _, path: use(path, "w"),
    "reading": lambda _, path: read(path),
    "new": lambda _, path: use(path, "n"),
    "backup": back_up,
    "verify": lambda _, path: sediment.verify(path),
    "salvage": save_from,
    "saving": save,
    "destroy": lambda _, path: sediment.destroy(path),
}
WORDS = {
    -10: "notFound", -11: "exists", -12: "foreign", -16: "accessDenied", -18: "inputOutput", -24: "invalidArgument",
}  # fmt: skip


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
        return True
    except OSError:
        return False


def descriptor_count() -> int:
    return sum(map(is_open, range(256)))


def outcome(way: str, source: str, folder: Folder, name: str) -> str:
    before, descriptors = folder.snapshot(), descriptor_count()
    words = []
    try:
        WAYS[way](source, folder.named(name))
    except sediment.Error as error:
        words.append(WORDS[error.status])
    except ValueError as error:
        # A zero byte comes to no library.
        assert str(error) == "embedded null byte"
        words.append("invalidArgument")
    if descriptor_count() != descriptors:
        words.append("descriptor")
    return ",".join(words + changes(before, folder.snapshot())) or "ok"


def main(way: str, directory: Path) -> None:
    signal.alarm(300)
    os.umask(0o022)
    if os.getuid() == 0:
        os.chown(directory, 65534, 65534)
        os.setgid(65534)
        os.setuid(65534)
    source = directory / "source"
    with sediment.open(source) as store:
        store[b"key"] = b"value"
    data = source.read_bytes()
    for number, name in enumerate(column("creating")):
        folder = Folder(directory / str(number), data)
        print(name, outcome(way, str(source), folder, name))
        folder.remove()


@pytest.mark.parametrize("way", WAYS)
def test_every_kind_of_path_has_the_outcome_of_the_table(way: str, tmp_path: Path) -> None:
    # Those above are the owner's alone.
    directory = Path("/tmp") / f"sediment-paths-{os.getpid()}-{way}"
    directory.mkdir()
    try:
        run = subprocess.run([sys.executable, __file__, way, str(directory)], capture_output=True, text=True, timeout=600)
        assert run.returncode == 0, run.stderr
        found = dict(line.split(" ", 1) for line in run.stdout.splitlines())
        assert found == column(way)
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
