"""The programs of the tutorial do what it says."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "Sources" / "SedimentPython" / "README.md").read_text()


def test_the_programs_of_the_tutorial_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
    assert len(programs) > 8
    names: dict = {}
    for program in programs:
        exec(compile(program, "README.md", "exec"), names)
