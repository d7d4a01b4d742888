// What the features are worth, in hundredths of a man.
#pragma once
#include "features.hpp"

namespace damier::evaluation {

// A weight changes with the number of pieces on the board: from few over half to many.
struct Weight {
  int few;
  int half;
  int many;
};

inline constexpr std::array<Weight, features> weights = {{
    {64, 110, 141},   // man
    {122, 326, 257},  // king
    {6, -14, 20},     // row_0
    {-13, -9, -8},    // row_1
    {-12, -7, -3},    // row_2
    {-8, -7, -16},    // row_3
    {-12, -6, -18},   // row_4
    {-7, 2, 10},      // row_5
    {-2, -5, -15},    // row_6
    {14, 13, -3},     // row_7
    {34, 33, 33},     // row_8
    {4, 1, 4},        // file_0
    {2, -5, -20},     // file_1
    {8, -1, -11},     // file_2
    {0, 0, 7},        // file_3
    {-14, 4, 20},     // file_4
    {10, -14, 12},    // home_0
    {2, 15, 17},      // home_1
    {-2, 3, 5},       // home_2
    {8, 3, -4},       // home_3
    {9, 17, 26},      // home_4
    {2, -10, 4},      // outpost_held
    {0, -2, -10},     // outpost_propped
    {2, -11, -6},     // outpost_lone
    {-4, 2, 5},       // pair
    {0, 3, 2},        // wedge
    {18, 1, -3},      // safe_step
    {0, -1, 1},       // stuck
    {20, 71, 28},     // runner
    {31, 15, 6},      // main_road
    {-14, -8, 5},     // lopsided
    {2, 6, 1},        // to_move
}};

}  // namespace damier::evaluation
