// The learned evaluation: what patterns of men are worth, and a few terms of the whole board.
//
// Every weight is a pair, for a full board and for an empty one; in between it changes with the number of pieces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "evaluation.hpp"
#include "memory.hpp"
#include "patterns.hpp"

namespace damier::evaluation {

// Sixteenths of a hundredth of a man.
struct WeightPair {
  std::int16_t full = 0;
  std::int16_t empty = 0;
};
inline constexpr int weight_unit = 16;

// What the whole board tells, White's less Black's.
enum Term : int {
  term_man,
  term_king,
  term_first_king,  // has a king at all
  term_main_road,   // the only kings on the main road
  term_lopsided,    // men more on one wing than on the other
  term_runner,      // men with nobody in front who could stop them
  term_to_move,
  term_king_square,  // kings by their square, as their own side numbers it: fifty of them
};
inline constexpr int terms = term_king_square + 50;

// How far a board is from empty, in `unit`s.
struct Fullness {
  static constexpr int unit = 128;
  static constexpr int fewest = 6;
  static constexpr int most = 34;

  static constexpr int of(int pieces) { return (std::clamp(pieces, fewest, most) - fewest) * unit / (most - fewest); }
};

// Calls add(term, times).
template <class Rules, class Add>
[[gnu::always_inline]] inline void visit_terms(const Position<Rules> &position, Add &&add) {
  using Board = typename Rules::Board;
  using Zones = Areas<Rules>;
  const Bits kings = position.kings();
  const Bits white = position.white();
  const Bits black = position.black();
  const Bits white_men = white & ~kings;
  const Bits black_men = black & ~kings;
  add(term_man, count(white_men) - count(black_men));
  add(term_to_move, position.turn() == Side::white ? 1 : -1);
  const auto tilt = [](Bits men) { return std::abs(count(men & Zones::left_wing) - count(men & Zones::right_wing)); };
  add(term_lopsided, tilt(white_men) - tilt(black_men));
  constexpr Bits white_goes = Board::row(1) | Board::row(2) | Board::row(3) | Board::row(4);
  constexpr Bits black_goes = Board::row(8) | Board::row(7) | Board::row(6) | Board::row(5);
  if (const Bits far = (white_men & white_goes) | (black_men & black_goes); far != 0) {
    int runners = 0;
    for_each(white_men & white_goes,
             [&](int place) { runners += int((Zones::template cones<Side::white>[std::size_t(place)] & black) == 0); });
    for_each(black_men & black_goes,
             [&](int place) { runners -= int((Zones::template cones<Side::black>[std::size_t(place)] & white) == 0); });
    add(term_runner, runners);
  }
  if (kings == 0) return;
  const Bits white_kings = white & kings;
  const Bits black_kings = black & kings;
  add(term_king, count(white_kings) - count(black_kings));
  add(term_first_king, int(white_kings != 0) - int(black_kings != 0));
  add(term_main_road, int((white_kings & Zones::main_road) != 0 && (black & Zones::main_road) == 0) -
                          int((black_kings & Zones::main_road) != 0 && (white & Zones::main_road) == 0));
  for_each(white_kings, [&](int place) { add(term_king_square + Board::square_of[std::size_t(place)] - 1, 1); });
  for_each(black_kings,
           [&](int place) { add(term_king_square + Board::squares - Board::square_of[std::size_t(place)], -1); });
}

// What part of the value, of 16, remains: see drawishness().
template <class Rules> inline int remaining(const Position<Rules> &position, bool white_leads) {
  const Bits kings = position.kings();
  if (kings == 0 || count(position.pieces().occupied()) > 12) return 16;
  return white_leads ? drawishness<Rules>(position.white(), position.black(), kings)
                     : drawishness<Rules>(position.black(), position.white(), kings);
}

// Weights as a file holds them: a line that names the layout, the terms, then the patterns table by table, all in
// 16-bit words with the lower byte first.
class LearnedWeights {
public:
  static constexpr std::string_view layout = "damier patterns 1\n";
  static constexpr std::size_t words = 2 * (std::size_t(terms) + tables * std::size_t(patterns_of_region));
  static constexpr std::size_t bytes = layout.size() + 2 * words;

  // Throws std::invalid_argument.
  explicit LearnedWeights(std::span<const char> file) : patterns_(tables * std::size_t(patterns_of_region)) {
    if (file.size() < layout.size() || std::string_view(file.data(), layout.size()) != layout) {
      throw std::invalid_argument("these are not weights of this version of the evaluation");
    }
    if (file.size() != bytes) {
      throw std::invalid_argument("the weights have " + std::to_string(file.size()) + " bytes instead of " +
                                  std::to_string(bytes));
    }
    const char *data = file.data() + layout.size();
    std::memcpy(terms_.data(), data, sizeof terms_);
    std::memcpy(patterns_.data(), data + sizeof terms_, patterns_.size() * sizeof(WeightPair));
  }

  const WeightPair &pattern(std::size_t number) const { return patterns_[number]; }
  const WeightPair &term(int term) const { return terms_[std::size_t(term)]; }

private:
  std::array<WeightPair, terms> terms_;
  HugeArray<WeightPair> patterns_;
};
static_assert(sizeof(WeightPair) == 4);

// The value to the side to move, in hundredths of a man.
template <class Rules>
Value evaluate(const Position<Rules> &position, const Numbers &numbers, const LearnedWeights &weights) {
  int full = 0;
  int empty = 0;
  for (std::size_t lane = 0; lane < tables; lane++) {
    const WeightPair &own = weights.pattern(std::size_t(numbers.of[lane]));
    const WeightPair &twin = weights.pattern(std::size_t(numbers.of[lane + tables]));
    full += own.full - twin.full;
    empty += own.empty - twin.empty;
  }
  visit_terms<Rules>(position, [&](int term, int times) __attribute__((always_inline)) {
    full += weights.term(term).full * times;
    empty += weights.term(term).empty * times;
  });
  const int part = Fullness::of(count(position.pieces().occupied()));
  int value = (full * part + empty * (Fullness::unit - part)) / (Fullness::unit * weight_unit);
  if (position.kings() != 0) value = value * remaining(position, value > 0) / 16;
  value = std::clamp(value, -highest_estimate, highest_estimate);
  return position.turn() == Side::white ? value : -value;
}

}  // namespace damier::evaluation
