"""The exercise: find the longest capture. One position after another, and one a day that is the same for all.

The board offers every capture that goes as far as it can, the shorter ones too, so that a short one can be chosen and
answered. What counts, counts on the first answer; whoever misses may try again, or be shown the capture.

``exercise.html`` gets ``is_daily``, ``day`` (seconds since 1970, of the daily one), ``today``, ``state`` (a
:class:`~damier.server.guide.learners.Day`, for the daily one), ``standing`` (a
:class:`~damier.server.guide.learners.Standing`), ``levels`` (how many there are), ``turn``, ``fen``, ``picture``,
``board`` (JSON of a :class:`Shown`), ``number`` (which position it is, for the form) and ``result`` (an
:class:`Answered`, after an answer without script).
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import ClientException
from litestar.response import Redirect

from damier import Board
from damier.i18n import N_, NN_, translator
from damier.lines import far_row
from damier.notation.json import color_to_json
from damier.server.club import Club
from damier.server.guide import puzzles
from damier.server.guide.captures import Capture, named
from damier.server.guide.learners import Day, Standing
from damier.server.guide.puzzles import Puzzle
from damier.server.guide.web import picture
from damier.server.lobby.web import page_frame
from damier.server.play.messages import MoveView
from damier.server.site import json_for_script, reader_language

LONGEST_ANSWER: Final = 80
RIGHT: Final = N_("Right: {most} pieces, the most there are.")
SHORT: Final = NN_(
    "That takes one piece; there is a capture that takes {most}.",
    "That takes {n} pieces; there is a capture that takes {most}.",
)
SHOWN: Final = N_("The longest takes {most} pieces: {way}.")
NO_CAPTURE: Final = N_("That is no capture here. Write its squares, as in 32x23x14.")

Req = Request[Any, Any, Any]


class Shown(msgspec.Struct, frozen=True):
    """What the board is given. ``solution``: the capture to be shown, None as long as it is to be found."""

    fen: str
    moves: tuple[MoveView, ...]
    solution: MoveView | None


class Answered(msgspec.Struct, frozen=True):
    """What came of an answer. ``over``: whether the position is done with. The numbers are those of the reader now:
    of the endless exercise, or of the day.
    """

    right: bool
    over: bool
    says: str
    score: int
    best: int
    level: int
    solvers: int
    streak: int


@get("/exercise")
async def exercise_page(request: Req, club: Club) -> Response[str]:
    """The position that the reader has to solve now."""
    reader = club.visitors.of(request)
    standing = await club.learners.standing(reader)
    puzzle = await club.learners.puzzle(reader or "", standing)
    return await _page(request, club, puzzle, standing)


@post("/exercise/answer", status_code=200)
async def answer_exercise(request: Req, club: Club) -> Response[Any]:
    """Answer the position, or have the capture shown."""
    answer, number, shown = await _given(request)
    reader = club.visitors.of(request) or ""
    standing = await club.learners.standing(reader)
    if number != str(standing.number):
        return _stale(request, "/exercise")
    puzzle = await club.learners.puzzle(reader, standing)
    right, counts = _judge(puzzle, answer, shown)
    after = standing
    if reader and counts:
        after = await club.learners.count(reader, standing, right=right, over=right or shown)
    result = _answered(request, puzzle, answer, right, shown, after, None)
    if _wants_json(request):
        return Response(result)
    return await _page(request, club, puzzle, after, result=result)


@get("/exercise/daily")
async def daily_page(request: Req, club: Club) -> Response[str]:
    """The exercise of the day."""
    day = club.learners.today()
    state = await club.learners.day(club.visitors.of(request), day)
    return await _page(request, club, await club.learners.daily(day), None, day=day, state=state)


@post("/exercise/daily/answer", status_code=200)
async def answer_daily(request: Req, club: Club) -> Response[Any]:
    """Answer the exercise of the day, or have the capture shown: the first answer counts."""
    answer, number, shown = await _given(request)
    day = club.learners.today()
    if number != day.isoformat():
        return _stale(request, "/exercise/daily")
    reader = club.visitors.of(request)
    puzzle = await club.learners.daily(day)
    right, counts = _judge(puzzle, answer, shown)
    if reader is not None and counts:
        await club.learners.count_daily(reader, day, right=right)
    state = await club.learners.day(reader, day)
    result = _answered(request, puzzle, answer, right, shown, None, state)
    if _wants_json(request):
        return Response(result)
    return await _page(request, club, puzzle, None, day=day, state=state, result=result)


@get(["/exercise/answer", "/exercise/daily/answer"])
async def back_to_exercise(request: Req) -> Redirect:
    """What stood at the address of an answer is seen no second time: the exercise as it is now."""
    return Redirect(request.url.path.removesuffix("/answer"))


async def _given(request: Req) -> tuple[str, str, bool]:
    """The form: the answer, the number of the position, and whether the capture is to be shown."""
    form = await request.form()
    answer, number = form.get("answer", ""), form.get("number", "")
    if not isinstance(answer, str) or not isinstance(number, str) or len(answer) > LONGEST_ANSWER:
        raise ClientException("an answer is a short text")
    return answer, number, form.get("show") is not None


def _judge(puzzle: Puzzle, answer: str, shown: bool) -> tuple[bool, bool]:
    """Whether an answer is right, and whether it counts: what is no capture does not."""
    takes = 0 if shown else puzzle.takes(answer)
    return takes == puzzle.longest, shown or takes > 0


def _wants_json(request: Req) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _stale(request: Req, path: str) -> Response[Any]:
    """The position is another by now: a page in another tab was faster, or the day is over."""
    return Response({"stale": True}, status_code=409) if _wants_json(request) else Redirect(path, status_code=303)


def _answered(
    request: Req, puzzle: Puzzle, answer: str, right: bool, shown: bool, standing: Standing | None, day: Day | None
) -> Answered:
    texts, takes = translator(reader_language(request)), puzzle.takes(answer)
    if shown:
        says = texts.gettext(SHOWN).format(most=puzzle.longest, way=puzzle.answer())
    elif right:
        says = texts.gettext(RIGHT).format(most=puzzle.longest)
    elif takes:
        says = texts.ngettext(*SHORT, takes).format(n=takes, most=puzzle.longest)
    else:
        says = texts.gettext(NO_CAPTURE)
    now, of_day = standing or Standing(), day or Day(None, 0, 0)
    return Answered(right, right or shown, says, now.score, now.best, now.level, of_day.solvers, of_day.streak)


async def _page(
    request: Req,
    club: Club,
    puzzle: Puzzle,
    standing: Standing | None,
    *,
    day: date | None = None,
    state: Day | None = None,
    result: Answered | None = None,
) -> Response[str]:
    language, reader = reader_language(request), club.visitors.of(request)
    board = Board(puzzle.fen)
    over = result is not None and result.over
    solution = (named(puzzle.captures, puzzle.answer()) or puzzle.best[0]) if over else None
    shown = Shown(
        puzzle.fen,
        () if over else tuple(_view(each, board) for each in puzzle.captures),
        None if solution is None else _view(solution, board),
    )
    return club.site.page(
        request,
        "exercise.html",
        **await page_frame(request, club, reader),
        is_daily=day is not None,
        day=None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp(),
        state=state,
        standing=standing,
        levels=len(puzzles.LEVELS),
        turn=color_to_json(board.turn),
        fen=puzzle.fen,
        picture=picture(puzzle.fen, language),
        board=json_for_script(msgspec.json.encode(shown).decode()),
        number=day.isoformat() if day is not None else (standing or Standing()).number,
        result=result,
        forum=await club.forum.page("exercise", language, club.visitors.who(request)),
    )


def _view(capture: Capture, board: Board) -> MoveView:
    piece = board[capture.from_square]
    crowned = piece is not None and not piece.king and capture.to_square in far_row(board.turn)
    return MoveView(capture.from_square, capture.to_square, capture.captured, crowned, capture.paths)
