// A position with the moves that led to it: what draws by repetition and by count need to know.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "generator.hpp"

namespace damier {

// The draws of a rule set. Counts are moves of each side; 0 means that the rule set has no such draw.
struct DrawRules {
  int repetition = 0;    // the same position with the same side to move, this many times
  int king_moves = 0;    // only kings moved, nothing was captured
  int three_pieces = 0;  // a lone king against three pieces, at least one of them a king
  int two_pieces = 0;    // a lone king against two pieces or one, at least one of them a king
  int same_move = 0;     // a player's move, this many times, only its reversal in between
  int move_limit = 0;    // the whole game
};

enum class Ending : std::uint8_t {
  no_moves,
  repetition,
  king_moves,
  three_pieces,
  two_pieces,
  same_move,
  move_limit,
};

// How far a draw has come, in moves of each side.
struct DrawCount {
  Ending rule;
  int done;
  int of;
};

template <class Rules> class History {
public:
  History(const Position<Rules> &start, const DrawRules &draws) : draws_(draws), now_{start, {}, 0, 0, {}} {
    now_.material = material(start);
  }

  const Position<Rules> &position() const { return now_.position; }
  const DrawRules &draws() const { return draws_; }
  std::size_t ply() const { return past_.size(); }
  const Move &move(std::size_t ply) const { return ply + 1 < past_.size() ? past_[ply + 1].move : now_.move; }
  const Position<Rules> &before(std::size_t ply) const { return past_[ply].position; }

  void push(const Move &move) {
    const Position<Rules> &position = now_.position;
    const bool by_king = (position.pieces().kings & bit(move.from)) != 0;
    State next{position.after(move), move, 0, 0, now_.material};
    next.quiet = by_king && !move.is_capture() ? now_.quiet + 1 : 0;
    if (move.is_capture() || move.crowned) next.material = material(next.position);
    next.in_material = next.material == now_.material ? now_.in_material + 1 : 0;
    past_.push_back(now_);
    now_ = next;
  }

  void pop() {
    now_ = past_.back();
    past_.pop_back();
  }

  // Plies in a row of kings moving and nothing captured: no position from before can come back.
  int quiet() const { return now_.quiet; }

  // Has this position stood on the board before, not earlier than after `since` plies?
  bool recurs(std::size_t since) const {
    for (int back = 4; back <= now_.quiet && past_.size() >= since + std::size_t(back); back += 2) {
      if (past_[past_.size() - std::size_t(back)].position == now_.position) return true;
    }
    return false;
  }

  // How often this position has stood on the board with this side to move, now included. Whole positions are compared.
  int repetitions() const {
    int times = 1;
    for (int back = 2; back <= now_.quiet; back += 2) {
      times += past_[past_.size() - std::size_t(back)].position == now_.position;
    }
    return times;
  }

  std::optional<Ending> ending() const {
    if (!can_move(now_.position)) return Ending::no_moves;
    return draw();
  }

  // The draw that ends the game here, provided that the side to move has a move.
  std::optional<Ending> draw() const {
    if (draws_.repetition != 0 && now_.quiet >= 4 && repetitions() >= draws_.repetition) return Ending::repetition;
    if (const auto count = material_count(); count && count->done >= count->of) return count->rule;
    if (draws_.king_moves != 0 && now_.quiet >= 2 * draws_.king_moves) return Ending::king_moves;
    if (draws_.same_move != 0 && same_moves(1) >= draws_.same_move) return Ending::same_move;
    if (draws_.move_limit != 0 && ply() >= 2 * std::size_t(draws_.move_limit)) return Ending::move_limit;
    return std::nullopt;
  }

  // The count of the material on the board, if there is one; in plies.
  std::optional<DrawCount> material_count() const {
    if (now_.material == Material::three_pieces && draws_.three_pieces != 0) {
      return DrawCount{Ending::three_pieces, now_.in_material, 2 * draws_.three_pieces};
    }
    if (now_.material == Material::two_pieces && draws_.two_pieces != 0) {
      return DrawCount{Ending::two_pieces, now_.in_material, 2 * draws_.two_pieces};
    }
    return std::nullopt;
  }

  // The counts that run now. What repeats is one once it has happened twice.
  std::vector<DrawCount> draw_counts() const {
    std::vector<DrawCount> counts;
    if (draws_.king_moves != 0) counts.push_back({Ending::king_moves, now_.quiet / 2, draws_.king_moves});
    if (const auto count = material_count()) counts.push_back({count->rule, count->done / 2, count->of / 2});
    if (draws_.move_limit != 0) counts.push_back({Ending::move_limit, int(ply() / 2), draws_.move_limit});
    if (draws_.repetition != 0) {
      if (const int times = repetitions(); times >= 2) counts.push_back({Ending::repetition, times, draws_.repetition});
    }
    if (draws_.same_move != 0) {
      const int times = std::max(same_moves(1), same_moves(2));
      if (times >= 2) counts.push_back({Ending::same_move, times, draws_.same_move});
    }
    return counts;
  }

private:
  enum class Material : std::uint8_t { other, three_pieces, two_pieces };

  struct State {
    Position<Rules> position;
    Move move;        // that led here
    int quiet;        // plies in a row of kings moving and nothing captured
    int in_material;  // plies made since this material came about
    Material material;
  };

  static Material material(const Position<Rules> &position) {
    const Bits kings = position.kings();
    const auto is_lone_king = [&](Bits side) { return count(side) == 1 && (side & kings) != 0; };
    const auto classify = [&](Bits lone, Bits many) {
      if (!is_lone_king(lone) || (many & kings) == 0) return Material::other;
      if (count(many) == 3) return Material::three_pieces;
      return count(many) < 3 ? Material::two_pieces : Material::other;
    };
    const Material white_alone = classify(position.white(), position.black());
    return white_alone != Material::other ? white_alone : classify(position.black(), position.white());
  }

  // How often the player of the last move (ago 1), or of the one before it (ago 2), has made that move with only its
  // exact reversal in between: its last moves read m, r, m, r, m for three times.
  int same_moves(std::size_t ago) const {
    if (past_.size() < ago) return 0;
    const Move &last = move(past_.size() - ago);
    std::size_t moves = 1;  // in a row that are m or r by turns
    for (std::size_t back = ago + 2; back <= past_.size(); back += 2, moves++) {
      const Move &earlier = move(past_.size() - back);
      const bool same = earlier.from == last.from && earlier.to == last.to;
      const bool reversal = earlier.from == last.to && earlier.to == last.from;
      if (moves % 2 == 0 ? !same : !reversal) break;
    }
    return int(moves + 1) / 2;
  }

  DrawRules draws_;
  State now_;
  std::vector<State> past_;
};

}  // namespace damier
