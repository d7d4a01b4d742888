"""What the package imports from others is what it says it needs."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

import damier

ROOT = Path(__file__).parents[2]
IMPORTED_AS = {"argon2-cffi": "argon2", "svg-py": "svg"}


def test_every_imported_package_is_declared_and_explained() -> None:
    imported: set[str] = set()
    for path in Path(damier.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    requirements: list[str] = [*project["dependencies"], *chain(*extras.values())]
    declared = {re.split(r"[^\w-]", requirement)[0] for requirement in requirements}
    importable = {IMPORTED_AS.get(name, name.replace("-", "_")) for name in declared}
    assert "litestar" in imported
    assert imported - set(sys.stdlib_module_names) - {"damier"} <= importable
    documentation = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    assert [name for name in sorted(declared) if f"| `{name}` |" not in documentation] == []
