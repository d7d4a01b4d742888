// The legal moves of a position, their number, and the positions that they lead to.
#pragma once
#include "captures.hpp"

namespace damier {

namespace detail {

// The men that can capture: `one` at least one piece, `more` those that a search must follow to the end of the capture.
template <class Rules, Side S> struct Attackers {
  Jumps<Rules> jumps;
  Bits one;
  Bits more;

  [[gnu::always_inline]] Attackers(const Pieces &pieces, Bits empty) : jumps(pieces.opponent, empty) {
    if constexpr (!Rules::men_capture_backward) {
      for (const Direction d : {up_left, up_right, down_left, down_right}) {
        if (!is_forward(S, d)) jumps.along[d] = 0;
      }
    }
    const auto &j = jumps.along;
    const Bits men = pieces.men();
    using Board = typename Rules::Board;
    constexpr int l = 2 * Board::steps[down_right];
    constexpr int s = 2 * Board::steps[down_left];
    const Bits up = j[up_left] | j[up_right];
    const Bits down = j[down_left] | j[down_right];
    Bits goes_up_left = up | j[down_left];
    Bits goes_up_right = up | j[down_right];
    Bits goes_down_left = down | j[up_left];
    Bits goes_down_right = down | j[up_right];
    if constexpr (Rules::promotion == Promotion::in_passing) {  // crowned on landing: it may see further as a king
      constexpr Bits crown_row = Board::crown_row(S);
      goes_up_left |= crown_row;
      goes_up_right |= crown_row;
      goes_down_left |= crown_row;
      goes_down_right |= crown_row;
    }
    one = men & jumps.any();
    more = (men & j[up_left] & shift<l>(goes_up_left)) | (men & j[up_right] & shift<s>(goes_up_right)) |
           (men & j[down_left] & shift<-s>(goes_down_left)) | (men & j[down_right] & shift<-l>(goes_down_right));
  }

  // The men whose captures can be legal when a search is needed. A man that is crowned in passing may find nothing more
  // to capture, and then takes no more than the men that jump once.
  [[gnu::always_inline]] Bits candidates(bool kings) const {
    constexpr bool all = Rules::majority == Majority::none || Rules::promotion == Promotion::in_passing;
    return all || kings ? one : more;
  }
};

template <class Rules, Direction D, class Visit>
[[gnu::always_inline]] inline void man_steps(Bits men, Bits crown_row, Visit &&visit) {
  constexpr int step = Rules::Board::steps[D];
  for_each(men, [&](int from) __attribute__((always_inline)) {
    visit(Move{0, std::uint8_t(from), std::uint8_t(from + step), (bit(from + step) & crown_row) != 0});
  });
}

template <class Rules, Direction D, class Visit>
[[gnu::always_inline]] inline void man_jumps(Bits men, Bits crown_row, Visit &&visit) {
  constexpr int step = Rules::Board::steps[D];
  for_each(men, [&](int from) __attribute__((always_inline)) {
    const int to = from + 2 * step;
    visit(Move{bit(from + step), std::uint8_t(from), std::uint8_t(to), (bit(to) & crown_row) != 0});
  });
}

template <class Rules> [[gnu::always_inline]] inline Bits king_steps(int from, Bits occupied) {
  using Board = typename Rules::Board;
  if constexpr (Rules::flying_kings) {
    return Board::slides(from, occupied);
  } else {
    const Bits at = bit(from);
    return (shift<Board::steps[0]>(at) | shift<Board::steps[1]>(at) | shift<Board::steps[2]>(at) |
            shift<Board::steps[3]>(at)) &
           Board::board & ~occupied;
  }
}

template <class Rules, Side S> inline constexpr Direction forward_left = S == Side::white ? up_left : down_left;
template <class Rules, Side S> inline constexpr Direction forward_right = S == Side::white ? up_right : down_right;

// The men that can step along D.
template <class Rules, Direction D> [[gnu::always_inline]] inline Bits steppers(Bits men, Bits empty) {
  return men & shift<-Rules::Board::steps[D]>(empty);
}

template <class Rules, Side S> [[gnu::noinline]] void search_captures(const Pieces &pieces, Bits men, MoveList &moves) {
  CaptureSearch<Rules, S>(pieces, moves).run(men);
}

}  // namespace detail

// Calls visit(const Move &) for each legal move.
template <class Rules, Side S, class Visit>
[[gnu::always_inline]] inline void visit_moves(const Pieces &pieces, Visit &&visit) {
  using namespace detail;
  constexpr Bits crown_row = Rules::Board::crown_row(S);
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  const Bits kings = pieces.own & pieces.kings;
  const Attackers<Rules, S> attackers(pieces, empty);
  if ((attackers.more | kings) != 0) {
    MoveList captures;
    search_captures<Rules, S>(pieces, attackers.candidates(kings != 0), captures);
    if (!captures.empty()) {
      for (const Move &move : captures) visit(move);
      return;
    }
  } else if (attackers.one != 0) {
    const auto &j = attackers.jumps.along;
    man_jumps<Rules, up_left>(attackers.one & j[up_left], crown_row, visit);
    man_jumps<Rules, up_right>(attackers.one & j[up_right], crown_row, visit);
    man_jumps<Rules, down_left>(attackers.one & j[down_left], crown_row, visit);
    man_jumps<Rules, down_right>(attackers.one & j[down_right], crown_row, visit);
    return;
  }
  constexpr Direction left = forward_left<Rules, S>;
  constexpr Direction right = forward_right<Rules, S>;
  man_steps<Rules, left>(steppers<Rules, left>(pieces.men(), empty), crown_row, visit);
  man_steps<Rules, right>(steppers<Rules, right>(pieces.men(), empty), crown_row, visit);
  for_each(kings, [&](int from) __attribute__((always_inline)) {
    for_each(king_steps<Rules>(from, pieces.occupied()), [&](int to) __attribute__((always_inline)) {
      visit(Move{0, std::uint8_t(from), std::uint8_t(to), false});
    });
  });
}

// Does this side have to capture?
template <class Rules, Side S> inline bool must_capture(const Pieces &pieces) {
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  if (detail::Attackers<Rules, S>(pieces, empty).one != 0) return true;
  if ((pieces.own & pieces.kings) == 0) return false;
  MoveList captures;
  detail::search_captures<Rules, S>(pieces, 0, captures);
  return !captures.empty();
}

template <class Rules> inline void legal_moves(const Position<Rules> &position, MoveList &moves) {
  moves.clear();
  const auto add = [&](const Move &move) { moves.push(move); };
  if (position.turn() == Side::white) {
    visit_moves<Rules, Side::white>(position.pieces(), add);
  } else {
    visit_moves<Rules, Side::black>(position.pieces(), add);
  }
}

template <class Rules> inline bool must_capture(const Position<Rules> &position) {
  return position.turn() == Side::white ? must_capture<Rules, Side::white>(position.pieces())
                                        : must_capture<Rules, Side::black>(position.pieces());
}

// Is this one of the legal moves? A quiet move is judged without listing the others.
template <class Rules, Side S> inline bool is_legal(const Pieces &pieces, const Move &move) {
  using Board = typename Rules::Board;
  if (move.is_capture()) {
    bool found = false;
    visit_moves<Rules, S>(pieces, [&](const Move &legal) { found |= legal == move; });
    return found;
  }
  const Bits from = bit(move.from);
  const Bits to = bit(move.to);
  const Bits empty = Board::board & ~pieces.occupied();
  if ((pieces.own & from) == 0 || (empty & to) == 0) return false;
  if ((pieces.kings & from) != 0) {
    if (move.crowned || (detail::king_steps<Rules>(move.from, pieces.occupied()) & to) == 0) return false;
  } else {
    const Bits steps = shift<Board::steps[detail::forward_left<Rules, S>]>(from) |
                       shift<Board::steps[detail::forward_right<Rules, S>]>(from);
    if ((steps & to) == 0 || move.crowned != ((to & Board::crown_row(S)) != 0)) return false;
  }
  return !must_capture<Rules, S>(pieces);
}

template <class Rules> inline bool is_legal(const Position<Rules> &position, const Move &move) {
  return position.turn() == Side::white ? is_legal<Rules, Side::white>(position.pieces(), move)
                                        : is_legal<Rules, Side::black>(position.pieces(), move);
}

// Has the side to move a legal move at all? Cheaper than listing them.
template <class Rules> inline bool can_move(const Position<Rules> &position) {
  const Pieces &pieces = position.pieces();
  const Bits empty = Rules::Board::board & ~pieces.occupied();
  using Board = typename Rules::Board;
  const auto men_can = [&]<Side S>() {
    using namespace detail;
    return (steppers<Rules, forward_left<Rules, S>>(pieces.men(), empty) |
            steppers<Rules, forward_right<Rules, S>>(pieces.men(), empty)) != 0;
  };
  const bool white = position.turn() == Side::white;
  if (white ? men_can.template operator()<Side::white>() : men_can.template operator()<Side::black>()) return true;
  const Bits kings = pieces.own & pieces.kings;
  const Bits beside = shift<Board::steps[0]>(kings) | shift<Board::steps[1]>(kings) | shift<Board::steps[2]>(kings) |
                      shift<Board::steps[3]>(kings);
  return (beside & empty) != 0 || must_capture(position);
}

}  // namespace damier
