#include <nanobind/stl/optional.h>

#include <mutex>
#include <optional>

#include "endgame.hpp"
#include "search/parallel.hpp"

namespace damier::python {

using namespace nb::literals;

namespace {

// Runs a search without the interpreter's lock. Python errors that come up on the way, from a callback or a signal, end
// it and are raised afterwards: the search itself knows nothing of them.
class Run {
public:
  Run(Control &control, bool signals) : control_(control), signals_(signals) {}

  std::function<bool()> interrupted() {
    if (!signals_) return nullptr;
    return [this] {
      guarded([] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
      return failure_ != nullptr;
    };
  }

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
      control_.stop();
    }
  }

private:
  Control &control_;
  bool signals_;
  std::exception_ptr failure_;
};

// The table outlives a search; everything else of a search is its own.
class EngineCore {
  // Calls use(history, control, run). The board may change meanwhile: the search has a copy.
  template <class Use> auto with_search(const Board &board, bool pondering, bool signals, Use &&use) {
    const auto control = std::make_shared<Control>(pondering);
    {
      const std::scoped_lock lock(mutex_);
      control_ = control;
    }
    return with_history(board, [&]<class Rules>(const History<Rules> &history) {
      Run run(*control, signals);
      return use(History<Rules>(history), *control, run);
    });
  }

  template <class Tell> void tell(Tell &&tell) {
    const std::scoped_lock lock(mutex_);
    if (control_) tell(*control_);
  }

public:
  EngineCore(std::size_t hash_mb, std::size_t threads, Evaluation evaluation)
      : table_(hash_mb), threads_(threads), evaluation_(std::move(evaluation)) {}

  void stop() {
    tell([](Control &control) { control.stop(); });
  }
  void start_clock() {
    tell([](Control &control) { control.start_clock(); });
  }
  void clear() { table_.clear(); }

  nb::tuple search(const Board &board, const EndgameTables *tables, const Limits &limits, std::size_t lines,
                   bool pondering, nb::handle on_info, bool signals) {
    return with_search(
        board, pondering, signals, [&]<class Rules>(const History<Rules> &history, Control &control, Run &run) {
          const Position<Rules> start = history.position();
          typename Search<Rules>::Report report;
          if (!on_info.is_none()) {
            report = [&](const Findings &found) { run.guarded([&] { on_info(to_python(start, found)); }); };
          }
          return to_python(start, run([&] {
                             return search_together(history, table_, limits, control, knowledge<Rules>(tables),
                                                    threads_, lines, run.interrupted(), report);
                           }));
        });
  }

  nb::list rate(const Board &board, const EndgameTables *tables, const Limits &limits, bool signals) {
    return with_search(
        board, false, signals, [&]<class Rules>(const History<Rules> &history, Control &control, Run &run) {
          nb::list list;
          const auto rated_moves = run([&] {
            table_.start_search();
            Watch watch(limits, control, run.interrupted());
            return std::make_unique<Search<Rules>>(history, table_, watch, knowledge<Rules>(tables))->rate();
          });
          for (const auto &rated : rated_moves) {
            list.append(nb::make_tuple(move_object(history.position(), rated.move), rated.value));
          }
          return list;
        });
  }

private:
  template <class Rules> Knowledge<Rules> knowledge(const EndgameTables *tables) const {
    return {evaluation_.get(), tables_of<Rules>(tables)};
  }

  // (((value, line), ...), depth, nodes, seconds)
  template <class Rules> static nb::tuple to_python(const Position<Rules> &start, const Findings &findings) {
    nb::list lines;
    for (const Line &line : findings.lines) {
      nb::list moves;
      Position<Rules> position = start;
      for (const Move &move : line.moves) {
        moves.append(move_object(position, move));
        position = position.after(move);
      }
      lines.append(nb::make_tuple(line.value, nb::tuple(moves)));
    }
    return nb::make_tuple(nb::tuple(lines), findings.depth, findings.nodes,
                          std::chrono::duration<double>(findings.time).count());
  }

