"""What holds for all tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.services import postgres, postgres_url, redis, redis_url

__all__ = ["postgres", "postgres_url", "redis", "redis_url"]

# How long an example takes tells of the machine, not of the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests out, unless they are asked for by their mark (`make fuzz`, `make faults`)."""
    if "long" in str(config.getoption("markexpr")):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
