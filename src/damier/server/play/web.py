"""The page of a game; its socket is in ``socket.py``, and the pages that lead to a game are the lobby's.

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
    ``color``, ``rules`` and ``level`` of a new game of the same kind (the colours exchanged), for its form; None in a
    game between people, who agree on another over the socket.
``your_moves``
    how many other games wait for the visitor.

``error.html`` gets ``status`` (404 …), ``title`` and ``message`` (both sentences in the reader's language).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from markupsafe import Markup

from damier import Board, Color
from damier.draw.svg import board_svg
from damier.events import color_to_json
from damier.game import Game
from damier.i18n import N_, translator
from damier.notation.pdn import from_game, write
from damier.server.club import Club
from damier.server.lobby import lists
from damier.server.play import messages
from damier.server.play.store import UnknownGame
from damier.server.play.view import View, player_name
from damier.server.rating_book import CASUAL, Standing
from damier.server.site import json_for_script, reader_language

PDN_SUFFIX: Final = ".pdn"


@get("/games/{game_id:str}")
async def game_page(request: Request[Any, Any, Any], club: Club, game_id: str) -> Response[str]:
    """A game: its players play it here, everybody else with the link watches. With ``.pdn`` behind it: as a file."""
    as_pdn = game_id.endswith(PDN_SUFFIX)
    game_id = game_id.removesuffix(PDN_SUFFIX)
    try:
        view = await club.play.view(game_id)
    except UnknownGame:
        raise NotFoundException from None
    if as_pdn:
        return _pdn(request, view, await club.ratings.standing(game_id))
    language = reader_language(request)
    visitor = club.visitors.of(request)
    viewer = side_of(view.game, visitor)
    chat_on = visitor is None or not await club.people.chat_off(visitor)
    rating, why_casual = await club.ratings.shown(game_id, view.game)
    first = view.first_state(
        game_id, viewer, language, club.play.now(), chat_on=chat_on, rating=rating, why_casual=why_casual
    )
    own = viewer or (Color.BLACK if view.game.origin.white.is_computer else Color.WHITE)
    return club.site.page(
        request,
        "game.html",
        state=json_for_script(messages.encode(first)),
        game=first,
        picture=_picture(view.game.board, own, language),
        messages=club.site.script_texts(language),
        title=_title(view.game, viewer, language),
        again=_again(view.game, own),
        your_moves=await _other_moves(club, visitor, game_id),
    )


async def _other_moves(club: Club, visitor: str | None, game_id: str) -> int:
    """How many other games wait for a visitor's move."""
    if visitor is None:
        return 0
    games = await club.store.unfinished_of(visitor, lists.OWN_MOST)
    return sum(each.id != game_id and lists.is_to_move(each, visitor) for each in games)


def _pdn(request: Request[Any, Any, Any], view: View, standing: Standing) -> Response[str]:
    """A game as a PDN file."""
    text = pdn_text(view.game, view.created, str(request.base_url).rstrip("/"), standing)
    headers = {"cache-control": "private, no-cache", "content-disposition": 'attachment; filename="damier.pdn"'}
    return Response(text, media_type="application/x-pdn", headers=headers)


def pdn_text(game: Game, created: float, site: str, standing: Standing = CASUAL) -> str:
    """A game as PDN, with what the clocks showed; its names are those under which it was played. ``site``: the club's
    address. ``standing``: what the players' ratings were."""
    pdn = from_game(game)
    began = datetime.fromtimestamp(created, UTC)
    tags = {"Event": "Damier", "Site": site, "Date": began.strftime("%Y.%m.%d")}
    for name, player in (("White", game.origin.white), ("Black", game.origin.black)):
        if player.name is None:
            pdn.tags[name] = f"Computer, level {player.level}" if player.is_computer else player_name(player, "en")
    pdn.tags = tags | pdn.tags
    for name, change in (("WhiteRating", standing.white), ("BlackRating", standing.black)):
        if change is not None:
            pdn.tags[name] = str(round(change.before))
    return write(pdn)


def _title(game: Game, viewer: Color | None, language: str) -> str:
    texts = translator(language)
    computer = next((player for player in (game.origin.white, game.origin.black) if player.is_computer), None)
    if computer is None:
        white, black = player_name(game.origin.white, language), player_name(game.origin.black, language)
        return texts.gettext(N_("{white} against {black}")).format(white=white, black=black)
    if viewer is None:
        title = N_("A guest against the computer, level {level}")
    else:
        title = N_("You against the computer, level {level}")
    return texts.gettext(title).format(level=computer.level)


def _again(game: Game, own: Color) -> dict[str, object] | None:
    computer = game.player(own.opponent)
    if not computer.is_computer:
        return None
    return {"color": color_to_json(own.opponent), "rules": game.origin.rules, "level": computer.level}


def _picture(board: Board, orientation: Color, language: str) -> Markup:
    picture = board_svg(board, orientation=orientation, size=None, language=language)
    return Markup(picture)  # noqa: S704 (numbers, and words that it has escaped)


def side_of(game: Game, visitor: str | None) -> Color | None:
    """The side that a visitor plays in a game; None for who watches."""
    if visitor is None:
        return None
    return next((color for color in Color if game.player(color).id == visitor), None)
