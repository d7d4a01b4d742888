"""Scores and limits as values."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from damier import Board
from damier.engine import Engine, Limit, Score

ASCENDING = [
    Score.loss(0),
    Score.loss(2),
    Score.loss(40),
    Score.centi(-120),
    Score.centi(0),
    Score.centi(35),
    Score.win(41),
    Score.win(3),
    Score.win(1),
]


def test_scores_are_ordered() -> None:
    assert sorted([*ASCENDING[4:], *ASCENDING[:4]]) == ASCENDING
    assert max(ASCENDING) == Score.win(1)


@pytest.mark.parametrize("score", ASCENDING)
def test_a_score_turns_round_and_survives(score: Score) -> None:
    turned = -score
    assert -turned == score
    assert turned.win_in == score.loss_in
    assert hash(pickle.loads(pickle.dumps(score))) == hash(score)
    assert eval(repr(score), {"Score": Score}) == score
    assert score.is_decided == (score.centi_men is None)


def test_a_score_is_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        Score.centi(1)._value = 2


def test_scores_out_of_range_are_refused() -> None:
    for make in (lambda: Score.centi(29_001), lambda: Score.win(0), lambda: Score.loss(-1), lambda: Score.win(1000)):
        with pytest.raises(ValueError, match="not"):
            make()


@pytest.mark.parametrize(
    "given",
    [{}, {"time": 0}, {"time": float("nan")}, {"time": float("inf")}, {"nodes": 0}, {"nodes": 2**64}, {"depth": 0}],
)
def test_limits_out_of_range_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="limit"):
        Limit(**given)


@pytest.mark.parametrize("limit", [{"nodes": 1.5}, {"depth": 1.5}, {"depth": True}])
def test_a_limit_of_the_wrong_type_is_a_type_error(limit: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Limit(**limit)


def test_a_limit_beyond_the_range_names_the_range() -> None:
    with pytest.raises(ValueError, match="1 to 18446744073709551615"):
        Limit(nodes=2**64)


def test_a_score_compares_with_scores_only() -> None:
    with pytest.raises(TypeError):
        Score.centi(1) < 5  # pyright: ignore[reportOperatorIssue, reportUnusedExpression]  # noqa: B015
    with pytest.raises(TypeError):
        Score.centi(float("nan"))  # pyright: ignore[reportArgumentType]


def test_an_engine_says_what_it_wants() -> None:
    engine = Engine(hash_mb=1)
    with pytest.raises(TypeError, match=r"Limit\(time=1\)"):
        engine.search(Board(), 5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="a Board is searched, not str"):
        engine.rate("W:W31:B1", Limit(depth=1))  # pyright: ignore[reportArgumentType]
