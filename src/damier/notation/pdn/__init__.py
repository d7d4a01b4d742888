"""Portable Draughts Notation (PDN): games in files.

:func:`read` gives the games of a file one after the other, :func:`scan` tells a :class:`Visitor` what it holds and
builds no tree, :func:`loads` reads a text; :func:`dumps` and :func:`write` write, and :func:`from_game` makes a game
that was played here one to be written.

Read is PDN 3.0 and what files have besides: tags without quotes, in one line or glued to a result, or none at all;
results of every kind, or none; padded squares (``1- 6``, ``06-11``), moves without a sign (``3228``), ``:`` for
captures, dashes of all kinds, the whole way of any capture, move numbers glued, doubled or missing; strengths, NAGs,
comments in braces or after ``;``, lines after ``%``, positions set up in the moves, ``[pdn]`` around it all; UTF-8 with
or without its mark, UTF-16, Windows-1252. A short capture that fits several moves is the one after which the rest of
the game can be played, if that is only one.

Where a move is left open (``- -``) the line ends, and a comment says so. A comment within a comment is part of it, in
round brackets, if the braces balance soon and nothing that might be played stands behind the first that closes.

What has no clear meaning is an error with its place, a :class:`~damier.BadPdn`: a move that is not legal, a capture
that several moves fit, moves after one that was left open, a word that PDN does not have. The game is given up to
there, and the file goes on with its next game. A game with more than 100 errors is given up, with an error that says
so. Games of other variants are passed over with a note.

Any text is read in time proportional to its length; variations may be nested 10,000 deep.

>>> [game] = loads('[White "Anna"] [Black "Bram"] 1. 32-28 19-23 2. 28 : 19 14 : 23 1-1')
>>> game.tags["Black"], game.result, game.end().board().fen()
('Bram', '1-1', 'W:W31,33-50:B1-13,15-18,20,23')
"""

from __future__ import annotations

from damier.errors import BadPdn
from damier.notation.pdn.node import Evaluation, GameNode
from damier.notation.pdn.played import from_game
from damier.notation.pdn.reader import loads, read, scan
from damier.notation.pdn.tags import PdnDate
from damier.notation.pdn.tree import PdnGame, TreeBuilder
from damier.notation.pdn.visitor import Visitor
from damier.notation.pdn.writer import PdnWriter, UnwritablePdn, dumps, write

__all__ = [
    "BadPdn",
    "Evaluation",
    "GameNode",
    "PdnDate",
    "PdnGame",
    "PdnWriter",
    "TreeBuilder",
    "UnwritablePdn",
    "Visitor",
    "dumps",
    "from_game",
    "loads",
    "read",
    "scan",
    "write",
]
