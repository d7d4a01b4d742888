#include "search/search.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "board.hpp"

namespace damier::python {

using namespace nb::literals;

namespace {

// Runs a search without the interpreter's lock. Python errors that come up on the way, from a callback or a signal, end
// it and are raised afterwards: the search itself knows nothing of them.
class Run {
public:
  Run(const Limits &limits, std::atomic<bool> &stop, bool signals)
      : stop_(stop), watch_(limits, stop, signals ? [this] { return interrupted(); } : std::function<bool()>()) {}

  Watch &watch() { return watch_; }

  template <class Work> auto operator()(Work &&work) {
    auto found = [&] {
      const nb::gil_scoped_release release;
      return work();
    }();
    if (failure_) std::rethrow_exception(failure_);
    return found;
  }

  // Calls action with the lock held.
  template <class Action> void guarded(Action &&action) {
    const nb::gil_scoped_acquire acquire;
    if (failure_) return;
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
      stop_ = true;
    }
  }

private:
  bool interrupted() {
    guarded([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    return failure_ != nullptr;
  }

  std::atomic<bool> &stop_;
  std::exception_ptr failure_;
  Watch watch_;
};

// The table outlives a search; everything else of a search is its own.
class EngineCore {
  // Calls use(search, start, run). The board may change meanwhile: the search has a copy.
  template <class Use> auto with_search(const Board &board, const Limits &limits, bool signals, Use &&use) {
    stop_ = false;
    return with_history(board, [&]<class Rules>(const History<Rules> &history) {
      const Position<Rules> start = history.position();
      Run run(limits, stop_, signals);
      const auto search = std::make_unique<Search<Rules>>(history, table_, run.watch());
      return use(*search, start, run);
    });
  }

public:
  explicit EngineCore(std::size_t hash_mb) : table_(hash_mb) {}

  void stop() { stop_ = true; }
  void clear() { table_.clear(); }

  nb::tuple search(const Board &board, const Limits &limits, nb::handle on_info, bool signals) {
    return with_search(board, limits, signals, [&](auto &search, const auto &start, Run &run) {
      const auto report = [&](const Findings &findings) { run.guarded([&] { on_info(to_python(start, findings)); }); };
      const bool silent = on_info.is_none();
      return to_python(start, run([&] { return silent ? search.run(nullptr) : search.run(report); }));
    });
  }

  nb::list rate(const Board &board, const Limits &limits, bool signals) {
    return with_search(board, limits, signals, [&](auto &search, const auto &start, Run &run) {
      nb::list list;
      for (const auto &rated : run([&] { return search.rate(); })) {
        list.append(nb::make_tuple(move_object(start, rated.move), rated.value));
      }
      return list;
    });
  }

private:
  // (value, depth, nodes, seconds, line)
  template <class Rules> static nb::tuple to_python(Position<Rules> position, const Findings &findings) {
    nb::list line;
    for (const Move &move : findings.line) {
      line.append(move_object(position, move));
      position = position.after(move);
    }
    return nb::make_tuple(findings.value, findings.depth, findings.nodes,
                          std::chrono::duration<double>(findings.time).count(), nb::tuple(line));
  }

  TranspositionTable table_;
  std::atomic<bool> stop_ = false;
};

Limits make_limits(std::optional<double> seconds, std::optional<std::uint64_t> nodes, std::optional<int> depth) {
  Limits limits;
  constexpr double forever = 1e9;
  if (seconds && *seconds < forever) {
    limits.time = std::chrono::duration_cast<SearchClock::duration>(std::chrono::duration<double>(*seconds));
  }
  if (nodes) limits.nodes = *nodes;
  if (depth) limits.depth = std::min(*depth, limits.depth);
  return limits;
}

}  // namespace

void bind_search(nb::module_ &module) {
  nb::class_<EngineCore> engine(module, "EngineCore", "What the kernel does for ``damier.engine.Engine``.");
  engine.def(nb::init<std::size_t>(), "hash_mb"_a);
  engine.def("stop", &EngineCore::stop, "Ends the search that is running, from any thread.");
  engine.def("clear", &EngineCore::clear, "Forgets everything that earlier searches found out.");
  engine.def(
      "search",
      [](EngineCore &self, const Board &board, std::optional<double> time, std::optional<std::uint64_t> nodes,
         std::optional<int> depth, nb::handle on_info,
         bool signals) { return self.search(board, make_limits(time, nodes, depth), on_info, signals); },
      "board"_a, "time"_a.none(), "nodes"_a.none(), "depth"_a.none(), "on_info"_a.none(), "signals"_a,
      nb::sig("def search(self, board: BoardBase, time: float | None, nodes: int | None, depth: int | None, "
              "on_info: Callable[[tuple[int, int, int, float, tuple[Move, ...]]], object] | None, signals: bool) "
              "-> tuple[int, int, int, float, tuple[Move, ...]]"),
      "The value, depth, nodes, seconds and line that a search found. The game must not be over.");
  engine.def(
      "rate",
      [](EngineCore &self, const Board &board, std::optional<double> time, std::optional<std::uint64_t> nodes,
         std::optional<int> depth, bool signals) { return self.rate(board, make_limits(time, nodes, depth), signals); },
      "board"_a, "time"_a.none(), "nodes"_a.none(), "depth"_a.none(), "signals"_a,
      nb::sig(
          "def rate(self, board: BoardBase, time: float | None, nodes: int | None, depth: int | None, signals: bool) "
          "-> list[tuple[Move, int]]"),
      "Every legal move with its value at the last depth that was finished, the best first.");

  module.attr("WIN_VALUE") = win_value;
  module.attr("LONGEST_WIN") = longest_win;
}

}  // namespace damier::python
