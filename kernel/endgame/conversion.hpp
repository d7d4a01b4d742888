// Winning what the tables call won before a count or a repetition ends the game, and holding what they call lost if one
// does.
//
// Play by distance never repeats a position, and it is quick enough for every count of the official rules that begins
// anew (longest_by_class). Where counts have run before, or positions stood twice, or the counts are shorter, moves are
// searched: with each ply a count comes nearer, so that this has an end.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "endgame/tables.hpp"
#include "history.hpp"

namespace damier::endgame {

// The longest wins of up to four pieces, in plies, wherever the loser is to move too: of all, of a lone king against
// three pieces with a king among them, of one against two or one, and of a lone man against a lone king. Facts about
// the tables, which their tests hold.
inline constexpr int longest_of_all = 43;
inline constexpr int longest_against_three = 32;
inline constexpr int longest_against_two = 9;
inline constexpr int longest_of_man_against_king = 3;

enum class Verdict : std::uint8_t { no, yes, unknown };

template <class Rules> class Conversion {
public:
  struct Choice {
    Move move;
    Verdict wins;  // the side that the tables call winning, before the game is drawn
  };

  // The tables must have the distances of as many pieces as are on the board. `nodes`: positions looked at, at most,
  // for each move.
  Conversion(const History<Rules> &game, const Tables<Rules> &tables, std::uint64_t nodes)
      : game_(game), tables_(tables), nodes_(nodes), root_ply_(game.ply()) {
    const DrawRules &draws = game.draws();
    const auto allows = [](int moves, int plies) { return moves == 0 || 2 * moves >= plies; };
    quick_enough_ = allows(draws.three_pieces, longest_against_three) &&
                    allows(draws.two_pieces, longest_against_two) && allows(draws.king_moves, longest_of_all) &&
                    draws.same_move == 0;
    find_worn();
  }

  // The best move of a position that is won or lost: wins for sure before the game is drawn, or else keeps what hope
  // there is, quick wins and long resistance first. None if there is no move, or the position is a draw.
  std::optional<Choice> best() {
    const Distance distance = tables_.distance(upward(game_.position()));
    if (distance == no_distance) return std::nullopt;
    const bool wins = distance % 2 == 1;
    std::optional<Choice> best;
    for (const Candidate &each : candidates()) {
      if (wins && (each.distance == no_distance || each.distance % 2 == 1)) continue;
      looked_at_ = 0;
      game_.push(each.move);
      const Verdict verdict = judge(wins, 0);
      game_.pop();
      const auto worth = [&](Verdict of) { return of == Verdict::unknown ? 1 : (of == Verdict::yes) == wins ? 2 : 0; };
      if (!best || worth(verdict) > worth(best->wins)) best = {each.move, verdict};
      if (worth(best->wins) == 2) break;
    }
    return best;
  }

private:
  static constexpr int deepest = 2 * longest_of_all;  // the stack has an end

  struct Candidate {
    Move move;
    Distance distance;  // after it
    int rank;           // no two have the same
  };

  // The moves, those of the quickest wins first, then draws, then those of the slowest losses; or the draws before all.
  std::vector<Candidate> candidates(bool draws_first = false) const {
    constexpr int many = 1024;  // more than there are moves
    const auto rank = [&](Distance distance) {
      if (distance == no_distance) return draws_first ? 0 : 300;
      return distance % 2 == 0 ? 1 + distance : 600 - distance;
    };
    MoveList moves;
    legal_moves(game_.position(), moves);
    std::vector<Candidate> found;
    found.reserve(moves.size());
    for (const Move &move : moves) {
      const Distance distance = tables_.distance(upward(game_.position().after(move)));
      found.push_back({move, distance, rank(distance) * many + int(found.size())});
    }
    std::ranges::sort(found, {}, &Candidate::rank);
    return found;
  }

  // Does the attacker, who has just moved or is to move, win from here in time?
  Verdict judge(bool attacker_moved, int depth) {
    if (!can_move(game_.position())) return attacker_moved ? Verdict::yes : Verdict::no;
    if (game_.draw()) return Verdict::no;
    const Distance distance = tables_.distance(upward(game_.position()));
    if (distance == no_distance || (distance % 2 == 0) != attacker_moved) return Verdict::no;
    if (const Verdict known = by_distance(distance); known != Verdict::unknown) return known;
    if (++looked_at_ > nodes_ || depth == deepest) return Verdict::unknown;
    const std::uint64_t here = key();
    if (const auto found = known_.find(here); found != known_.end()) return found->second;
    const Verdict sought = attacker_moved ? Verdict::no : Verdict::yes;  // one such move decides for who is to move
    Verdict verdict = attacker_moved ? Verdict::yes : Verdict::no;
    for (const Candidate &each : candidates(attacker_moved)) {
      game_.push(each.move);
      const Verdict next = judge(!attacker_moved, depth + 1);
      game_.pop();
      if (next != sought && next != Verdict::unknown) continue;
      verdict = next;
      if (next == sought) break;
    }
    if (verdict != Verdict::unknown) known_.emplace(here, verdict);
    return verdict;
  }

  // What play by distance and the counts decide without a search.
  Verdict by_distance(Distance distance) const {
    if (!quick_enough_) return Verdict::unknown;
    int left = 2 * game_.draws().king_moves - game_.quiet();
    if (game_.draws().king_moves == 0) left = longest_of_all;
    if (game_.draws().move_limit != 0) left = std::min(left, 2 * game_.draws().move_limit - int(game_.ply()));
    if (const auto count = game_.material_count()) {
      const int until = count->of - count->done;
      // A way out of a count leads to fewer pieces, which take so much longer at most: from three to two, or to men
      // alone once their king is lost, where no count runs (two men win against a king within eight).
      const bool are_three = count->rule == Ending::three_pieces;
      const int detour = 1 + (are_three ? longest_against_two : longest_of_man_against_king);
      if (distance > until + detour) return Verdict::no;
      left = std::min(left, until);
    }
    return distance <= left && !may_return(distance) ? Verdict::yes : Verdict::unknown;
  }

  // Can play by distance lead from here to a position that must not come once more?
  bool may_return(Distance distance) const {
    const bool no_way_back = std::size_t(game_.quiet()) <= game_.ply() - root_ply_;
    return !no_way_back && std::ranges::any_of(worn_, [&](Distance worn) { return worn < distance; });
  }

  // The distances of the positions that must not come once more. (Each stands among them at its second time.)
  void find_worn() {
    const int times = game_.draws().repetition;
    if (times == 0) return;
    History<Rules> back = game_;
    for (int quiet = game_.quiet(); quiet > 0; quiet--) {
      if (back.repetitions() >= times - 1) {
        const Distance distance = tables_.distance(upward(back.position()));
        if (distance != no_distance) worn_.push_back(distance);
      }
      back.pop();
    }
  }

  std::uint64_t key() const {
    const auto count = game_.material_count();
    std::uint64_t state =
        game_.position().hash() ^ (std::uint64_t(game_.quiet()) << 32U) ^ std::uint64_t(count ? count->done + 1 : 0);
    return zobrist::mix(state);
  }

  History<Rules> game_;
  const Tables<Rules> &tables_;
  std::uint64_t nodes_;
  std::size_t root_ply_;
  std::uint64_t looked_at_ = 0;
  bool quick_enough_ = false;
  std::vector<Distance> worn_;
  std::unordered_map<std::uint64_t, Verdict> known_;
};

}  // namespace damier::endgame
