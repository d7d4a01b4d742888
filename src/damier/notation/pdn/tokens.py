"""The text of a PDN file: decoded as it comes, seen through a window that moves along, cut into tokens."""

from __future__ import annotations

import codecs
import io
import os
import re
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from damier.notation.pdn.bounds import LONGEST_COMMENT as _LONGEST_COMMENT
from damier.notation.pdn.bounds import LONGEST_TAG as _LONGEST_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["LONGEST_TOKEN", "Decoder", "Source", "Window", "blank_end", "following_moves"]

Source: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"
"""A path, or a file that is open for reading, as text or as bytes."""

_CHUNK = 1 << 16
LONGEST_TOKEN = 1 << 10  # of a move, a number, a result, a setup; comments and tags are looked for to their end
_FARTHEST_LOOK = 1 << 22
"""How much of what follows a game looks at to know what it means, altogether: each look may be as long as the game."""
_MOST_KEPT = 1 << 18
"""Of what was read, at most this stays in the window, though looking ahead takes in much more."""
_LONGEST_BLANK = 1 << 10
_LONGEST_LOOSE_TAG = 1 << 10

_DASH = r"[-\u2010-\u2015\u2212]"
_SQUARE = r"[0-9]{1,3}"

_BLANK = re.compile(r"[\s\ufeff]*")

_PLAIN = re.compile(r"[0-9.x\s-]+", re.ASCII)
_SIGNS = re.compile(r"(?:[\s}\]!?.…]|\[(?=[^\w\s/%]))++")
_SIGNS_OUTSIDE = re.compile(r"(?:[\s})\]!?.…]|\[(?=[^\w\s/%]))++")
_OPENING = re.compile(r"(?:\((?=[^!?]))*")
_FIRST_MOVE = re.compile(r"\s*1\.\s*3[1-5]-[0-9]")
_NEXT_GAME = re.compile(r"[^\S\n]*\n\s*\n\s*1\s*\.(?!\.)")
_AFTER_WORD = frozenset("{(!?$)[;")

