// Which moves are tried first.
#pragma once
#include <array>
#include <cstdint>

#include "position.hpp"
#include "table.hpp"

namespace damier {

// How well quiet moves have done so far in this search, by side, from and to.
class MoveHistory {
public:
  int operator()(Side side, const Move &move) const { return table_[std::size_t(side)][move.from][move.to]; }

  void reward(Side side, const Move &move, int depth) { adjust(side, move, weight(depth)); }
  void punish(Side side, const Move &move, int depth) { adjust(side, move, -weight(depth)); }

private:
  static constexpr int limit = 1 << 14;
  static int weight(int depth) { return std::min(depth * depth * 8, 1200); }

  // Moves towards the limit more slowly the nearer it is, so that what happened lately counts most.
  void adjust(Side side, const Move &move, int change) {
    std::int16_t &entry = table_[std::size_t(side)][move.from][move.to];
    entry = std::int16_t(entry + change - entry * std::abs(change) / limit);
  }

  std::array<std::array<std::array<std::int16_t, 64>, 64>, 2> table_{};
};

struct Killers {
  MoveCode first = 0;
  MoveCode second = 0;

  void add(MoveCode move) {
    if (move == first) return;
    second = first;
    first = move;
  }
};

// Hands out the moves of a list, the most promising first; sorts no further than it is asked.
class MovePicker {
public:
  template <class Rules>
  MovePicker(const Position<Rules> &position, MoveList &moves, MoveCode hint, const Killers &killers,
             const MoveHistory &history)
      : moves_(moves) {
    if (moves.size() > small) ranks_on_heap_ = std::make_unique<int[]>(moves.size());
    ranks_ = ranks_on_heap_ ? ranks_on_heap_.get() : ranks_on_stack_.data();
    for (std::size_t index = 0; index < moves.size(); index++) {
      const Move &move = moves[index];
      const MoveCode own = code(move);
      int rank = history(position.turn(), move);
      if (own == hint) {
        rank = 1 << 24;
      } else if (move.is_capture()) {  // all take the same number of pieces
        rank += count(move.captured & position.kings()) << 18 | int(move.crowned) << 17;
      } else if (move.crowned) {
        rank += 1 << 17;
      } else if (own == killers.first) {
        rank += 1 << 16;
      } else if (own == killers.second) {
        rank += 1 << 15;
      }
      ranks_[index] = rank;
    }
  }

  bool done() const { return next_ == moves_.size(); }
  std::size_t taken() const { return next_; }

  Move next() {
    std::size_t best = next_;
    for (std::size_t index = next_ + 1; index < moves_.size(); index++) {
      if (ranks_[index] > ranks_[best]) best = index;
    }
    std::swap(moves_[best], moves_[next_]);
    std::swap(ranks_[best], ranks_[next_]);
    return moves_[next_++];
  }

private:
  static constexpr std::size_t small = 64;
  MoveList &moves_;
  std::array<int, small> ranks_on_stack_;
  std::unique_ptr<int[]> ranks_on_heap_;
  int *ranks_;
  std::size_t next_ = 0;
};

}  // namespace damier
