// A number for each position of few pieces, dense within its material, and back.
//
// Positions are numbered as the side to move sees them: it moves up the board, as White does. One with Black to move is
// turned round first, so that of two positions that mirror each other only one has a number.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "position.hpp"

namespace damier::endgame {

inline constexpr int most_pieces = 6;  // for which an index is made; how many have tables is another matter

// The material of a position, from the side to move.
struct Signature {
  std::uint8_t own_men = 0;
  std::uint8_t own_kings = 0;
  std::uint8_t opponent_men = 0;
  std::uint8_t opponent_kings = 0;

  constexpr int own() const { return own_men + own_kings; }
  constexpr int opponent() const { return opponent_men + opponent_kings; }
  constexpr int pieces() const { return own() + opponent(); }
  constexpr int men() const { return own_men + opponent_men; }
  constexpr Signature mirrored() const { return {opponent_men, opponent_kings, own_men, own_kings}; }
  auto operator<=>(const Signature &) const = default;

  static Signature of(const Pieces &pieces) {
    const Bits own_kings = pieces.own & pieces.kings;
    const Bits opponent_kings = pieces.opponent & pieces.kings;
    return {std::uint8_t(count(pieces.own ^ own_kings)), std::uint8_t(count(own_kings)),
            std::uint8_t(count(pieces.opponent ^ opponent_kings)), std::uint8_t(count(opponent_kings))};
  }

  // A number below `slots` for each signature of up to `most_pieces`.
  static constexpr std::size_t base = most_pieces + 1;
  static constexpr std::size_t slots = base * base * base * base;
  constexpr std::size_t slot() const {
    return ((own_men * base + own_kings) * base + opponent_men) * base + opponent_kings;
  }

  // Kings before men, the side to move first: "KMvKK".
  std::string name() const {
    return std::string(own_kings, 'K') + std::string(own_men, 'M') + 'v' + std::string(opponent_kings, 'K') +
           std::string(opponent_men, 'M');
  }

