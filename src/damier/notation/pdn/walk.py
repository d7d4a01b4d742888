"""Tells a tree to a visitor, in the order in which a file holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from damier.notation.pdn.commands import STRENGTHS, command_text

if TYPE_CHECKING:
    from damier import Board
    from damier.notation.pdn.node import GameNode
    from damier.notation.pdn.visitor import Visitor

__all__ = ["walk"]

_Mark: TypeAlias = "tuple[Board, int]"


def walk(node: GameNode, visitor: Visitor) -> None:
    """Tell ``node`` and what follows it.

    Of the start itself only what is said there is told, no setup; alternatives to ``node`` are not told.
    """
    _Walk(visitor, node.board() if node.parent is None else node.parent.board()).whole(node)


class _Walk:
    """One board goes along, back and forth: copies would cost a deep tree the square of its size."""

    def __init__(self, visitor: Visitor, board: Board) -> None:
        self.visitor = visitor
        self.board = board
        self.waiting: list[GameNode | _Mark] = []

    def whole(self, node: GameNode) -> None:
        if node.parent is None:
            for text in node.comments_before if node.has_notes else ():
                self.visitor.comment(text)
            self.notes(node)
        else:
            self.tell(node)
            self.enter(node)
        self.follow(node)
        while self.waiting:
            task = self.waiting.pop()
            if isinstance(task, tuple):
                self.visitor.end_variation()
                self.go_back(task)
            elif _is_main(task):  # told before its variations
                self.enter(task)
                self.follow(task)
            else:
                self.visitor.begin_variation()
                self.waiting.append((self.board, self.board.ply))
                self.tell(task)
                self.enter(task)
                self.follow(task)

    def follow(self, node: GameNode) -> None:
        """Tell the line from here on, up to the first move with alternatives; leave the rest waiting."""
        while node.variations:
            main, *others = node.variations
            self.tell(main)
            if others:
                self.waiting.append(main)
                self.waiting.extend(reversed(others))
                return
            self.enter(main)
            node = main

    def tell(self, node: GameNode) -> None:
        if node.has_notes:
            for text in node.notes.comments_before:
                self.visitor.comment(text)
        if node.move is None:
            self.visitor.setup(node.board())
        else:
            self.visitor.move(self.board, node.move, self.board.notation(node.move))
        self.notes(node)

    def notes(self, node: GameNode) -> None:
        if not node.has_notes:
            return
        for nag in node.notes.nags:
            self.visitor.nag(nag)
        comments = node.notes.comments
        if commands := command_text(node):
            # Behind commands, too, a sign alone would be read as the move's strength.
            joins = bool(comments) and comments[0].strip() not in STRENGTHS
            comments = [f"{commands} {comments[0]}", *comments[1:]] if joins else [commands, *comments]
        for text in comments:
            self.visitor.comment(text)

    def enter(self, node: GameNode) -> None:
        if node.move is None:
            self.board = node.board()
        else:
            self.board.push(node.move)

    def go_back(self, mark: _Mark) -> None:
        self.board, ply = mark
        while self.board.ply > ply:
            self.board.pop()


def _is_main(node: GameNode) -> bool:
    return node.parent is not None and node.parent.variations[0] is node
