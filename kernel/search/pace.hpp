// What a search found, and how long it goes on by a clock.
#pragma once
#include <vector>

#include "limits.hpp"
#include "moves.hpp"

namespace damier {

// The best play of both sides as far as it is known, and what it is worth.
struct Line {
  Value value = 0;
  std::vector<Move> moves;
};

// What a search found: the best move's line, then those of the next best if they were asked for.
struct Findings {
  std::vector<Line> lines;
  int depth = 0;
  std::uint64_t nodes = 0;
  SearchClock::duration time{};

  const Line &best() const { return lines.front(); }
};

// Decides after each iteration whether another one is worth its time, if there is a time to aim at: sooner if the best
// move has long been the same, later if it has just changed or looks worse than it did.
class Pace {
public:
  explicit Pace(const Limits &limits) : limits_(limits) {}

  bool is_over(const Findings &found, std::size_t choices, const Control &control) {
    const Line &best = found.best();
    const bool changed = found.depth > 1 && best.moves.front() != last_move_;
    steady_ = changed ? 0 : steady_ + 1;
    const bool fell = found.depth > 1 && best.value < last_value_ - fall;
    last_move_ = best.moves.front();
    last_value_ = best.value;
    if (limits_.aim == Limits::forever || control.waits()) return false;
    if (choices == 1) return true;
    double share = steady_ >= long_steady ? 0.35
                   : steady_ >= 2         ? 0.5
                                          : 0.65;  // the next iteration takes about as long as all before
    if (changed) share *= 1.3;
    if (fell) share *= 1.5;
    return std::chrono::duration<double>(control.thought()).count() >=
           std::chrono::duration<double>(limits_.aim).count() * share;
  }

private:
  static constexpr Value fall = 15;
  static constexpr int long_steady = 6;  // iterations

  Limits limits_;
  Move last_move_;
  Value last_value_ = 0;
  int steady_ = 0;
};

}  // namespace damier
