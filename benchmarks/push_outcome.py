"""Playing moves and asking after each whether the game is over, against dame-rs: `python benchmarks/push_outcome.py`."""

from __future__ import annotations

import random

import dame
from compare import report, seconds

import damier

GAMES = 300
LONGEST = 150


def random_games() -> list[list[str]]:
    """Games of random moves, written as both sides read them: with the way where start and target do not decide."""
    chance = random.Random(20)
    games: list[list[str]] = []
    for _ in range(GAMES):
        board = damier.Board()
        texts: list[str] = []
        while board.outcome() is None and board.ply < LONGEST:
            move = chance.choice(board.legal_moves)
            texts.append(board.notation(move))
            board.push(move)
        games.append(texts)
    return games


def played(texts: list[str]) -> tuple[list[damier.Move], list[dame.Move]]:
    """The same game as moves of either side, so that no text is read while the clock runs."""
    board, peer = damier.Board(), dame.Board()
    ours: list[damier.Move] = []
    theirs: list[dame.Move] = []
    for text in texts:
        move = board.push(text)
        captured = set(move.captured)
        [same] = {
            str(each.hub): each
            for each in peer.legal_moves
            if (each.from_square, each.to_square, set(each.captured)) == (move.from_square, move.to_square, captured)
        }.values()
        peer.push(same)
        ours.append(move)
        theirs.append(same)
    return ours, theirs


def play(games: list[list[damier.Move]]) -> int:
    ended = 0
    for moves in games:
        board = damier.Board()
        push, outcome = board.push, board.outcome
        for move in moves:
            push(move)
            ended += outcome() is not None
    return ended


def play_dame(games: list[list[dame.Move]]) -> int:
    ended = 0
    for moves in games:
        board = dame.Board()
        push, outcome = board.push, board.outcome
        for move in moves:
            push(move)
            ended += outcome() is not None
    return ended


if __name__ == "__main__":
    both = [played(texts) for texts in random_games()]
    our_games = [ours for ours, _ in both]
    their_games = [theirs for _, theirs in both]
    plies = sum(map(len, our_games))
    report(
        f"push and outcome, {plies} plies",
        lambda: seconds(lambda: play(our_games)),
        "dame-rs",
        lambda: seconds(lambda: play_dame(their_games)),
        1,
    )
