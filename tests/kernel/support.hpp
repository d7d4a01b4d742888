// What the kernel's own tests share: checks, positions from text and positions by chance.
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "perft.hpp"

namespace damier::test {

inline int checks = 0;
inline int failures = 0;

// Counts a check; a failed one is reported and the tests go on.
template <class Describe> void check(bool holds, Describe &&describe) {
  checks++;
  if (holds) return;
  failures++;
  std::cerr << "FAILED: " << describe() << '\n';
}

// The closing words of a test program, and its exit code.
inline int report(std::string_view name) {
  std::cout << name << ": " << checks << " checks, " << failures << " failed" << '\n' << std::flush;
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Runs a test program's checks; what they throw is a failure too.
template <class Body> int run_all(std::string_view name, Body &&body) {
  try {
    body();
  } catch (const std::exception &error) {
    check(false, [&] { return std::string("an exception: ") + error.what(); });
  }
  return report(name);
}

inline int place(int square) { return International::Board::place_of(square); }
inline int square(int place) { return International::Board::square_of[std::size_t(place)]; }

struct Setup {
  Bits white = 0;
  Bits black = 0;
  Bits kings = 0;
  Side turn = Side::white;

  template <class Rules> Position<Rules> position() const {
    return turn == Side::white ? Position<Rules>({white, black, kings}, turn)
                               : Position<Rules>({black, white, kings}, turn);
  }
};

// Reads FEN as these tests write it: "W:W31-35,K40:B1,K2".
inline Setup setup(std::string_view fen) {
  Setup made;
  made.turn = fen.at(0) == 'W' ? Side::white : Side::black;
  Bits *side = &made.white;
  bool king = false;
  int number = 0;
  int since = 0;
  const auto finish = [&] {
    for (int each = since != 0 ? since : number; number != 0 && each <= number; each++) {
      *side |= bit(place(each));
      if (king) made.kings |= bit(place(each));
    }
    king = false;
    number = since = 0;
  };
  for (const char each : fen.substr(1)) {
    if (std::isdigit(static_cast<unsigned char>(each)) != 0) {
      number = number * 10 + (each - '0');
    } else if (each == '-') {
      since = std::exchange(number, 0);
    } else {
      finish();
      if (each == 'W') side = &made.white;
      if (each == 'B') side = &made.black;
      king = each == 'K';
    }
  }
  finish();
  return made;
}

inline std::string fen(const Setup &setup) {
  std::string text = setup.turn == Side::white ? "W" : "B";
  for (const bool white : {true, false}) {
    text += white ? ":W" : ":B";
    bool first = true;
    for_each(white ? setup.white : setup.black, [&](int at) {
      if (!std::exchange(first, false)) text += ',';
      if ((setup.kings & bit(at)) != 0) text += 'K';
      text += std::to_string(square(at));
    });
  }
  return text;
}

using Random = std::mt19937_64;

inline int below(Random &random, int limit) { return int(random() % std::uint64_t(limit)); }

// Any material from one piece a side to twenty kings a side, no man on its far row.
inline Setup random_setup(Random &random) {
  std::array<int, 50> squares{};
  for (int i = 0; i < 50; i++) squares[std::size_t(i)] = place(i + 1);
  std::shuffle(squares.begin(), squares.end(), random);
  Setup made;
  made.turn = below(random, 2) == 0 ? Side::white : Side::black;
  const bool sparse = below(random, 3) == 0;
  std::size_t next = 0;
  for (const Side side : {Side::white, Side::black}) {
    const int pieces = 1 + below(random, sparse ? 6 : 20);
    const int kings_in_ten = below(random, 2) == 0 ? 0 : below(random, 11);
    for (int i = 0; i < pieces; i++) {
      const Bits at = bit(squares[next++]);
      (side == Side::white ? made.white : made.black) |= at;
      if ((at & International::Board::crown_row(side)) != 0 || below(random, 10) < kings_in_ten) made.kings |= at;
    }
  }
  return made;
}

}  // namespace damier::test
