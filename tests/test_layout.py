"""The mapped layout: every folder is listed, nothing generic becomes importable, imports run one way and stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOTED = ("envs", "agents", "memory", "judges", "tasks")
MAPPED = {"habitus": "src/habitus"} | {f"habitus.{name}": name for name in ROOTED}

ALLOWED = {
    "types": {"types"},
    "errors": {"types", "errors"},
    "stats": {"types", "errors", "stats"},
    "llm": {"types", "errors", "stats", "llm"},
    "memory": {"types", "errors", "llm", "memory"},
    "envs": {"types", "errors", "llm", "memory", "envs"},
    "agents": {"types", "errors", "llm", "memory", "envs", "agents"},
    "judges": {"types", "errors", "llm", "stats", "judges"},
    "tasks": {"types", "errors", "envs.world", "tasks"},
}


def folders() -> dict[str, Path]:
    """Every folder with Python files under the mapped roots, by package name."""
    found = {}
    for package, root in MAPPED.items():
        for path in sorted((ROOT / root).rglob("*.py")):
            parts = path.parent.relative_to(ROOT / root).parts
            found[".".join([package, *parts])] = path.parent
    return found


def test_every_folder_is_listed_and_regular() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    assert set(folders()) == listed
    for package, path in folders().items():
        assert (path / "__init__.py").is_file(), f"{package} has no __init__.py"


@pytest.mark.parametrize("name", ["envs", "agents", "memory", "judges", "tasks", "cli", "runs"])
def test_no_generic_name_is_importable_at_top_level(name: str, tmp_path: Path) -> None:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is not None)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_importing_habitus_loads_neither_torch_nor_playwright(tmp_path: Path) -> None:
    code = "import habitus, sys; print([m for m in ('torch', 'playwright', 'faiss', 'openai') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


def test_imports_run_one_way() -> None:
    wrong = []
    for package, path in folders().items():
        for file in path.glob("*.py"):
            module = package if file.stem == "__init__" else f"{package}.{file.stem}"
            part = module.split(".")[1] if "." in module else ""
            if part not in ALLOWED:
                continue
            for target in imported(module, file):
                inner = target.removeprefix("habitus.")
                if not any(inner == ok or inner.startswith(ok + ".") for ok in ALLOWED[part]):
                    wrong.append(f"{module} imports {target}")
    assert not wrong


def imported(module: str, file: Path) -> list[str]:
    """The modules of habitus a file imports when it runs, type-checking blocks left out."""
    is_package = file.stem == "__init__"
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                found.extend(alias.name for alias in child.names if alias.name.startswith("habitus"))
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    parts = module.split(".")
                    parts = parts[: len(parts) - child.level + is_package]
                    base = ".".join([*parts, base] if base else parts)
                if base == "habitus":
                    found.extend(f"habitus.{alias.name}" for alias in child.names)
                elif base.startswith("habitus"):
                    found.append(base)
            else:
                visit(child)

    visit(ast.parse(file.read_text()))
    return found
