// What sets one draughts game apart from another, as compile-time traits: the generator is a template over them.
#pragma once
#include "geometry.hpp"

namespace damier {

// Which captures are legal when there are several.
enum class Majority : std::uint8_t {
  none,                    // any, but a capture once begun is played out
  most_pieces,             // those that take the most pieces
  most_pieces_then_kings,  // of these, those that take the most kings
};

// What happens to a man that reaches the far row while it is capturing.
enum class Promotion : std::uint8_t {
  at_end,      // it goes on as a man, and is crowned only if the capture ends there
  in_passing,  // it is crowned at once and goes on as a king
  ends_move,   // it is crowned, and the capture is over
};

// International draughts (FMJD, annex 1).
struct International {
  using Board = Grid<10, 5>;
  static constexpr int men_rows = 4;
  static constexpr bool men_capture_backward = true;
  static constexpr bool flying_kings = true;
  static constexpr Majority majority = Majority::most_pieces;
  static constexpr Promotion promotion = Promotion::at_end;
};

// The same with the German club's capture rule: crown and continue.
struct CrownAndContinue : International {
  static constexpr Promotion promotion = Promotion::in_passing;
};

}  // namespace damier
