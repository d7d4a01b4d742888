"""Every error that Damier raises on purpose: typed, with its facts and its place.

Each can say itself in English (``str(error)``) and, through the catalogues, in
the reader's language (:meth:`DamierError.sentence`).
"""

from __future__ import annotations

from damier.i18n import N_

TYPE_CHECKING = False  # not imported from typing: `import damier` stays light
if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier._kernel import Move
    from damier.explain import Reason

__all__ = ["AmbiguousMove", "BadFen", "BadPdn", "DamierError", "EngineError", "IllegalMove"]


class DamierError(Exception):
    """Base of all errors of this package.

    ``message`` is the English sentence with named placeholders (the message id of
    the catalogues), ``facts`` what goes into the placeholders.

    >>> str(DamierError("square {square} is empty", square=28))
    'square 28 is empty'
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message.format(**facts) if facts else message)
        self.message = message
        self.facts: Mapping[str, object] = facts

    def sentence(self, language: str = "en") -> str:
        """The error as a sentence in ``language`` ("nl", "fr", "de" or "en")."""
        if language == "en":
            return str(self)
        from damier.i18n import translator

        message = translator(language).gettext(self.message)
        return message.format(**self.facts) if self.facts else message

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call the constructor with the formatted text alone; errors cross process borders.
        return _restored, (type(self), self.args, self.__dict__)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"


def _restored(kind: type[DamierError], args: tuple[object, ...], state: dict[str, object]) -> DamierError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class BadFen(DamierError, ValueError):
    """A FEN that has no clear meaning, or a position that cannot be set up.

    ``text``: the whole FEN as given. ``token``: the part that is wrong.
    ``position``: the offset of that part in ``text``, None when the fault lies in the whole.
    ``code``: a name for programs, such as ``"off_board"`` or ``"held_twice"``.

    >>> from damier.notation.fen import read_fen
    >>> try:
    ...     read_fen("W:W31,51:B1")
    ... except BadFen as error:
    ...     print(error.code, error.token, error.position)
    off_board 51 6
    """

    def __init__(
        self, message: str, *, code: str, text: str, token: str = "", position: int | None = None, **facts: object
    ) -> None:
        super().__init__(message, token=_shortened(token), **facts)
        self.code = code
        self.text = text
        self.token = token
        self.position = position


class IllegalMove(DamierError, ValueError):
    """A move that is not legal in a position.

    ``move``: the :class:`~damier.Move`, or the text as it was given. ``fen``: the position.
    ``reason``: the :class:`~damier.explain.Reason` when start and target are clear, else None.

    >>> import damier
    >>> try:
    ...     damier.Board().push("32-33")
    ... except IllegalMove as error:
    ...     print(error.reason.code)
    occupied
    """

    def __init__(
        self, message: str, *, move: Move | str, fen: str, reason: Reason | None = None, **facts: object
    ) -> None:
        super().__init__(message, move=_shortened(str(move)), **facts)
        self.move = move
        self.fen = fen
        self.reason = reason

    @property
    def text(self) -> str:
        """The move as text: as it was given, or in short notation."""
        return str(self.move)

    def sentence(self, language: str = "en") -> str:
        """The error as a sentence in ``language``: the reason itself where it is known."""
        return super().sentence(language) if self.reason is None else self.reason.sentence(language)


class AmbiguousMove(IllegalMove):
    """A text that fits several legal moves; ``choices`` holds them, in the generator's order.

    >>> import damier
    >>> try:
    ...     damier.Board("W:WK47:B14,19,29,31,42").parse("47x36")
    ... except AmbiguousMove as error:
    ...     print(len(error.choices), error)
    2 47x36 fits 2 moves; write the way of one (47x38x20x9x36, 47x38x24x13x36).
    """

    def __init__(
        self, message: str, *, move: Move | str, fen: str, choices: tuple[Move, ...] = (), **facts: object
    ) -> None:
        super().__init__(message, move=move, fen=fen, reason=None, **facts)
        self.choices = choices


_IN_THE_MOVES = N_("game {game}, ply {ply}, line {line}: {what}")
_IN_THE_GAME = N_("game {game}, line {line}: {what}")


class BadPdn(DamierError, ValueError):
    """A place in a PDN file that cannot be read, or a game that cannot be played as it is written.

    ``game``: the number of the game in the file, from 1. ``ply``: the number of the move in its line, counted in
    single moves from 1, None outside the moves. ``line`` and ``column``: the place in the file, from 1.
    ``token``: the text there. ``code``: a name for programs, such as ``"illegal_move"`` or ``"ambiguous"``.
    ``choices``: the moves among which the text does not decide, in full. ``cause``: the error of the move or of the
    FEN, if it is one of those.

    >>> from damier.notation.pdn import Visitor, scan
    >>> import io
    >>> try:
    ...     scan(io.StringIO("1. 32-28 19-23 2. 33-29 *"), Visitor(), strict=True)
    ... except BadPdn as error:
    ...     print(error.code, error.game, error.ply, error.token)
    illegal_move 1 3 33-29
    """

    def __init__(
        self,
        message: str = "{what}",
        *,
        code: str,
        game: int,
        ply: int | None = None,
        token: str = "",
        line: int = 1,
        column: int = 1,
        choices: tuple[str, ...] = (),
        cause: DamierError | None = None,
        **facts: object,
    ) -> None:
        if cause is not None:
            facts["what"] = cause
        super().__init__(message, token=_shortened(token), **facts)
        self.code = code
        self.game = game
        self.ply = ply
        self.token = token
        self.line = line
        self.column = column
        self.choices = choices
        self.cause = cause

    def __str__(self) -> str:
        return self._placed(_IN_THE_MOVES if self.ply is not None else _IN_THE_GAME, self.what())

    def what(self, language: str = "en") -> str:
        """What is wrong, without the place, in ``language`` ("nl", "fr", "de" or "en")."""
        if self.cause is None:
            return super().__str__() if language == "en" else super().sentence(language)
        token = _shortened(self.token)
        said = self.cause.sentence(language)
        return said if token in said else f"{token}: {said}"

    def sentence(self, language: str = "en") -> str:
        """The error with its place as a sentence in ``language``."""
        place = _IN_THE_MOVES if self.ply is not None else _IN_THE_GAME
        if language != "en":
            from damier.i18n import translator

            place = translator(language).gettext(place)
        return self._placed(place, self.what(language))

    def _placed(self, place: str, what: str) -> str:
        return place.format(game=self.game, ply=self.ply, line=self.line, what=what)


class EngineError(DamierError):
    """An engine that could not be used as asked."""
