"""Pages made from the code, so that they cannot drift from it: the command line and the modules."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command

from pconv.cli.program import app


def commands(group: Any, path: str = "pconv") -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it, in the order of the help."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def described(words: str, command: Any) -> str:
    """One command: what it does, how it is called, and a table of what it takes."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([words, "[OPTIONS]", *(p.metavar or p.name.upper() for p in arguments)])
    rows = "".join(_row(parameter) for parameter in command.params)
    return (
        f"{words}\n{'-' * len(words)}\n\n{command.help}\n\n.. code-block:: text\n\n   {usage}\n\n"
        f".. list-table::\n   :widths: 35 65\n\n{rows}\n"
    )


def _row(parameter: Any) -> str:
    names = ", ".join(parameter.opts) if parameter.param_type_name == "option" else parameter.name.upper()
    takes = f" {parameter.metavar}" if parameter.metavar and parameter.param_type_name == "option" else ""
    default = "" if parameter.default in (None, False, ()) else f" Default: ``{parameter.default}``."
    needed = " Needed." if parameter.required else ""
    return f"   * - ``{names}{takes}``\n     - {parameter.help or ''}{default}{needed}\n"


def modules(name: str) -> list[str]:
    """A module, or a package with all modules inside; of pconv itself only the names it exports."""
    path = [] if name == "pconv" else getattr(import_module(name), "__path__", [])
    return [name, *(module.name for module in pkgutil.walk_packages(path, f"{name}."))]


class Commands(SphinxDirective):
    """`.. commands::` is the reference of the command line."""

    def run(self) -> list[nodes.Node]:
        text = "\n".join(described(*found) for found in commands(get_command(app)))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


class Modules(SphinxDirective):
    """`.. modules:: NAME ...` is the reference of these modules and packages, from their docstrings."""

    required_arguments: ClassVar[int] = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        names = dict.fromkeys(name for asked in self.arguments[0].split() for name in modules(asked))
        text = "".join(f"{name}\n{'-' * len(name)}\n\n{_module(name)}\n\n" for name in names)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _module(name: str) -> str:
    """A module's members; of a package that gathers names from elsewhere, where they are."""
    found = import_module(name)
    if not hasattr(found, "__path__"):
        return f".. automodule:: {name}"
    homes = {offered: getattr(getattr(found, offered), "__module__", name) for offered in _offered(found)}
    links = ", ".join(f":obj:`{offered} <{home}.{offered}>`" for offered, home in homes.items())
    said = f"Names gathered here: {links}." if links else ""
    return f".. automodule:: {name}\n   :no-members:\n\n{said}"


def _offered(package: Any) -> list[str]:
    return [name for name in getattr(package, "__all__", []) if not name.startswith("_")]


def mark_code(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """What is indented after a colon in a docstring is code, as in Markdown; Sphinx wants two colons."""
    for i in range(len(lines) - 2):
        line, empty, code = lines[i : i + 3]
        if line.endswith(":") and not line.endswith("::") and not empty and code.startswith("    "):
            lines[i] += ":"


def parse_sections(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Converts numpydoc sections. Constants have none: napoleon would take a colon in theirs for a type."""
    if what not in ("attribute", "data", "property"):
        lines[:] = NumpyDocstring(lines, Config(), what=what, name=name, obj=of, options=options).lines()


def setup(sphinx: Sphinx) -> dict[str, bool]:
    sphinx.add_directive("commands", Commands)
    sphinx.add_directive("modules", Modules)
    sphinx.connect("autodoc-process-docstring", mark_code)
    sphinx.connect("autodoc-process-docstring", parse_sections)
    return {"parallel_read_safe": True}
