"""Steps of the guide: the means to win, and how a game ends."""

from __future__ import annotations

from typing import Final

from damier.board import START_FEN
from damier.i18n import N_
from damier.server.guide.step import Step
from damier.server.guide.tasks import Choose, Draws, Gains, Lands, Play, WholeGame, Wins

MAIN_ROAD: Final = (46, 41, 37, 32, 28, 23, 19, 14, 10, 5)

WINNING: Final = (
    Step(
        slug="exchange",
        title=N_("An exchange"),
        text=(
            N_(
                "You can give a man and take one back at once. That is an exchange: nobody has won anything by it, but the position is another, and it was you who chose it."
            ),
        ),
        ask=N_("Offer a man so that Black must take it and you take one back."),
        hints=(
            N_("Which square next to Black's man on 21 can you go to, with another man of yours behind it?"),
            N_("Play 32-27."),
        ),
        learned=N_("One for one. Before every exchange, see who comes to stand better by it."),
        otherwise=N_("With that nothing is exchanged. Play a man right in front of a black one."),
        fen="W:W32,37,41,45:B13,16,21,25",
        task=Play(Gains(0), 2),
        model=("32-27", "37x28"),
    ),
    Step(
        slug="shot",
        title=N_("A shot"),
        text=(
            N_(
                "Because capturing is compulsory, you can lead your opponent's pieces where you want them. You give something and take more back: that is a shot, also called a combination."
            ),
        ),
        ask=N_("Give one man, and take three with your next move."),
        hints=(
            N_("Your man on 32 could take three if something of Black's stood elsewhere. What is in its way?"),
            N_("The black man on 23 must be lured away. Offer it the man on 34."),
        ),
        learned=N_(
            "34-29, 23x34, and 32x3 takes three and crowns. Whenever you see empty squares behind Black's men, look for a shot."
        ),
        otherwise=N_("With that you do not win three. Black must be forced to leave 23."),
        fen="W:W32,34,37:B8,18,23,28",
        task=Play(Gains(2), 2),
        model=("34-29", "32x3"),
    ),
    Step(
        slug="second-shot",
        title=N_("A shot in three moves"),
        text=(
            N_(
                "Most shots have several stages: one piece is lured here, another there, and then comes the blow. Read it from the end: which capture do you want, and what must still change for it?"
            ),
        ),
        ask=N_("Give two men and take four. You need three moves, and Black never has a choice."),
        hints=(
            N_("At the end your man on 26 is to take two. For that the black man on 17 has to leave its place."),
            N_("Begin with 40-34; then 44 captures and lands on 22, right in front of 17."),
        ),
        learned=N_("40-34, 30x39, 44x22, 17x28, 26x6: two given, four taken. This is how games are decided."),
        otherwise=N_("That does not work, or wins less. Each of your moves must leave Black just one answer."),
        fen="W:W26,40,44,50:B11,17,21,28,30",
        task=Play(Gains(2, given=2), 3),
        model=("40-34", "44x22", "26x6"),
    ),
    Step(
        slug="opposition",
        title=N_("Opposition"),
        text=(
            N_(
                "When two men come towards each other, it matters whose turn it is. Whoever has to move when they stand face to face must give way, and loses the man. To bring that about is called taking the opposition."
            ),
        ),
        ask=N_("One man each, and you are to move. Stop Black's man, and win."),
        hints=(
            N_("You have two moves. Count where the men meet after each of them, and whose turn it is then."),
            N_("Play 43-39; whatever Black does, 39-34 comes next."),
        ),
        learned=N_("Black had to run into your man. One square to the other side, and it would have passed."),
        otherwise=N_("Now Black gets past your man. Start again, and take the other way."),
        fen="W:W43:B20",
        task=Play(Wins(), 3),
        model=("43-39", "39-34", "34x23"),
    ),
    Step(
        slug="blocked",
        title=N_("Nothing left to move"),
        text=(
            N_(
                "You win when your opponent cannot move: because nothing is left, or because everything is blocked. Whoever is to move and has no legal move has lost, however many pieces there are."
            ),
        ),
        ask=N_("Black has two men. Win by making a move after which neither can move."),
        hints=(N_("The man on 15 is blocked by the black man on 20. Where can that one still go?"), N_("Close 25.")),
        learned=N_("After 30-25 Black has two men and not one move. The game is yours."),
        otherwise=N_("Black can still move. Take the last square away from the man on 20."),
        fen="W:W24,29,30:B15,20",
        task=Play(Wins()),
        model=("30-25",),
    ),
)

