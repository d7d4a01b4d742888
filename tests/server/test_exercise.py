"""The exercise: positions made by the rules alone, answers that the server judges, a score and a day's result."""

from __future__ import annotations

import asyncio
import html
import json
import re
import subprocess
import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from damier import Board, Color
from damier.server import database
from damier.server.guide import puzzles
from damier.server.guide.captures import all_captures, named
from damier.server.guide.learners import POINTS_A_LEVEL, Learners, Standing
from damier.server.guide.stream import Stream
from damier.server.people import People
from damier.server.settings import Settings
from tests.databases import make_ready
from tests.server.house import Moment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    import httpx

    from tests.server.conftest import Person

# Written down, since people compare their results: a day's position must never become another.
DAYS = {
    "2026-11-30": ("W:W27,31-33,37,38,40-42,44-48,50:B1-7,10,12-16,20-22,29", "27x18x9"),
    "2026-12-04": ("B:W31,34,35,37,42,44-48:B1-3,5,7,10-12,15,17,26,K49", "49x40x18x36"),
    "2026-12-06": ("B:W32,33,42-44,46,48,50:B1-3,5,7,8,15,17,19,34,K47", "47x38x49x35"),
    "2028-02-29": ("B:WK2,27,36,37,40,42,43,45-47,50:B1,4,6,9-11,14,16,20,21,29,35", "21x32x41"),
}
SEEDS = range(25)


# --- The stream, and positions ---------------------------------------------------------------------------------------


