// Principal variation search with iterative deepening.
#pragma once
#include <algorithm>
#include <vector>

#include "evaluation/evaluation.hpp"
#include "history.hpp"
#include "limits.hpp"
#include "ordering.hpp"
#include "table.hpp"

namespace damier {

// What a search found; `line` starts with the best move.
struct Findings {
  Value value = 0;
  int depth = 0;
  std::uint64_t nodes = 0;
  SearchClock::duration time{};
  std::vector<Move> line;
};

template <class Rules> class Search {
public:
  using Report = std::function<void(const Findings &)>;

  // The game must not be over.
  Search(const History<Rules> &game, TranspositionTable &table, Watch &watch)
      : history_(game), table_(table), watch_(watch), root_ply_(game.ply()), salt_(salt(game.draws())) {}

  // Calls report after each iteration.
  Findings run(const Report &report) {
    table_.start_search();
    legal_moves(history_.position(), root_moves_);
    Findings best;
    best.value = evaluate(history_.position());
    best.line = {root_moves_[0]};
    try {
      for (int depth = 1; depth <= watch_.limits().depth; depth++) {
        iterate(depth, best);
        best.depth = depth;
        settle(best);
        if (report) report(best);
        if (is_decided(best.value) && depth > win_value - std::abs(best.value) + settling) break;
      }
    } catch (const Stopped &) {
      settle(best);
    }
    return best;
  }

  struct Rated {
    Move move;
    Value value;
  };

  // The value of every move at the last depth that was finished, the best first; of none if not even depth 1 was.
  std::vector<Rated> rate() {
    table_.start_search();
    legal_moves(history_.position(), root_moves_);
    std::vector<Rated> finished;
    try {
      for (int depth = 1; depth <= watch_.limits().depth; depth++) {
        std::vector<Rated> rated;
        for (const Move &move : root_moves_) {
          history_.push(move);
          rated.push_back({move, -search(depth - 1, -infinite_value, infinite_value, 1)});
          history_.pop();
        }
        std::ranges::sort(rated, std::greater(), &Rated::value);
        finished = std::move(rated);
      }
    } catch (const Stopped &) {
      return finished;
    }
    return finished;
  }

private:
  static constexpr int settling = 8;       // depth beyond a win's distance at which no shorter one is looked for
  static constexpr int first_window = 16;  // of the aspiration, to either side

  // The draws change what a position is worth: rule sets do not share entries.
  static std::uint64_t salt(const DrawRules &draws) {
    std::uint64_t state = Rules::promotion == Promotion::in_passing ? 1 : 0;
    for (const int part : {draws.repetition, draws.king_moves, draws.three_pieces, draws.two_pieces, draws.same_move,
                           draws.move_limit}) {
      state = zobrist::mix(state) + std::uint64_t(part);
    }
    return zobrist::mix(state);
  }

  // Where a count draws near, the same position with another count is another position.
  std::uint64_t key() const {
    constexpr int horizon = 40;
    std::uint64_t counts = 0;
    if (const auto count = history_.material_count(); count && count->of - count->done <= horizon) {
      counts = 1U + std::uint64_t(count->done);
    }
    const int king_moves = 2 * history_.draws().king_moves;
    if (king_moves != 0 && king_moves - history_.quiet() <= horizon) {
      counts |= (1U + std::uint64_t(history_.quiet())) << 16U;
    }
    const std::uint64_t own = history_.position().hash() ^ salt_;
    return counts == 0 ? own : own ^ zobrist::mix(counts);
  }

  void settle(Findings &best) const {
    best.nodes = watch_.nodes();
    best.time = watch_.elapsed();
  }

  // One iteration; `best` is kept up to date so that it stands if the search is stopped in the middle.
  void iterate(int depth, Findings &best) {
    int margin = first_window;
    Value alpha = -infinite_value;
    Value beta = infinite_value;
    if (depth >= 4 && !is_decided(best.value)) {
      alpha = best.value - margin;
      beta = best.value + margin;
    }
    for (;;) {
      const Value value = search_root(depth, alpha, beta, best);
      if (value <= alpha) {
        beta = (alpha + beta) / 2;
        alpha = margin < 400 ? value - margin : -infinite_value;
      } else if (value >= beta) {
        beta = margin < 400 ? value + margin : infinite_value;
      } else {
        return;
      }
      margin *= 3;
    }
  }

  Value search_root(int depth, Value alpha, const Value beta, Findings &best) {
    const Value lowest = alpha;
    Value best_value = -infinite_value;
    for (std::size_t index = 0; index < root_moves_.size(); index++) {
      const Move move = root_moves_[index];
      history_.push(move);
      Value value = 0;
      const int rest = root_moves_.size() == 1 ? depth : depth - 1;
      if (index == 0) {
        value = -search(rest, -beta, -alpha, 1);
      } else {
        value = -search(rest, -alpha - 1, -alpha, 1);
        if (value > alpha) value = -search(rest, -beta, -alpha, 1);
      }
      history_.pop();
      best_value = std::max(best_value, value);
      if (value <= alpha) continue;
      best.value = value;
      best.line.assign(1, move);
      best.line.insert(best.line.end(), lines_[1].begin(), lines_[1].end());
      std::rotate(root_moves_.begin(), root_moves_.begin() + index, root_moves_.begin() + index + 1);
      alpha = value;
      if (value >= beta) break;
    }
    if (best_value <= lowest) best.value = best_value;
    return best_value;
  }

  // The value of the position at hand, exact between alpha and beta, a bound outside.
  Value search(int depth, Value alpha, Value beta, int ply) {
    if (depth <= 0) return settle_captures(alpha, beta, ply, threats_followed);
    watch_.count_node();
    lines_[ply].clear();
    const Position<Rules> position = history_.position();
    if (is_draw(position)) return 0;
    if (ply >= max_ply) return evaluate(position);
    alpha = std::max(alpha, loss_in(ply));
    beta = std::min(beta, win_in(ply + 1));
    if (alpha >= beta) return alpha;
    const bool open = beta - alpha > 1;

    const std::uint64_t hash = key();
    const TranspositionTable::Entry *entry = table_.find(hash);
    MoveCode hint = 0;
    if (entry != nullptr) {
      hint = entry->move;
      const Value value = from_root(entry->value, ply);
      const Bound bound = entry->bound();
      if (!open && entry->depth >= depth &&
          (bound == Bound::exact || (bound == Bound::lower ? value >= beta : value <= alpha))) {
        return value;
      }
    }

    MoveList moves;
    legal_moves(position, moves);
    if (moves.empty()) return loss_in(ply);
    const bool captures = moves[0].is_capture();
    if (moves.size() == 1) depth++;

    const Value lowest = alpha;
    Value best_value = -infinite_value;
    MoveCode best_move = 0;
    MovePicker picker(position, moves, hint, killers_[ply], move_history_);
    while (!picker.done()) {
      const std::size_t index = picker.taken();
      const Move move = picker.next();
      history_.push(move);
      table_.prefetch(history_.position().hash() ^ salt_);
      int rest = depth - 1;
      Value value = 0;
      if (index == 0) {
        value = -search(rest, -beta, -alpha, ply + 1);
      } else {
        const int reduction = captures || move.crowned ? 0 : reduce(depth, index, open);
        value = -search(rest - reduction, -alpha - 1, -alpha, ply + 1);
        if (value > alpha && reduction > 0) value = -search(rest, -alpha - 1, -alpha, ply + 1);
        if (value > alpha && open) value = -search(rest, -beta, -alpha, ply + 1);
      }
      history_.pop();
      if (value <= best_value) continue;
      best_value = value;
      if (value <= alpha) continue;
      alpha = value;
      best_move = code(move);
      if (open) extend_line(move, ply);
      if (value < beta) continue;
      if (!captures) reward(position.turn(), move, moves, picker.taken(), depth, ply);
      break;
    }
    const Bound bound = best_value >= beta ? Bound::lower : best_value > lowest ? Bound::exact : Bound::upper;
    table_.store(hash, best_move, from_here(best_value, ply), 0, std::min(depth, 255), bound);
    return best_value;
  }

  // Beyond the last ply: captures are played out, and threats of captures answered, until the position is quiet.
  Value settle_captures(Value alpha, Value beta, int ply, int threats_left) {
    watch_.count_node();
    lines_[ply].clear();
    const Position<Rules> position = history_.position();
    if (is_draw(position)) return 0;
    if (ply >= max_ply) return evaluate(position);
    const bool captures = must_capture(position);
    if (!captures && !can_move(position)) return loss_in(ply);
    const bool threatened = !captures && threats_left > 0 && must_capture(position.passed());
    if (!captures && !threatened) return evaluate(position);

    MoveList moves;
    legal_moves(position, moves);
    const Value lowest = alpha;
    Value best_value = -infinite_value;
    MovePicker picker(position, moves, 0, {}, move_history_);
    while (!picker.done()) {
      const Move move = picker.next();
      history_.push(move);
      const Value value = -settle_captures(-beta, -alpha, ply + 1, threats_left - int(threatened));
      history_.pop();
      if (value <= best_value) continue;
      best_value = value;
      if (value <= alpha) continue;
      alpha = value;
      if (beta - lowest > 1) extend_line(move, ply);
      if (value >= beta) break;
    }
    return best_value;
  }

  // A position that came up before in this search counts as drawn at once: who can repeat it once can do it again.
  bool is_draw(const Position<Rules> &position) const {
    if (history_.recurs(root_ply_)) return true;
    return history_.draw() && can_move(position);
  }

  static int reduce(int depth, std::size_t index, bool open) {
    if (depth < 3 || index < 2) return 0;
    if (open) return 1;
    return 1 + int(depth >= 5 && index >= 5) + int(depth >= 8 && index >= 8);
  }

  void extend_line(const Move &move, int ply) {
    auto &line = lines_[ply];
    const auto &rest = lines_[ply + 1];
    line.assign(1, move);
    line.insert(line.end(), rest.begin(), rest.end());
  }

  // The first `tried` moves of the list were tried, the last of them is the one that was good.
  void reward(Side side, const Move &move, const MoveList &moves, std::size_t tried, int depth, int ply) {
    killers_[ply].add(code(move));
    move_history_.reward(side, move, depth);
    for (std::size_t index = 0; index + 1 < tried; index++) move_history_.punish(side, moves[index], depth);
  }

  static constexpr int threats_followed = 1;

  History<Rules> history_;
  TranspositionTable &table_;
  Watch &watch_;
  std::size_t root_ply_;
  std::uint64_t salt_;
  MoveList root_moves_;
  MoveHistory move_history_;
  std::array<Killers, max_ply + 2> killers_{};
  std::array<std::vector<Move>, max_ply + 2> lines_;
};

}  // namespace damier
