// What the features are worth, in hundredths of a man, on a full board and on an empty one.
#pragma once
#include "features.hpp"

namespace damier::evaluation {

struct Weight {
  int full;
  int empty;
};

inline constexpr std::array<Weight, features> weights = {{
    {100, 100},                                                                               // man
    {250, 290},                                                                               // king
    {0, 0},                                                                                   // row_0
    {0, 0},     {2, 5},   {5, 10}, {8, 16}, {8, 24}, {10, 34}, {20, 48}, {40, 70}, {-6, -2},  // file_0
    {-2, -1},   {0, 0},   {3, 1},  {5, 2},  {2, 2},                                           // home_0
    {6, 4},     {8, 8},   {2, 4},  {2, 2},  {8, 4},                                           // outpost_held
    {0, 0},     {-10, 0}, {2, 1},                                                             // pair
    {4, 2},     {3, 3},                                                                       // safe_step
    {-3, -3},   {20, 60},                                                                     // runner
    {0, 30},                                                                                  // main_road
    {-2, -2},                                                                                 // lopsided
    {4, 4},                                                                                   // to_move
}};

}  // namespace damier::evaluation
