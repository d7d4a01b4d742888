// What the features are worth, in hundredths of a man. Fitted by logistic regression to the results of games that the
// engine played against itself; with few pieces on the board, when most advantages are drawn, the scale is halved.
#pragma once
#include "features.hpp"

namespace damier::evaluation {

// A weight changes with the number of pieces on the board: from few over half to many.
struct Weight {
  int few;
  int half;
  int many;
};

inline constexpr std::array<Weight, features> feature_weights = {{
    {62, 106, 151},   // man
    {116, 336, 256},  // king
    {12, -15, 33},    // row_0
    {-15, -9, 3},     // row_1
    {-13, -6, 3},     // row_2
    {-8, -6, -15},    // row_3
    {-16, -6, -20},   // row_4
    {-12, 1, -2},     // row_5
    {-4, -5, -20},    // row_6
    {17, 12, -14},    // row_7
    {39, 32, 32},     // row_8
    {3, 0, 13},       // file_0
    {-1, -4, -17},    // file_1
    {12, 0, -11},     // file_2
    {0, 1, 3},        // file_3
    {-14, 4, 11},     // file_4
    {14, -12, 14},    // home_0
    {2, 10, 18},      // home_1
    {-4, 4, 2},       // home_2
    {10, 5, -1},      // home_3
    {11, 16, 37},     // home_4
    {2, -16, -1},     // outpost_held
    {1, 0, -24},      // outpost_propped
    {2, -11, -11},    // outpost_lone
    {-4, 2, -1},      // pair
    {0, 3, -4},       // wedge
    {22, 2, -10},     // safe_step
    {2, 2, 0},        // stuck
    {14, 74, 27},     // runner
    {41, 10, 6},      // main_road
    {-14, -8, 7},     // lopsided
    {4, 6, -4},       // to_move
}};

}  // namespace damier::evaluation
