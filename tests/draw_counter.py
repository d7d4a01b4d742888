"""A second count of the draws, to judge the kernel's by: written from the text of the rules, sharing nothing.

A game is the positions that stood, the first one included, and the moves between them, in the forms of
``tests.mailbox``: a position is ``(board, turn)``. Everything is counted anew from the whole game each time it is
asked, in the words of the rules and not in the way of a program that must be fast.
"""

from __future__ import annotations

from tests import mailbox

Position = tuple[mailbox.Board, str]


class Game:
    """What has happened, as an arbiter has it on the score sheet."""

    def __init__(self, board: mailbox.Board, turn: str) -> None:
        self.positions: list[Position] = [(board, turn)]
        self.moves: list[mailbox.Move] = []

    def play(self, move: mailbox.Move) -> None:
        board, turn = self.positions[-1]
        self.positions.append((mailbox.play(board, move), "b" if turn == "w" else "w"))
        self.moves.append(move)

    def take_back(self) -> None:
        self.positions.pop()
        self.moves.pop()

    # --- The draws, each in its own words ---

    def times_stood(self) -> int:
        """How often the position on the board has stood with the same side to move; the start counts."""
        return self.positions.count(self.positions[-1])

    def king_plies(self) -> int:
        """Single moves in a row, up to now, in which a king moved and nothing was captured."""
        number = 0
        for (board, _), (start, _, captured, _) in zip(
            reversed(self.positions[:-1]), reversed(self.moves), strict=True
        ):
            if captured or board[start] not in "WB":
                break
            number += 1
        return number

    def endgame(self) -> int:
        """16 or 5 if the pieces on the board are those of such an ending, else 0."""
        return endgame(self.positions[-1][0])

    def endgame_plies(self) -> int:
        """Single moves made since the capture or the promotion that brought this ending about."""
        kinds = [endgame(board) for board, _ in self.positions]
        number = 0
        while number < len(self.moves) and kinds[-2 - number] == kinds[-1]:
            number += 1
        return number

    def same_move(self, ago: int = 1) -> int:
        """How often the player of the last move (of the one before it: ``ago`` 2) has made it, with nothing but its
        reversal in between.
        """
        own = self.moves[::-1][ago - 1 :: 2]  # the latest first
        if not own:
            return 0
        start, target = own[0][:2]
        times = 1
        for back, again in zip(own[1::2], own[2::2], strict=False):
            if back[:2] != (target, start) or again[:2] != (start, target):
                break
            times += 1
        return times

    def draws(self, rules: str) -> set[str]:
        """All the rules of a rule set by which the game is drawn now; empty if the side to move has lost, too."""
        board, turn = self.positions[-1]
        if not mailbox.legal_moves(board, turn, rules == "club"):
            return set()
        found: set[str] = set()
        match rules:
            case "official":
                if self.times_stood() >= 3:
                    found.add("repetition")
                if self.king_plies() >= 25 + 25:
                    found.add("king_moves")
                if self.endgame() == 16 and self.endgame_plies() >= 16 + 16:
                    found.add("three_pieces")
                if self.endgame() == 5 and self.endgame_plies() >= 5 + 5:
                    found.add("two_pieces")
            case "leaflet":
                if self.times_stood() >= 3:
                    found.add("repetition")
                if self.same_move() >= 3:
                    found.add("same_move")
            case "classic":
                if len(self.moves) >= 500 + 500:
                    found.add("move_limit")
            case "club":
                if self.king_plies() >= 50 + 50:
                    found.add("king_moves")
            case _:
                raise ValueError(rules)
        return found


def endgame(board: mailbox.Board) -> int:
    """16 for a lone king against 3K, 2K+1M or 1K+2M; 5 for one against 2K, 1K+1M or 1K; else 0.

    >>> endgame([" ", "B", *"." * 40, "w", "w", "W", *"." * 6])
    16
    """
    pieces = sorted(piece for piece in board[1:] if piece != ".")
    white = "".join(piece for piece in pieces if piece in "wW")
    black = "".join(piece.translate(str.maketrans("bB", "wW")) for piece in pieces if piece in "bB")
    for lone, several in ((white, black), (black, white)):
        if lone == "W":
            if several in ("WWW", "WWw", "Www"):
                return 16
            if several in ("WW", "Ww", "W"):
                return 5
    return 0
