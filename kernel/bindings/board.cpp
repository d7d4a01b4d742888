#include "board.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "paths.hpp"
#include "perft.hpp"

namespace damier::python {

using namespace nb::literals;

namespace {

constexpr int squares = International::Board::squares;

// A set of squares crosses the border as an integer with bit n - 1 set for square n.
Bits from_mask(std::uint64_t mask) {
  Bits bits = 0;
  if (mask >> squares != 0) throw nb::value_error("a square beyond the board");
  for_each(mask, [&](int index) { bits |= bit(place_of(index + 1)); });
  return bits;
}

nb::tuple squares_tuple(Bits bits) {  // bits rise with square numbers
  auto squares = nb::steal<nb::tuple>(PyTuple_New(count(bits)));
  Py_ssize_t index = 0;
  for_each(bits, [&](int place) { PyTuple_SetItem(squares.ptr(), index++, PyLong_FromLong(square_of(place))); });
  return squares;
}

// Quiet moves are the same few over and over: each is made once, owned by a list of the module, and handed out again.
std::array<std::array<std::array<PyObject *, 2>, 64>, 64> quiet_moves{};
PyObject *quiet_moves_owner = nullptr;

nb::object quiet_move_object(const Move &move) {
  PyObject *&known = quiet_moves[move.from][move.to][move.crowned];
  if (known == nullptr) {
    nb::object made = nb::cast(MoveValue{move, {}, false});
    if (PyList_Append(quiet_moves_owner, made.ptr()) != 0) throw nb::python_error();
    known = made.ptr();
  }
  return nb::borrow(known);
}

// Move is final: its type is the whole question, and asked for every push.
PyObject *move_type = nullptr;
bool is_move(nb::handle object) { return reinterpret_cast<PyObject *>(Py_TYPE(object.ptr())) == move_type; }

template <class Rules> constexpr bool crowns_in_passing = Rules::promotion == Promotion::in_passing;

template <class Rules> nb::list legal_move_objects(const Position<Rules> &position) {
  MoveList moves;
  legal_moves(position, moves);
  auto list = nb::steal<nb::list>(PyList_New(Py_ssize_t(moves.size())));
  Py_ssize_t index = 0;
  for (const Move &move : moves) {
    NB_LIST_SET_ITEM(list.ptr(), index++, move_object(position, move).release().ptr());
  }
  return list;
}

nb::object push(nb::pointer_and_handle<Board> self, nb::handle argument) {
  nb::object move = nb::borrow(argument);
  if (!is_move(move)) {
    if (!nb::isinstance<nb::str>(move)) throw nb::type_error("a move is a Move or a text");
    move = self.h.attr("parse")(move);
  }
  const auto *value = nb::inst_ptr<MoveValue>(move);
  return with_history(*self.p, [&](auto &history) {
    if (!is_legal(history.position(), value->move)) {
      self.h.attr("_refuse")(move);
      throw nb::value_error("illegal move");
    }
    if (value->move.is_capture() && !value->has_origin) move = move_object(history.position(), value->move);
    history.push(value->move);
    return move;
  });
}

nb::object pop(Board &board) {
  return with_history(board, [&](auto &history) {
    if (history.ply() == 0) throw nb::index_error("no move to take back");
    const Move move = history.move(history.ply() - 1);
    history.pop();
    return move_object(history.position(), move);
  });
}

nb::tuple moves_played(const Board &board) {
  return with_history(board, [&](const auto &history) {
    nb::list moves;
    for (std::size_t ply = 0; ply < history.ply(); ply++) {
      moves.append(move_object(history.before(ply), history.move(ply)));
    }
    return nb::tuple(moves);
  });
}

const char *name_of(Ending ending) {
  switch (ending) {
    case Ending::no_moves: return "no_moves";
    case Ending::repetition: return "repetition";
    case Ending::king_moves: return "king_moves";
    case Ending::three_pieces: return "three_pieces";
    case Ending::two_pieces: return "two_pieces";
    case Ending::same_move: return "same_move";
    case Ending::move_limit: return "move_limit";
  }
  return "";
}

nb::object ending(const Board &board) {
  return with_history(board, [](const auto &history) -> nb::object {
    const auto ending = history.ending();
    return ending ? nb::object(nb::str(name_of(*ending))) : nb::none();
  });
}

nb::tuple draw_counts(const Board &board) {
  return with_history(board, [](const auto &history) {
    nb::list counts;
    for (const DrawCount &count : history.draw_counts()) {
      counts.append(nb::make_tuple(name_of(count.rule), count.done, count.of));
    }
    return nb::tuple(counts);
  });
}

// Readers of whole files ask this for every move.
nb::object find_move(const Board &board, int from, int to) {
  if (from < 1 || from > squares || to < 1 || to > squares) return nb::none();
  return with_history(board, [&](const auto &history) -> nb::object {
    const auto found = only_move(history.position(), from, to);
    return found ? move_object(history.position(), *found) : nb::none();
  });
}

AnyHistory make_history(std::uint64_t white, std::uint64_t black, std::uint64_t kings, bool black_to_move,
                        bool in_passing, const DrawRules &draws) {
  const Bits white_bits = from_mask(white);
  const Bits black_bits = from_mask(black);
  const Bits king_bits = from_mask(kings);
  if ((white_bits & black_bits) != 0 || (king_bits & ~(white_bits | black_bits)) != 0) {
    throw nb::value_error("a square is held twice, or a king stands on an empty square");
  }
  const Side turn = black_to_move ? Side::black : Side::white;
  const Pieces pieces =
      black_to_move ? Pieces{black_bits, white_bits, king_bits} : Pieces{white_bits, black_bits, king_bits};
  if (in_passing) return History<CrownAndContinue>(Position<CrownAndContinue>(pieces, turn), draws);
  return History<International>(Position<International>(pieces, turn), draws);
}

// What of a position no other has: its whole contents.
nb::tuple position_key(const Board &board) {
  return with_history(board, [](const auto &history) {
    const auto &position = history.position();
    return nb::make_tuple(to_mask(position.white()), to_mask(position.black()), to_mask(position.kings()),
                          int(position.turn()));
  });
}

std::uint64_t run_perft(const Board &board, int depth, bool duplicates) {
  // Deeper trees take longer than there is time, and the recursion has an end somewhere.
  if (depth < 0 || depth > 100) throw nb::value_error("a depth is 0 to 100");
  return with_history(board, [&](const auto &history) {
    const auto position = history.position();
    const nb::gil_scoped_release release;
    int polls = 0;
    const auto heed_signals = [&] {
      if (++polls % 64 != 0) return;
      const nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    return duplicates ? perft_ways(position, depth, heed_signals) : perft(position, depth, heed_signals);
  });
}

nb::tuple paths_of(const MoveValue &value) {
  std::vector<Path> found;
  if (!value.move.is_capture()) {
    found = {{value.move.from, value.move.to}};
  } else if (!value.has_origin) {
    return nb::make_tuple();
  } else if (value.origin.in_passing) {
    found = paths(Position<CrownAndContinue>(value.origin.pieces, value.origin.turn), value.move);
  } else {
    found = paths(Position<International>(value.origin.pieces, value.origin.turn), value.move);
  }
  nb::list all;
  for (const Path &path : found) {
    nb::list one;
    for (const auto place : path) one.append(square_of(place));
    all.append(nb::tuple(one));
  }
  return nb::tuple(all);
}

std::string text_of(const Move &move) {
  return std::to_string(square_of(move.from)) + (move.is_capture() ? "x" : "-") + std::to_string(square_of(move.to));
}

std::string repr_of(const Move &move) {
  std::string text = "Move(" + std::to_string(square_of(move.from)) + ", " + std::to_string(square_of(move.to));
  if (move.is_capture()) {
    text += ", captured=(";
    for_each(move.captured, [&](int place) { text += std::to_string(square_of(place)) + ", "; });
    text.pop_back();
    if (count(move.captured) > 1) text.pop_back();
    text += ')';
  }
  if (move.crowned) text += ", crowned=True";
  return text + ")";
}

int checked_place(int square) {
  if (square < 1 || square > squares) {
    throw nb::value_error(("no square " + std::to_string(square) + " on this board (1 to 50)").c_str());
  }
  return place_of(square);
}

Move make_move(int from, int to, nb::handle captured, bool crowned) {
  Bits bits = 0;
  for (const nb::handle square : captured) {
    int number = 0;
    if (!nb::try_cast(square, number)) throw nb::type_error("the captured squares are numbers from 1 to 50");
    bits |= bit(checked_place(number));
  }
  return {bits, std::uint8_t(checked_place(from)), std::uint8_t(checked_place(to)), crowned};
}

std::uint64_t hash_of(const Move &move) {
  std::uint64_t state =
      move.captured ^ (std::uint64_t(move.from) << 58U | std::uint64_t(move.to) << 52U | move.crowned);
  return zobrist::mix(state);
}

// A pickle keeps where the move was made: a capture must still know its ways.
nb::tuple state_of(const MoveValue &value) {
  const Move &move = value.move;
  const Origin &origin = value.origin;
  return nb::make_tuple(square_of(move.from), square_of(move.to), squares_tuple(move.captured), move.crowned,
                        value.has_origin, origin.pieces.own, origin.pieces.opponent, origin.pieces.kings,
                        int(origin.turn), origin.in_passing);
}

void restore(MoveValue *value, const nb::tuple &state) {
  if (state.size() != 10) throw nb::value_error("not the state of a move");
  const auto piece_bits = [&](std::size_t index) { return nb::cast<Bits>(state[index]) & International::Board::board; };
  const Origin origin{{piece_bits(5), piece_bits(6), piece_bits(7)},
                      nb::cast<int>(state[8]) == 0 ? Side::white : Side::black,
                      nb::cast<bool>(state[9])};
  new (value) MoveValue{make_move(nb::cast<int>(state[0]), nb::cast<int>(state[1]), state[2], nb::cast<bool>(state[3])),
                        origin, nb::cast<bool>(state[4])};
}

constexpr const char *move_doc =
    R"(A move as one value: where from, where to, what is captured, and whether a man became a king.

Squares are numbers 1 to 50 as players use them. Two ways of a capture to the same end that take the same pieces
are the same move; moves compare and hash by value.

>>> from damier import Board, Move
>>> Move(32, 28)
Move(32, 28)
>>> move = Board("W:W47,K46:B41,32").legal_moves[0]
>>> move, str(move), move.is_capture
(Move(46, 23, captured=(32, 41)), '46x23', True)
)";

}  // namespace

std::uint64_t to_mask(Bits bits) {
  std::uint64_t mask = 0;
  for_each(bits, [&](int place) { mask |= bit(square_of(place) - 1); });
  return mask;
}

template <class Rules> nb::object move_object(const Position<Rules> &position, const Move &move) {
  if (!move.is_capture()) return quiet_move_object(move);
  return nb::cast(MoveValue{move, {position.pieces(), position.turn(), crowns_in_passing<Rules>}, true});
}
template nb::object move_object(const Position<International> &, const Move &);
template nb::object move_object(const Position<CrownAndContinue> &, const Move &);

void bind_board(nb::module_ &module) {
  nb::list owner;
  quiet_moves_owner = owner.ptr();
  module.attr("_quiet_moves") = owner;

  nb::class_<MoveValue> move_class(module, "Move", nb::is_final(), nb::pooled(512), move_doc);
  move_type = move_class.ptr();
  move_class
      .def(
          "__init__",
          [](MoveValue *self, int from, int to, nb::handle captured, bool crowned) {
            new (self) MoveValue{make_move(from, to, captured, crowned), {}, false};
          },
          "from_square"_a, "to_square"_a, "captured"_a = nb::tuple(), "crowned"_a = false,
          nb::sig("def __init__(self, from_square: int, to_square: int, captured: Iterable[int] = (), crowned: bool = "
                  "False) -> None"))
      .def_prop_ro(
          "from_square", [](const MoveValue &self) { return square_of(self.move.from); },
          "The square that the piece leaves, 1 to 50.")
      .def_prop_ro(
          "to_square", [](const MoveValue &self) { return square_of(self.move.to); },
          "The square on which it comes to rest, 1 to 50.")
      .def_prop_ro(
          "captured", [](const MoveValue &self) { return squares_tuple(self.move.captured); },
          nb::sig("def captured(self) -> tuple[int, ...]"),
          "The squares of the captured pieces, sorted; empty for a quiet move.")
      .def_prop_ro(
          "crowned", [](const MoveValue &self) { return self.move.crowned; },
          "True if the piece was a man before the move and is a king after it.")
      .def_prop_ro(
          "is_capture", [](const MoveValue &self) { return self.move.is_capture(); }, "True if the move captures.")
      .def_prop_ro(
          "paths", &paths_of, nb::sig("def paths(self) -> tuple[tuple[int, ...], ...]"),
          "Every way of the move, start and end included: the squares on which the piece turns and, where it goes\n"
          "straight on, the one right behind the captured piece. Empty for a capture that was made by hand: only a\n"
          "board knows the ways, and gives them with the moves of ``legal_moves``, ``parse`` and ``push``.")
      .def(
          "__eq__",
          [](const MoveValue &self, nb::handle other) {
            return is_move(other) && self.move == nb::inst_ptr<MoveValue>(other)->move;
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const MoveValue &self) { return Py_hash_t(hash_of(self.move) >> 2U); })
      .def("__str__", [](const MoveValue &self) { return text_of(self.move); })
      .def("__repr__", [](const MoveValue &self) { return repr_of(self.move); })
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__", &restore, nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));

  nb::class_<Board>(module, "BoardBase", "What the kernel does for ``damier.Board``.")
      .def(
          "__init__",
          [](Board *self, std::uint64_t white, std::uint64_t black, std::uint64_t kings, bool black_to_move,
             bool in_passing, int repetition, int king_moves, int three_pieces, int two_pieces, int same_move,
             int move_limit) {
            const DrawRules draws{repetition, king_moves, three_pieces, two_pieces, same_move, move_limit};
            new (self) Board{make_history(white, black, kings, black_to_move, in_passing, draws)};
          },
          "white"_a, "black"_a, "kings"_a, "black_to_move"_a, "in_passing"_a, "repetition"_a, "king_moves"_a,
          "three_pieces"_a, "two_pieces"_a, "same_move"_a, "move_limit"_a)
      .def(
          "__init__", [](Board *self, const Board &other) { new (self) Board(other); }, "other"_a)
      .def_prop_ro(
          "legal_moves",
          [](const Board &self) {
            return with_history(self, [](const auto &history) { return legal_move_objects(history.position()); });
          },
          nb::sig("def legal_moves(self) -> list[Move]"),
          "The legal moves, as a new list; empty if the side to move has lost.\n\n"
          "A draw by count or repetition (``outcome()``) takes no move away: a board goes on where its user wants to.\n"
          "It is :class:`damier.Game` that ends there.")
      .def(
          "push", &push, "move"_a.none(), nb::sig("def push(self, move: Move | str) -> Move"),
          "Plays a legal move, given as a value or in short, long or Hub notation, and returns it.\n\n"
          "Raises IllegalMove or AmbiguousMove, and then nothing has changed. In a position that is drawn by count or\n"
          "repetition (``outcome()``) moves are still accepted; :class:`damier.Game` accepts none.")
      .def("pop", &pop, nb::sig("def pop(self) -> Move"),
           "Takes the last move back and returns it. Raises IndexError if there is none.")
      .def_prop_ro("moves", &moves_played, nb::sig("def moves(self) -> tuple[Move, ...]"),
                   "The moves played since the position was set up.")
      .def_prop_ro(
          "ply", [](const Board &self) { return with_history(self, [](const auto &h) { return h.ply(); }); },
          "The number of moves played since the position was set up.")
      .def_prop_ro(
          "_turn",
          [](const Board &self) { return with_history(self, [](const auto &h) { return int(h.position().turn()); }); })
      .def("_find", &find_move, "from_square"_a, "to_square"_a,
           nb::sig("def _find(self, from_square: int, to_square: int) -> Move | None"),
           "The legal move from one square to another, None if there is none or more than one.")
      .def(
          "_play", &play_words, "text"_a, "is_whole"_a, "tell"_a = nb::none(),
          nb::sig("def _play(self, text: str, is_whole: bool, tell: Callable[..., object] | None = "
                  "None) -> int"),
          "Plays the moves of two squares, numbered or not, with which the ASCII text begins, as far as each is the\n"
          "one legal move that it can be; returns how many characters were read. ``tell`` is told each move before it\n"
          "is played, with its text. ``is_whole``: the last word of the text goes no further.")
      .def("_position_key", &position_key, nb::sig("def _position_key(self) -> tuple[int, int, int, int]"))
      .def("_ending", &ending, nb::sig("def _ending(self) -> str | None"))
      .def("_draw_counts", &draw_counts, nb::sig("def _draw_counts(self) -> tuple[tuple[str, int, int], ...]"));

  module.def("perft", &run_perft, "board"_a, "depth"_a, "duplicates"_a = false,
             nb::sig("def perft(board: BoardBase, depth: int, duplicates: bool = False) -> int"),
             "The number of lines of ``depth`` moves from the board's position (draws by count do not end a line).\n\n"
             "With ``duplicates`` every way of a capture counts as a move of its own. Ctrl-C breaks it off.\n\n"
             ">>> from damier import Board, perft\n>>> perft(Board(), 5)\n27117");
}

}  // namespace damier::python
