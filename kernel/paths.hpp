// The ways of a capture: move.from and move.to and, between them, the squares on which the piece turns. Where it goes
// straight on, the square right behind the captured piece stands for the stop (PDN 3.0, section on ambiguous captures).
#pragma once
#include <vector>

#include "generator.hpp"

namespace damier {

using Path = std::vector<std::uint8_t>;

namespace detail {

template <class Rules, Side S> class PathSearch {
  using Board = typename Rules::Board;

public:
  PathSearch(const Pieces &pieces, const Move &move)
      : pieces_(pieces), move_(move), empty_((Board::board & ~pieces.occupied()) | bit(move.from)) {}

  std::vector<Path> run() {
    path_.push_back(move_.from);
    go_on(move_.from, (pieces_.kings & bit(move_.from)) != 0, move_.captured, no_direction, false);
    return std::move(found_);
  }

private:
  static constexpr int no_direction = 4;

  void finish(bool king) {
    const bool crowned =
        (pieces_.kings & bit(move_.from)) == 0 && (king || (bit(path_.back()) & Board::crown_row(S)) != 0);
    if (path_.back() == move_.to && crowned == move_.crowned) found_.push_back(path_);
  }

  // `came`: the direction of the last hop; `far`: the piece stands further on than right behind its last victim.
  void go_on(int at, bool king, Bits left, int came, bool far) {
    if (left == 0) return finish(king);
    for (const Direction direction : {up_left, up_right, down_left, down_right}) {
      if (came != no_direction && direction == opposite(Direction(came))) continue;
      if (far && direction == came) continue;  // going straight on, the first square stands for all
      if (!king && !Rules::men_capture_backward && !is_forward(S, direction)) continue;
      hop(at, king, left, direction);
    }
  }

  void hop(int at, bool king, Bits left, Direction direction) {
    const int step = Board::steps[direction];
    const bool slides = king && Rules::flying_kings;
    int over = at + step;
    while (slides && is_empty(over)) over += step;
    if (!on_board(over) || (bit(over) & left) == 0) return;
    left ^= bit(over);
    int to = over + step;
    for (bool far = false; is_empty(to); to += step, far = true) {
      if (!reaches(to, left)) {
        if (!slides) break;
        continue;
      }
      const bool crowned_here = !king && (bit(to) & Board::crown_row(S)) != 0;
      path_.push_back(std::uint8_t(to));
      go_on(to, king || (crowned_here && Rules::promotion == Promotion::in_passing), left, direction, far);
      path_.pop_back();
      if (!slides) break;
    }
  }

  // After the last victim only the move's own target is a stop.
  bool reaches(int to, Bits left) const { return left != 0 || to == move_.to; }
  static bool on_board(int place) { return place >= 0 && place < 64 && (Board::board & bit(place)) != 0; }
  bool is_empty(int place) const { return place >= 0 && place < 64 && (empty_ & bit(place)) != 0; }

  Pieces pieces_;
  Move move_;
  Bits empty_;
  Path path_;
  std::vector<Path> found_;
};

}  // namespace detail

// All ways of a legal move, as bit numbers.
template <class Rules> std::vector<Path> paths(const Position<Rules> &position, const Move &move) {
  if (!move.is_capture()) return {{move.from, move.to}};
  return position.turn() == Side::white ? detail::PathSearch<Rules, Side::white>(position.pieces(), move).run()
                                        : detail::PathSearch<Rules, Side::black>(position.pieces(), move).run();
}

}  // namespace damier
