// Patterns of men: overlapping regions of twelve squares, each read as one number in base 3.
//
// A region's twin is the region turned half round, seen by the other side: what a pattern is worth to White in the one
// it is worth to Black in the other, so that both share a table of weights. Numbers are kept up to date move by move.
#pragma once
#include <array>
#include <cstdint>

#include "position.hpp"

namespace damier::evaluation {

struct Region {
  int row;     // the topmost of its four rows
  int column;  // the leftmost of its three squares in each row
};

// With their twins they cover the board.
inline constexpr std::array<Region, 6> regions = {{{6, 0}, {6, 1}, {6, 2}, {4, 0}, {4, 1}, {4, 2}}};

inline constexpr int region_rows = 4;
inline constexpr int region_columns = 3;
inline constexpr int patterns_of_region = 531441;  // 3 to the twelfth
inline constexpr std::size_t tables = regions.size();
inline constexpr std::size_t lanes = 2 * tables;  // regions, then their twins
inline constexpr std::size_t padded_lanes = 16;
static_assert(lanes <= padded_lanes);

struct Numbers {
  alignas(64) std::array<std::int32_t, padded_lanes> of{};
};

template <class Rules> class Patterns {
  using Board = typename Rules::Board;
  static_assert(Board::rows == 10 && Board::per_row == 5, "the regions are those of the board of a hundred squares");

public:
  // The numbers of a position's patterns, each with its table's place added.
  static Numbers of(const Position<Rules> &position) {
    Numbers numbers;
    for (std::size_t lane = 0; lane < lanes; lane++)
      numbers.of[lane] = std::int32_t(lane % tables) * patterns_of_region;
    for_each(position.white() & ~position.kings(), [&](int place) { add<1>(numbers, Side::white, place); });
    for_each(position.black() & ~position.kings(), [&](int place) { add<1>(numbers, Side::black, place); });
    return numbers;
  }

  // Those after a legal move.
  static void after(const Position<Rules> &position, const Move &move, const Numbers &before, Numbers &result) {
    result = before;
    const Side own = position.turn();
    if ((position.kings() & bit(move.from)) == 0) {
      add<-1>(result, own, move.from);
      if (!move.crowned) add<1>(result, own, move.to);
    }
    for_each(move.captured & ~position.kings(), [&](int place) { add<-1>(result, !own, place); });
  }

private:
  template <int Sign> [[gnu::always_inline]] static void add(Numbers &numbers, Side side, int place) {
    const auto &steps = digits[std::size_t(side)][std::size_t(place)].of;
    for (std::size_t lane = 0; lane < padded_lanes; lane++) numbers.of[lane] += Sign * steps[lane];
  }

  // What a man adds to each number, by its side and place.
  static constexpr std::array<std::array<Numbers, 64>, 2> digits = [] {
    std::array<std::array<Numbers, 64>, 2> made{};
    for (std::size_t table = 0; table < tables; table++) {
      std::int32_t digit = 1;
      for (int row = 0; row < region_rows; row++) {
        for (int column = 0; column < region_columns; column++) {
          const int square = (regions[table].row + row) * Board::per_row + regions[table].column + column + 1;
          const auto place = std::size_t(Board::place_of(square));
          const auto turned = std::size_t(Board::place_of(Board::squares + 1 - square));
          made[0][place].of[table] = made[1][turned].of[table + tables] = digit;
          made[1][place].of[table] = made[0][turned].of[table + tables] = 2 * digit;
          digit *= 3;
        }
      }
    }
    return made;
  }();
};

}  // namespace damier::evaluation
