// The value of a position to the side to move: hundredths of a man, or a win or loss by its distance.
#pragma once

namespace damier {

using Value = int;

inline constexpr int max_ply = 127;  // from the root; deeper lines are valued as they stand
inline constexpr Value win_value = 30000;
inline constexpr Value infinite_value = win_value + 1;
inline constexpr Value longest_win = win_value - 1000;  // any value beyond is a proven win of known distance
inline constexpr Value table_win = 20000;               // a proven win, by the endgame tables: how far is not known
inline constexpr Value highest_estimate = 5000;         // what is beyond is proven

// The opponent is without a move `plies` from now, or the side to move is.
constexpr Value win_in(int plies) { return win_value - plies; }
constexpr Value loss_in(int plies) { return plies - win_value; }
constexpr bool is_decided(Value value) { return value > longest_win || value < -longest_win; }
constexpr bool is_proven(Value value) { return value > highest_estimate || value < -highest_estimate; }

// In the transposition table distances count from the stored position, in the search from the root.
constexpr Value from_root(Value value, int ply) {
  return value > highest_estimate ? value - ply : value < -highest_estimate ? value + ply : value;
}
constexpr Value from_here(Value value, int ply) { return from_root(value, -ply); }

}  // namespace damier
