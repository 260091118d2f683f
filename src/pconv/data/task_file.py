"""Tasks from a Python file that a user names."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pconv.data.tasks import Task, tasks
from pconv.errors import InputError


def load_task_file(path: Path) -> list[Task]:
    """Runs a Python file and returns the tasks that it has registered; an `InputError` if it has none.

    The file is a program, which can do whatever Python can. It calls `register_task`.
    """
    before = set(tasks())
    spec = spec_from_file_location("pconv_task_file", path)
    if spec is None or spec.loader is None:
        raise InputError("task_file", path, "must be a Python file, as in my_task.py")
    try:
        with redirect_stdout(sys.stderr):  # standard output may be a JSON document
            spec.loader.exec_module(module_from_spec(spec))
    except OSError as error:
        raise InputError("task_file", path, f"cannot be read ({error.strerror})") from None
    except InputError as error:
        raise InputError("task_file", path, str(error)) from None
    except (Exception, SystemExit) as error:
        raise InputError("task_file", path, f"it raised {type(error).__name__}: {error}") from error
    added = [task for name, task in tasks().items() if name not in before]
    if not added:
        raise InputError("task_file", path, "registers no task: call register_task in it")
    return added