def test_the_stream_is_the_published_one() -> None:
    stream = Stream(1234567)
    assert [stream.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert {Stream(seed).below(6) for seed in range(200)} == set(range(6))


@pytest.mark.parametrize("day", DAYS)
def test_the_positions_of_these_days_are_written_down(day: str) -> None:
    puzzle = puzzles.of_day(date.fromisoformat(day))
    assert (puzzle.fen, puzzle.answer()) == DAYS[day]


def test_the_day_s_position_is_the_same_in_another_process() -> None:
    day = date(2027, 5, 5)
    code = f"from datetime import date; from damier.server.guide.puzzles import of_day; print(of_day({day!r}))"
    code = code.replace("datetime.date", "date")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == repr(puzzles.of_day(day))


@pytest.mark.parametrize("level", puzzles.LEVELS)
def test_positions_are_fit_and_as_hard_as_their_level(level: int) -> None:
    made = [puzzles.generate(seed, level) for seed in SEEDS]
    assert len({puzzle.fen for puzzle in made}) > len(made) * 0.9
    for puzzle in made:
        board = Board(puzzle.fen)
        legal = {(move.from_square, move.to_square, move.captured, move.paths) for move in board.legal_moves}
        best = {(each.from_square, each.to_square, each.captured, each.paths) for each in puzzle.best}
        assert {each[:3] for each in best} == {each[:3] for each in legal}, puzzle.fen
        assert {path for *_, paths in best for path in paths} == {path for *_, paths in legal for path in paths}
        assert puzzles.level_of(puzzle.grade) == level
        assert puzzle.longest >= 2
        assert len(puzzle.best) <= puzzles.MOST_BEST
        assert any(len(each.captured) < puzzle.longest for each in puzzle.captures), "there is a shorter one"
        counts = [len(board.pieces(color)) for color in Color]
        assert min(counts) >= puzzles.FEWEST_PIECES
        assert abs(counts[0] - counts[1]) <= puzzles.BALANCE


def test_higher_levels_take_longer_captures() -> None:
    lengths = [sum(puzzles.generate(seed, level).longest for seed in SEEDS) for level in (1, 3, 5)]
    assert lengths == sorted(set(lengths))


def test_the_days_become_harder_through_the_week() -> None:
    monday = date(2026, 11, 30)
    levels = [puzzles.level_of(puzzles.of_day(monday + timedelta(days=n)).grade) for n in range(7)]
    assert levels == list(puzzles.DAILY_LEVELS)


def test_all_captures_go_as_far_as_they_can() -> None:
    """A man's shorter ways, a king's landings, no piece twice; and only the longest are legal."""
    captures = all_captures(Board("W:W29,33,36,37:B7,11,12,21-23,31"))
    assert captures is not None
    lengths = {each.from_square: 0 for each in captures}
    for each in captures:
        lengths[each.from_square] = max(lengths[each.from_square], len(each.captured))
    assert lengths == {29: 3, 36: 2, 37: 4}
    king = all_captures(Board("W:WK46:B28"))
    assert king is not None
    assert [each.to_square for each in king] == [5, 10, 14, 19, 23]
    wandering = all_captures(Board("B:W12,22,23,34,38,45:BK49")) or ()
    assert [each.captured for each in wandering if len(each.captured) > 3] == [(22, 23, 34, 38)]
    assert all_captures(Board()) == ()


def test_a_capture_is_named_by_its_way_or_its_ends() -> None:
    captures = all_captures(Board("W:WK47:B14,19,29,31,42")) or ()
    whole = [each for each in captures if len(each.captured) == 4]
    assert {named(captures, "47x38x24x13x36"), named(captures, "47-38-20-9-36")} == set(whole)
    for text in ("", "47", "47x46", "47x38", "a capture", "99x1", "47x38x24"):
        assert named(captures, text) is None


# --- The page --------------------------------------------------------------------------------------------------------


def shown(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="exercise">(.*?)</script>', page, re.DOTALL)
    assert found, page
    number = re.search(r'name="number" value="([\d-]+)"', page)
    assert number
    return json.loads(found[1]) | {"number": number[1]}


def written(move: dict[str, Any]) -> str:
    return "x".join(map(str, move["paths"][0]))


def best_of(state: dict[str, Any]) -> str:
    return written(max(state["moves"], key=lambda move: len(move["captured"])))


def short_of(state: dict[str, Any]) -> str:
    return written(min(state["moves"], key=lambda move: len(move["captured"])))


def give(person: Person, path: str = "/exercise", **fields: str) -> httpx.Response:
    token = person.csrf_token()
    return person.http.post(
        f"{path}/answer", data={"_csrf_token": token, **fields}, headers={"accept": "application/json"}
    )


def current(person: Person, path: str = "/exercise") -> dict[str, Any]:
    return shown(person.http.get(path).text)


def test_points_come_with_right_first_answers_and_levels_with_points(people: Callable[..., Person]) -> None:
    person, other = people(), people()
    seen: list[str] = []
    for number in range(1, POINTS_A_LEVEL + 1):
        state = current(person)
        seen.append(state["fen"])
        said = give(person, answer=best_of(state), number=state["number"]).json()
        assert (said["right"], said["over"], said["score"]) == (True, True, number)
        assert said["says"].startswith("Right: ")
        assert said["level"] == (2 if number == POINTS_A_LEVEL else 1)
    assert current(other)["fen"] == seen[0], "the first is everybody's"
    state = current(other)
    give(other, answer=best_of(state), number="1")
    assert current(other)["fen"] not in seen, "the others are one's own"


def test_a_short_capture_is_told_of_and_costs_a_point_once(person: Person) -> None:
    state = current(person)
    give(person, answer=best_of(state), number=state["number"])
    state = current(person)
    for _ in range(2):
        said = give(person, answer=short_of(state), number=state["number"]).json()
        assert (said["right"], said["over"], said["score"], said["best"]) == (False, False, 1, 1)
        assert re.fullmatch(r"That takes (one piece|\d pieces); there is a capture that takes \d\.", said["says"]), said
        assert current(person)["fen"] == state["fen"]
    said = give(person, answer=best_of(state), number=state["number"]).json()
    assert (said["right"], said["score"]) == (True, 0), "no point for the second try"
    assert current(person)["fen"] != state["fen"]


def test_a_wrong_answer_leaves_the_position_also_where_the_level_ends(person: Person) -> None:
    for _ in range(POINTS_A_LEVEL):
        state = current(person)
        give(person, answer=best_of(state), number=state["number"])
    state = current(person)
    said = give(person, answer=short_of(state), number=state["number"]).json()
    assert (said["right"], said["level"]) == (False, 2)
    assert current(person)["fen"] == state["fen"]
    assert give(person, answer=best_of(state), number=state["number"]).json()["right"]


def test_what_is_no_capture_does_not_count(person: Person) -> None:
    state = current(person)
    for text in ("", "32-28", "1x50", "x" * 80):
        said = give(person, answer=text, number=state["number"]).json()
        assert (said["right"], said["says"][:18]) == (False, "That is no capture")
    said = give(person, answer=best_of(state), number=state["number"]).json()
    assert said["score"] == 1


def test_nobody_is_graded_on_another_position(person: Person) -> None:
    state = current(person)
    for number in ("2", "0", "-1", "x", "", "2026-11-30"):
        assert give(person, answer=best_of(state), number=number).status_code == 409
    give(person, answer=best_of(state), number="1")
    assert give(person, answer=best_of(state), number="1").status_code == 409, "and not twice"
    assert person.post("/exercise/answer", answer="1x2", number="77").headers["location"] == "/exercise"
    assert give(person, answer="x" * 81, number="2").status_code == 400
    assert person.http.post("/exercise/answer", data={"answer": "1x2", "number": "2"}).status_code == 403


def test_it_works_without_script(person: Person) -> None:
    state = current(person)
    page = person.post("/exercise/answer", answer=short_of(state), number="1").text
    assert "there is a capture that takes" in html.unescape(page)
    assert 'name="answer"' in page
    assert shown(page)["fen"] == state["fen"]
    page = person.post("/exercise/answer", show="1", number="1").text
    solution = written(shown(page)["solution"])
    assert solution == best_of(state)
    assert f"pieces: {solution}." in page
    assert shown(page)["moves"] == []
    assert person.http.get("/exercise/answer", follow_redirects=True).url.path == "/exercise"
    assert current(person)["fen"] != state["fen"]


def test_the_day_s_first_answer_counts(people: Callable[..., Person]) -> None:
    anna, ben, carl = people(), people(), people()
    state = current(anna, "/exercise/daily")
    assert state == current(ben, "/exercise/daily")
    solvers = give(anna, "/exercise/daily", answer=best_of(state), number=state["number"]).json()["solvers"]
    assert give(anna, "/exercise/daily", answer=best_of(state), number=state["number"]).json()["solvers"] == solvers
    wrong = give(ben, "/exercise/daily", answer=short_of(state), number=state["number"]).json()
    assert (wrong["right"], wrong["solvers"], wrong["streak"]) == (False, solvers, 0)
    late = give(ben, "/exercise/daily", answer=best_of(state), number=state["number"]).json()
    assert (late["right"], late["solvers"], late["streak"]) == (True, solvers, 0)
    assert "You have solved it today." in anna.http.get("/exercise/daily").text
    assert "was wrong" in ben.http.get("/exercise/daily").text
    page = carl.post("/exercise/daily/answer", show="1", number=state["number"]).text
    assert written(shown(page)["solution"]) == best_of(state)
    assert "was wrong" in carl.http.get("/exercise/daily").text, "to have it shown is an answer"
    assert give(ben, "/exercise/daily", answer=best_of(state), number="2020-01-01").status_code == 409


# --- What is kept ----------------------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
async def learners(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Learners, Moment]]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=url)
    await asyncio.to_thread(make_ready, settings)
    engine, now = database.open_engine(settings), Moment()
    yield Learners(engine, People(engine, now), b"a secret of the club", now), now
    await engine.dispose()


