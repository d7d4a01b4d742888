// A position that the evaluation learns from, as it stands in files: 32 bytes, little-endian.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "position.hpp"

namespace damier::learning {

struct Sample {
  Bits white = 0;
  Bits black = 0;
  Bits kings = 0;
  std::int16_t score = 0;    // what the search found, in hundredths of a man, to White
  std::int8_t result = 0;    // of the game, to White: 1, 0 or -1
  std::uint8_t turn = 0;     // 0: White
  std::uint16_t ply = 0;     // since the start of the game
  std::uint16_t to_end = 0;  // plies until the game was over

  template <class Rules> Position<Rules> position() const {
    const Side side = turn == 0 ? Side::white : Side::black;
    return Position<Rules>(side == Side::white ? Pieces{white, black, kings} : Pieces{black, white, kings}, side);
  }
};
static_assert(sizeof(Sample) == 32 && std::is_trivially_copyable_v<Sample>);
static_assert(std::endian::native == std::endian::little, "samples are written as they lie in memory");

}  // namespace damier::learning