  // The signature of such a name, if it is one as name() writes it, of at most `most_pieces` and of both sides.
  static std::optional<Signature> named(std::string_view name) {
    std::array<std::uint8_t, 4> counts{};
    std::size_t index = 1;  // own kings, own men, the opponent's kings, the opponent's men
    if (name.size() > most_pieces + 1) return std::nullopt;
    for (const char sign : name) {
      if (sign == 'v') index = 3;
      if (sign == 'M') index &= 2U;
      if (sign != 'v') counts[index]++;
    }
    const Signature found{counts[0], counts[1], counts[2], counts[3]};
    if (found.name() != name || found.own() == 0 || found.opponent() == 0) return std::nullopt;
    return found;
  }
};

// choose[n][k]: the number of sets of k among n.
inline constexpr auto choose = [] {
  std::array<std::array<std::uint64_t, most_pieces + 1>, 65> table{};
  for (std::size_t n = 0; n < table.size(); n++) {
    table[n][0] = 1;
    for (std::size_t k = 1; k <= most_pieces; k++) table[n][k] = n == 0 ? 0 : table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}();

namespace detail {

constexpr Bits reversed(Bits bits) {
  bits = (bits >> 1U & 0x5555555555555555U) | (bits & 0x5555555555555555U) << 1U;
  bits = (bits >> 2U & 0x3333333333333333U) | (bits & 0x3333333333333333U) << 2U;
  bits = (bits >> 4U & 0x0F0F0F0F0F0F0F0FU) | (bits & 0x0F0F0F0F0F0F0F0FU) << 4U;
  return __builtin_bswap64(bits);
}

// The rank of a set of numbers among the sets of its size, those with lower greatest members first.
template <class NumberOf> [[gnu::always_inline]] inline std::uint64_t rank(Bits set, NumberOf &&number_of) {
  std::uint64_t rank = 0;
  std::size_t size = 0;
  for_each(set, [&](int place) __attribute__((always_inline)) { rank += choose[number_of(place)][++size]; });
  return rank;
}

// The set of `size` numbers with this rank, from the greatest: visit(number).
template <class Visit> inline void unrank(std::uint64_t rank, std::size_t size, std::size_t numbers, Visit &&visit) {
  for (std::size_t number = numbers; size > 0; size--) {
    do number--;
    while (choose[number][size] > rank);
    rank -= choose[number][size];
    visit(int(number));
  }
}

}  // namespace detail

// The board seen from the other side.
template <class Board> constexpr Bits turned(Bits bits) {
  return detail::reversed(bits) >> (63 - Board::place_of(1) - Board::place_of(Board::squares));
}
template <class Board> constexpr Pieces turned(const Pieces &pieces) {
  return {turned<Board>(pieces.own), turned<Board>(pieces.opponent), turned<Board>(pieces.kings)};
}

// The pieces of a position turned so that the side to move moves up the board.
template <class Rules> Pieces upward(const Position<Rules> &position) {
  return position.turn() == Side::white ? position.pieces() : turned<typename Rules::Board>(position.pieces());
}

// The men of each side are numbered by themselves, on all squares but their far row; then the own kings on what the men
// leave free, and then the opponent's on what is left. So an index may stand for men of both sides on one square: such
// a hole is no position.
template <class Board> class Index {
  static constexpr int men_squares = Board::squares - Board::per_row;

public:
  static constexpr std::uint64_t size(const Signature &signature) {
    const std::size_t left = std::size_t(Board::squares) - std::size_t(signature.men());
    return choose[men_squares][signature.own_men] * choose[men_squares][signature.opponent_men] *
           choose[left][signature.own_kings] * choose[left - signature.own_kings][signature.opponent_kings];
  }

  // The index of pieces that have this signature.
  static std::uint64_t of(const Signature &signature, const Pieces &pieces) {
    const Bits men = pieces.occupied() & ~pieces.kings;
    const Bits own_kings = pieces.own & pieces.kings;
    const std::size_t left = std::size_t(Board::squares) - std::size_t(signature.men());
    std::uint64_t index = 0;
    if (men != 0) {
      index = detail::rank(pieces.own & men, [](int place) { return number(place) - Board::per_row; });
      index = index * choose[men_squares][signature.opponent_men] + detail::rank(pieces.opponent & men, number);
    }
    if (own_kings != 0) {
      index = index * choose[left][signature.own_kings] + detail::rank(own_kings, free_number(men));
    }
    if (signature.opponent_kings != 0) {
      index = index * choose[left - signature.own_kings][signature.opponent_kings] +
              detail::rank(pieces.opponent & pieces.kings, free_number(men | own_kings));
    }
    return index;
  }

  // The pieces with this index. In a hole a square is held by men of both sides.
  static Pieces pieces(const Signature &signature, std::uint64_t index) {
    const std::size_t left = std::size_t(Board::squares) - std::size_t(signature.men());
    const auto split = [&](std::uint64_t sets) {
      const std::uint64_t rank = index % sets;
      index /= sets;
      return rank;
    };
    const std::uint64_t opponent_kings = split(choose[left - signature.own_kings][signature.opponent_kings]);
    const std::uint64_t own_kings = split(choose[left][signature.own_kings]);
    const std::uint64_t opponent_men = split(choose[men_squares][signature.opponent_men]);
    Pieces made;
    detail::unrank(index, signature.own_men, men_squares,
                   [&](int number) { made.own |= bit(Board::place_of(number + 1 + Board::per_row)); });
    detail::unrank(opponent_men, signature.opponent_men, men_squares,
                   [&](int number) { made.opponent |= bit(Board::place_of(number + 1)); });
    if ((made.own & made.opponent) != 0) return made;
    const auto put = [&](std::uint64_t rank, std::size_t size, std::size_t numbers, Bits &side) {
      const Bits taken = made.occupied();
      detail::unrank(rank, size, numbers, [&](int number) {
        int square = number + 1;
        for_each(taken, [&](int place) { square += Board::square_of[std::size_t(place)] <= square; });
        side |= bit(Board::place_of(square));
        made.kings |= bit(Board::place_of(square));
      });
    };
    put(own_kings, signature.own_kings, left, made.own);
    put(opponent_kings, signature.opponent_kings, left - signature.own_kings, made.opponent);
    return made;
  }

  static bool is_hole(const Pieces &pieces) { return (pieces.own & pieces.opponent) != 0; }

private:
  [[gnu::always_inline]] static std::size_t number(int place) {
    return std::size_t(Board::square_of[std::size_t(place)]) - 1;
  }
  // Numbers squares with those left out that are taken.
  static auto free_number(Bits taken) {
    return [taken](int place)
               __attribute__((always_inline)) { return number(place) - std::size_t(count(taken & (bit(place) - 1))); };
  }
};

}  // namespace damier::endgame
