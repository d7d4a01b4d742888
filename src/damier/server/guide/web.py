"""The pages of the beginner's guide.

``guide.html`` (``GET /guide``) gets ``chapters`` (each with ``title`` and ``steps``: ``title``, ``url``, ``number``,
``done``), ``done`` and ``all`` (numbers of steps), ``onward`` (the first step that is not done, or None) and ``forum`` (the questions about the guide; those about a step for a step).

``lesson.html`` (``GET /guide/{step}``) gets ``step`` (its texts in the reader's language, ``number``, ``done``, ``fen``,
``kind``: "touch", "choose", "play" or "game", ``options`` of what is to be chosen, ``answer``), ``chapter`` (its title),
``all``, ``picture``, ``turn`` ("white" or "black"), ``before`` and ``after`` (its neighbours: ``title`` and ``url``).

The answers are judged here: ``POST /guide/{step}/answer`` with the field ``answer`` is answered with an :class:`Answered`.
"""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import ClientException, NotFoundException
from markupsafe import Markup

from damier import Board
from damier.draw.svg import board_svg
from damier.errors import DamierError
from damier.i18n import N_, translator
from damier.notation.json import color_to_json
from damier.server.club import Club
from damier.server.guide.steps import CHAPTERS, STEPS, Step, neighbours
from damier.server.guide.tasks import Choose, Judgement, Play, Touch, WholeGame, judge
from damier.server.lobby import lists
from damier.server.lobby.web import page_frame
from damier.server.site import reader_language

LONGEST_ANSWER: Final = 200
GOOD: Final = N_("Good. Go on.")
KINDS: Final = {Touch: "touch", Choose: "choose", Play: "play", WholeGame: "game"}
TOUCHED: Final = N_("That is {square}.")

Req = Request[Any, Any, Any]


class Answered(msgspec.Struct, frozen=True):
    """What came of an answer: see :class:`~damier.server.guide.tasks.Judgement`. ``says``: the same in words."""

    state: str
    moves: tuple[str, ...]
    squares: tuple[int, ...]
    says: str


@get("/guide")
async def guide_page(request: Req, club: Club) -> Response[str]:
    """The guide: its steps, and those that the reader has done."""
    language, reader = reader_language(request), club.visitors.of(request)
    done = await steps_done(club, reader)
    order = list(STEPS)
    onward = next((slug for slug in order if slug not in done), None)
    _ = translator(language).gettext
    chapters = [
        {
            "title": _(chapter.title),
            "steps": [
                {**_link(step, language), "number": order.index(step.slug) + 1, "done": step.slug in done}
                for step in chapter.steps
            ],
        }
        for chapter in CHAPTERS
    ]
    return club.site.page(
        request,
        "guide.html",
        **await page_frame(request, club, reader),
        chapters=chapters,
        done=len(done),
        all=len(STEPS),
        onward=None if onward is None else _link(STEPS[onward], language),
        forum=await club.forum.page("guide", language, club.visitors.who(request)),
    )


@get("/guide/{slug:str}")
async def lesson_page(request: Req, club: Club, slug: str) -> Response[str]:
    """A step of the guide."""
    step = _step(slug)
    language, reader = reader_language(request), club.visitors.of(request)
    before, after = neighbours(slug)
    done = await steps_done(club, reader)
    return club.site.page(
        request,
        "lesson.html",
        **await page_frame(request, club, reader),
        step=_shown(step, language) | {"done": slug in done},
        chapter=next(translator(language).gettext(each.title) for each in CHAPTERS if step in each.steps),
        all=len(STEPS),
        picture=picture(step.fen, language, numbers=step.numbers),
        turn=color_to_json(Board(step.fen).turn),
        before=before and _link(before, language),
        after=after and _link(after, language),
        forum=await club.forum.page(f"guide/{slug}", language, club.visitors.who(request)),
    )


@post("/guide/{slug:str}/answer", status_code=200)
async def answer_lesson(request: Req, club: Club, slug: str) -> Answered:
    """Judge an answer to a step. One that does what is asked is kept."""
    step = _step(slug)
    given = (await request.form()).get("answer")
    language = reader_language(request)
    if not isinstance(given, str) or len(given) > LONGEST_ANSWER:
        raise ClientException("an answer is a short text")
    try:
        judgement = judge(step.task, step.fen, given.split())
    except DamierError as error:
        raise ClientException(error.sentence(language)) from error
    who = club.visitors.of(request)
    if judgement.state == "solved" and who is not None:
        await club.learners.note_step(who, slug)
    return Answered(judgement.state, judgement.moves, judgement.squares, says(step, judgement, given, language))


def says(step: Step, judgement: Judgement, given: str, language: str) -> str:
    """What an answer is answered, in words."""
    _ = translator(language).gettext
    if judgement.state == "solved":
        return _(step.learned)
    if judgement.state == "on":
        return _(GOOD)
    touched = _(TOUCHED).format(square=given.split()[-1]) + " " if isinstance(step.task, Touch) else ""
    return touched + _(step.otherwise)


async def steps_done(club: Club, reader: str | None) -> frozenset[str]:
    """The steps that somebody has done. The last is done by a whole game, wherever that was played."""
    known = frozenset(STEPS) & await club.learners.done(reader)
    played = reader is not None and bool(await lists.finished_of(club.engine, reader))
    return known | {slug for slug, step in STEPS.items() if played and isinstance(step.task, WholeGame)}


def picture(fen: str, language: str, *, numbers: bool = True) -> Markup:
    """A position as SVG, for a page without script."""
    drawn = board_svg(Board(fen), numbers="inside" if numbers else "off", last_move=False, size=None, language=language)
    return Markup(drawn)  # noqa: S704 (numbers, and words that it has escaped)


def _step(slug: str) -> Step:
    step = STEPS.get(slug)
    if step is None:
        raise NotFoundException
    return step


def _link(step: Step, language: str) -> dict[str, str]:
    return {"title": translator(language).gettext(step.title), "url": f"/guide/{step.slug}"}


def _shown(step: Step, language: str) -> dict[str, object]:
    """A step for a template."""
    _ = translator(language).gettext
    task = step.task
    return {
        "slug": step.slug,
        "number": list(STEPS).index(step.slug) + 1,
        "title": _(step.title),
        "text": [_(each) for each in step.text],
        "ask": _(step.ask),
        "hints": [_(each) for each in step.hints],
        "fen": step.fen,
        "rules": step.rules,
        "numbers": step.numbers,
        "kind": KINDS[type(task)],
        "options": [_(each) for each in task.options] if isinstance(task, Choose) else [],
        "answer": _answer(step, language),
    }


def _answer(step: Step, language: str) -> str:
    """The model answer in words: the line, the squares or the sentence, and what was to be learned."""
    _ = translator(language).gettext
    if isinstance(step.task, Choose):
        return _(step.learned)
    shown = cast("tuple[object, ...]", step.model)
    if isinstance(step.task, Play):
        shown = judge(step.task, step.fen, step.model).moves
    return f"{', '.join(map(str, shown))}. {_(step.learned)}" if shown else ""
