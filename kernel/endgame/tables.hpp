// What endgame tables say of a position: won, drawn or lost, and how far the end is.
#pragma once
#include <optional>
#include <span>

#include "endgame/index.hpp"
#include "generator.hpp"

namespace damier::endgame {

enum class Wdl : std::int8_t { loss = -1, draw = 0, win = 1 };
constexpr Wdl operator-(Wdl value) { return Wdl(-int(value)); }

// Single moves until the side to move, or its opponent, has none. Odd if the side to move wins, even if it loses.
using Distance = std::uint8_t;
inline constexpr Distance no_distance = 255;  // of a draw
inline constexpr Distance longest_distance = 253;

constexpr Wdl wdl_of(Distance distance) {
  return distance == no_distance ? Wdl::draw : distance % 2 == 1 ? Wdl::win : Wdl::loss;
}

// What a position comes to by the distances after its moves.
class Outlook {
public:
  void add(Distance reply) {
    if (reply == no_distance) {
      draw_ = true;
    } else if (reply % 2 == 0) {
      win_ = std::min(win_, reply + 1);
    } else {
      loss_ = std::max(loss_, reply + 1);
    }
  }

  bool wins() const { return win_ != no_distance; }
  bool draws() const { return !wins() && draw_; }
  int distance() const { return wins() ? win_ : draw_ ? int(no_distance) : loss_; }

private:
  int win_ = no_distance;  // the quickest
  int loss_ = 0;           // the slowest, 0 too where there is no move at all
  bool draw_ = false;
};

// Four values a byte, two bits each, the first in the lowest: 0 a draw, 1 a win, 2 a loss.
constexpr std::uint64_t packed_size(std::uint64_t positions) { return (positions + 3) / 4; }
constexpr std::uint8_t packed(Wdl value) { return value == Wdl::draw ? 0 : value == Wdl::win ? 1 : 2; }
[[gnu::always_inline]] inline Wdl unpacked(const std::uint8_t *table, std::uint64_t index) {
  constexpr std::array<Wdl, 4> values = {Wdl::draw, Wdl::win, Wdl::loss, Wdl::draw};
  return values[unsigned(table[index / 4]) >> (index % 4 * 2) & 3U];
}

// The tables that there are, by material. They are another's memory, which must outlive this object: read-only, so that
// any number of threads may probe at once. Nothing here allocates or locks.
//
// No table knows of draws by repetition or by count. Where the side to move must capture, a packed table's entry is not
// looked at: the value follows from the positions after the captures, which have fewer pieces. So a table may hold
// anything there, whatever compresses best. Distances likewise need be right only in lost positions without a capture:
// others follow from these and from the values; a table that is complete just answers faster.
template <class Rules> class Tables {
  using Board = typename Rules::Board;

public:
  // The tables must have packed_size(Index::size(signature)) or Index::size(signature) bytes.
  void add(const Signature &signature, const std::uint8_t *packed_values) {
    wdl_[signature.slot()] = packed_values;
    measure(most_pieces_, wdl_);
  }
  void add_distances(const Signature &signature, const std::uint8_t *distances, bool complete) {
    distances_[signature.slot()] = distances;
    is_complete_[signature.slot()] = complete;
    measure(most_distances_, distances_);
  }

  // All positions with so many pieces or fewer have a value, or a distance.
  int pieces() const { return most_pieces_; }
  int pieces_with_distance() const { return most_distances_; }
  // What was added for a material, null if nothing was.
  const std::uint8_t *values(const Signature &signature) const { return wdl_[signature.slot()]; }
  const std::uint8_t *distances(const Signature &signature) const { return distances_[signature.slot()]; }

  // The value to the side to move, if the tables know it.
  [[gnu::always_inline]] std::optional<Wdl> probe(const Position<Rules> &position) const noexcept {
    if (count(position.pieces().occupied()) > most_pieces_) return std::nullopt;
    return probe_few(upward(position));
  }

  // The same where the side to move is known to have no capture: cheaper.
  [[gnu::always_inline]] std::optional<Wdl> probe_quiet(const Position<Rules> &position) const noexcept {
    if (count(position.pieces().occupied()) > most_pieces_) return std::nullopt;
    return quiet_value(upward(position));
  }

  std::optional<Distance> distance(const Position<Rules> &position) const noexcept {
    if (count(position.pieces().occupied()) > most_distances_) return std::nullopt;
    return distance(upward(position));
  }

  // These see the side to move moving up the board; the material's tables, and those of what captures leave, must be
  // there.
  Wdl value(const Pieces &pieces) const noexcept {
    if (pieces.own == 0) return Wdl::loss;
    if (pieces.opponent == 0) return Wdl::win;
    MoveList captures;
    if (!list_captures(pieces, captures)) return quiet_value(pieces);
    Wdl best = Wdl::loss;
    for (const Move &move : captures) {
      best = std::max(best, -value(next(pieces, move)));
      if (best == Wdl::win) break;
    }
    return best;
  }

  Distance distance(const Pieces &pieces) const noexcept {
    if (pieces.own == 0) return 0;
    if (pieces.opponent == 0) return 1;
    const Signature signature = Signature::of(pieces);
    if (is_complete_[signature.slot()]) return stored_distance(signature, pieces);
    MoveList captures;
    if (list_captures(pieces, captures)) return over(pieces, captures);
    switch (quiet_value(pieces)) {
      case Wdl::draw: return no_distance;
      case Wdl::loss: return stored_distance(signature, pieces);
      case Wdl::win: break;
    }
    MoveList moves;
    visit_moves<Rules, Side::white>(pieces, [&](const Move &move) {
      if (value(next(pieces, move)) == Wdl::loss) moves.push(move);
    });
    return over(pieces, moves);
  }

  // The position after a move, turned for the side that moves next.
  static Pieces next(const Pieces &pieces, const Move &move) {
    return turned<Board>(after<Rules, Side::white>(pieces, move));
  }

private:
  [[gnu::noinline]] Wdl probe_few(const Pieces &pieces) const noexcept { return value(pieces); }

  Wdl quiet_value(const Pieces &pieces) const noexcept {
    if (pieces.own == 0) return Wdl::loss;
    if (pieces.opponent == 0) return Wdl::win;
    const Signature signature = Signature::of(pieces);
    return unpacked(wdl_[signature.slot()], Index<Board>::of(signature, pieces));
  }

  Distance stored_distance(const Signature &signature, const Pieces &pieces) const noexcept {
    return distances_[signature.slot()][Index<Board>::of(signature, pieces)];
  }

  // The distance that follows from those after the moves.
  Distance over(const Pieces &pieces, const MoveList &moves) const noexcept {
    Outlook outlook;
    for (const Move &move : moves) outlook.add(distance(next(pieces, move)));
    return Distance(outlook.distance());
  }

  // The captures, if there are any.
  static bool list_captures(const Pieces &pieces, MoveList &captures) {
    using damier::detail::Attackers;
    const Attackers<Rules, Side::white> attackers(pieces, Board::board & ~pieces.occupied());
    if (attackers.one == 0 && (pieces.own & pieces.kings) == 0) return false;
    damier::detail::search_captures<Rules, Side::white>(pieces, attackers.one, captures);
    return !captures.empty();
  }

  using Slots = std::array<const std::uint8_t *, Signature::slots>;

  static void measure(int &most, const Slots &slots) {
    const auto complete = [&](int pieces) {
      for (int own = 1; own < pieces; own++) {
        const int opponent = pieces - own;
        for (int own_men = 0; own_men <= own; own_men++) {
          for (int men = 0; men <= opponent; men++) {
            const Signature signature{std::uint8_t(own_men), std::uint8_t(own - own_men), std::uint8_t(men),
                                      std::uint8_t(opponent - men)};
            if (slots[signature.slot()] == nullptr) return false;
          }
        }
      }
      return true;
    };
    most = 1;
    while (most < endgame::most_pieces && complete(most + 1)) most++;
  }

  Slots wdl_{};
  Slots distances_{};
  std::array<bool, Signature::slots> is_complete_{};
  int most_pieces_ = 1;
  int most_distances_ = 1;
};

}  // namespace damier::endgame
