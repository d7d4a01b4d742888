// Principal variation search with iterative deepening.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "endgame/tables.hpp"
#include "evaluation/learned.hpp"
#include "history.hpp"
#include "limits.hpp"
#include "ordering.hpp"
#include "pace.hpp"
#include "pruning.hpp"
#include "table.hpp"

namespace damier {

// What a search knows beforehand; either may be missing. Without weights the hand-made evaluation values positions.
template <class Rules> struct Knowledge {
  const evaluation::LearnedWeights *weights = nullptr;
  const endgame::Tables<Rules> *tables = nullptr;
};

template <class Rules> class Search {
public:
  using Report = std::function<void(const Findings &)>;

  // The game must not be over.
  Search(const History<Rules> &game, TranspositionTable &table, Watch &watch, const Knowledge<Rules> &knowledge = {})
      : history_(game),
        table_(table),
        watch_(watch),
        weights_(knowledge.weights),
        tables_(knowledge.tables),
        root_ply_(game.ply()),
        salt_(salt(game.draws())) {
    legal_moves(history_.position(), root_moves_);
    if (tables_ != nullptr) {
      probed_pieces_ = std::min(tables_->pieces(), count(game.position().pieces().occupied()) - 1);
    }
    if (weights_ != nullptr) numbers_[0] = evaluation::Patterns<Rules>::of(game.position());
  }

  // Searches deeper and deeper from `depth` on, and calls report after each iteration. `lines`: how many moves are to
  // be told, each with its line.
  Findings run(const Report &report, std::size_t lines = 1, int depth = 1) {
    lines = std::min(lines, root_moves_.size());
    Findings found;
    found.lines.push_back({value_of(history_.position(), 0), {root_moves_[0]}});
    Pace pace(watch_.limits());
    std::vector<Line> fresh;
    try {
      for (; depth <= watch_.limits().depth; depth++) {
        fresh.clear();
        while (fresh.size() < lines) {
          fresh.emplace_back();
          iterate(depth, fresh.size() - 1, fresh.back(), found);
        }
        found.depth = depth;
        merge(fresh, lines, found);
        settle(found);
        if (report) report(found);
        if (is_enough(found, depth) || pace.is_over(found, root_moves_.size(), watch_.control())) break;
      }
    } catch (const Stopped &) {
      if (!fresh.empty() && fresh.back().moves.empty()) fresh.pop_back();
      merge(fresh, lines, found);
      settle(found);
    }
    watch_.tell_nodes();
    return found;
  }

  struct Rated {
    Move move;
    Value value;
  };

  // The value of every move at the last depth that was finished, the best first; of none if not even depth 1 was.
  std::vector<Rated> rate() {
    std::vector<Rated> finished;
    try {
      for (int depth = 1; depth <= watch_.limits().depth; depth++) {
        std::vector<Rated> rated;
        for (const Move &move : root_moves_) {
          push(move, 0);
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

  void settle(Findings &found) const {
    found.nodes = watch_.nodes();
    found.time = watch_.elapsed();
  }

  // A proven win or loss, for which no shorter one is looked for.
  bool is_enough(const Findings &found, int depth) const {
    return std::ranges::all_of(found.lines, [&](const Line &line) {
      const int distance = win_value - std::abs(line.value);
      return is_decided(line.value) && (depth > distance + settling || distance <= watch_.limits().win);
    });
  }

  // What this iteration found stands before what earlier ones did.
  static void merge(const std::vector<Line> &fresh, std::size_t lines, Findings &found) {
    std::vector<Line> merged;
    for (const Line &line : fresh) {
      merged.insert(std::ranges::upper_bound(merged, line.value, std::greater(), &Line::value), line);
    }
    for (const Line &line : found.lines) {
      const auto starts_alike = [&](const Line &other) { return other.moves.front() == line.moves.front(); };
      if (merged.size() == lines || std::ranges::any_of(merged, starts_alike)) continue;
      merged.push_back(line);
      if (merged.size() > 1) merged.back().value = std::min(line.value, merged[merged.size() - 2].value);
    }
    found.lines = std::move(merged);
  }

  // One iteration for the best of the root moves from `rank` on. `line` is kept up to date, so that it stands if the
  // search is stopped in the middle.
  void iterate(int depth, std::size_t rank, Line &line, const Findings &before) {
    int margin = first_window;
    Value alpha = -infinite_value;
    Value beta = infinite_value;
    if (depth >= 4 && rank < before.lines.size() && !is_proven(before.lines[rank].value)) {
      alpha = before.lines[rank].value - margin;
      beta = before.lines[rank].value + margin;
    }
    for (;;) {
      const Value value = search_root(depth, rank, alpha, beta, line);
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

  Value search_root(int depth, std::size_t rank, Value alpha, const Value beta, Line &line) {
    Value best_value = -infinite_value;
    for (std::size_t index = rank; index < root_moves_.size(); index++) {
      const Move move = root_moves_[index];
      push(move, 0);
      Value value = 0;
      const int rest = root_moves_.size() == 1 ? depth : depth - 1;
      if (index == rank) {
        value = -search(rest, -beta, -alpha, 1);
      } else {
        value = -search(rest, -alpha - 1, -alpha, 1);
        if (value > alpha) value = -search(rest, -beta, -alpha, 1);
      }
      history_.pop();
      best_value = std::max(best_value, value);
      if (value <= alpha) continue;
      line.value = value;
      line.moves.assign(1, move);
      line.moves.insert(line.moves.end(), lines_[1].begin(), lines_[1].end());
      const auto first = root_moves_.begin();
      std::rotate(first + rank, first + index, first + index + 1);
      alpha = value;
      if (value >= beta) break;
    }
    if (!line.moves.empty()) line.value = std::min(line.value, best_value);
    return best_value;
  }

  // The value of the position at hand, exact between alpha and beta, a bound outside.
  Value search(int depth, Value alpha, Value beta, int ply) {
    if (depth <= 0) return settle_captures(alpha, beta, ply, threats_followed);
    watch_.count_node();
    lines_[ply].clear();
    const Position<Rules> position = history_.position();
    if (is_draw(position)) return 0;
    if (const auto value = probe(position, ply)) return *value;
    if (ply >= max_ply) return value_of(position, ply);
    alpha = std::max(alpha, loss_in(ply));
    beta = std::min(beta, win_in(ply + 1));
    if (alpha >= beta) return alpha;
    const bool open = beta - alpha > 1;

    const std::uint64_t hash = key();
    Known known;
    MoveCode hint = 0;
    if (const auto entry = table_.find(hash)) {
      hint = entry->move;
      known = {from_root(entry->value, ply), entry->depth, entry->bound};
      if (!open && known.depth >= depth && known.decides(alpha, beta)) return known.value;
    }

    MoveList moves;
    legal_moves(position, moves);
    if (moves.empty()) return loss_in(ply);
    const bool captures = moves[0].is_capture();
    if (moves.size() == 1) {
      depth++;
    } else if (!open && !captures && !is_proven(beta)) {
      if (const auto value = prune(position, depth, alpha, beta, ply, known)) return *value;
    }

    const Value lowest = alpha;
    Value best_value = -infinite_value;
    MoveCode best_move = 0;
    MovePicker picker(position, moves, hint, killers_[ply], move_history_);
    while (!picker.done()) {
      const std::size_t index = picker.taken();
      const Move move = picker.next();
      push(move, ply);
      const int rest = depth - 1;
      Value value = 0;
      if (index == 0) {
        value = -search(rest, -beta, -alpha, ply + 1);
      } else {
        const int reduction = captures || move.crowned ? 0 : pruning::late_reduction(depth, index, open);
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
    table_.store(hash, best_move, from_here(best_value, ply), std::min(depth, 255), bound);
    return best_value;
  }

  // What the table knows of a position.
  struct Known {
    Value value = 0;
    int depth = -1;
    Bound bound = Bound::none;

    bool decides(Value alpha, Value beta) const {
      return bound == Bound::exact || (bound == Bound::lower && value >= beta) ||
             (bound == Bound::upper && value <= alpha);
    }
  };

  // A bound of a quiet position that need not be searched to its depth.
  std::optional<Value> prune(const Position<Rules> &position, int depth, Value alpha, Value beta, int ply,
                             const Known &known) {
    using namespace pruning;
    const Value seen = value_of(position, ply);
    if (depth <= std::max(enough_depth, hopeless_depth) && !must_capture(position.passed())) {
      if (depth <= enough_depth && seen - enough_a_ply * depth >= beta) return seen - enough_a_ply * depth;
      if (depth <= hopeless_depth && seen + hopeless_a_ply * depth <= alpha) {
        const Value value = settle_captures(alpha, beta, ply, threats_followed);
        if (value <= alpha) return value;
      }
    }
    if (depth >= shallow_depth && seen >= beta) {
      const Value above = beta + shallow_margin + shallow_a_ply * depth;
      const int rest = depth * shallow_share / 16;
      if (known.depth >= rest && known.bound == Bound::upper && known.value < above) return std::nullopt;
      const Value value = search(rest, above - 1, above, ply);
      if (value >= above) return is_proven(value) ? value : beta;
    }
    return std::nullopt;
  }

  // Beyond the last ply: captures are played out, and threats of captures answered, until the position is quiet.
  Value settle_captures(Value alpha, Value beta, int ply, int threats_left) {
    watch_.count_node();
    lines_[ply].clear();
    const Position<Rules> &position = history_.position();
    if (is_draw(position)) return 0;
    if (const auto value = probe(position, ply)) return *value;
    if (ply >= max_ply) return value_of(position, ply);
    const bool captures = must_capture(position);
    if (!captures) {
      if (!can_move(position)) return loss_in(ply);
      if (threats_left <= 0 || !must_capture(position.passed())) return value_of(position, ply);
      threats_left--;
    }
    MoveList moves;
    legal_moves(position, moves);
    const Value lowest = alpha;
    Value best_value = -infinite_value;
    MovePicker picker(position, moves, 0, {}, move_history_);
    while (!picker.done()) {
      const Move move = picker.next();
      push(move, ply);
      const Value value = -settle_captures(-beta, -alpha, ply + 1, threats_left);
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

  void push(const Move &move, int ply) {
    const Position<Rules> before = history_.position();
    history_.push(move);
    table_.prefetch(history_.position().hash() ^ salt_);
    if (weights_ != nullptr) {
      evaluation::Patterns<Rules>::after(before, move, numbers_[std::size_t(ply)], numbers_[std::size_t(ply) + 1]);
    }
  }

  Value value_of(const Position<Rules> &position, int ply) const {
    return weights_ != nullptr ? evaluation::evaluate(position, numbers_[std::size_t(ply)], *weights_)
                               : evaluate(position);
  }

  // What the endgame tables say of a position with fewer pieces than there are now: with as many as now a win has to
  // come nearer, which they do not tell.
  std::optional<Value> probe(const Position<Rules> &position, int ply) const {
    if (count(position.pieces().occupied()) > probed_pieces_) return std::nullopt;
    const auto known = tables_->probe(position);
    if (!known) return std::nullopt;
    switch (*known) {
      case endgame::Wdl::win: return table_win - ply;
      case endgame::Wdl::loss: return ply - table_win;
      case endgame::Wdl::draw: break;
    }
    return 0;
  }

  // A position that came up before in this search counts as drawn at once: who can repeat it once can do it again.
  bool is_draw(const Position<Rules> &position) const {
    if (history_.recurs(root_ply_)) return true;
    return history_.draw() && can_move(position);
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
  const evaluation::LearnedWeights *weights_;
  const endgame::Tables<Rules> *tables_;
  int probed_pieces_ = 0;  // positions with at most so many are looked up
  std::size_t root_ply_;
  std::uint64_t salt_;
  MoveList root_moves_;
  MoveHistory move_history_;
  std::array<Killers, max_ply + 2> killers_{};
  std::array<std::vector<Move>, max_ply + 2> lines_;
  std::array<evaluation::Numbers, max_ply + 2> numbers_;
};

}  // namespace damier
