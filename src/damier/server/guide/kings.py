"""Steps of the guide: kings, and the rules about captured pieces that matter with them."""

from __future__ import annotations

from typing import Final

from damier.i18n import N_
from damier.server.guide.step import Step
from damier.server.guide.tasks import Crowns, Lands, Play, Safe, Takes, Touch, Wins

KINGS: Final = (
    Step(
        slug="promotion",
        title=N_("Becoming a king"),
        text=(
            N_(
                "A man that ends its move on the farthest row becomes a king: a second disc is put on it. White crowns on 1 to 5, Black on 46 to 50. The king may move from the next turn on."
            ),
        ),
        ask=N_("Bring your man on 14 to the farthest row. Black moves in between."),
        hints=(N_("Two moves are enough: first to 9 or 10, then on to the top row."),),
        learned=N_("You have a king. It is worth about three men, so watch out for your opponent's runners, too."),
        otherwise=N_("That leads there too late. Go straight ahead with the man on 14."),
        fen="W:W14,48:B6",
        task=Play(Crowns(), 2),
        model=("14-9", "9-3"),
    ),
    Step(
        slug="king-moves",
        title=N_("A king's move"),
        text=(
            N_(
                "A king moves along the diagonals as far as it likes, forward and backward, as long as the squares are empty."
            ),
        ),
        ask=N_("Take your king to 15, at the other end of its diagonal, in one move."),
        hints=(N_("The diagonal runs from 47 over 38 and 29 up to 15. Touch 47, then 15."),),
        learned=N_("From edge to edge in one move: 47-15."),
        otherwise=N_("The king may go there, but asked for was 15."),
        fen="W:WK47:B6,16",
        task=Play(Lands((15,))),
        model=("47-15",),
    ),
    Step(
        slug="king-captures",
        title=N_("Capturing from afar"),
        text=(
            N_(
                "A king captures from any distance: along a diagonal, over a piece that stands by itself, to an empty square behind it. Two pieces right behind one another it cannot jump."
            ),
        ),
        ask=N_("Capture a man with your king."),
        hints=(N_("Look along the diagonal from 47: on 24 stands a man with empty squares behind it."),),
        learned=N_("The king came from afar. How far behind the piece it lands is up to you."),
        fen="W:WK47:B7,24",
        task=Play(Takes(1)),
        model=("47x20",),
    ),
    Step(
        slug="landing",
        title=N_("Where to land"),
        text=(
            N_(
                "After its last jump a king may stop on any empty square behind the piece. Choose one where it cannot be captured: to lose a king costs more than a man brings."
            ),
        ),
        ask=N_("Capture the man on 28, and land where Black cannot take your king."),
        hints=(
            N_(
                "23, 19, 14, 10 and 5 are open to you. Next to which of them stands a black man with room behind your king?"
            ),
            N_("On 19 and on 14 the king would be lost."),
        ),
        learned=N_("Well landed. Corners and edges are the safest places: nobody can jump over a piece there."),
        otherwise=N_("There Black takes your king. Choose another square to land on."),
        fen="W:WK46:B8,13,20,25,28",
        task=Play(Safe()),
        model=("46x5",),
    ),
    Step(
        slug="king-turns",
        title=N_("Long ways"),
        text=(
            N_(
                "A king, too, goes on capturing as long as it can and may turn after every jump, on any of the empty squares behind the piece. The longest capture is compulsory for kings as for men."
            ),
        ),
        ask=N_("Capture four men with one move of your king."),
        hints=(
            N_("Jump over 29 first, but not too far: you have to turn towards 20."),
            N_("47 over 29 to 24, over 20 to 15, over 10 to 4, and from there over 9."),
        ),
        learned=N_("Four men in one round trip. Such ways are seen by those who look for them."),
        fen="W:WK47:B1,9,10,20,29",
        task=Play(Takes(4)),
        model=("47x24x15x4x36",),
    ),
    Step(
        slug="passing-through",
        title=N_("Only passing through"),
        text=(
            N_(
                "A man that reaches the farthest row in the middle of a capture and can capture on from there must go on, and stays a man. Only who ends the move on that row becomes a king."
            ),
        ),
        ask=N_("Capture four men with your man on 21. Its way touches the farthest row."),
        hints=(N_("The first jump is over 17 to 12, the second over 8 to 3. Do not stop there."),),
        learned=N_("Four pieces, but no king: on 3 the move was not over."),
        fen="W:W21,42:B8,9,17,19,26",
        task=Play(Takes(4)),
        model=("21x23",),
    ),
    Step(
        slug="jumped-once",
        title=N_("No piece is jumped twice"),
        text=(
            N_(
                "Captured pieces stay on the board until the move is over, and no piece may be jumped twice. An empty square may be crossed again, a captured piece may not: it stands in the way like a wall."
            ),
        ),
        ask=N_("It is Black's turn, and the king on 49 captures four men. Touch the square on which its move ends."),
        hints=(
            N_("It goes over 38 to 27, over 22 to 18 and over 23 to 29."),
            N_("From 29 it jumps once more, over 34. There the edge is near."),
        ),
        learned=N_(
            "40 is the end. The man on 12 stays out of reach: 34 and 23 are captured, but they are still on the way to it."
        ),
        otherwise=N_("Not there. Follow the king jump by jump, and leave the captured men where they are."),
        fen="B:W12,22,23,34,38,45:BK49",
        task=Touch((40,)),
        model=("40",),
    ),
    Step(
        slug="coup-turc",
        title=N_("The Turkish stroke"),
        text=(
            N_(
                "That rule makes one of the finest traps of the game, the coup turc: the opponent's king is made to capture a great deal, stops before a wall of captured pieces, and is taken."
            ),
        ),
        ask=N_("Offer Black's king a long capture, and take the king with your next move."),
        hints=(
            N_("It must be made to go the way that you have just seen."),
            N_("One man still stands a square too far back for that: the one on 29."),
        ),
        learned=N_("29-23, 49x40 and 45x34: four men for a king, and the game is won."),
        otherwise=N_("The king does not fall into that. Lead it to 40, beside your man on 45."),
        fen="W:W12,22,29,34,38,45:BK49",
        task=Play(Wins(), 2),
        model=("29-23", "45x34"),
    ),
)
