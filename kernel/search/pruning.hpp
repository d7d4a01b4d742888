// What the search does not look at, or looks at less deeply. docs/engine.md tells which of the numbers
// were tried against others.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "score.hpp"

namespace damier::pruning {

// Near the last ply a quiet position that is this much better than needed a ply is taken as good enough,
inline constexpr int enough_depth = 3;
inline constexpr int enough_a_ply = 30;
// and one that is this much worse only has its captures played out.
inline constexpr int hopeless_depth = 2;
inline constexpr int hopeless_a_ply = 60;

// Farther from it, a shallower search decides whether a position is this much better than needed (Buro's ProbCut, 1995,
// upwards only).
inline constexpr int shallow_depth = 4;
inline constexpr int shallow_margin = 30;
inline constexpr int shallow_a_ply = 4;
inline constexpr int shallow_share = 8;  // of the depth, in sixteenths

// Late moves are looked at less deeply, the later and the farther from the last ply the less.
inline constexpr int late_from = 2;
inline constexpr int late_base = 30;      // hundredths of a ply
inline constexpr int late_divisor = 180;  // hundredths

inline int late_reduction(int depth, std::size_t index, bool open) {
  static const auto table = [] {
    std::array<std::array<std::int8_t, 64>, 64> made{};
    for (std::size_t each_depth = 1; each_depth < 64; each_depth++) {
      for (std::size_t each_index = 1; each_index < 64; each_index++) {
        const double plies = late_base / 100.0 + std::log(each_depth) * std::log(each_index) * 100.0 / late_divisor;
        made[each_depth][each_index] = std::int8_t(plies);
      }
    }
    return made;
  }();
  if (depth < 2 || index < std::size_t(late_from)) return 0;
  const int plies = table[std::size_t(std::min(depth, 63))][std::min<std::size_t>(index, 63)] - int(open);
  return std::clamp(plies, 0, depth - 1);
}

}  // namespace damier::pruning
