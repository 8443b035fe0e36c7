"""The programs of the tutorial do what it says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page, count", [("README.md", 1), ("Sources/SedimentPython/README.md", 10)])
def test_the_programs_of_documents_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, count: int
) -> None:
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert len(programs) == count
    names: dict = {}
    for program in programs:
        exec(compile(program, "README.md", "exec"), names)