  TranspositionTable table_;
  std::size_t threads_;
  Evaluation evaluation_;
  std::mutex mutex_;
  std::shared_ptr<Control> control_;  // of the last search
};

Evaluation make_evaluation(const nb::bytes &file) {
  return std::make_shared<const evaluation::LearnedWeights>(std::span(file.c_str(), file.size()));
}

Limits make_limits(std::optional<double> time, std::optional<double> aim, std::optional<std::uint64_t> nodes,
                   std::optional<int> depth, std::optional<int> win) {
  Limits limits;
  const auto duration = [](std::optional<double> seconds) {
    constexpr double forever = 1e9;
    if (!seconds || *seconds >= forever) return Limits::forever;
    return std::chrono::duration_cast<SearchClock::duration>(std::chrono::duration<double>(*seconds));
  };
  limits.time = duration(time);
  limits.aim = duration(aim);
  if (nodes) limits.nodes = *nodes;
  if (depth) limits.depth = std::min(*depth, limits.depth);
  if (win) limits.win = *win;
  return limits;
}

}  // namespace

void bind_search(nb::module_ &module) {
  nb::class_<Evaluation> evaluation(module, "Evaluation", "Weights of the learned evaluation, from a file's bytes.");
  evaluation.def(
      "__init__", [](Evaluation *self, const nb::bytes &file) { new (self) Evaluation(make_evaluation(file)); },
      "file"_a);
  evaluation.def(
      "value",
      [](const Evaluation &self, const Board &board) {
        return with_history(board, [&]<class Rules>(const History<Rules> &history) {
          const Position<Rules> &position = history.position();
          return evaluation::evaluate(position, evaluation::Patterns<Rules>::of(position), *self);
        });
      },
      "board"_a, "What the position is worth to the side to move, in hundredths of a man, as far as the eye sees.");

  nb::class_<EngineCore> engine(module, "EngineCore", "What the kernel does for ``damier.engine.Engine``.");
  engine.def(
      "__init__",
      [](EngineCore *self, std::size_t hash_mb, std::size_t threads, const Evaluation *evaluation) {
        new (self) EngineCore(hash_mb, threads, evaluation == nullptr ? nullptr : *evaluation);
      },
      "hash_mb"_a, "threads"_a, "evaluation"_a.none());
  engine.def("stop", &EngineCore::stop, "Ends the search that is running, from any thread.");
  engine.def("start_clock", &EngineCore::start_clock, "Limits of time count from now on, in a search that ponders.");
  engine.def("clear", &EngineCore::clear, "Forgets everything that earlier searches found out.");
  engine.def(
      "search",
      [](EngineCore &self, const Board &board, const EndgameTables *tables, std::optional<double> time,
         std::optional<double> aim, std::optional<std::uint64_t> nodes, std::optional<int> depth,
         std::optional<int> win, std::size_t lines, bool pondering, nb::handle on_info, bool signals) {
        return self.search(board, tables, make_limits(time, aim, nodes, depth, win), lines, pondering, on_info,
                           signals);
      },
      "board"_a, "tables"_a.none(), "time"_a.none(), "aim"_a.none(), "nodes"_a.none(), "depth"_a.none(), "win"_a.none(),
      "lines"_a, "pondering"_a, "on_info"_a.none(), "signals"_a,
      nb::sig("def search(self, board: BoardBase, tables: EndgameTables | None, time: float | None, aim: float | None, "
              "nodes: int | None, "
              "depth: int | None, win: int | None, lines: int, pondering: bool, "
              "on_info: Callable[[tuple[tuple[tuple[int, tuple[Move, ...]], ...], int, int, float]], object] | None, "
              "signals: bool) -> tuple[tuple[tuple[int, tuple[Move, ...]], ...], int, int, float]"),
      "The lines, each with its value, the depth, nodes and seconds of a search. The game must not be over.");
  engine.def(
      "rate",
      [](EngineCore &self, const Board &board, const EndgameTables *tables, std::optional<double> time,
         std::optional<std::uint64_t> nodes, std::optional<int> depth, bool signals) {
        return self.rate(board, tables, make_limits(time, std::nullopt, nodes, depth, std::nullopt), signals);
      },
      "board"_a, "tables"_a.none(), "time"_a.none(), "nodes"_a.none(), "depth"_a.none(), "signals"_a,
      nb::sig("def rate(self, board: BoardBase, tables: EndgameTables | None, time: float | None, nodes: int | None, "
              "depth: int | None, signals: bool) "
              "-> list[tuple[Move, int]]"),
      "Every legal move with its value at the last depth that was finished, the best first.");

  module.attr("WIN_VALUE") = win_value;
  module.attr("LONGEST_WIN") = longest_win;
  module.attr("TABLE_WIN") = table_win;
  module.attr("HIGHEST_ESTIMATE") = highest_estimate;
}

}  // namespace damier::python
