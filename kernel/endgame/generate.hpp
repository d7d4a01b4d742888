// Making endgame tables by retrograde analysis, one material after the other, and verifying them.
#pragma once
#include <cstring>
#include <stdexcept>
#include <vector>

#include "endgame/tables.hpp"

namespace damier::endgame {

// How many positions of a material are won, drawn and lost for the side to move, and the longest win and loss.
struct Census {
  std::uint64_t positions = 0;
  std::uint64_t wins = 0;
  std::uint64_t draws = 0;
  std::uint64_t losses = 0;
  std::optional<Distance> longest_win;
  std::optional<Distance> longest_loss;
  std::uint64_t longest_win_index = 0;  // of the first position of that length
  std::uint64_t longest_loss_index = 0;
  std::uint64_t longest_wins = 0;  // how many there are
  std::uint64_t longest_losses = 0;
};

// Solves a signature together with its mirror image: a quiet move that crowns no man leads from one to the other. All
// other moves lead to tables that must be there: those with fewer pieces, and those with one man less and one king
// more.
//
// Distances are found level by level, those to the end that are shortest first: a position from which the level's lost
// ones can be reached is won, one whose moves have all turned out to lose is lost. Without the distances of the other
// tables (`exact` false) levels are moves until a capture or a promotion, and only who wins is of worth.
template <class Rules> class Solver {
  using Board = typename Rules::Board;
  using Numbers = Index<Board>;

public:
  Solver(const Tables<Rules> &tables, const Signature &signature, bool exact)
      : tables_(tables),
        halves_{Half(signature), Half(signature.mirrored())},
        is_own_mirror_(signature == signature.mirrored()),
        exact_(exact) {}

  // The steps of a run, one call of `step(done, of)` each; it may throw to break off.
  template <class Step> void run(Step &&step) {
    constexpr std::uint64_t portion = 1U << 18U;
    std::uint64_t total = 0;
    for (const Half &half : halves()) total += half.size;
    std::uint64_t done = 0;
    for (Half &half : halves()) {
      half.distances.assign(half.size, no_distance);
      half.open.assign(half.size, closed);
      for (std::uint64_t from = 0; from < half.size; from += portion) {
        const std::uint64_t until = std::min(half.size, from + portion);
        for (std::uint64_t index = from; index < until; index++) begin(half, index);
        step(done += until - from, 2 * total);
      }
    }
    done = 0;
    for (int level = 0; level <= highest_; level++) {
      for (std::size_t which = 0; which < halves().size(); which++) {
        Half &half = halves_[which];
        for (std::uint64_t from = 0; from < half.size; from += portion) {
          const std::uint64_t until = std::min(half.size, from + portion);
          done += sweep(half, halves_[is_own_mirror_ ? which : 1 - which], from, until, Distance(level));
          step(total + done, 2 * total);
        }
      }
    }
    for (Half &half : halves()) half.open = {};
  }

  // Of each position by its index; no_distance in holes too.
  const std::vector<Distance> &distances(bool mirrored) const { return halves_[mirrored && !is_own_mirror_].distances; }

private:
  // What a position waits for: so many of its moves that stay within the material have not turned out to lose, and all
  // others do. Or it is known not to lose, or settled.
  static constexpr std::uint8_t closed = 255;
  static constexpr std::uint8_t never_lost = 254;

  struct Half {
    Signature signature;
    std::uint64_t size;
    std::vector<Distance> distances;
    std::vector<std::uint8_t> open;

    explicit Half(const Signature &material) : signature(material), size(Numbers::size(material)) {}
  };

  std::span<Half> halves() { return {halves_.data(), is_own_mirror_ ? 1U : 2U}; }

  // What the moves that leave the material come to, and how many stay within it.
  struct Exits {
    Outlook outlook;
    bool captures = false;
    int within = 0;
  };

  Exits look_ahead(const Pieces &pieces) const {
    Exits exits;
    visit_moves<Rules, Side::white>(pieces, [&](const Move &move) {
      if (move.is_capture() || move.crowned) {
        exits.captures |= move.is_capture();
        exits.outlook.add(distance_of(Tables<Rules>::next(pieces, move)));
      } else {
        exits.within++;
      }
    });
    return exits;
  }

  Distance distance_of(const Pieces &pieces) const {
    if (exact_) return tables_.distance(pieces);
    const Wdl value = tables_.value(pieces);
    return value == Wdl::draw ? no_distance : value == Wdl::win ? 1 : 0;
  }

  void begin(Half &half, std::uint64_t index) {
    const Pieces pieces = Numbers::pieces(half.signature, index);
    if (Numbers::is_hole(pieces)) return;
    const auto [outlook, captures, within] = look_ahead(pieces);
    // A win by an exit holds unless a quicker one turns up within the material.
    if (outlook.wins() || (within == 0 && !outlook.draws())) settle(half, index, outlook.distance());
    if (outlook.wins() || outlook.draws()) {
      half.open[index] = captures ? closed : never_lost;
    } else if (within != 0) {
      half.open[index] = std::uint8_t(within);
    }
  }

  void settle(Half &half, std::uint64_t index, int distance) {
    if (distance > longest_distance) throw std::overflow_error("a win takes longer than a table can tell");
    half.distances[index] = Distance(distance);
    highest_ = std::max(highest_, distance);
  }

  // Tells the predecessors of each position of this level; how many there were.
  std::uint64_t sweep(Half &half, Half &before, std::uint64_t from, std::uint64_t until, Distance level) {
    std::uint64_t found = 0;
    const Distance *const begin = half.distances.data();
    const Distance *at = begin + from;
    const Distance *const end = begin + until;
    while (at != end) {
      at = static_cast<const Distance *>(std::memchr(at, level, std::size_t(end - at)));
      if (at == nullptr) break;
      found++;
      const Pieces pieces = Numbers::pieces(half.signature, std::uint64_t(at++ - begin));
      visit_before(pieces, [&](const Pieces &earlier) { tell(before, earlier, level); });
    }
    return found;
  }

  // The positions from which a quiet move without promotion leads here, whether or not that move was legal: the
  // opponent takes one back.
  template <class Visit> static void visit_before(const Pieces &pieces, Visit &&visit) {
    const Pieces now = turned<Board>(Pieces{pieces.opponent, pieces.own, pieces.kings});
    const Bits empty = Board::board & ~now.occupied();
    for_each(now.own & now.kings, [&](int at) {
      for_each(damier::detail::king_steps<Rules>(at, now.occupied()), [&](int from) {
        const Bits moved = bit(at) | bit(from);
        visit(Pieces{now.own ^ moved, now.opponent, now.kings ^ moved});
      });
    });
    const auto step_back = [&]<Direction D>() {
      for_each(now.men() & shift<-Board::steps[D]>(empty),
               [&](int at) { visit(Pieces{now.own ^ bit(at) ^ bit(at + Board::steps[D]), now.opponent, now.kings}); });
    };
    step_back.template operator()<down_left>();
    step_back.template operator()<down_right>();
  }

  void tell(Half &half, const Pieces &pieces, Distance reply) {
    const std::uint64_t index = Numbers::of(half.signature, pieces);
    std::uint8_t &open = half.open[index];
    if (open == closed) return;
    if (reply % 2 == 0) {
      if (half.distances[index] > reply + 1) settle(half, index, reply + 1);
    } else if (open != never_lost) {
      open--;
      if (open != 0) return;
      settle(half, index, std::max(reply + 1, longest_way_out(pieces)));
    }
  }

  int longest_way_out(const Pieces &pieces) const {
    const bool may_crown = (pieces.men() & Board::row(1)) != 0;
    return may_crown ? look_ahead(pieces).outlook.distance() : 0;
  }

  const Tables<Rules> &tables_;
  std::array<Half, 2> halves_;
  bool is_own_mirror_;
  bool exact_;
  int highest_ = 0;
};

// Calls visit(index, pieces) for each position of a material, and step(done, of) now and then.
template <class Rules, class Visit, class Step>
void for_each_position(const Signature &signature, Visit &&visit, Step &&step) {
  using Numbers = Index<typename Rules::Board>;
  const std::uint64_t size = Numbers::size(signature);
  for (std::uint64_t index = 0; index < size; index++) {
    if (index % (1U << 16U) == 0) step(index, size);
    const Pieces pieces = Numbers::pieces(signature, index);
    if (!Numbers::is_hole(pieces)) visit(index, pieces);
  }
}

// Distances as values, packed.
inline std::vector<std::uint8_t> pack(std::span<const Distance> distances) {
  std::vector<std::uint8_t> table(packed_size(distances.size()));
  for (std::size_t index = 0; index < distances.size(); index++) {
    table[index / 4] |= std::uint8_t(packed(wdl_of(distances[index])) << (index % 4 * 2));
  }
  return table;
}

// Tables with what probing never looks at made like what stands before it: they compress much better.
template <class Rules, class Step>
std::vector<std::uint8_t> smoothed(const Tables<Rules> &tables, const Signature &signature, bool distances,
                                   Step &&step) {
  using Numbers = Index<typename Rules::Board>;
  const std::uint64_t size = Numbers::size(signature);
  const std::uint8_t *const values = tables.values(signature);
  std::vector<std::uint8_t> smooth(distances ? size : packed_size(size));
  std::uint8_t last = 0;
  for (std::uint64_t index = 0; index < size; index++) {
    if (index % (1U << 16U) == 0) step(index, size);
    const Pieces pieces = Numbers::pieces(signature, index);
    if (!Numbers::is_hole(pieces) && !must_capture<Rules, Side::white>(pieces)) {
      const Wdl value = unpacked(values, index);
      if (!distances) last = packed(value);
      if (distances && value == Wdl::loss) last = tables.distance(pieces);
    }
    if (distances) {
      smooth[index] = last;
    } else {
      smooth[index / 4] |= std::uint8_t(last << (index % 4 * 2));
    }
  }
  return smooth;
}

// The first position whose value, or with `exact` distance, does not follow from those of the positions after its
// moves.
template <class Rules, class Step>
std::optional<std::uint64_t> find_fault(const Tables<Rules> &tables, const Signature &signature, bool exact,
                                        Step &&step) {
  std::optional<std::uint64_t> fault;
  for_each_position<Rules>(
      signature,
      [&](std::uint64_t index, const Pieces &pieces) {
        if (fault) return;
        Outlook outlook;
        Wdl best = Wdl::loss;
        visit_moves<Rules, Side::white>(pieces, [&](const Move &move) {
          const Pieces next = Tables<Rules>::next(pieces, move);
          if (exact) {
            outlook.add(tables.distance(next));
          } else {
            best = std::max(best, -tables.value(next));
          }
        });
        if (exact ? tables.distance(pieces) != outlook.distance() : tables.value(pieces) != best) fault = index;
      },
      step);
  return fault;
}

template <class Rules, class Step>
Census take_census(const Tables<Rules> &tables, const Signature &signature, bool exact, Step &&step) {
  Census census;
  const auto note = [](std::optional<Distance> &most, std::uint64_t &where, std::uint64_t &times, Distance distance,
                       std::uint64_t index) {
    if (!most || *most < distance) {
      most = distance;
      where = index;
      times = 0;
    }
    times += distance == *most;
  };
  for_each_position<Rules>(
      signature,
      [&](std::uint64_t index, const Pieces &pieces) {
        census.positions++;
        const Distance distance = exact ? tables.distance(pieces) : no_distance;
        const Wdl value = exact ? wdl_of(distance) : tables.value(pieces);
        census.wins += value == Wdl::win;
        census.draws += value == Wdl::draw;
        census.losses += value == Wdl::loss;
        if (!exact || value == Wdl::draw) return;
        if (value == Wdl::win) {
          note(census.longest_win, census.longest_win_index, census.longest_wins, distance, index);
        } else {
          note(census.longest_loss, census.longest_loss_index, census.longest_losses, distance, index);
        }
      },
      step);
  return census;
}

}  // namespace damier::endgame
