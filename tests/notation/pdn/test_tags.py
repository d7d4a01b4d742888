"""What tags say: results, kinds of game, dates in the ways in which real files write them, names and their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.notation.pdn import PdnDate, PdnGame
from damier.notation.pdn.tags import ROSTER, date, game_type, in_order, points, result_text, spelled
from tests.notation.games import unhurried


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2009.04.17", "2009.04.17"),
        ("1970.4.2", "1970.04.02"),
        ("2009-04-17", "2009.04.17"),
        ("2009/4/17", "2009.04.17"),
        ("1950.", "1950.??.??"),
        ("1950", "1950.??.??"),
        ("1950.07.??", "1950.07.??"),
        ("1841-??-??", "1841.??.??"),
        ("????.??.??", "????.??.??"),
        ("?", "????.??.??"),
        ("13-01-1996", "1996.01.13"),
        ("1.1.1965", "1965.01.01"),
        ("02.01.1965", "1965.01.02"),
        ("5-5-1965", "1965.05.05"),
        ("17 april 2009", "2009.04.17"),
        ("17 April 2009", "2009.04.17"),
        ("3. März 1999", "1999.03.03"),
        ("14 août 1894", "1894.08.14"),
        ("Maart 1950", "1950.03.??"),
        ("2004.10.27 - 2004.11.01", "2004.10.27"),
        ("29.02.2000", "2000.02.29"),
        (" 2009.04.17 ", "2009.04.17"),
    ],
)
def test_dates_as_files_write_them(text: str, day: str) -> None:
    assert str(date(text)) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "03.07.20",
        "3-7-2020",
        "31.13.1999",
        "13/13/1999",
        "2009.13.01",
        "2009.02.30",
        "2009.02.29",
        "1900.02.29",
        "2009.04.32",
        "0.0.2000",
        "17 aprilis 2009",
        "yesterday",
        "2009-04.17",
        "٢٠٠٩.٠٤.١٧",
        "2009.04.17 at night",
    ],
)
def test_dates_without_one_clear_meaning(text: str) -> None:
    assert date(text) is None


@unhurried
@given(st.dates())
def test_dates_there_and_back(day: object) -> None:
    assert str(date(str(day))) == str(day).replace("-", ".")


@unhurried
@given(st.text(max_size=30))
def test_any_text_is_a_date_or_none(text: str) -> None:
    day = date(text)
    assert day is None or date(str(day)) == day


def test_the_date_of_a_game() -> None:
    assert PdnGame({"Date": "1950."}).date == PdnDate(1950)
    assert PdnGame().date is None


@pytest.mark.parametrize(
    ("result", "shares"),
    [
        ("2-0", (2, 0)),
        ("1-0", (2, 0)),
        ("1-1", (1, 1)),
        ("1/2-1/2", (1, 1)),
        ("½-½", (1, 1)),
        ("0-2", (0, 2)),
        ("0-1", (0, 2)),
        ("0-0", (0, 0)),
        (" 1 - 1 ", (1, 1)),
        ("2–0", (2, 0)),
        ("*", None),
        ("", None),
        ("?", None),
        ("2-2", None),
        ("won", None),
    ],
)
def test_results(result: str, shares: tuple[int, int] | None) -> None:
    assert points(result) == shares
    for kind in (None, 20, 27, 25, 40):
        assert points(result_text(shares, kind)) == shares


def test_points_that_no_game_gives() -> None:
    with pytest.raises(ValueError, match="no game gives"):
        result_text((2, 2))


@pytest.mark.parametrize(
    ("text", "number"),
    [("20", 20), (" 20 ", 20), ("20,W,10,10,N2,0", 20), ("25, B", 25), ("", None), ("x", None), ("2O", None)],
)
def test_game_types(text: str, number: int | None) -> None:
    assert game_type(text) == number


@unhurried
@given(st.dictionaries(st.one_of(st.sampled_from(ROSTER), st.text(max_size=5)), st.text(max_size=5)))
def test_the_roster_comes_first(tags: dict[str, str]) -> None:
    ordered = in_order(tags)
    assert dict(ordered) == tags
    names = [name for name, _ in ordered]
    roster = [name for name in names if name in ROSTER]
    assert names[: len(roster)] == [name for name in ROSTER if name in tags]
    assert names[len(roster) :] == [name for name in tags if name not in ROSTER]


def test_names() -> None:
    assert [spelled(name) for name in ("EVENT", "fen", "gametype", "WHITEELO", "Setup", "x", "")] == [
        *("Event", "FEN", "GameType", "WhiteElo", "Setup", "X", "")
    ]
