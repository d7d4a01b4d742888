"""Games made up by Hypothesis, in the form that a file can hold: trees with notes, tags and a result."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from damier import Board
from damier.notation.pdn import Evaluation, GameNode, PdnGame

__all__ = ["contents", "games", "unhurried"]

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For tests that would fail on a busy machine only because it is one."""

_STARTS = ("W:W31-50:B1-20", "B:W31-50:B1-20", "W:WK47:B14,19,29,31,42", "B:W39,K50:BK3,8,12", "W:W32:B23,13")
_NAMES = st.sampled_from(["Event", "White", "Black", "Date", "GameType", "Annotator", "WhiteClock", "X_9"])


def _plain(text: str) -> str:
    return re.sub(r"[ \t\r\n\f\v]+", " ", text).strip()


def _is_comment(text: str) -> bool:
    return bool(text) and "[%" not in text and text not in ("!", "?", "!!", "??", "!?", "?!")


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="}"), max_size=30)
_WORDS = st.lists(
    st.sampled_from(["%x", "[Event", '"a"]', ";", "(32-28)", "{", "1-0", "*", "$3", "good", "é"]), max_size=40
)
comments = st.one_of(_TEXT, _WORDS.map(" ".join)).map(_plain).filter(_is_comment)
_COMMENTS = st.lists(comments, max_size=3)
_VALUES = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20), st.text('\\"[]a ', max_size=12)
)
_SECONDS = st.one_of(st.none(), st.integers(0, 10**8).map(lambda thousandths: thousandths / 1000))
_EVALUATIONS = st.one_of(
    st.none(),
    st.integers(-(10**6), 10**6).map(lambda hundredths: Evaluation(men=hundredths / 100)),
    st.integers(1, 99).map(lambda win: Evaluation(win_in=win)),
    st.integers(1, 99).map(lambda win: Evaluation(win_in=-win)),
)


@st.composite
def games(draw: st.DrawFn, most: int = 20) -> PdnGame:
    """A game with at most so many moves and setups."""
    tags = draw(st.dictionaries(_NAMES, _VALUES, max_size=4))
    result = draw(st.sampled_from(["", "*", "2-0", "1-1", "0-2", "0-0"]))
    if result:
        tags["Result"] = result
    tags.pop("GameType", None) if draw(st.booleans()) else tags.update(GameType="20")
    game = PdnGame(tags, Board(draw(st.sampled_from(_STARTS))))
    if draw(st.booleans()):
        game.tags.pop("FEN", None)  # the start is then told in the body
    nodes = [game.root]
    for _ in range(draw(st.integers(0, most))):
        # Mostly long lines: the last node goes on.
        parent = draw(st.one_of(st.just(nodes[-1]), st.sampled_from(nodes)))
        if parent.variations and parent.variations[0].move is None:
            continue  # only moves have alternatives
        moves = parent.board().legal_moves
        if draw(st.integers(0, 9)) == 0 or not moves:
            nodes.append(parent.add_setup(draw(st.sampled_from(_STARTS))))
        else:
            nodes.append(parent.attach(draw(st.sampled_from(moves))))
    for node in nodes:
        if draw(st.integers(0, 2)) == 0:
            _annotate(draw, node)
    return game


def _annotate(draw: st.DrawFn, node: GameNode) -> None:
    node.comments.extend(draw(_COMMENTS))
    node.nags.extend(draw(st.lists(st.integers(0, 200), max_size=3)))
    node.evaluation = draw(_EVALUATIONS)
    node.clock, node.opponent_clock, node.elapsed = draw(_SECONDS), draw(_SECONDS), draw(_SECONDS)
    if node.parent is not None and _may_begin_with_comments(node, node.parent):
        node.comments_before.extend(draw(_COMMENTS))


def _may_begin_with_comments(node: GameNode, parent: GameNode) -> bool:
    if parent.variations[0] is not node:
        return True
    before = parent.parent
    return before is not None and before.variations[0] is parent and len(before.variations) > 1


def contents(game: PdnGame) -> object:
    """All that a game holds, to be compared; a result that is not given is an open one."""
    nodes = list(game.root.descendants())
    place = {id(node): number for number, node in enumerate(nodes)}
    tree = [
        (
            None if node.parent is None else place[id(node.parent)],
            node.move,
            node.setup,
            tuple(node.comments_before),
            tuple(node.comments),
            tuple(node.nags),
            (node.clock, node.opponent_clock, node.elapsed, node.evaluation),
        )
        for node in nodes
    ]
    return sorted(game.tags.items()), game.result or "*", game.rules.name, tree
