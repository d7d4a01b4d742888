"""Fuzzes one reader: ``python -m tests.fuzz NAME [MINUTES] [libFuzzer's options]``.

What is learnt stays in ``build/fuzz/NAME``, so the next run goes on from there. A find is kept beside it, as
``build/fuzz/NAME-crash-…`` (or ``-timeout-``, ``-oom-``); handed over as the last option, it is run once more.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import atheris  # pyright: ignore[reportMissingImports]  # it has no types, and is installed for `make fuzz` only

# An editable installation brings a loader of its own, whose modules atheris cannot instrument; these can be.
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.meta_path.insert(0, PathFinder)

with atheris.instrument_imports(include=["damier"]):  # pyright: ignore[reportAttributeAccessIssue]
    from tests.fuzz.targets import TARGETS

_HERE = Path(__file__).parent
_ODDITIES = _HERE.parent / "notation" / "pdn" / "oddities"
_SECONDS_AN_INPUT = 10
_MEGABYTES = 1024


def main() -> None:
    name, *options = sys.argv[1:] or [""]
    if name not in TARGETS:
        sys.exit("usage: python -m tests.fuzz NAME [MINUTES] [OPTION…]; NAME is one of " + ", ".join(TARGETS))
    minutes = options.pop(0) if options and options[0].isdecimal() else "10"
    target = TARGETS[name]
    learnt = Path("build/fuzz") / name
    learnt.mkdir(parents=True, exist_ok=True)
    corpora = [learnt, _HERE / "seeds" / name]
    if name == "pdn" and _ODDITIES.is_dir():
        corpora.append(_ODDITIES)
    arguments = [
        f"-max_total_time={int(minutes) * 60}",
        f"-timeout={_SECONDS_AN_INPUT}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-max_len={target.longest}",
        f"-dict={_HERE / 'dictionaries' / name}.dict",
        f"-artifact_prefix=build/fuzz/{name}-",
        "-len_control=20",  # these readers are slow enough for long inputs to come late
        "-print_final_stats=1",
        *options,
    ]
    if not any(Path(option).is_file() for option in options):
        arguments += map(str, corpora)
    atheris.Setup([sys.argv[0], *arguments], target.run)
    atheris.Fuzz()


main()