async def test_days_in_a_row_are_counted(learners: tuple[Learners, Moment]) -> None:
    kept, now = learners
    for right in (True, False, True, True, True):
        await kept.count_daily("anna", kept.today(), right=right)
        now.now += 86_400
    assert (await kept.day("anna", kept.today())).streak == 3, "today may still come"
    assert (await kept.day("anna", kept.today())).result is None
    now.now += 86_400
    assert (await kept.day("anna", kept.today())).streak == 0
    await kept.count_daily("anna", kept.today(), right=True)
    await kept.count_daily("anna", kept.today(), right=False)
    state = await kept.day("anna", kept.today())
    assert (state.result, state.streak, state.solvers) == (True, 1, 1)
    assert (await kept.day(None, kept.today())).result is None


async def test_two_tabs_answer_once(learners: tuple[Learners, Moment]) -> None:
    kept, _ = learners
    standing = await kept.standing("anna")
    assert standing == Standing()
    both = await asyncio.gather(*(kept.count("anna", standing, right=True, over=True) for _ in range(2)))
    assert both[0] == both[1] == Standing(number=2, score=1, best=1, solved=1)
    shown_capture = await kept.count("anna", both[0], right=False, over=True)
    assert shown_capture == Standing(number=3, score=0, best=1, solved=1)
    missed = await kept.count("anna", shown_capture, right=False, over=False)
    assert (missed.number, missed.missed, missed.score) == (3, True, 0)
    assert await kept.count("anna", missed, right=True, over=True) == Standing(4, False, 0, 1, 1)


async def test_positions_follow_from_the_club_s_secret(learners: tuple[Learners, Moment]) -> None:
    kept, _ = learners
    seeds = {kept.seed(person, number) for person in ("anna", "ben") for number in (1, 2, 3)}
    assert len(seeds) == 5
    assert (await kept.puzzle("anna", Standing(number=2, score=7))) == puzzles.generate(kept.seed("anna", 2), 2)


async def test_steps_are_kept_once(learners: tuple[Learners, Moment]) -> None:
    kept, _ = learners
    await asyncio.gather(*(kept.note_step("anna", "board") for _ in range(3)))
    await kept.note_step("anna", "capture")
    assert await kept.done("anna") == {"board", "capture"}
    assert await kept.done("ben") == await kept.done(None) == frozenset()
