// The most branching positions that long runs of branching.cpp have found, under the rules of international draughts.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace damier::test {

struct BranchingPosition {
  std::string_view fen;
  std::size_t moves;
};

inline constexpr std::array<BranchingPosition, 5> branching_positions = {{
    // The most moves; all are captures.
    {"W:WK4,K5,15,K16,K26,K36,K46:B7,K8,K11,13,19,K20,21,K29,K30,31,K33,K38,41,42", 407},
    {"W:WK2,K3,K4,K5,K36,K38,K46,49:B7,K8,K9,10,K11,16,K20,21,K24,K27,29,32,33,42,43", 407},
    {"W:WK5,K15,K25,K27,K35,K46,K47:BK4,9,10,K13,K16,K18,K20,K21,K22,K30,K31,K32,K36,38,40,K43,44", 407},
    // The most ways of one capture: 160.
    {"W:WK2,K4,K5,6,K10,18,K19,26,35,K39,K45,46:BK11,12,13,K14,K15,K21,22,K23,K24,31,32,K33,K34,41,K42,43,K44,K48", 1},
    {"W:WK3,8,10,17,18,28,K45,K46,K48,50:B2,5,K6,11,K12,13,K14,K19,21,22,23,24,31,K32,K33,34,41,K42,43,K44", 1},
}};

}  // namespace damier::test
