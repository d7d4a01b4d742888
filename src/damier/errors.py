"""Every error that Damier raises on purpose: typed, with its facts and its place.

Each can say itself in English (``str(error)``) and, through the catalogues, in
the reader's language (:meth:`DamierError.sentence`).
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported from typing: `import damier` stays light
if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier._kernel import Move
    from damier.explain import Reason

__all__ = ["AmbiguousMove", "BadFen", "DamierError", "EngineError", "IllegalMove"]


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


class EngineError(DamierError):
    """An engine that could not be used as asked."""
