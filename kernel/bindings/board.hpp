// The Python side of a position with its history: values in, values out.
#pragma once
#include <nanobind/nanobind.h>

#include <variant>

#include "history.hpp"

namespace damier::python {

namespace nb = nanobind;

// The rule sets move in one of two ways; everything else about them is data.
using AnyHistory = std::variant<History<International>, History<CrownAndContinue>>;

struct Board {
  AnyHistory history;
};

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

void bind_board(nb::module_ &module);
void bind_search(nb::module_ &module);

}  // namespace damier::python
