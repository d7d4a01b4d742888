// The most branching positions that long runs of branching.cpp have found, White to move, international rules.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace damier::test {

struct BranchingPosition {
  std::string_view fen;
  std::size_t moves;
};

inline constexpr std::array<BranchingPosition, 1> branching_positions = {{
    {"W:WK28:B", 17},
}};

}  // namespace damier::test
