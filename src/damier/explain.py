"""Why a move is illegal: the one reason for an attempted start and target, the most fundamental first.

The reasons, from the most fundamental on (``code``: ``facts``); ``from`` and ``to`` are always there:

===================  ===============================================================================
game_over            ``rule``: what ended it
not_your_turn        (only if asked on behalf of a side)
bad_square           ``square``
no_piece
not_your_piece
touched_another      ``touched``: the square of the touched piece; ``choices``: its legal moves
same_square
occupied             ``own``: whether by a piece of one's own
men_move_forward
must_capture         ``choices``: the legal captures as texts; ``pieces``: who can capture
must_take_more       ``takes``: how many this takes; ``required``; ``choices``
stop_too_early       ``choices``: the ways of the legal captures that go on from there
jumped_twice         ``square``: the piece
two_in_a_row         ``first``, ``second``: the pieces one behind the other
crowned_at_end       ``square``: where on the far row the man stays a man
man_lands_behind     ``square``: the piece; ``behind``: the square right behind it
blocked              ``square``: the piece in the way; ``own``; ``behind``: the held square behind it, or 0
man_one_square
not_diagonal
===================  ===============================================================================

Exactly one of them is given for an illegal start and target, none for a legal one. Each names the article or the page
that it comes from (:mod:`damier.articles`).
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from damier.articles import Article, article
from damier.board import Color
from damier.i18n import N_, NN_
from damier.lines import RAYS, between, far_row, row_step
from damier.notation.moves import long_text
from damier.values import expect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from damier import Board, Move

    State: TypeAlias = tuple[int, int, bool]
    Fact: TypeAlias = int | bool | str | tuple[int, ...] | tuple[str, ...]

__all__ = ["Explainer", "Reason", "explain", "explain_move"]

_SHOWN = 3  # choices in a sentence; all are in the facts
_MOST_STATES = 10_000
_SQUARES = frozenset(range(1, 51))

_SENTENCES = {
    "game_over": N_("The game is over; start a new one to play on."),
    "not_your_turn": N_("It is not your turn; wait for your opponent's move."),
    "bad_square": N_("There is no square {square}; pieces stand on the squares 1 to 50, the dark ones."),
    "no_piece": N_("There is no piece on {from}; move one of your own."),
    "not_your_piece": N_("The piece on {from} is your opponent's; move one of your own."),
    "touched_another": N_("You touched the piece on {touched}; that is the one you must move ({choices})."),
    "same_square": N_("The piece already stands on {to}; move it to another square."),
    "occupied": N_("{to} is occupied; a piece is captured by jumping over it to the empty square behind it."),
    "occupied own": N_("Your own piece stands on {to}; choose an empty square."),
    "men_move_forward": N_("A man moves forward; only when it captures may it go back."),
    "must_capture": N_("You must capture ({choices})."),
    "must_take_more": N_("{from}x{to} takes {takes}; you must take {required} ({choices})."),
    "stop_too_early": N_("You may not stop on {to}; the capture goes on ({choices})."),
    "crowned_at_end": N_("A man is crowned only where its move ends; on {square} it goes on capturing as a man."),
    "jumped_twice": N_("No piece is jumped twice; the one on {square} stays there until the capture is over."),
    "two_in_a_row": N_("{first} and {second} stand one behind the other; two in a row cannot be jumped."),
    "man_lands_behind": N_("A man that jumps {square} lands on the square right behind it, {behind}."),
    "blocked": N_("The piece on {square} cannot be jumped; the square behind it is occupied."),
    "blocked own": N_("Your own piece on {square} is in the way; own pieces are not jumped."),
    "man_one_square": N_("A man moves one square at a time, unless it captures."),
    "not_diagonal": N_("Pieces move along the diagonals; {to} is not on one with {from}."),
}
_PIECES_TAKEN = NN_("one piece", "{n} pieces")


class Reason:
    """The one reason why a move is illegal: a frozen value that can say itself.

    ``code`` names it and ``facts`` (squares, counts, the legal alternatives) tell what it is about in this position;
    both are listed at the head of this module. ``article``: where the rule is written, None for rules of one's own.

    >>> from damier import Board
    >>> reason = explain(Board("W:W28,31:B22,23"), 31, 27)
    >>> reason.code, reason.facts["choices"]
    ('must_capture', ('28x17', '28x19'))
    >>> print(reason.sentence())
    You must capture (28x17, 28x19).
    >>> print(reason.article)
    Rules of the FMJD, annex 1, article 4.2
    """

    __slots__ = ("_items", "article", "code")

    code: str
    article: Article | None

    def __init__(self, code: str, facts: Mapping[str, Fact] | None = None, article: Article | None = None) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "article", article)
        object.__setattr__(self, "_items", tuple((facts or {}).items()))

    @property
    def facts(self) -> dict[str, Fact]:
        """The facts by name, in a new dictionary that goes to JSON as it is."""
        items: tuple[tuple[str, Fact], ...] = object.__getattribute__(self, "_items")
        return dict(items)

    def sentence(self, language: str = "en") -> str:
        """The reason as one sentence in a language ("nl", "fr", "de" or "en") that says what to do instead."""
        from damier.i18n import translator

        catalogue = translator(language)
        facts = self.facts
        key = f"{self.code} own" if facts.get("own") else self.code
        words: dict[str, object] = dict(facts)
        for count in ("takes", "required"):
            if count in facts:
                number = int(facts[count])  # pyright: ignore[reportArgumentType]
                words[count] = catalogue.ngettext("one piece", "{n} pieces", number).format(n=number)
        choices = facts.get("choices")
        if isinstance(choices, tuple):
            shown = [str(choice) for choice in choices[:_SHOWN]]
            words["choices"] = ", ".join(shown + ["…"] * (len(choices) > _SHOWN))
        return catalogue.gettext(_SENTENCES[key]).format(**words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reason):
            return NotImplemented
        return (self.code, self.facts, self.article) == (other.code, other.facts, other.article)

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.facts.items())))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a reason is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a reason is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[object, ...]:
        return Reason, (self.code, self.facts, self.article)

    def __repr__(self) -> str:
        return f"Reason({self.code!r}, {self.facts!r}, {self.article!r})"


def explain(
    board: Board,
    from_square: int,
    to_square: int,
    by: Color | None = None,
    *,
    capture: bool = False,
    touched: int | None = None,
    ended: str | None = None,
) -> Reason | None:
    """Why there is no legal move from one square to another, or None if there is one.

    ``by``: the side that tries, where it may be the one that is not to move. ``capture``: whether the move is meant as
    a capture (32x28), which matters where a king could slide to the same square. ``touched``: the square of the piece that
    the player has touched, if any; it binds where the rules have touch-move and that piece has a legal move.
    ``ended``: what ended the game, where that was no move (a resignation, an agreement, a flag). Nothing is legal once
    the game is over, by a draw that ends it too. Raises TypeError for squares that are no numbers and for no side.

    >>> from damier import Board, Color
    >>> explain(Board(), 32, 28) is None
    True
    >>> explain(Board(), 32, 23).code, explain(Board(), 33, 32).code, explain(Board(), 32, 41).code
    ('man_one_square', 'occupied', 'occupied')
    >>> print(explain(Board("W:W35:B19,20,30"), 35, 24).sentence())
    You may not stop on 24; the capture goes on (35x24x13, 35x24x15).
    >>> explain(Board(), 20, 25, by=Color.BLACK).code
    'not_your_turn'
    >>> print(explain(Board(rules="leaflet"), 32, 28, touched=31).sentence())
    You touched the piece on 31; that is the one you must move (31-26, 31-27).
    >>> explain(Board(), 32, 28, ended="resigned").code
    'game_over'
    """
    for square in (from_square, to_square, touched or 0):
        expect(square, int, "a square is a number from 1 to 50")
    if by is not None:
        expect(by, Color, "a side is Color.WHITE or Color.BLACK")
    explainer = Explainer(board, touched=touched)
    if ended is not None:
        return explainer.game_over(from_square, to_square, ended)
    outcome = board.outcome()
    if outcome is not None:
        return explainer.game_over(from_square, to_square, outcome.rule)
    if by is not None and by is not board.turn:
        return explainer.give("not_your_turn", from_square, to_square)
    return explainer.reason(from_square, to_square, capture=capture)


def explain_move(board: Board, from_square: int, to_square: int, *, capture: bool = False) -> Reason | None:
    """The same for the side to move, and in a position that is drawn by count or repetition too.

    For those who look into a game rather than play it: there a move after the end may be legal.
    """
    return Explainer(board).reason(from_square, to_square, capture=capture)


class Explainer:
    """Answers :func:`explain_move` for many attempts in one position, which the board must not leave meanwhile.

    ``touched``: as in :func:`explain`.

    >>> from damier import Board
    >>> explainer = Explainer(Board())
    >>> [target for target in range(1, 51) if explainer.reason(32, target) is None]
    [27, 28]
    """

    def __init__(self, board: Board, *, touched: int | None = None) -> None:
        self.board = board
        self.turn = board.turn
        self.own = frozenset(board.pieces(self.turn))
        self.enemies = frozenset(board.pieces(self.turn.opponent))
        self.kings = frozenset(board.pieces(king=True))
        self.legal = board.legal_moves
        self._touched = 0
        if touched is not None and board.rules.touch_move:
            bound = [move for move in self.legal if move.from_square == touched]
            if bound:
                self.legal, self._touched = bound, touched
        self._pairs = {(move.from_square, move.to_square) for move in self.legal}
        self._captures: dict[tuple[int, bool], _Captures] = {}

    def captures(self, start: int, in_passing: bool) -> _Captures:
        """What the piece on ``start`` can capture; ``in_passing``: if men are crowned in the middle of a capture."""
        found = self._captures.get((start, in_passing))
        if found is None:
            found = self._captures[start, in_passing] = _Captures(self, start, in_passing)
        return found

    def reason(self, from_square: int, to_square: int, *, capture: bool = False) -> Reason | None:
        """Why the side to move has no legal move from one square to another, or None if it has one.

        ``capture``: as in :func:`explain`.
        """
        if (from_square, to_square) in self._pairs:
            return None
        for square in (from_square, to_square):
            if not 1 <= square <= 50:
                return self.give("bad_square", from_square, to_square, square=square)
        if not self.legal:
            return self.game_over(from_square, to_square, "no_moves")
        if from_square not in self.own:
            code = "not_your_piece" if from_square in self.enemies else "no_piece"
            return self.give(code, from_square, to_square)
        if self._touched not in (0, from_square):
            choices = _texts(self.legal)
            return self.give("touched_another", from_square, to_square, touched=self._touched, choices=choices)
        if from_square == to_square and not self.legal[0].is_capture:
            return self.give("same_square", from_square, to_square)
        if from_square != to_square and (to_square in self.own or to_square in self.enemies):
            return self.give("occupied", from_square, to_square, own=to_square in self.own)
        return _Attempt(self, from_square, to_square).reason(capture)

    def game_over(self, from_square: int, to_square: int, rule: str) -> Reason:
        """That nothing is legal any more because of ``rule``."""
        code = "no_pieces" if rule == "no_moves" and not self.own else rule
        source = article(self.board.rules, code)
        if source is not None and not source.number:
            source = article(self.board.rules, "game_over")
        return Reason("game_over", {"from": from_square, "to": to_square, "rule": rule}, source)

    def give(self, code: str, from_square: int, to_square: int, **facts: Fact) -> Reason:
        """The reason ``code`` with its facts and its article."""
        king = self.legal[0].from_square if code == "must_capture" else from_square
        rule = "blocked own" if code == "blocked" and facts["own"] else code
        source = article(self.board.rules, rule, king in self.kings)
        return Reason(code, {"from": from_square, "to": to_square, **facts}, source)


class _Attempt:
    """A piece of the side to move on its way to an empty square that it may not go to."""

    def __init__(self, position: Explainer, start: int, target: int) -> None:
        self.position = position
        self.occupied = position.own | position.enemies
        self.king = start in position.kings
        self.legal = position.legal
        self.start = start
        self.target = target
        self.leapt = between(start, target)

    def reason(self, capture: bool) -> Reason:
        if self.start == self.target:
            return self.as_capture() or self.give("same_square")
        if self.leapt is None:
            return self.as_capture() or self.as_jumping_twice() or self.as_crowned_in_passing() or self.off_line()
        if not any(square in self.occupied for square in self.leapt) and (self.king or not self.leapt):
            return (self.as_capture() if capture else None) or self.as_step_or_slide()
        if self.king:
            return self.as_capture() or self.on_line_as_king()
        if len(self.leapt) == 1:
            return self.as_capture() or self.on_line_as_man()
        return (
            self.as_capture()
            or self.as_jumping_twice()
            or self.two_in_a_row()
            or self.as_crowned_in_passing()
            or self.on_line_as_man()
        )

    def give(self, code: str, **facts: Fact) -> Reason:
        return self.position.give(code, self.start, self.target, **facts)

    def as_step_or_slide(self) -> Reason:
        if not self.king and row_step(self.start, self.target, self.position.turn) < 0:
            return self.give("men_move_forward")
        return self.must_capture()

    def must_capture(self) -> Reason:
        pieces = tuple(sorted({move.from_square for move in self.legal}))
        return self.give("must_capture", pieces=pieces, choices=_texts(self.legal))

    # Captures: what the piece can reach under the rules, or could if one of them did not hold.

    def search(self, in_passing: bool) -> _Captures:
        return self.position.captures(self.start, in_passing)

    @property
    def crowned_in_passing(self) -> bool:
        return self.position.board.rules.crowned_in_passing

    def as_capture(self) -> Reason | None:
        """For a capture that the piece can make from start to target, but that does not take enough."""
        if not self.legal[0].is_capture:
            return None
        required = len(self.legal[0].captured)
        captures = self.search(self.crowned_in_passing)
        if captures.too_many:
            return self.must_capture()
        takes = captures.most_taken(self.target)
        if takes == 0:
            return None
        choices = captures.ways_over(self.target, required)
        if choices:
            return self.give("stop_too_early", choices=tuple(choices))
        return self.give("must_take_more", takes=takes, required=required, choices=_texts(self.legal))

    def as_jumping_twice(self) -> Reason | None:
        if not self.legal[0].is_capture:
            return None
        square = self.search(self.crowned_in_passing).jumped_twice(self.target)
        return self.give("jumped_twice", square=square) if square else None

    def as_crowned_in_passing(self) -> Reason | None:
        if self.king or self.crowned_in_passing or not self.legal[0].is_capture:
            return None
        square = self.search(in_passing=True).crowned_on_way(self.target)
        return self.give("crowned_at_end", square=square) if square else None

    # Lines: what stands between start and target, or that they share no line.

    def off_line(self) -> Reason:
        return self.give("not_diagonal")

    def two_in_a_row(self) -> Reason | None:
        first, second = (*(self.leapt or ()), self.target)[:2]
        if self.is_enemy(first) and self.is_enemy(second):
            return self.give("two_in_a_row", first=first, second=second)
        return None

    def on_line_as_man(self) -> Reason:
        first, behind = (*(self.leapt or ()), self.target)[:2]
        if self.is_enemy(first):
            if behind not in self.occupied:
                return self.give("man_lands_behind", square=first, behind=behind)
            return self.give("blocked", square=first, own=False, behind=behind)
        if behind == self.target and first in self.occupied:
            return self.give("blocked", square=first, own=True, behind=0)
        if row_step(self.start, self.target, self.position.turn) < 0:
            return self.give("men_move_forward")
        return self.give("man_one_square")

    def on_line_as_king(self) -> Reason:
        leapt = self.leapt or ()
        for square, behind in zip(leapt, (*leapt[1:], self.target), strict=True):
            if square not in self.occupied:
                continue
            if not self.is_enemy(square):
                return self.give("blocked", square=square, own=True, behind=0)
            if self.is_enemy(behind):
                return self.give("two_in_a_row", first=square, second=behind)
            if behind in self.occupied:
                return self.give("blocked", square=square, own=False, behind=behind)
        raise AssertionError("a king that jumps every piece on its line reaches the end of it")

    def is_enemy(self, square: int) -> bool:
        return square in self.position.enemies


def _texts(moves: Iterable[Move]) -> tuple[str, ...]:
    """The moves as PDN writes them: short where that is clear, else long."""
    moves = list(moves)
    ends = Counter((move.from_square, move.to_square) for move in moves)
    return tuple(str(move) if ends[move.from_square, move.to_square] == 1 else long_text(move) for move in moves)


class _Captures:
    """The captures of one piece, step by step: all that are possible, not only those that take the most.

    A state is where the piece stands, what it has taken (bit n for square n), and whether it is a king by now.
    ``layers[n]`` holds the states after n jumps, each with the states that it came from.
    """

    def __init__(self, position: Explainer, start: int, in_passing: bool) -> None:
        self.start = start
        self.enemies = position.enemies
        self.empty = _SQUARES - position.own - position.enemies | {start}
        self.crowning = far_row(position.turn) if in_passing else range(0)
        self.layers: list[dict[State, list[State]]] = [{(start, 0, start in position.kings): []}]
        self.too_many = False
        count = 0
        while self.layers[-1] and not self.too_many:
            following: dict[State, list[State]] = {}
            for state in self.layers[-1]:
                for _, _, after in self.jumps(state):
                    following.setdefault(after, []).append(state)
            count += len(following)
            self.too_many = count > _MOST_STATES
            self.layers.append(following)
        self.layers.pop()

    def jumps(self, state: State, again: bool = False) -> Iterator[tuple[int, int, State]]:
        """Each next jump from a state: its direction, the piece jumped, the state after.

        ``again``: pieces that are taken already may be jumped as if they were not.
        """
        square, taken, king = state
        for direction, ray in enumerate(RAYS[square]):
            victim = 0
            for following in ray:
                if following in self.empty:
                    if victim:
                        crowned = king or following in self.crowning
                        yield direction, victim, (following, taken | 1 << victim, crowned)
                    if not king:
                        break
                elif victim or following not in self.enemies or (taken >> following & 1 and not again):
                    break
                else:
                    victim = following

    def way(self, jumps: int, state: State) -> list[State]:
        """One way to a state of ``layers[jumps]``, from the start on."""
        states = [state]
        for layer in reversed(self.layers[1 : jumps + 1]):
            states.append(layer[states[-1]][0])
        return states[::-1]

    def most_taken(self, target: int) -> int:
        """How many pieces the longest capture takes that ends on ``target``; 0 if none does."""
        return max((jumps for jumps, layer in enumerate(self.layers) if any(s[0] == target for s in layer)), default=0)

    def ways_over(self, target: int, required: int) -> list[str]:
        """One way, as text, of each capture of ``required`` pieces that stops on ``target`` before its end."""
        if len(self.layers) != required + 1:
            return []
        ways: dict[State, tuple[int, ...]] = {}
        for jumps, layer in enumerate(self.layers[1:-1], start=1):
            reached = {s: tuple(stop for stop, _, _ in self.way(jumps, s)) for s in layer if s[0] == target}
            for following in self.layers[jumps + 1 :]:
                reached = {
                    after: (*reached[before], after[0])
                    for after, befores in following.items()
                    for before in befores
                    if before in reached
                }
            ways.update(reached)
        return ["x".join(map(str, ways[end])) for end in sorted(ways)]

    def crowned_on_way(self, target: int) -> int:
        """The square on which a man would be crowned on its way to ``target``; 0 if it cannot go there so."""
        for jumps, layer in enumerate(self.layers):
            for state in layer:
                if state[0] == target and state[2]:
                    return next(square for square, _, king in self.way(jumps, state) if king)
        return 0

    def jumped_twice(self, target: int) -> int:
        """The piece that would be jumped a second time on the way to ``target``; 0 if that leads nowhere either.

        Turning straight back over a piece is left out: nobody who tries to capture means that.
        """
        seen: set[tuple[State, int, int]] = set()
        waiting: deque[tuple[State, int, int]] = deque([(next(iter(self.layers[0])), -1, 0)])
        while waiting and len(seen) <= _MOST_STATES:
            state, came, twice = waiting.popleft()
            for direction, victim, after in self.jumps(state, again=True):
                if came == 3 - direction:
                    continue
                again = twice or (victim if state[1] >> victim & 1 else 0)
                if again and after[0] == target:
                    return again
                reached = (after, direction, again)
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
        return 0
