// The Python side of a position with its history: values in, values out.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <variant>

#include "evaluation/learned.hpp"
#include "history.hpp"

namespace damier::python {

namespace nb = nanobind;

// The rule sets move in one of two ways; everything else about them is data.
using AnyHistory = std::variant<History<International>, History<CrownAndContinue>>;

struct Board {
  AnyHistory history;
};

// The learned evaluation's weights, shared by all that use them.
using Evaluation = std::shared_ptr<const evaluation::LearnedWeights>;

// Where a capture was made, so that its ways can be told on demand.
struct Origin {
  Pieces pieces;
  Side turn = Side::white;
  bool in_passing = false;
};

struct MoveValue {
  Move move;
  Origin origin;
  bool has_origin = false;
};

// Calls use(history) with the history in its own type.
template <class AnyBoard, class Use> decltype(auto) with_history(AnyBoard &board, Use &&use) {
  if (auto *international = std::get_if<History<International>>(&board.history)) return use(*international);
  return use(*std::get_if<History<CrownAndContinue>>(&board.history));
}

// The Python object of a legal move of this position.
template <class Rules> nb::object move_object(const Position<Rules> &position, const Move &move);

constexpr int square_of(int place) { return International::Board::square_of[std::size_t(place)]; }
constexpr int place_of(int square) { return International::Board::place_of(square); }

// A set of squares crosses the border as an integer with bit n - 1 set for square n.
std::uint64_t to_mask(Bits bits);

// The legal move from one square to another, none if there is none or more than one.
template <class Rules> std::optional<Move> only_move(const Position<Rules> &position, int from, int to) {
  MoveList moves;
  legal_moves(position, moves);
  std::optional<Move> found;
  for (const Move &move : moves) {
    if (move.from != place_of(from) || move.to != place_of(to)) continue;
    if (found) return std::nullopt;
    found = move;
  }
  return found;
}

// Plays the moves of two squares that `text` begins with, telling each before it is played; what was read of it.
std::size_t play_words(nb::pointer_and_handle<Board> self, const nb::str &text, bool is_whole, nb::handle tell);

void bind_board(nb::module_ &module);
void bind_search(nb::module_ &module);
void bind_learning(nb::module_ &module);
void bind_endgame(nb::module_ &module);

}  // namespace damier::python