TOKEN = re.compile(
    rf"""
      (?P<result> (?: 1/2 (?: \s? {_DASH} \s? 1/2 )? | ½ (?: \s? {_DASH} \s? ½ )? | 1 \s? {_DASH} \s? [01]
                    | 0 \s? {_DASH} \s? [012] | 2 \s? {_DASH} \s? 0 | \* )
                  (?= [\s\[({{;*)\ufeff] | \Z ) )
    | (?P<move> {_SQUARE} (?: \s* {_DASH} \s* {_SQUARE} | (?: \s* [xX×:] \s* {_SQUARE} )+ ) (?! [0-9] )
              | [0-9]{{4}} (?! [0-9.] ) )
    | (?P<number> [0-9]+ \s* \. )
    | (?P<dots> [.…]+ )
    | (?P<lettered> [a-hA-H] [1-8]? (?: \s? [-xX:×] )? (?: [a-hA-H] [1-8] (?: \s? [-xX:×] )? )+ (?! \w ) )
    | (?P<comment> \{{ )
    | (?P<remark> ; [^\n]* )
    | (?P<escape> (?<! [^\n] ) % [^\n]* )
    | (?P<strength> [!?]+ | \( [!?]+ \) )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<nag> \$ [0-9]{{1,9}} (?! [0-9] ) )
    | (?P<setup> / \s* FEN \s* "[^"]*" \s* / )
    | (?P<wrapper> \[ /? [pP][dD][nN] \] )
    | (?P<command> \[ % [^\[\]\n]* \] )
    | (?P<tag> \[ )
    | (?P<unknown> {_DASH} (?: \s* {_DASH} )? (?= [\s(){{;] | \Z ) )
    | (?P<other> \}} | [^\s{{}}()\[\];]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)

_TAG_BEGIN = re.compile(r"\[\s*[^\W\d_]")
_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"((?:[^"\\\n]|\\.)*)"\s*\]')
_PLAIN_TAG = re.compile(r'\[([A-Za-z]\w*) +"([^"\\\n]*)"\]')
_PLAIN_TAGS = re.compile(rf"\s*(?:{_PLAIN_TAG.pattern}\n)+")
_LOOSE_TAG = re.compile(r'\[\s*([^\W\d_]\w*)\s*"([^\n]{0,500}?)"[ \t]*\](?=[ \t]*(?:\n|\Z))')
_UNQUOTED_TAG = re.compile(r"\[([^\W\d_]\w*)(?:[ \t]+([^\]\n]{0,500}?))?[ \t]*\](?=[ \t]*(?:\n|\Z|\[))")
_BRACE = re.compile(r"[{}]")
_ROUND = {ord("{"): "(", ord("}"): ")"}
_PERHAPS_PLAYED = re.compile(rf"[0-9]\s*(?:{_DASH}|[xX×:])\s*[0-9]|[0-9]{{4}}|\n\[")
_ESCAPED = re.compile(r'\\(["\\])')

_TAG_LINE = re.compile(r'^\[[A-Za-z]\w*[ \t]+"[^\n]*"[ \t]*\]', re.MULTILINE)
"""A tag as the beginning of a game has it: where one stands, a comment that was never closed is over."""


# --- Decoding -----------------------------------------------------------------------------------------------------


def _as_windows_text(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("damier-windows-text", _as_windows_text)


class Decoder:
    """Bytes of a file to text: UTF-8, or UTF-16 by its mark, or else Windows-1252, which Latin-1 is a part of.

    The first character beyond ASCII decides for the whole file. Bytes that are no UTF-8 further on in a UTF-8 file
    come from another file that was pasted into it, and are read as Windows-1252 too; the five bytes that mean nothing
    there become U+FFFD.

    >>> Decoder().decode("Pärnu".encode("cp1252"), final=True)
    'Pärnu'
    >>> Decoder().decode("Pärnu".encode(), final=True)
    'Pärnu'
    """

    def __init__(self) -> None:
        self._decode: Callable[[bytes, bool], str] | None = None
        self._held: bytes = b""
        self._begun = False

    def decode(self, data: bytes, final: bool) -> str:
        """The text of the next bytes; an incomplete character waits for the next call."""
        if self._decode is not None:
            return self._decode(data, final)
        data = self._held + data
        self._held = b""
        if not self._begun:
            if len(data) < 3 and not final:
                self._held = data
                return ""
            self._begun = True
            if data.startswith(codecs.BOM_UTF8):
                return self._decided("utf-8", data[3:], final)
            if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return self._decided("utf-16", data, final)
        if data.isascii():
            return data.decode("ascii")
        first = next(index for index, byte in enumerate(data) if byte > 127)
        character = data[first : first + 4]
        try:
            character.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start == 0:
                if not final and error.reason == "unexpected end of data":
                    self._held = data[first:]
                    return data[:first].decode("ascii")
                return self._decided("cp1252", data, final)
        return self._decided("utf-8", data, final)

    def _decided(self, encoding: str, data: bytes, final: bool) -> str:
        errors = "damier-windows-text" if encoding == "utf-8" else "replace"
        self._decode = codecs.getincrementaldecoder(encoding)(errors).decode
        return self._decode(data, final)


def _texts(file: IO[str] | IO[bytes]) -> Iterator[str]:
    """The file's text in pieces, lines ending with a line feed."""
    # What is typed or piped in is taken as it comes.
    read: Callable[[int], str | bytes] = getattr(file, "read1", file.read)
    decoder = Decoder()
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    while piece := read(_CHUNK):
        yield newlines.decode(piece if isinstance(piece, str) else decoder.decode(piece, final=False))
    yield newlines.decode(decoder.decode(b"", final=True), final=True)


# --- The window ---------------------------------------------------------------------------------------------------


class Window:
    """The part of the text that is being read: ``text`` from ``pos`` on is still to come.

    Up to ``guard`` a token begins that certainly ends within the window. ``advance`` drops what was read and takes in
    more, and so changes what positions mean; ``extend`` only takes in more.

    Whatever the text, each part of it is looked at a few times only: what was searched for in vain is remembered.
    """

    __slots__ = (
        *("_dropped", "_file", "_first_place", "_known", "_last_place", "_own", "_pieces", "_without", "ended"),
        *("guard", "look_left", "pos", "text"),
    )

    look_left: int
    """How far ``following_moves`` may still look ahead in this game."""

    def __init__(self, source: Source) -> None:
        if isinstance(source, (str, os.PathLike)):
            self._file: IO[Any] = open(source, "rb")  # noqa: SIM115 (closed by close)
            self._own = True
        else:
            self._file = cast("IO[Any]", source)
            self._own = False
        self._pieces = _texts(self._file)
        self.text = ""
        self.pos = 0
        self.guard = -1
        self.ended = False
        self._known: re.Match[str] | None = None
        self._dropped = 0
        self._first_place = self._last_place = (0, 1, 1)  # a position, its line and its column
        # Of a sign: between which places, counted from the beginning of the file, none stands.
        self._without: dict[str, tuple[int, int]] = {}
        self.begin_game()
        self.advance()

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self._own:
            self._file.close()

    def begin_game(self) -> None:
        """Allows ``following_moves`` to look ahead anew."""
        self.look_left = _FARTHEST_LOOK

    def advance(self) -> None:
        """Drops what was read and takes in text until the token at ``pos`` is whole."""
        self._drop()
        while self.pos > self.guard and self.extend():
            pass

    def _drop(self) -> None:
        # The last word's end and the blanks after it stay: some tokens begin only at the beginning of a line.
        keep = max(self._blank_begin(self.pos) - 1, 0)
        self._first_place = self._last_place = (0, *self.place(keep))
        self._dropped += keep
        self.text = self.text[keep:]
        self.pos -= keep
        self._set_guard()

    def extend(self) -> bool:
        """Takes in one more piece of the file; False at its end."""
        piece = "" if self.ended else next(self._pieces, None)
        if piece is None:
            self.ended = True
        if not piece and self.ended:
            self._set_guard()
            return False
        self.text += piece or ""
        self._set_guard()
        return True

    def _set_guard(self) -> None:
        self.guard = len(self.text) if self.ended else min(len(self.text) - LONGEST_TOKEN, _MOST_KEPT)

    def token(self) -> re.Match[str] | None:
        """The token that comes next, with ``pos`` at its beginning; None at the end of the file."""
        known = self._known  # asked for by one after the other who may have use for it
        if known is not None and known.string is self.text and known.start() == self.pos:
            return known
        while True:
            blank = _BLANK.match(self.text, self.pos)
            self.pos = self.pos if blank is None else blank.end()
            if self.pos > self.guard and not self.ended:
                self.advance()
                continue
            self._known = TOKEN.match(self.text, self.pos)
            return self._known

    def pass_over_signs(self, is_outside: bool) -> None:
        """Goes on behind signs that mean something only where moves are told, or, a closing bracket, in variations."""
        if signs := (_SIGNS_OUTSIDE if is_outside else _SIGNS).match(self.text, self.pos):
            self.pos = signs.end()

    def more_open(self, end: int) -> int:
        """Where the opening brackets of variations end that begin at ``end``."""
        opening = _OPENING.match(self.text, end)
        return end if opening is None else opening.end()

    def run(self, longest: int) -> tuple[str, bool]:
        """The text from ``pos`` on as far as it can be plain moves, and whether its last word goes no further."""
        found = _PLAIN.match(self.text, self.pos, min(self.pos + longest, self.guard))
        if found is None:
            return "", False
        end = found.end()
        is_whole = self.text[end] in _AFTER_WORD if end < len(self.text) else self.ended
        return found.group(), is_whole

    def at_first_move(self) -> bool:
        """Whether the moves begin here and with one from White's front row on the large board."""
        return _FIRST_MOVE.match(self.text, self.pos) is not None

    def game_follows(self, end: int) -> bool:
        """Whether after ``end`` and a blank line moves are numbered from 1 again."""
        while len(self.text) - end < LONGEST_TOKEN and self.extend():
            pass
        return _NEXT_GAME.match(self.text, end) is not None

    def comment(self, token: re.Match[str]) -> str | None:
        """The text of the comment that begins with ``token``, read; None if it is never closed: ``to_tags`` goes on.

        A comment with a brace and a game's tags in it is one that nobody closed. Of comments within the comment the
        braces become round brackets, since no comment that is written may hold any.
        """
        start = self.pos
        if token.lastgroup != "comment":
            self.pos = self.line_end()
            return self.text[start + 1 : self.pos].strip()
        end = self.find("}", start, _LONGEST_COMMENT)
        if end < 0 or self._is_of_two_games(start, end):
            return None
        end = self.nested_end(start, end)
        self.pos = end + 1
        text = self.text[start + 1 : end]
        return (text.translate(_ROUND) if "}" in text else text).strip()

    def nested_end(self, start: int, end: int) -> int:
        """Where the comment from ``start`` on ends, whose first closing brace stands at ``end``.

        That is farther on if it holds comments and their braces balance soon, with nothing there that might be played.
        """
        if self.text.find("{", start + 1, end) < 0:
            return end
        while len(self.text) - end < LONGEST_TOKEN and self.extend():
            pass
        depth = self.text.count("{", start + 1, end)
        for brace in _BRACE.finditer(self.text, end + 1, end + LONGEST_TOKEN):
            if brace.group() == "{":
                break
            depth -= 1
            if not depth:
                between = self.text[end + 1 : brace.start()]
                return end if _PERHAPS_PLAYED.search(between) else brace.start()
        return end

    def _is_of_two_games(self, start: int, end: int) -> bool:
        if self.text.find("\n[", start, end) < 0:
            return False
        tag = _TAG_LINE.search(self.text, start, end)
        return tag is not None and self.text.find("{", tag.start(), end) >= 0

    def plain_tags(self) -> list[tuple[str, str]]:
        """The names and values of the tags that come next and are written as most are, read; they may be none."""
        block = _PLAIN_TAGS.match(self.text, self.pos, self.guard)
        if block is None:
            return []
        self.pos = block.end()
        return _PLAIN_TAG.findall(block.group())

    def tag(self) -> tuple[str, str] | None:
        """The name and the value of the tag at ``pos``, read; None if there is none, and then nothing was read."""
        if _TAG_BEGIN.match(self.text, self.pos) is None:
            return None
        end = self.find("\n", self.pos, _LONGEST_TAG)
        match = _TAG.match(self.text, self.pos)
        if match is None and self._closes_loosely(end if end >= 0 else len(self.text)):
            match = _LOOSE_TAG.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()
            return match[1], _ESCAPED.sub(r"\1", match[2]) if "\\" in match[2] else match[2]
        if self.begins_line() and (match := _UNQUOTED_TAG.match(self.text, self.pos)):
            self.pos = match.end()
            return match[1], match[2] or ""
        return None

    def _closes_loosely(self, line_end: int) -> bool:
        """Whether the line ends as one does that ends with a loose tag which begins at ``pos``."""
        line = self.text[max(self.pos, line_end - _LONGEST_LOOSE_TAG) : line_end].rstrip()
        return line.endswith("]") and line[:-1].endswith(('"', " ", "\t"))

    def begins_line(self) -> bool:
        """Whether nothing but blanks stands before ``pos`` in its line."""
        begin = self._blank_begin(self.pos)
        return begin == 0 or self.text.find("\n", begin, self.pos) >= 0

    def follows_blank_line(self, pos: int) -> bool:
        """Whether the line before that of ``pos`` is blank."""
        return self.text.count("\n", self._blank_begin(pos), pos) > 1

    def _blank_begin(self, pos: int) -> int:
        """Where the blanks that end at ``pos`` begin."""
        text = self.text
        least = max(pos - _LONGEST_BLANK, 0)
        while pos > least and text[pos - 1].isspace():
            pos -= 1
        return pos

    def line_end(self) -> int:
        """Where the line ends that ``pos`` is in."""
        end = self.find("\n", self.pos, _LONGEST_COMMENT)
        return end if end >= 0 else len(self.text)

    def shown(self, begin: int, end: int) -> str:
        """The text between two positions as an error names it: its beginning, if it is long."""
        return self.text[begin : min(end, begin + LONGEST_TOKEN)].rstrip()

    def find(self, what: str, start: int, limit: int) -> int:
        """Where the sign ``what`` stands next, -1 if the file ends before or it is farther than ``limit`` away."""
        place = self._dropped + start
        begin, end = self._without.get(what, (0, 0))
        if not begin <= place <= end:
            begin = end = place
        while True:
            found = self.text.find(what, end - self._dropped)
            end = self._dropped + (found if found >= 0 else len(self.text))
            if found >= 0 or len(self.text) - start > limit or not self.extend():
                self._without[what] = begin, end
                return found

    def to_tags(self) -> None:
        """Goes on behind ``pos`` to where the next game's tags begin, or to the end of the file."""
        self.pos += 1
        while True:
            if match := _TAG_LINE.search(self.text, self.pos):
                self.pos = match.start()
                return
            # The last line may be the beginning of a tag.
            self.pos = max(self.pos, self.text.rfind("\n") + 1) if not self.ended else len(self.text)
            if self.ended:
                return
            if len(self.text) - self.pos > _LONGEST_TAG:
                self.pos = len(self.text)
            self._drop()
            self.extend()

    def place(self, pos: int) -> tuple[int, int]:
        """The line and the column of a position, from 1."""
        begin, line, column = self._last_place if self._last_place[0] <= pos else self._first_place
        newlines = self.text.count("\n", begin, pos)
        column = pos - self.text.rfind("\n", begin, pos) if newlines else column + pos - begin
        self._last_place = (pos, line + newlines, column)
        return line + newlines, column


def following_moves(window: Window) -> Iterator[str]:
    """The moves that follow in the line that is being read, without its variations; the window stays where it is.

    Ends where the line ends, or where something stands that makes the rest uncertain.
    """
    pos = window.pos
    depth = 0
    while window.look_left > 0:
        while len(window.text) - pos < LONGEST_TOKEN and window.extend():
            pass
        blank = blank_end(window.text, pos)
        token = TOKEN.match(window.text, blank)
        window.look_left -= blank - pos
        pos = blank
        if token is None:
            if not window.extend():
                return
            continue
        kind = token.lastgroup
        if kind == "comment":
            end = window.find("}", pos, _LONGEST_COMMENT)
            if end < 0:
                return
            end = window.nested_end(pos, end) + 1
        else:
            end = token.end()
            if kind in _TO_LINE_END and end == len(window.text) and window.extend():
                window.look_left -= _CHUNK
                continue
        window.look_left -= end - pos
        pos = end
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                return
        elif depth:
            if kind in _GAME_ENDS:
                return
        elif kind in ("move", "lettered"):
            yield token.group()
        elif kind not in _PASSED_OVER and kind != "comment":
            return


_TO_LINE_END = frozenset({"remark", "escape", "command"})
_GAME_ENDS = frozenset({"tag"})
_PASSED_OVER = frozenset({"number", "dots", "remark", "escape", "strength", "nag", "wrapper", "command"})


def blank_end(text: str, pos: int) -> int:
    """Where the blanks that begin at ``pos`` end."""
    blank = _BLANK.match(text, pos)
    return pos if blank is None else blank.end()
