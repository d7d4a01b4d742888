// The legal captures of a position, each (from, to, captured, crowned) once.
#pragma once
#include "position.hpp"

namespace damier {

// Squares whose holder can jump an opposing piece next to it, along each direction.
template <class Rules> struct Jumps {
  std::array<Bits, 4> along;

  [[gnu::always_inline]] Jumps(Bits opponent, Bits empty)
      : along{jumpers<up_left>(opponent, empty), jumpers<up_right>(opponent, empty),
              jumpers<down_left>(opponent, empty), jumpers<down_right>(opponent, empty)} {}

  [[gnu::always_inline]] Bits any() const { return along[0] | along[1] | along[2] | along[3]; }

private:
  template <Direction D> [[gnu::always_inline]] static Bits jumpers(Bits opponent, Bits empty) {
    constexpr int step = Rules::Board::steps[D];
    return shift<-step>(opponent & shift<-step>(empty));
  }
};

// Whether the ways of one capture are listed once, or each for itself (stops on a straight line are never told apart).
// No bound on their number is known; the most that long searches for one have found in a position is 1142 (see
// tests/kernel/branching.cpp), so that following them all is no matter of time.
enum class Ways : std::uint8_t { merged, apart };

template <class Rules, Side S, Ways W = Ways::merged> class CaptureSearch {
  using Board = typename Rules::Board;
  static constexpr bool merged = W == Ways::merged;

public:
  CaptureSearch(const Pieces &pieces, MoveList &moves) : pieces_(pieces), moves_(moves) {}

  // Adds the best captures of the jumping men (those of `men`) and of all kings.
  void run(Bits men) {
    const Bits empty = Board::board & ~pieces_.occupied();
    for_each(men, [&](int from) {
      from_ = from;
      empty_ = empty | bit(from);
      man_from(bit(from), 0, pieces_.opponent, 0);
    });
    for_each(pieces_.own & pieces_.kings, [&](int from) {
      from_ = from;
      empty_ = empty | bit(from);
      was_king_ = true;
      king_from(from, 0, pieces_.opponent, 0);
    });
  }

private:
  static constexpr Bits crown_row = Board::crown_row(S);

  void add(int to, Bits captured, int taken, bool crowned) {
    if constexpr (Rules::majority != Majority::none) {
      int worth = taken;
      if constexpr (Rules::majority == Majority::most_pieces_then_kings) {
        worth = taken * 64 + count(captured & pieces_.kings);
      }
      if (worth < best_) return;
      if (worth > best_) {
        best_ = worth;
        moves_.clear();
      }
    }
    const Move move{captured, std::uint8_t(from_), std::uint8_t(to), crowned};
    // Two ways round need at least three captured pieces: with two, the turning point lies on both lines and is one.
    if (merged && taken >= 3 && moves_.contains(move)) return;
    moves_.push(move);
  }

  // A man on `at` goes on; `left` are the opposing pieces not yet jumped.
  void man_from(Bits at, Bits captured, Bits left, int taken) {
    bool more = false;
    man_jump<up_left>(at, captured, left, taken, more);
    man_jump<up_right>(at, captured, left, taken, more);
    man_jump<down_left>(at, captured, left, taken, more);
    man_jump<down_right>(at, captured, left, taken, more);
    if (!more && taken > 0) add(first(at), captured, taken, (at & crown_row) != 0);
  }

  template <Direction D>
  [[gnu::always_inline]] void man_jump(Bits at, Bits captured, Bits left, int taken, bool &more) {
    if constexpr (Rules::men_capture_backward || is_forward(S, D)) {
      constexpr int step = Board::steps[D];
      const Bits over = shift<step>(at) & left;
      const Bits to = shift<2 * step>(at) & empty_;
      if (over == 0 || to == 0) return;
      more = true;
      man_lands(to, captured | over, left ^ over, taken + 1);
    }
  }

  void man_lands(Bits at, Bits captured, Bits left, int taken) {
    if constexpr (Rules::promotion != Promotion::at_end) {
      if ((at & crown_row) != 0) {
        bool more = false;
        if constexpr (Rules::promotion == Promotion::in_passing) {
          more = king_from(first(at), captured, left, taken);
        }
        if (!more) add(first(at), captured, taken, true);
        return;
      }
    }
    man_from(at, captured, left, taken);
  }

  // A king on `at` looks all round for a piece to jump. True if there was one.
  bool king_from(int at, Bits captured, Bits left, int taken) {
    bool more = false;
    king_jump<up_left>(at, captured, left, taken, more);
    king_jump<up_right>(at, captured, left, taken, more);
    king_jump<down_left>(at, captured, left, taken, more);
    king_jump<down_right>(at, captured, left, taken, more);
    return more;
  }

  template <Direction D>
  [[gnu::always_inline]] void king_jump(int at, Bits captured, Bits left, int taken, bool &more) {
    constexpr int step = Board::steps[D];
    if constexpr (Rules::flying_kings) {
      const Bits seen = Board::rays[D][at] & ~empty_;
      if (seen == 0) return;
      const int over = Board::template nearest<D>(seen);
      if ((bit(over) & left) == 0 || (shift<step>(bit(over)) & empty_) == 0) return;
      more = true;
      king_lands<D>(over, captured | bit(over), left ^ bit(over), taken + 1);
    } else {
      const Bits over = shift<step>(bit(at)) & left;
      const Bits to = shift<2 * step>(bit(at)) & empty_;
      if (over == 0 || to == 0) return;
      more = true;
      const int landed = first(to);
      if (!king_from(landed, captured | over, left ^ over, taken + 1)) {
        add(landed, captured | over, taken + 1, !was_king_);
      }
    }
  }

  // A flying king has jumped the piece on `over` and may stop on any square up to the next piece.
  template <Direction D> void king_lands(int over, Bits captured, Bits left, int taken) {
    const Bits landings = Board::template slide<D>(over, ~empty_);
    bool more = false;
    king_jump<D>(over, captured, left, taken, more);  // straight on: once for all landings
    for_each(landings, [&](int at) {
      if constexpr (D == up_left || D == down_right) {
        king_jump<up_right>(at, captured, left, taken, more);
        king_jump<down_left>(at, captured, left, taken, more);
      } else {
        king_jump<up_left>(at, captured, left, taken, more);
        king_jump<down_right>(at, captured, left, taken, more);
      }
    });
    if (!more) for_each(landings, [&](int at) { add(at, captured, taken, !was_king_); });
  }

  Pieces pieces_;
  MoveList &moves_;
  Bits empty_ = 0;  // the square that the piece left counts as empty
  int from_ = 0;
  bool was_king_ = false;
  int best_ = 0;
};

}  // namespace damier
