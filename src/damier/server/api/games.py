"""The routes of games: to read one, to play one's own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from litestar import MediaType, Request, Response, get, post
from litestar.params import PathParameter

from damier import Color
from damier.events import MoveMade
from damier.i18n import N_
from damier.notation.moves import parse_move, read_squares
from damier.refusals import GameOver, NotYourTurn
from damier.server.api.auth import asker, needs, who_asks
from damier.server.api.models import (
    ClocksView,
    Done,
    GameAction,
    GameView,
    MoveBody,
    OwnGame,
    PlayerView,
    ResultView,
    Rules,
)
from damier.server.api.openapi import PDN, GameOperation
from damier.server.api.problems import ApiError, documented
from damier.server.api.tokens import READ
from damier.server.club import Club
from damier.server.lobby import lists
from damier.server.play.decisions import PositionChanged, decision
from damier.server.play.messages import (
    AbortMessage,
    AcceptDrawMessage,
    AcceptTakeBackMessage,
    DeclineDrawMessage,
    DeclineTakeBackMessage,
    OfferDrawMessage,
    OfferTakeBackMessage,
    ResignMessage,
)
from damier.server.play.web import PDN_SUFFIX, pdn_text, side_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier import Move
    from damier.events import Event
    from damier.game import Game
    from damier.record import Player
    from damier.server.people import Who
    from damier.server.play.messages import GameMessage
    from damier.server.play.store import GameSummary
    from damier.server.play.view import View

Req = Request[Any, Any, Any]
GamePath = Annotated[str, PathParameter(pattern=r"^[A-Za-z0-9]{1,64}$", description="The id of a game.")]
GameFile = Annotated[
    str,
    PathParameter(
        pattern=r"^[A-Za-z0-9]{1,64}(\.pdn)?$", description="The id of a game; with `.pdn` behind it, the game as PDN."
    ),
]

MESSAGES: Final[Mapping[str, type[GameMessage]]] = {
    "resign": ResignMessage,
    "abort": AbortMessage,
    "offer_draw": OfferDrawMessage,
    "accept_draw": AcceptDrawMessage,
    "decline_draw": DeclineDrawMessage,
    "offer_take_back": OfferTakeBackMessage,
    "accept_take_back": AcceptTakeBackMessage,
    "decline_take_back": DeclineTakeBackMessage,
}
"""What an action says, as the socket's messages have it; the two claims are no event of the player's own."""

NOT_A_PLAYER: Final = N_("You are watching: only the players can do this.")
TAKES_OTHERS: Final = N_("{move} takes other pieces: {captured}.")


# --- Reading ---------------------------------------------------------------------------------------------------------


@get("/games/{game_id:str}", operation_class=GameOperation, responses=documented(404))
async def game(request: Req, club: Club, game_id: GameFile) -> Response[GameView]:
    """A game as it stands, or as PDN.

    Whoever has its id may read a game, and needs no token. With `.pdn` behind the id it comes as PDN.
    """
    as_pdn = game_id.endswith(PDN_SUFFIX)
    game_id = game_id.removesuffix(PDN_SUFFIX)
    view = await club.play.view(game_id)
    headers = {"cache-control": "private, no-cache"}
    if as_pdn:
        ratings = await club.ratings.standing(game_id)
        text = pdn_text(view.game, view.created, str(request.base_url).rstrip("/"), ratings)
        return cast("Response[GameView]", Response(text, media_type=PDN, headers=headers))
    rated = (await club.ratings.standing(game_id)).is_rated
    shown = _game_view(game_id, view, who_asks(request), club.play.now(), rated=rated)
    return Response(shown, media_type=MediaType.JSON, headers=headers)


def _game_view(game_id: str, view: View, who: Who | None, now: float, *, rated: bool) -> GameView:
    game, origin = view.game, view.game.origin
    state = view.first_state(game_id, None, "en", now)
    return GameView(
        id=game_id,
        rules=cast("Rules", origin.rules),
        clock=origin.clock.to_pdn(),
        rated=rated,
        public=view.is_public,
        white=_player_view(origin.white, who),
        black=_player_view(origin.black, who),
        fen=view.fen,
        start_fen=origin.fen,
        moves=[ply.text for ply in view.plies],
        turn=state.turn,
        result=None
        if game.result is None or state.result is None
        else ResultView(state.result.winner, game.result.score, game.result.reason),
        version=game.version,
        clocks=None if state.clock is None else ClocksView(state.clock.white, state.clock.black, state.clock.running),
    )


def _player_view(player: Player, who: Who | None) -> PlayerView:
    own = who is not None and player.id == who.id
    return PlayerView(player.name, player.kind, player.level, player.id if own else None)


@get("/games", **needs(READ), responses=documented())
async def own_games(request: Req, club: Club) -> list[OwnGame]:
    """My unfinished games, those that changed last first."""
    who = asker(request)
    return [own_game(each, who) for each in await club.store.unfinished_of(who.id, lists.OWN_MOST)]


def own_game(summary: GameSummary, who: Who) -> OwnGame:
    """An unfinished game as its player sees it in a list."""
    start = summary.start
    plays_white = start.white.id == who.id
    return OwnGame(
        id=summary.id,
        opponent=_player_view(start.black if plays_white else start.white, who),
        color="white" if plays_white else "black",
        your_turn=lists.is_to_move(summary, who.id),
        rules=cast("Rules", start.rules),
        clock=start.clock.to_pdn(),
        fen=summary.fen,
        last_move=None if summary.last_move is None else list(summary.last_move),
        due=summary.due,
    )


# --- Playing ---------------------------------------------------------------------------------------------------------


async def _side(request: Req, club: Club, game_id: str) -> Color:
    """The side that whoever asks plays. Raises :class:`ApiError` for who does not, and UnknownGame."""
    side = side_of((await club.play.view(game_id)).game, asker(request).id)
    if side is None:
        raise ApiError(403, "not_yours", NOT_A_PLAYER)
    return side


@post(
    "/games/{game_id:str}/moves",
    status_code=200,
    **needs("play", body=MoveBody),
    responses=documented(403, 404, 409, 422, 503, body=True),
)
async def move(request: Req, club: Club, game_id: GamePath, data: MoveBody) -> Done:
    """Make a move."""
    side = await _side(request, club, game_id)
    return _done(await club.play.submit(game_id, side, partial(_moved, data, side)))


def _moved(body: MoveBody, side: Color, game: Game) -> Event:
    """The move that is meant, in the position on the board."""
    if game.result is not None:
        raise GameOver
    if body.ply is not None and body.ply != game.plies:
        raise PositionChanged
    if game.turn is not side:
        raise NotYourTurn
    return MoveMade.of(_named(body, game))


def _named(body: MoveBody, game: Game) -> Move:
    """The legal move that is named. Raises IllegalMove."""
    board = game.board
    if body.captured is None:
        return parse_move(board, body.move)
    found = read_squares(body.move)
    if found is not None:
        start, target, captured = found[0][0], found[0][-1], tuple(sorted(body.captured))
        for each in board.legal_moves:
            if (each.from_square, each.to_square, each.captured) == (start, target, captured):
                return each
    meant = parse_move(board, body.move)  # which tells what is wrong, where that is not in ``captured``
    taken = " ".join(map(str, meant.captured)) or "–"
    raise ApiError(422, "illegal_move", TAKES_OTHERS, field="captured", move=str(meant), captured=taken)


@post(
    "/games/{game_id:str}/{action:str}",
    status_code=200,
    **needs("play"),
    responses=documented(403, 404, 409, 503),
)
async def act(request: Req, club: Club, game_id: GamePath, action: GameAction) -> Done:
    """Resign, offer, answer or claim.

    A claim is against an opponent who has left, as far as this server knows: open the game's socket while you play.
    """
    side = await _side(request, club, game_id)
    message = MESSAGES.get(action)
    if message is None:
        return _done(await club.rooms.claim(game_id, side, draw=action == "claim_draw"))
    return _done(await club.play.submit(game_id, side, decision(message(0), side)))


def _done(game: Game) -> Done:
    return Done(game.version, game.fen())
