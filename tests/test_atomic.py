"""Output files: checked before the work, complete or not written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv._atomic import atomic_write, check_output, make_directory
from pconv.errors import InputError


def test_a_file_is_complete_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("before")

    def fail_halfway(**options: str) -> None:
        with atomic_write(path, **options) as draft:
            Path(draft).write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        fail_halfway(flag="output")
    with pytest.raises(OSError, match="No space left"):
        fail_halfway()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    private, new = tmp_path / "private.txt", tmp_path / "new.txt"
    private.touch(mode=0o600)
    for path in (private, new):
        with atomic_write(path) as draft:
            Path(draft).write_text("after")
    (tmp_path / "usual.txt").touch()
    assert private.stat().st_mode & 0o777 == 0o600
    assert new.stat().st_mode == (tmp_path / "usual.txt").stat().st_mode


def test_outputs_are_checked_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.pdf or \.svg"):
        check_output(tmp_path / "x.doc", (".pdf", ".svg"))
    with pytest.raises(InputError, match="cannot be written"):
        check_output(tmp_path / "nowhere" / "x.pdf", (".pdf",))
    with pytest.raises(InputError, match=r"^save .* directory does not exist"):
        check_output(tmp_path / "nowhere" / "weights", flag="save")
    (tmp_path / "x.pdf").mkdir()
    with pytest.raises(InputError, match="directory"):
        check_output(tmp_path / "x.pdf", (".pdf",))


def test_more_directories_than_python_can_make_are_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File name too long"):
        make_directory(tmp_path.joinpath(*["a"] * 1_500))
    assert list(tmp_path.iterdir()) == []
