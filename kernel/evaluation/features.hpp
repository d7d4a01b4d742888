// What the evaluation looks at, one side at a time: features with a count each.
#pragma once
#include <algorithm>
#include <utility>

#include "position.hpp"

namespace damier::evaluation {

// A feature's weight changes from the full board to the empty one.
enum Feature : int {
  man,
  king,
  row_0,  // men by rows from home
  row_1,
  row_2,
  row_3,
  row_4,
  row_5,
  row_6,
  row_7,
  row_8,
  file_0,  // men by columns from the edge inwards
  file_1,
  file_2,
  file_3,
  file_4,
  home_0,  // men on the back row, from the player's left
  home_1,
  home_2,
  home_3,
  home_4,
  outpost_held,     // men beyond the middle with two men behind
  outpost_propped,  // with one
  outpost_lone,     // with none
  pair,             // men with a man diagonally behind
  wedge,            // men with both squares behind held
  safe_step,        // steps of men after which the man cannot be taken at once
  stuck,            // men without a step
  runner,           // men with nobody in front who could stop them
  main_road,        // the only kings on the main road
  lopsided,         // men more on one wing than on the other
  to_move,
  features,
};

template <class Rules> struct Areas {
  using Board = typename Rules::Board;
  static constexpr int last_column = 2 * Board::per_row - 1;

  static constexpr int column(int square) {
    const int row = (square - 1) / Board::per_row;
    return (square - 1) % Board::per_row * 2 + (row % 2 == 0 ? 1 : 0);
  }

  static constexpr Bits columns(int from, int to) {
    Bits made = 0;
    for (int square = 1; square <= Board::squares; square++) {
      if (from <= column(square) && column(square) <= to) made |= bit(Board::place_of(square));
    }
    return made;
  }

  // Columns from the edge inwards, those of both wings together.
  static constexpr std::array<Bits, Board::per_row> files = [] {
    std::array<Bits, Board::per_row> made{};
    for (int file = 0; file < Board::per_row; file++) {
      made[std::size_t(file)] = columns(file, file) | columns(last_column - file, last_column - file);
    }
    return made;
  }();
  static constexpr Bits left_wing = columns(0, Board::per_row - 2);
  static constexpr Bits right_wing = columns(Board::per_row + 1, last_column);
  // From the lowest left corner up to the right.
  static constexpr Bits main_road = [] {
    const int corner = Board::place_of(Board::squares - Board::per_row + 1);
    return bit(corner) | Board::rays[up_right][std::size_t(corner)];
  }();
  // All squares that a man could pass on its way to the crown, and those from which it could be met there.
  template <Side S>
  static constexpr std::array<Bits, 64> cones = [] {
    std::array<Bits, 64> made{};
    for (int square = 1; square <= Board::squares; square++) {
      const int place = Board::place_of(square);
      Bits front = bit(place);
      Bits cone = 0;
      for (int row = 0; row < Board::rows; row++) {
        const Bits left =
            S == Side::white ? shift<Board::steps[up_left]>(front) : shift<Board::steps[down_left]>(front);
        const Bits right =
            S == Side::white ? shift<Board::steps[up_right]>(front) : shift<Board::steps[down_right]>(front);
        front = (left | right) & Board::board;
        cone |= front;
      }
      made[std::size_t(place)] = cone;
    }
    return made;
  }();
};

// Calls add(feature, count) for all of one side's features but the move.
template <class Rules, Side S, class Add>
[[gnu::always_inline]] inline void visit_features(Bits own, Bits opponent, Bits kings, Add &&add) {
  using Board = typename Rules::Board;
  using Zones = Areas<Rules>;
  constexpr int ahead_left = Board::steps[S == Side::white ? up_left : down_left];
  constexpr int ahead_right = Board::steps[S == Side::white ? up_right : down_right];
  const Bits men = own & ~kings;
  const Bits own_kings = own & kings;
  const Bits empty = Board::board & ~(own | opponent);
  const auto home = [](int row) { return Board::row(S == Side::white ? Board::rows - 1 - row : row); };

  add(man, count(men));
  add(king, count(own_kings));
  for (int row = 0; row < 9; row++) add(Feature(row_0 + row), count(men & home(row)));
  for (int file = 0; file < 5; file++) add(Feature(file_0 + file), count(men & Zones::files[std::size_t(file)]));
  for (int index = 0; index < 5; index++) {
    const int square = S == Side::white ? Board::squares - Board::per_row + 1 + index : Board::per_row - index;
    add(Feature(home_0 + index), int((men >> Board::place_of(square)) & 1U));
  }

  const Bits behind_left = shift<ahead_right>(own);  // squares with an own piece behind to the left
  const Bits behind_right = shift<ahead_left>(own);
  const Bits wedges = men & behind_left & behind_right;
  const Bits propped = men & (behind_left ^ behind_right);
  constexpr Bits beyond = S == Side::white
                              ? Board::row(0) | Board::row(1) | Board::row(2) | Board::row(3) | Board::row(4)
                              : Board::row(9) | Board::row(8) | Board::row(7) | Board::row(6) | Board::row(5);
  add(outpost_held, count(wedges & beyond));
  add(outpost_propped, count(propped & beyond));
  add(outpost_lone, count(men & beyond & ~behind_left & ~behind_right));
  add(pair, count(propped));
  add(wedge, count(wedges));

  // A man that has stepped ahead to the left can be taken across the square that it left only by a piece in front.
  const auto step = [&]<int Ahead, int Other>() {
    const Bits to = shift<Ahead>(men) & empty;
    const Bits hit_from_front = shift<-Ahead>(opponent);  // the square left behind is empty
    const Bits hit_across =
        (shift<-Other>(opponent) & shift<Other>(empty)) | (shift<Other>(opponent) & shift<-Other>(empty));
    return std::pair{to, to & ~(hit_from_front | hit_across)};
  };
  const auto [left_steps, safe_left] = step.template operator()<ahead_left, ahead_right>();
  const auto [right_steps, safe_right] = step.template operator()<ahead_right, ahead_left>();
  add(safe_step, count(safe_left) + count(safe_right));
  add(stuck, count(men & ~shift<-ahead_left>(left_steps) & ~shift<-ahead_right>(right_steps)));

  constexpr Bits last_rows = S == Side::white ? Board::row(1) | Board::row(2) | Board::row(3) | Board::row(4)
                                              : Board::row(8) | Board::row(7) | Board::row(6) | Board::row(5);
  int runners = 0;
  for_each(men & last_rows,
           [&](int place) { runners += (Zones::template cones<S>[std::size_t(place)] & opponent) == 0; });
  add(runner, runners);
  add(main_road, int((own_kings & Zones::main_road) != 0 && (opponent & Zones::main_road) == 0));
  const int tilt = count(men & Zones::left_wing) - count(men & Zones::right_wing);
  add(lopsided, tilt < 0 ? -tilt : tilt);
}

}  // namespace damier::evaluation
