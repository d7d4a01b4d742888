// Squares, bits, directions and rays of a diagonal board.
//
// A board is kept in one machine word with ghost squares between the rows: two rows of five take 13 bits, of which
// three are never occupied. A diagonal step is then one shift by 6 or 7 and runs off the edge into a ghost, so that no
// file masks are needed. Squares are numbered from 1, from Black's back row, left to right as White sits; inside the
// kernel a square is its bit number.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace damier {

using Bits = std::uint64_t;

enum class Side : std::uint8_t { white, black };
constexpr Side operator!(Side side) { return side == Side::white ? Side::black : Side::white; }

// White moves up the board, towards the lower bits: its forward directions are 0 and 1. Opposites add up to three.
enum Direction : std::uint8_t { up_left, up_right, down_left, down_right };
constexpr Direction opposite(Direction direction) { return Direction(3 - direction); }
constexpr bool is_up(Direction direction) { return direction <= up_right; }
constexpr bool is_forward(Side side, Direction direction) { return is_up(direction) == (side == Side::white); }

constexpr Bits bit(int place) { return Bits(1) << place; }
constexpr int first(Bits bits) { return std::countr_zero(bits); }
constexpr int last(Bits bits) { return 63 - std::countl_zero(bits); }
constexpr int count(Bits bits) { return std::popcount(bits); }

template <int Distance> [[gnu::always_inline]] constexpr Bits shift(Bits bits) {
  if constexpr (Distance > 0) {
    return bits << Distance;
  } else {
    return bits >> -Distance;
  }
}

// Calls visit(place) for each square of the set, from the lowest.
template <class Visit> [[gnu::always_inline]] constexpr void for_each(Bits bits, Visit &&visit) {
  for (; bits != 0; bits &= bits - 1) visit(first(bits));
}

// A board of Rows rows with PerRow playing squares in each; the lowest left corner is a playing square.
template <int Rows, int PerRow> struct Grid {
  static_assert(Rows % 2 == 0, "rows come in pairs");
  static constexpr int rows = Rows;
  static constexpr int per_row = PerRow;
  static constexpr int squares = Rows * PerRow;
  static constexpr int row_pair = 2 * PerRow + 3;
  static_assert(Rows / 2 * row_pair - 2 <= 64, "a wider board needs a wider word");

  static constexpr std::array<int, 4> steps = {-(PerRow + 2), -(PerRow + 1), PerRow + 1, PerRow + 2};

  static constexpr int place_of(int square) {
    const int row = (square - 1) / PerRow;
    return row / 2 * row_pair + row % 2 * (PerRow + 1) + (square - 1) % PerRow;
  }

  static constexpr Bits row(int index) {
    Bits bits = 0;
    for (int square = index * PerRow + 1; square <= (index + 1) * PerRow; square++) bits |= bit(place_of(square));
    return bits;
  }

  static constexpr Bits board = [] {
    Bits bits = 0;
    for (int square = 1; square <= squares; square++) bits |= bit(place_of(square));
    return bits;
  }();

  static constexpr std::array<std::uint8_t, 64> square_of = [] {
    std::array<std::uint8_t, 64> table{};
    for (int square = 1; square <= squares; square++) table[place_of(square)] = std::uint8_t(square);
    return table;
  }();

  // Where a side's men are crowned.
  static constexpr Bits crown_row(Side side) { return row(side == Side::white ? 0 : Rows - 1); }

  // rays[direction][place]: the squares from place (itself left out) to the edge.
  static constexpr std::array<std::array<Bits, 64>, 4> rays = [] {
    std::array<std::array<Bits, 64>, 4> table{};
    for (int direction = 0; direction < 4; direction++) {
      for (int square = 1; square <= squares; square++) {
        const int place = place_of(square);
        for (int at = place + steps[direction]; at >= 0 && at < 64 && (board & bit(at)) != 0; at += steps[direction]) {
          table[direction][place] |= bit(at);
        }
      }
    }
    return table;
  }();

  // The square of a set (not empty) that is met first along the direction.
  template <Direction D> [[gnu::always_inline]] static constexpr int nearest(Bits bits) {
    return is_up(D) ? last(bits) : first(bits);
  }

  // The empty squares seen from place along the direction.
  template <Direction D> [[gnu::always_inline]] static constexpr Bits slide(int place, Bits occupied) {
    const Bits ray = rays[D][place];
    const Bits blockers = ray & occupied;
    if (blockers == 0) return ray;
    return ray & ~rays[D][nearest<D>(blockers)] & ~occupied;
  }

  [[gnu::always_inline]] static constexpr Bits slides(int place, Bits occupied) {
    return slide<up_left>(place, occupied) | slide<up_right>(place, occupied) | slide<down_left>(place, occupied) |
           slide<down_right>(place, occupied);
  }
};

}  // namespace damier
