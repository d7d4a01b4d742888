// The static value of a position: what it is worth as far as the eye sees, to the side to move.
#pragma once
#include <algorithm>

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

// What a weight is for this many pieces.
struct Phase {
  static constexpr int few = 6;
  static constexpr int half = 16;
  static constexpr int many = 32;

  int few_part;
  int half_part;
  int many_part;

  explicit Phase(int pieces) {
    const int at = std::clamp(pieces, few, many);
    few_part = at < half ? (half - at) * unit / (half - few) : 0;
    many_part = at > half ? (at - half) * unit / (many - half) : 0;
    half_part = unit - few_part - many_part;
  }
  static constexpr int unit = 160;
};

}  // namespace evaluation

template <class Rules> Value evaluate(const Position<Rules> &position) {
  using namespace evaluation;
  const Bits white = position.white();
  const Bits black = position.black();
  const Bits kings = position.kings();
  Weight sum{0, 0, 0};
  const auto add = [&](Feature feature, int times) __attribute__((always_inline)) {
    sum.few += feature_weights[feature].few * times;
    sum.half += feature_weights[feature].half * times;
    sum.many += feature_weights[feature].many * times;
  };
  visit_features<Rules, Side::white>(white, black, kings, add);
  visit_features<Rules, Side::black>(
      black, white, kings, [&](Feature feature, int times) __attribute__((always_inline)) { add(feature, -times); });
  const bool white_moves = position.turn() == Side::white;
  add(to_move, white_moves ? 1 : -1);
  const int pieces = count(white | black);
  const Phase phase(pieces);
  int value = (sum.few * phase.few_part + sum.half * phase.half_part + sum.many * phase.many_part) / Phase::unit;
  if (kings != 0 && pieces <= 12) {
    value =
        value * (value > 0 ? drawishness<Rules>(white, black, kings) : drawishness<Rules>(black, white, kings)) / 16;
  }
  return white_moves ? value : -value;
}

}  // namespace damier
