// Weights of the learned evaluation by chance: small, so that a position is worth about as much as any other.
#pragma once
#include "evaluation/learned.hpp"
#include "support.hpp"

namespace damier::test {

inline evaluation::LearnedWeights random_weights(Random &random) {
  using evaluation::LearnedWeights;
  std::string file(LearnedWeights::layout);
  file.reserve(LearnedWeights::bytes);
  for (std::size_t word = 0; word < LearnedWeights::words; word += 4) {
    const std::uint64_t chance = random();
    for (unsigned part = 0; part < 4 && word + part < LearnedWeights::words; part++) {
      const int value = int((chance >> 16U * part) % 301U) - 150;
      file.push_back(char(std::uint16_t(value) & 0xFFU));
      file.push_back(char(std::uint16_t(value) >> 8U));
    }
  }
  return LearnedWeights(file);
}

}  // namespace damier::test
