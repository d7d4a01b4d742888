"""Steps of the guide: the board, and what men do."""

from __future__ import annotations

from typing import Final

from damier.board import START_FEN
from damier.i18n import N_
from damier.server.guide.step import Step
from damier.server.guide.tasks import AnyMove, Play, Safe, Takes, Touch

BOARD: Final = (
    Step(
        slug="board",
        title=N_("The board and its numbers"),
        text=(
            N_(
                "The board has ten rows of ten squares, and only the fifty dark ones are played on. They are numbered row by row, from 1 at the top left to 50 at the bottom right; White sits at the bottom."
            ),
            N_("With the numbers you can write down and read every move. Here they are hidden, so count."),
        ),
        ask=N_("Touch square 28."),
        hints=(
            N_("Each row has five dark squares: the first row is 1 to 5, the second 6 to 10."),
            N_("28 lies in the sixth row, 26 to 30, and is the third dark square from the left."),
        ),
        learned=N_("That is 28, in the middle of the board. The numbers may help you from now on."),
        otherwise=N_("That is another square. Count five to a row, beginning at the top left."),
        fen="W:W:B",
        task=Touch((28,)),
        model=("28",),
        numbers=False,
    ),
    Step(
        slug="setting-up",
        title=N_("Setting up"),
        text=(
            N_(
                "Each side has twenty men and fills its four nearest rows with them: Black 1 to 20, White 31 to 50. Two rows between them stay empty. The board lies so that each player has a dark square at the left-hand corner."
            ),
        ),
        ask=N_("Two men are still in the box, a black one and a white one. Touch the two squares where they belong."),
        hints=(
            N_("Look for a gap in the four rows of each side."),
            N_("The black man belongs in Black's third row, the white man in White's second row from the middle."),
        ),
        learned=N_("13 and 38: now the board is set up. White always makes the first move."),
        otherwise=N_("That square is as it should be. Look for the gaps in the rows of men."),
        fen="W:W31-37,39-50:B1-12,14-20",
        task=Touch((13, 38)),
        model=("13", "38"),
    ),
)

MEN: Final = (
    Step(
        slug="first-move",
        title=N_("A man's move"),
        text=(
            N_(
                "A man moves one square diagonally forward, to an empty square. The players move in turn, and White begins. A move is written as the two squares with a hyphen between them: 32-28."
            ),
        ),
        ask=N_("Make a move for White. Any will do."),
        hints=(
            N_("Only the men of the front row can move: those on 31 to 35. Touch one, then the square it is to go to."),
        ),
        learned=N_("A good beginning: the man went one square forward, and it is Black's turn."),
        fen=START_FEN,
        task=Play(AnyMove()),
        model=("32-28",),
    ),
    Step(
        slug="capture",
        title=N_("Capturing"),
        text=(
            N_(
                "When an opponent's piece stands right in front of your man and the square behind it is empty, the man jumps over it and takes it off the board. A capture is written with an x: 33x22."
            ),
        ),
        ask=N_("Capture the black man on 28."),
        hints=(N_("Your man on 33 stands next to it, and 22 behind it is empty. Touch 33, then 22."),),
        learned=N_("You jumped from 33 to 22 and took the man on 28. Your own men are never jumped."),
        fen="W:W33,39,44:B9,13,28",
        task=Play(Takes(1)),
        model=("33x22",),
    ),
    Step(
        slug="compulsory",
        title=N_("Capturing is compulsory"),
        text=(
            N_(
                "Whoever can capture must capture; no other move is legal then. So look at every man of yours before you move. Whoever forgets is told so here, and then captures after all."
            ),
        ),
        ask=N_("One of your five men can capture. Find it."),
        hints=(
            N_("Look for a black man that stands next to one of yours, with nothing behind it."),
            N_("The black man on 27 has come too close to your man on 31."),
        ),
        learned=N_("31x22 was the only legal move. Being made to capture can hurt, too: many a trap is built on it."),
        fen="W:W31,33,35,38,43:B12,14,19,27",
        task=Play(Takes(1)),
        model=("31x22",),
    ),
    Step(
        slug="backward",
        title=N_("Capturing backward"),
        text=(N_("Men move forward only, but they capture in every direction, backward too. The rest is the same."),),
        ask=N_("Your man on 23 has a black man behind it. Capture it."),
        hints=(N_("The black man stands on 29, and 34 is empty."),),
        learned=N_("23x34, a step back for a man that had run past. Behind your men, too, nothing is safe from them."),
        fen="W:W23,32:B9,14,29",
        task=Play(Takes(1)),
        model=("23x34",),
    ),
    Step(
        slug="several",
        title=N_("Several in one move"),
        text=(
            N_(
                "When your man can capture again from where it lands, it does so in the same move, and may turn at every jump. The captured pieces are taken off when the whole move is over."
            ),
        ),
        ask=N_("Capture three men with one move."),
        hints=(
            N_("Begin with 37 over 31, to the edge of the board."),
            N_("From 26 the way goes over 21 to 17, and from there over 22 to 28. Touch 37, then 28."),
        ),
        learned=N_("Three at once: 37x28, by way of 26 and 17."),
        fen="W:W37,48:B4,21,22,31",
        task=Play(Takes(3)),
        model=("37x28",),
    ),
    Step(
        slug="longest",
        title=N_("The longest capture"),
        text=(
            N_(
                "When there are several captures you must make the one that takes the most pieces. Only their number counts: a king counts as one piece, like a man."
            ),
        ),
        ask=N_("Three of your men can capture: they take two, three and four pieces. Make the move that takes four."),
        hints=(
            N_("Follow each capture to its end before you choose. Begin with the men at the edge."),
            N_("The man on 37 goes first over 31 to 26."),
        ),
        learned=N_("37x19 took four. The captures of two and three were not legal."),
        fen="W:W29,33,36,37:B7,11,12,21-23,31",
        task=Play(Takes(4)),
        model=("37x19",),
    ),
    Step(
        slug="choice",
        title=N_("The choice is yours"),
        text=(
            N_(
                "When two captures take the same number you may choose. Then think one move on: what can the opponent capture afterwards?"
            ),
        ),
        ask=N_("Two of your men can capture two pieces. Choose so that Black cannot take anything back."),
        hints=(
            N_("The captures are 27x29 and 28x10. Picture the board after each."),
            N_("On 10 your man would stand alone among Black's, with an empty square behind it."),
        ),
        learned=N_("After 27x29 Black has nothing to capture. Equal numbers, yet not equally good."),
        otherwise=N_("Legal, but now Black captures your man. Try the other capture."),
        fen="W:W27,28,43,45:B14,22,23,26",
        task=Play(Safe()),
        model=("27x29",),
    ),
)
