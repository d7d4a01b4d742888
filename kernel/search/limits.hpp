// When a search ends: limits of time, nodes and depth, and being told.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "score.hpp"

namespace damier {

using SearchClock = std::chrono::steady_clock;

struct Limits {
  SearchClock::duration time = SearchClock::duration::max();
  std::uint64_t nodes = UINT64_MAX;
  int depth = max_ply - 1;
};

// Thrown inside the search when it has to end.
struct Stopped {};

// Counts the nodes, and ends the search in time. Looks at the clock and the flag every few tenths of a millisecond.
class Watch {
public:
  // `interrupted` is asked now and then by the searching thread itself; it may be empty.
  Watch(const Limits &limits, const std::atomic<bool> &stop, std::function<bool()> interrupted)
      : limits_(limits), stop_(stop), interrupted_(std::move(interrupted)), begin_(SearchClock::now()) {
    next_look_ = std::min<std::uint64_t>(look_every, limits_.nodes);
  }

  std::uint64_t nodes() const { return nodes_; }
  SearchClock::duration elapsed() const { return SearchClock::now() - begin_; }
  const Limits &limits() const { return limits_; }

  void count_node() {
    if (nodes_ >= next_look_) look();
    nodes_++;
  }

private:
  static constexpr std::uint64_t look_every = 512;
  static constexpr auto ask_every = std::chrono::milliseconds(20);

  [[gnu::noinline]] void look() {
    if (nodes_ >= limits_.nodes || stop_.load(std::memory_order_relaxed)) throw Stopped{};
    const auto now = elapsed();
    if (now >= limits_.time) throw Stopped{};
    if (interrupted_ && now >= next_ask_) {
      if (interrupted_()) throw Stopped{};
      next_ask_ = elapsed() + ask_every;
    }
    next_look_ = std::min(nodes_ + look_every, limits_.nodes);
  }

  Limits limits_;
  const std::atomic<bool> &stop_;
  std::function<bool()> interrupted_;
  SearchClock::time_point begin_;
  SearchClock::duration next_ask_ = ask_every;
  std::uint64_t nodes_ = 0;
  std::uint64_t next_look_ = 0;
};

}  // namespace damier
