"""PEP 517 build backend: scikit-build-core, preceded by the web bundle and the message catalogues.

`pip install .` and `python -m build` call it by way of `pyproject.toml`. What it makes lies in the source tree
(ignored by git, taken along by the source distribution), so an installation from a source distribution finds the
bundle made and needs no Node.
"""

from __future__ import annotations

from pathlib import Path

from scikit_build_core import build as _cmake

import catalogues
import web_bundle

ROOT = Path(__file__).resolve().parent.parent

ConfigSettings = dict[str, list[str] | str] | None

# Without these a front end would build everything twice, the first time for the metadata alone.
prepare_metadata_for_build_wheel = _cmake.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _cmake.prepare_metadata_for_build_editable


def _prepare() -> None:
    web_bundle.make(ROOT)
    catalogues.compile_all()


def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    return [*_cmake.get_requires_for_build_wheel(config_settings), *web_bundle.requirements(ROOT)]


def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    return [*_cmake.get_requires_for_build_editable(config_settings), *web_bundle.requirements(ROOT)]


def get_requires_for_build_sdist(config_settings: ConfigSettings = None) -> list[str]:
    return [*_cmake.get_requires_for_build_sdist(config_settings), *web_bundle.requirements(ROOT)]


def build_wheel(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    _prepare()
    return _cmake.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    _prepare()
    return _cmake.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    _prepare()
    return _cmake.build_sdist(sdist_directory, config_settings)
