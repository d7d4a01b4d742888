// When a search ends: limits of time, nodes, depth and distance, and being told.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "score.hpp"

namespace damier {

using SearchClock = std::chrono::steady_clock;

struct Limits {
  static constexpr auto forever = SearchClock::duration::max();

  SearchClock::duration time = forever;  // never thinks longer
  SearchClock::duration aim = forever;   // thinks about so long: less where the choice is clear, more where it is not
  std::uint64_t nodes = UINT64_MAX;
  int depth = max_ply - 1;
  int win = 0;  // plies: a win or loss that is not farther ends the search
};

// Thrown inside the search when it has to end.
struct Stopped {};

// What the threads of one search share: who is told to end it, and when its clock began.
class Control {
public:
  // `pondering`: limits of time count only from start_clock() on.
  explicit Control(bool pondering = false) : waits_(pondering), begin_(SearchClock::now().time_since_epoch().count()) {}

  void stop() { stop_.store(true, std::memory_order_relaxed); }
  bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }

  // From any thread.
  void start_clock() {
    begin_.store(SearchClock::now().time_since_epoch().count(), std::memory_order_relaxed);
    waits_.store(false, std::memory_order_release);
  }
  // What counts against the limits; nothing while the opponent is to move.
  SearchClock::duration thought() const {
    if (waits_.load(std::memory_order_acquire)) return SearchClock::duration::zero();
    return SearchClock::now().time_since_epoch() - SearchClock::duration(begin_.load(std::memory_order_relaxed));
  }
  bool waits() const { return waits_.load(std::memory_order_acquire); }

  void add_nodes(std::uint64_t nodes) { nodes_.fetch_add(nodes, std::memory_order_relaxed); }
  std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> stop_ = false;
  std::atomic<bool> waits_;
  std::atomic<SearchClock::rep> begin_;
  std::atomic<std::uint64_t> nodes_ = 0;  // of all threads, as far as they have told
};

// Counts one thread's nodes, and ends its search in time. Looks at the clock and at the control every few tenths of a
// millisecond.
class Watch {
public:
  // `interrupted` is asked now and then by the searching thread itself; it may be empty.
  Watch(const Limits &limits, Control &control, std::function<bool()> interrupted = nullptr)
      : limits_(limits), control_(control), interrupted_(std::move(interrupted)), begin_(SearchClock::now()) {
    next_look_ = std::min<std::uint64_t>(look_every, limits_.nodes);
  }

  // Of all threads.
  std::uint64_t nodes() const { return control_.nodes() + nodes_ - told_; }
  SearchClock::duration elapsed() const { return SearchClock::now() - begin_; }
  const Limits &limits() const { return limits_; }
  Control &control() { return control_; }
  const Control &control() const { return control_; }

  void count_node() {
    if (nodes_ >= next_look_) look();
    nodes_++;
  }
  // So that the sum is whole when the search has ended.
  void tell_nodes() {
    control_.add_nodes(nodes_ - told_);
    told_ = nodes_;
  }

private:
  static constexpr std::uint64_t look_every = 512;
  static constexpr auto ask_every = std::chrono::milliseconds(20);

  [[gnu::noinline]] void look() {
    tell_nodes();
    const std::uint64_t all = control_.nodes();
    if (all >= limits_.nodes || control_.is_stopped() || control_.thought() >= limits_.time) throw Stopped{};
    if (interrupted_ && elapsed() >= next_ask_) {
      if (interrupted_()) throw Stopped{};
      next_ask_ = elapsed() + ask_every;
    }
    next_look_ = nodes_ + std::min(look_every, limits_.nodes - all);
  }

  Limits limits_;
  Control &control_;
  std::function<bool()> interrupted_;
  SearchClock::time_point begin_;
  SearchClock::duration next_ask_ = ask_every;
  std::uint64_t nodes_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t next_look_ = 0;
};

}  // namespace damier
