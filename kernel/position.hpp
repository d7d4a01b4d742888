// An immutable position; a move makes a new one.
#pragma once
#include "moves.hpp"
#include "rules.hpp"

namespace damier {

// The pieces as the side to move sees them: all that the rules of moving need.
struct Pieces {
  Bits own = 0;
  Bits opponent = 0;
  Bits kings = 0;

  Bits occupied() const { return own | opponent; }
  Bits men() const { return own & ~kings; }
  bool operator==(const Pieces &) const = default;
};

// The pieces after the side's move, seen by the other side.
template <class Rules, Side S> [[gnu::always_inline]] inline Pieces after(const Pieces &pieces, const Move &move) {
  const Bits from = bit(move.from);
  const Bits to = bit(move.to);
  Bits kings = pieces.kings & ~move.captured;
  if ((kings & from) != 0) {
    kings = (kings ^ from) | to;
  } else if (move.crowned) {
    kings |= to;
  }
  return {pieces.opponent & ~move.captured, (pieces.own ^ from) | to, kings};
}

// Zobrist keys: one random word for each side's men and kings on each square, and one for Black to move.
namespace zobrist {
// splitmix64, Steele, Lea and Flood 2014
constexpr std::uint64_t mix(std::uint64_t &state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}
struct Keys {
  std::array<std::array<std::array<std::uint64_t, 64>, 2>, 2> piece;  // [side][king][place]
  std::uint64_t black_to_move;
};
inline constexpr Keys keys = [] {
  Keys made{};
  std::uint64_t state = 0x44616D696572U;
  for (auto &side : made.piece) {
    for (auto &rank : side) {
      for (auto &key : rank) key = mix(state);
    }
  }
  made.black_to_move = mix(state);
  return made;
}();
}  // namespace zobrist

template <class Rules> class Position {
public:
  Position(const Pieces &pieces, Side turn) : pieces_(pieces), hash_(compute_hash(pieces, turn)), turn_(turn) {}

  static Position start() {
    Bits white = 0;
    Bits black = 0;
    for (int row = 0; row < Rules::men_rows; row++) {
      black |= Rules::Board::row(row);
      white |= Rules::Board::row(Rules::Board::rows - 1 - row);
    }
    return Position({white, black, 0}, Side::white);
  }

  const Pieces &pieces() const { return pieces_; }
  Side turn() const { return turn_; }
  std::uint64_t hash() const { return hash_; }
  Bits white() const { return turn_ == Side::white ? pieces_.own : pieces_.opponent; }
  Bits black() const { return turn_ == Side::white ? pieces_.opponent : pieces_.own; }
  Bits kings() const { return pieces_.kings; }

  Position after(const Move &move) const {
    const bool was_king = (pieces_.kings & bit(move.from)) != 0;
    const auto own = std::size_t(turn_);
    std::uint64_t hash = hash_ ^ zobrist::keys.black_to_move;
    hash ^= zobrist::keys.piece[own][was_king][move.from];
    hash ^= zobrist::keys.piece[own][was_king || move.crowned][move.to];
    for_each(move.captured,
             [&](int place) { hash ^= zobrist::keys.piece[1 - own][(pieces_.kings & bit(place)) != 0][place]; });
    const Pieces next = turn_ == Side::white ? damier::after<Rules, Side::white>(pieces_, move)
                                             : damier::after<Rules, Side::black>(pieces_, move);
    return Position(next, !turn_, hash);
  }

  // The other side to move, nothing moved: for searches that ask what a threat is worth.
  Position passed() const {
    return Position({pieces_.opponent, pieces_.own, pieces_.kings}, !turn_, hash_ ^ zobrist::keys.black_to_move);
  }

  bool operator==(const Position &other) const { return turn_ == other.turn_ && pieces_ == other.pieces_; }

  static std::uint64_t compute_hash(const Pieces &pieces, Side turn) {
    std::uint64_t hash = turn == Side::black ? zobrist::keys.black_to_move : 0;
    const auto add = [&](Bits bits, Side side) {
      for_each(bits, [&](int place) {
        hash ^= zobrist::keys.piece[std::size_t(side)][(pieces.kings & bit(place)) != 0][place];
      });
    };
    add(pieces.own, turn);
    add(pieces.opponent, !turn);
    return hash;
  }

private:
  Position(const Pieces &pieces, Side turn, std::uint64_t hash) : pieces_(pieces), hash_(hash), turn_(turn) {}

  Pieces pieces_;
  std::uint64_t hash_;
  Side turn_;
};

}  // namespace damier
