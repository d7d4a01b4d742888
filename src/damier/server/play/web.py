"""The pages of a game; its socket is in ``socket.py``.

What the templates are given
----------------------------
Every page (``layout.html``):

``_(text, **names)``, ``ngettext(one, many, n, **names)``
    the text in the reader's language, its ``{names}`` filled in. (``{% trans %}`` is not in use.)
``asset(name)``
    the address of a file of the bundle by its plain name: ``asset("damier.css")``.
``language``, ``languages``
    the reader's language code; all of them, each with ``code``, ``name`` (in that language) and ``current``.
``path``
    this page's own address, for the field ``next`` of the language form.
``csrf_token``
    goes into the hidden field ``_csrf_token`` of every form that is posted.

``front.html`` (``GET /``) also gets

``rule_sets``
    each with ``name`` ("official", "club"), ``title`` and ``about`` (one sentence).
``levels``
    each with ``number`` (1 …) and ``name``.
``chosen``
    ``color`` ("white", "black", "lot"), ``rules`` and ``level``: what to preselect.
``resume``
    the visitor's unfinished games, the latest first, each with ``url``, ``color`` (the visitor's), ``rules`` (the
    title), ``level``, ``plies``, ``your_turn``, ``fen``, ``at`` (seconds since 1970 of the last event).
``picture``
    the latest of them, or the start position, as SVG, for a page without script.

Its form posts ``color``, ``rules`` and ``level`` to ``/games``. The language form (every page) posts ``language``
and ``next`` to ``/language``.

``game.html`` (``GET /games/{id}``) also gets

``state``, ``messages``
    JSON, already safe inside ``<script type="application/json">``: the game as this visitor sees it, and the
    script's texts.
``game``, ``picture``
    the same game (a :class:`~damier.server.play.messages.FirstState`) and its position as SVG, for a page without
    script.
``title``
    who plays whom, for the page's title.
``again``
    ``color``, ``rules`` and ``level`` of a new game of the same kind (the colours exchanged), for its form.

``error.html`` gets ``status`` (404 …), ``title`` and ``message`` (both sentences in the reader's language).
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException, ValidationException
from litestar.response import Redirect
from markupsafe import Markup

from damier import Board, Color
from damier.draw.svg import board_svg
from damier.engine.levels import LEVELS
from damier.events import color_to_json
from damier.game import Game
from damier.i18n import N_, translator
from damier.rules import CLUB, OFFICIAL
from damier.server.club import Club
from damier.server.play import messages
from damier.server.play.store import UnknownGame
from damier.server.site import json_for_script, reader_language
from damier.server.visitors import COOKIE_AGE

Choice = TypeVar("Choice")

RULE_SETS: Final = (
    (OFFICIAL, N_("International"), N_("A man that touches the far row in the middle of a capture stays a man.")),
    (
        CLUB,
        N_("Crown and continue"),
        N_("A man that touches the far row in the middle of a capture goes on as a king."),
    ),
)
LEVEL_NAMES: Final = (
    N_("First steps"),
    N_("Beginner"),
    N_("Learner"),
    N_("Casual player"),
    N_("Practised player"),
    N_("Strong"),
    N_("Very strong"),
    N_("As strong as it can"),
)
RESUMED: Final = 3
"""Unfinished games that the front page offers."""


@get("/")
async def front(request: Request[Any, Any, Any], club: Club) -> Response[str]:
    """The front page."""
    language = reader_language(request)
    _ = translator(language).gettext
    visitor = club.visitors.read(request.cookies.get(club.visitors.cookie_name))
    games = await club.store.unfinished_of(visitor, RESUMED) if visitor else []
    titles = {rules.name: _(title) for rules, title, _about in RULE_SETS}
    shown, side = Board(), Color.WHITE
    if games:
        shown, side = Board(games[0].fen), Color.WHITE if games[0].start.white.id == visitor else Color.BLACK
    resume: list[dict[str, object]] = []
    for game in games:
        own = "white" if game.start.white.id == visitor else "black"
        computer = game.start.black if own == "white" else game.start.white
        resume.append(
            {
                "url": f"/games/{game.id}",
                "color": own,
                "rules": titles[game.start.rules],
                "level": computer.level,
                "plies": game.plies,
                "your_turn": game.turn == own,
                "fen": game.fen,
                "at": game.changed,
            }
        )
    return club.site.page(
        request,
        "front.html",
        rule_sets=[{"name": rules.name, "title": _(title), "about": _(about)} for rules, title, about in RULE_SETS],
        levels=[{"number": level.number, "name": _(name)} for level, name in zip(LEVELS, LEVEL_NAMES, strict=True)],
        chosen=await _chosen(club, visitor),
        resume=resume,
        picture=_picture(shown, side, language),
    )


async def _chosen(club: Club, visitor: str | None) -> Mapping[str, object]:
    """What to preselect: as the visitor's last game was."""
    last = await club.store.last_of(visitor) if visitor else None
    if last is None:
        return {"color": "white", "rules": OFFICIAL.name, "level": LEVELS[len(LEVELS) // 3].number}
    own, computer = ("white", last.black) if last.white.id == visitor else ("black", last.white)
    return {"color": own, "rules": last.rules, "level": computer.level}


@post("/games")
async def create_game(request: Request[Any, Any, Any], club: Club) -> Redirect:
    """Start a game as the form says, and go to it."""
    form = await request.form()
    colors = {"white": Color.WHITE, "black": Color.BLACK, "lot": random.choice(list(Color))}  # noqa: S311
    rule_sets = {rules.name: rules for rules, _title, _about in RULE_SETS}
    levels = {str(level.number): level.number for level in LEVELS}
    color = _choice(form, "color", colors)
    rules = _choice(form, "rules", rule_sets)
    level = _choice(form, "level", levels)
    visitor = club.visitors.read(request.cookies.get(club.visitors.cookie_name)) or club.visitors.new_id()
    game_id = await club.play.create(visitor, color=color, rules=rules, level=level)
    answer = Redirect(f"/games/{game_id}", status_code=303)
    answer.set_cookie(
        club.visitors.cookie_name,
        club.visitors.cookie(visitor),
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def _choice(form: Mapping[str, Any], name: str, choices: Mapping[str, Choice]) -> Choice:
    value = form.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ValidationException(f"{name} must be one of {', '.join(choices)}")
    return choices[value]


@get("/games/{game_id:str}")
async def game_page(request: Request[Any, Any, Any], club: Club, game_id: str) -> Response[str]:
    """A game: its players play it here, everybody else with the link watches."""
    try:
        view = await club.play.view(game_id)
    except UnknownGame:
        raise NotFoundException from None
    language = reader_language(request)
    viewer = side_of(view.game, club.visitors.read(request.cookies.get(club.visitors.cookie_name)))
    origin = view.game.origin
    first = view.first_state(game_id, viewer, language, time.time())
    own = viewer or (Color.BLACK if origin.white.is_computer else Color.WHITE)
    level = view.game.player(own.opponent).level
    again = {"color": color_to_json(own.opponent), "rules": origin.rules, "level": level}
    title = (
        N_("A guest against the computer, level {level}")
        if viewer is None
        else N_("You against the computer, level {level}")
    )
    return club.site.page(
        request,
        "game.html",
        state=json_for_script(messages.encode(first)),
        game=first,
        picture=_picture(view.board, own, language),
        messages=club.site.script_texts(language),
        title=translator(language).gettext(title).format(level=level),
        again=again,
    )


def _picture(board: Board, orientation: Color, language: str) -> Markup:
    picture = board_svg(board, orientation=orientation, size=None, language=language)
    return Markup(picture)  # noqa: S704 (numbers, and words that it has escaped)


def side_of(game: Game, visitor: str | None) -> Color | None:
    """The side that a visitor plays in a game; None for who watches."""
    if visitor is None:
        return None
    return next((color for color in Color if game.player(color).id == visitor), None)
