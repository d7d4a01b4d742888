// Counting the leaves of the tree of moves, the test and the yardstick of a generator.
#pragma once
#include "generator.hpp"

namespace damier {

namespace detail {

inline std::uint64_t popcount(Bits bits) { return std::uint64_t(std::popcount(bits)); }

template <class Rules, Side S> [[gnu::always_inline]] inline std::uint64_t count_man_steps(Bits men, Bits empty) {
  return popcount(steppers<Rules, forward_left<Rules, S>>(men, empty)) +
         popcount(steppers<Rules, forward_right<Rules, S>>(men, empty));
}

template <class Rules, Side S> [[gnu::noinline]] std::uint64_t count_searched(const Pieces &pieces, Bits men) {
  MoveList captures;
  search_captures<Rules, S>(pieces, men, captures);
  return captures.size();
}

template <class Rules, Side S>
[[gnu::noinline]] std::uint64_t count_with_kings(const Pieces &pieces, const Attackers<Rules, S> &attackers) {
  const std::uint64_t captures = count_searched<Rules, S>(pieces, attackers.one);
  if (captures != 0) return captures;
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  std::uint64_t moves = count_man_steps<Rules, S>(pieces.men(), empty);
  for_each(pieces.own & pieces.kings, [&](int from) { moves += popcount(king_steps<Rules>(from, pieces.occupied())); });
  return moves;
}

// Only men, and `men` of them can jump at least twice: counted without a list unless one can jump three times. What
// jumps twice is told apart by its two captured pieces, so the ways are the moves.
template <class Rules, Side S>
[[gnu::noinline]] std::uint64_t count_double_jumps(const Pieces &pieces, const Jumps<Rules> &jumps, Bits men) {
  using Board = typename Rules::Board;
  constexpr int l = 2 * Board::steps[down_right];
  constexpr int s = 2 * Board::steps[down_left];
  const auto &j = jumps.along;
  // Where the first jumps along each direction land, and from there the second ones, the way back left out.
  const Bits up_l = shift<-l>(men & j[up_left]);
  const Bits up_r = shift<-s>(men & j[up_right]);
  const Bits down_l = shift<s>(men & j[down_left]);
  const Bits down_r = shift<l>(men & j[down_right]);
  const std::array<std::array<Bits, 3>, 4> second = {
      {{up_l & j[up_left], up_r & j[up_left], down_l & j[up_left]},
       {up_l & j[up_right], up_r & j[up_right], down_r & j[up_right]},
       {up_l & j[down_left], down_l & j[down_left], down_r & j[down_left]},
       {up_r & j[down_right], down_l & j[down_right], down_r & j[down_right]}}};
  const auto any = [&](int direction) { return second[direction][0] | second[direction][1] | second[direction][2]; };
  const Bits up = j[up_left] | j[up_right];
  const Bits down = j[down_left] | j[down_right];
  const Bits third = (any(up_left) & shift<l>(up | j[down_left])) | (any(up_right) & shift<s>(up | j[down_right])) |
                     (any(down_left) & shift<-s>(down | j[up_left])) |
                     (any(down_right) & shift<-l>(down | j[up_right]));
  if (third != 0) {
    const Bits triple =
        shift<l>(up_l & third) | shift<s>(up_r & third) | shift<-s>(down_l & third) | shift<-l>(down_r & third);
    return count_searched<Rules, S>(pieces, triple & men);
  }
  std::uint64_t moves = 0;
  for (const auto &direction : second) {
    for (const Bits from : direction) moves += popcount(from);
  }
  return moves;
}

}  // namespace detail

template <class Rules, Side S> [[gnu::always_inline]] inline std::uint64_t count_moves(const Pieces &pieces) {
  using namespace detail;
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  const Attackers<Rules, S> attackers(pieces, empty);
  if ((pieces.own & pieces.kings) != 0) [[unlikely]] {
    return count_with_kings<Rules, S>(pieces, attackers);
  }
  const Bits men = attackers.one;
  if (men == 0) return count_man_steps<Rules, S>(pieces.men(), empty);
  if (attackers.more != 0) {
    if constexpr (Rules::promotion == Promotion::at_end && Rules::men_capture_backward &&
                  Rules::majority == Majority::most_pieces) {
      return count_double_jumps<Rules, S>(pieces, attackers.jumps, attackers.more);
    } else {
      return count_searched<Rules, S>(pieces, attackers.candidates(false));
    }
  }
  const auto &j = attackers.jumps.along;
  return popcount(men & j[0]) + popcount(men & j[1]) + popcount(men & j[2]) + popcount(men & j[3]);
}

namespace detail {

template <class Rules, Side S, Direction D, class Count>
[[gnu::always_inline]] inline std::uint64_t sum_steps(const Pieces &pieces, Bits empty, Count &&count_child) {
  std::uint64_t sum = 0;
  for (Bits men = steppers<Rules, D>(pieces.men(), empty); men != 0; men &= men - 1) {
    const Bits from = men & -men;
    const Bits to = shift<Rules::Board::steps[D]>(from);
    sum +=
        count_child(Pieces{pieces.opponent, pieces.own ^ from ^ to, pieces.kings | (to & Rules::Board::crown_row(S))});
  }
  return sum;
}

template <class Rules, Side S, Direction D, class Count>
[[gnu::always_inline]] inline std::uint64_t sum_jumps(const Pieces &pieces, Bits men, Count &&count_child) {
  constexpr int step = Rules::Board::steps[D];
  std::uint64_t sum = 0;
  for (; men != 0; men &= men - 1) {
    const Bits from = men & -men;
    const Bits over = shift<step>(from);
    const Bits to = shift<2 * step>(from);
    sum += count_child(Pieces{pieces.opponent ^ over, pieces.own ^ from ^ to,
                              (pieces.kings & ~over) | (to & Rules::Board::crown_row(S))});
  }
  return sum;
}

// Captures that need a search and, where a side with kings has none, its quiet moves.
template <class Rules, Side S, class Count>
[[gnu::noinline]] std::uint64_t sum_searched(const Pieces &pieces, Bits men, Count count_child) {
  MoveList captures;
  search_captures<Rules, S>(pieces, men, captures);
  std::uint64_t sum = 0;
  if (!captures.empty()) {
    for (const Move &move : captures) sum += count_child(after<Rules, S>(pieces, move));
    return sum;
  }
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  sum = sum_steps<Rules, S, forward_left<Rules, S>>(pieces, empty, count_child) +
        sum_steps<Rules, S, forward_right<Rules, S>>(pieces, empty, count_child);
  for_each(pieces.own & pieces.kings, [&](int from) {
    for_each(king_steps<Rules>(from, pieces.occupied()), [&](int to) {
      const Bits moved = bit(from) | bit(to);
      sum += count_child(Pieces{pieces.opponent, pieces.own ^ moved, pieces.kings ^ moved});
    });
  });
  return sum;
}

// The sum of count_child(const Pieces &) over the positions after each legal move.
template <class Rules, Side S, class Count>
[[gnu::always_inline]] inline std::uint64_t sum_children(const Pieces &pieces, Count &&count_child) {
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  const Bits kings = pieces.own & pieces.kings;
  const Attackers<Rules, S> attackers(pieces, empty);
  if ((attackers.more | kings) != 0) {
    return sum_searched<Rules, S>(pieces, attackers.candidates(kings != 0), count_child);
  }
  if (attackers.one != 0) {
    const auto &j = attackers.jumps.along;
    return sum_jumps<Rules, S, up_left>(pieces, attackers.one & j[up_left], count_child) +
           sum_jumps<Rules, S, up_right>(pieces, attackers.one & j[up_right], count_child) +
           sum_jumps<Rules, S, down_left>(pieces, attackers.one & j[down_left], count_child) +
           sum_jumps<Rules, S, down_right>(pieces, attackers.one & j[down_right], count_child);
  }
  return sum_steps<Rules, S, forward_left<Rules, S>>(pieces, empty, count_child) +
         sum_steps<Rules, S, forward_right<Rules, S>>(pieces, empty, count_child);
}

// Steps along D of a side that, like its opponent, has only men of which none can capture. The replies to each step
// that opens no capture are the opponent's steps before it, but for the square that was left and the one that was
// taken; all such steps are counted together. The others are returned in `sharp`.
template <class Rules, Direction D, Direction Other>
[[gnu::always_inline]] inline std::uint64_t count_calm_replies(const Pieces &pieces, Bits empty, std::uint64_t replies,
                                                               Bits &sharp) {
  constexpr int d = Rules::Board::steps[D];
  constexpr int o = Rules::Board::steps[Other];
  const Bits men = pieces.opponent;
  const Bits own = pieces.own;
  const Bits to = empty & shift<d>(own);
  const Bits beside = shift<-o>(men);  // an opposing man looks at the square from the other side
  const Bits hit = shift<-d>(men) | (beside & shift<o>(empty)) | (shift<o>(men) & shift<-o>(empty));
  const Bits opened =
      shift<d>(shift<d>(own & shift<d>(men)) | shift<o>(own & shift<o>(men)) | shift<-o>(own & shift<-o>(men)));
  sharp = to & (hit | opened);
  const Bits calm = to ^ sharp;
  return popcount(calm) * replies + popcount(shift<-d>(calm) & beside) - popcount(calm & beside);
}

template <class Rules, Side S> std::uint64_t perft_two(const Pieces &pieces) {
  if constexpr (Rules::men_capture_backward) {
    if (pieces.kings == 0) [[likely]] {
      const Bits empty = Rules::Board::board & ~pieces.occupied();
      if ((pieces.own & Jumps<Rules>(pieces.opponent, empty).any()) == 0 &&
          (pieces.opponent & Jumps<Rules>(pieces.own, empty).any()) == 0) {
        const std::uint64_t replies = count_man_steps<Rules, !S>(pieces.opponent, empty);
        constexpr Direction left = forward_left<Rules, S>;
        constexpr Direction right = forward_right<Rules, S>;
        Bits sharp_left = 0;
        Bits sharp_right = 0;
        std::uint64_t leaves = count_calm_replies<Rules, left, right>(pieces, empty, replies, sharp_left) +
                               count_calm_replies<Rules, right, left>(pieces, empty, replies, sharp_right);
        const auto play = [&]<Direction D>(Bits sharp) __attribute__((always_inline)) {
          for (; sharp != 0; sharp &= sharp - 1) {
            const Bits to = sharp & -sharp;
            const Bits from = shift<-Rules::Board::steps[D]>(to);
            leaves += count_moves<Rules, !S>(
                Pieces{pieces.opponent, pieces.own ^ from ^ to, to & Rules::Board::crown_row(S)});
          }
        };
        play.template operator()<left>(sharp_left);
        play.template operator()<right>(sharp_right);
        return leaves;
      }
    }
  }
  return sum_children<Rules, S>(
      pieces, [](const Pieces &next) __attribute__((always_inline)) { return count_moves<Rules, !S>(next); });
}

// A tree of so many plies is counted in about a millisecond: between two of them there is time for other things.
inline constexpr int poll_depth = 6;

template <class Rules, Side S, class Poll> std::uint64_t perft(const Pieces &pieces, int depth, Poll &poll) {
  if (depth == 0) return 1;
  if (depth == 1) return count_moves<Rules, S>(pieces);
  if (depth == 2) return perft_two<Rules, S>(pieces);
  if (depth == poll_depth) poll();
  return sum_children<Rules, S>(pieces,
                                [depth, &poll](const Pieces &next) { return perft<Rules, !S>(next, depth - 1, poll); });
}

template <class Rules, Side S, class Poll> std::uint64_t perft_ways(const Pieces &pieces, int depth, Poll &poll) {
  if (depth == 0) return 1;
  MoveList moves;
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  CaptureSearch<Rules, S, Ways::apart>(pieces, moves).run(Attackers<Rules, S>(pieces, empty).one);
  if (moves.empty()) visit_moves<Rules, S>(pieces, [&](const Move &move) { moves.push(move); });
  if (depth == 1) return moves.size();
  if (depth == poll_depth) poll();
  std::uint64_t leaves = 0;
  for (const Move &move : moves) leaves += perft_ways<Rules, !S>(after<Rules, S>(pieces, move), depth - 1, poll);
  return leaves;
}

struct NoPoll {
  void operator()() const {}
};

}  // namespace detail

// The number of lines of `depth` moves; the last move is counted, not played. `poll` is called every now and then, and
// may throw to break off.
template <class Rules, class Poll = detail::NoPoll>
std::uint64_t perft(const Position<Rules> &position, int depth, Poll poll = {}) {
  return position.turn() == Side::white ? detail::perft<Rules, Side::white>(position.pieces(), depth, poll)
                                        : detail::perft<Rules, Side::black>(position.pieces(), depth, poll);
}

// The same with every way of a capture counted as a move of its own (stops on a straight line not told apart).
template <class Rules, class Poll = detail::NoPoll>
std::uint64_t perft_ways(const Position<Rules> &position, int depth, Poll poll = {}) {
  return position.turn() == Side::white ? detail::perft_ways<Rules, Side::white>(position.pieces(), depth, poll)
                                        : detail::perft_ways<Rules, Side::black>(position.pieces(), depth, poll);
}

}  // namespace damier
