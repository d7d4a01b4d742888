// One search by several threads that share nothing but the transposition table: each goes its own way and finds there
// what the others have found (Lazy SMP, as described by Österlund, 2016).
#pragma once
#include <memory>
#include <thread>

#include "search.hpp"

namespace damier {

// Searches in this thread and in `threads` - 1 others. With one thread and without a limit of time the same question to
// an empty table has the same answer.
template <class Rules>
Findings search_together(const History<Rules> &game, TranspositionTable &table, const Limits &limits, Control &control,
                         const Knowledge<Rules> &knowledge, std::size_t threads, std::size_t lines,
                         std::function<bool()> interrupted, const typename Search<Rules>::Report &report) {
  table.start_search();
  std::vector<std::jthread> helpers;
  struct End {
    Control &control;
    ~End() { control.stop(); }
  } end{control};  // before the threads are waited for
  const auto help = [&game, &table, &control, knowledge](int depth) {
    Watch watch({}, control);
    std::make_unique<Search<Rules>>(game, table, watch, knowledge)->run(nullptr, 1, depth);
  };
  Watch watch(limits, control, std::move(interrupted));
  const auto search = std::make_unique<Search<Rules>>(game, table, watch, knowledge);
  for (std::size_t index = 1; index < threads; index++) helpers.emplace_back(help, 1 + int(index % 2));
  Findings found = search->run(report, lines);
  control.stop();
  for (std::jthread &helper : helpers) helper.join();
  found.nodes = control.nodes();
  return found;
}

}  // namespace damier
