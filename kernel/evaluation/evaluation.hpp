// The static value of a position: what it is worth as far as the eye sees, to the side to move.
#pragma once
#include "search/score.hpp"
#include "weights.hpp"

namespace damier {

namespace evaluation {

// Few pieces with kings about are seldom won: what part of the difference, of 16, remains.
template <class Rules> [[gnu::noinline]] int drawishness(Bits strong, Bits weak, Bits kings) {
  const Bits weak_kings = weak & kings;
  if (weak_kings == 0) return 16;
  const int more = count(strong) - count(weak);
  if (more <= 0) return 8;
  const Bits road = Areas<Rules>::main_road;
  const bool holds_road = (weak_kings & road) != 0 && (strong & kings & road) == 0;
  if (count(weak) == 1) {  // three kings beat one off the main road, hardly on it
    if (count(strong) < 3) return 1;
    if (holds_road) return count(strong) == 3 ? 1 : 3;
    return count(strong) == 3 ? 8 : 16;
  }
  if (more == 1) return holds_road ? 2 : 4;
  if (more == 2) return holds_road ? 4 : 8;
  return 16;
}

}  // namespace evaluation

template <class Rules> Value evaluate(const Position<Rules> &position) {
  using namespace evaluation;
  const Bits white = position.white();
  const Bits black = position.black();
  const Bits kings = position.kings();
  int full = 0;
  int empty = 0;
  visit_features<Rules, Side::white>(white, black, kings,
                                     [&](Feature feature, int times) __attribute__((always_inline)) {
                                       full += weights[feature].full * times;
                                       empty += weights[feature].empty * times;
                                     });
  visit_features<Rules, Side::black>(black, white, kings,
                                     [&](Feature feature, int times) __attribute__((always_inline)) {
                                       full -= weights[feature].full * times;
                                       empty -= weights[feature].empty * times;
                                     });
  const bool white_moves = position.turn() == Side::white;
  full += white_moves ? weights[to_move].full : -weights[to_move].full;
  empty += white_moves ? weights[to_move].empty : -weights[to_move].empty;
  constexpr int all = 2 * Rules::men_rows * Rules::Board::per_row;
  const int pieces = std::min(count(white | black), all);
  int value = (full * pieces + empty * (all - pieces)) / all;
  if (kings != 0 && pieces <= 12) {
    value =
        value * (value > 0 ? drawishness<Rules>(white, black, kings) : drawishness<Rules>(black, white, kings)) / 16;
  }
  return white_moves ? value : -value;
}

}  // namespace damier