ENDINGS: Final = (
    Step(
        slug="three-against-one",
        title=N_("Three kings against one"),
        text=(
            N_(
                "A single king is hard to catch. Three kings can catch one that is not on the main road, the long diagonal from 46 to 5, but seldom by chasing it: they offer it something."
            ),
        ),
        ask=N_("Offer Black's king two of your kings so that the third takes it."),
        hints=(
            N_("Think of where Black's king must land, and of which king of yours looks at that square."),
            N_("Play 38-32."),
        ),
        learned=N_(
            "38-32, 41x39, 50x6: nothing is left to Black. A king that stays on the main road is not caught that way."
        ),
        otherwise=N_("Black's king is not caught so. Put a king right in its way."),
        fen="W:WK33,K38,K50:BK41",
        task=Play(Wins(), 2),
        model=("38-32", "50x6"),
    ),
    Step(
        slug="main-road",
        title=N_("The main road"),
        text=(
            N_(
                "The longest diagonal, from 46 to 5, is called the main road. A lone king that holds it cannot be beaten by three kings. It is the most important thing to know when you are behind."
            ),
        ),
        ask=N_("You have one king against three. Save it: go to the main road."),
        hints=(N_("The main road runs over 46, 41, 37, 32, 28, 23, 19, 14, 10 and 5. One of these is within reach."),),
        learned=N_("On the main road nobody catches you: a draw."),
        otherwise=N_("That is not on the main road, and away from it three kings can catch you."),
        fen="W:WK42:BK7,K11,K16",
        task=Play(Lands(MAIN_ROAD)),
        model=("42-37",),
    ),
    Step(
        slug="repetition",
        title=N_("A draw"),
        text=(
            N_(
                "A game that nobody can win is a draw. By the world federation's rules it ends by itself when the same position has stood three times with the same player to move. With few pieces there is also a limit to the number of moves."
            ),
        ),
        ask=N_("Stay on the main road until the position has stood three times."),
        hints=(
            N_("Go along the road and back to 37, twice: the position repeats when both sides stand as before."),
            N_("For example 37-46, 46-37, 37-46 and 46-37."),
        ),
        learned=N_("The third time: a draw. You may also offer a draw in a game; your opponent accepts or plays on."),
        otherwise=N_(
            "So the position does not come back in time, or your king is lost. Go along the road and return to 37, twice."
        ),
        fen="W:WK37:BK7,K11,K16",
        task=Play(Draws(), 4, replies=("7-1", "1-7", "7-1", "1-7")),
        model=("37-46", "46-37", "37-46", "46-37"),
    ),
    Step(
        slug="clock",
        title=N_("Clock, resigning, good manners"),
        text=(
            N_(
                "Most games are played with a clock: each player has a time for the whole game and often some seconds more with every move. You lose when your time runs out, however well you stand."
            ),
            N_(
                "When a game is lost you may resign. That is no disgrace, and neither is playing on to see how it is won."
            ),
        ),
        ask=N_("White has three kings against one man, and White's time runs out. Who wins?"),
        hints=(N_("The clock does not look at the board."),),
        learned=N_("Black wins on time. Begin with much time, or none: against the computer here there is no clock."),
        otherwise=N_("No: time decides before the board does."),
        fen="W:WK28,K33,K39:B6",
        task=Choose((N_("White"), N_("Black"), N_("Nobody, it is a draw")), 1),
        model=("1",),
    ),
    Step(
        slug="first-game",
        title=N_("Your first whole game"),
        text=(
            N_(
                "You know all the rules now. The computer of the first level knows them too, and little more. Take your time, look at all captures before you move, and enjoy it; there is no clock."
            ),
        ),
        ask=N_("Play a game to its end, won or lost."),
        hints=(N_("Keep your men together and near one another; a man alone is easily taken."),),
        learned=N_("You have played a whole game."),
        fen=START_FEN,
        task=WholeGame(),
        model=(),
    ),
)
