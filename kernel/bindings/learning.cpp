#include <limits>

#include "board.hpp"
#include "endgame.hpp"
#include "learning/fit.hpp"
#include "learning/self_play.hpp"

namespace damier::python {

using namespace nb::literals;
using namespace learning;

namespace {

// Plays by the rules and from the draws of the board that it was made with, always from the start.
class SelfPlayCore {
public:
  SelfPlayCore(const Board &board, const SelfPlay &how, std::size_t hash_mb, Evaluation evaluation,
               const EndgameTables *tables)
      : evaluation_(std::move(evaluation)),
        player_(with_history(board, [&]<class Rules>(const History<Rules> &history) {
          return AnyPlayer(std::in_place_type<SelfPlayer<Rules>>, how, history.draws(), hash_mb,
                           Knowledge<Rules>{evaluation_.get(), tables_of<Rules>(tables)});
        })) {}

  nb::bytes play(std::uint64_t seed) {
    std::vector<Sample> samples;
    {
      const nb::gil_scoped_release release;
      std::visit([&](auto &player) { player.play(seed, samples); }, player_);
    }
    return nb::bytes(samples.data(), samples.size() * sizeof(Sample));
  }

private:
  using AnyPlayer = std::variant<SelfPlayer<International>, SelfPlayer<CrownAndContinue>>;

  Evaluation evaluation_;
  AnyPlayer player_;
};

using FitCore = Fit<International>;

std::vector<Sample> samples_of(const nb::bytes &data) {
  if (data.size() % sizeof(Sample) != 0) throw std::invalid_argument("samples are 32 bytes each");
  std::vector<Sample> samples(data.size() / sizeof(Sample));
  std::memcpy(samples.data(), data.c_str(), data.size());
  constexpr Bits board = International::Board::board;
  for (const Sample &sample : samples) {
    const Bits pieces = sample.white | sample.black;
    if ((sample.white & sample.black) != 0 || (pieces & ~board) != 0 || (sample.kings & ~pieces) != 0 ||
        sample.turn > 1 || sample.result < -1 || sample.result > 1) {
      throw std::invalid_argument("these are not samples");
    }
  }
  return samples;
}

nb::bytes to_bytes(const std::string &text) { return nb::bytes(text.data(), text.size()); }

}  // namespace

void bind_learning(nb::module_ &module) {
  nb::class_<SelfPlayCore> player(module, "SelfPlayCore", "Games of the engine against itself, to learn from.");
  player.def(
      "__init__",
      [](SelfPlayCore *self, const Board &board, std::size_t hash_mb, std::uint64_t nodes, int opening_plies,
         int stray_moves, int longest, int balanced, int decided, const Evaluation *evaluation,
         const EndgameTables *tables) {
        new (self) SelfPlayCore(board, {nodes, opening_plies, stray_moves, longest, balanced, decided}, hash_mb,
                                evaluation == nullptr ? nullptr : *evaluation, tables);
      },
      "board"_a, "hash_mb"_a, "nodes"_a, "opening_plies"_a, "stray_moves"_a, "longest"_a, "balanced"_a, "decided"_a,
      "evaluation"_a.none(), "tables"_a.none(), nb::keep_alive<1, 11>());
  player.def("play", &SelfPlayCore::play, "seed"_a, "The samples of one game, 32 bytes each; the same for a seed.");

  nb::class_<FitCore> fit(module, "FitCore", "Fits the weights of the learned evaluation to samples.");
  fit.def(nb::init<>());
  fit.def(
      "learn",
      [](FitCore &self, const nb::bytes &data, double rate, double results, double score_unit) {
        const std::vector<Sample> samples = samples_of(data);
        const nb::gil_scoped_release release;
        return self.learn(samples, {rate, results, score_unit});
      },
      "samples"_a, "rate"_a, "results"_a, "score_unit"_a, "Goes through the samples; the mean loss before each step.");
  fit.def(
      "test",
      [](FitCore &self, const nb::bytes &data, double results, double score_unit) {
        const std::vector<Sample> samples = samples_of(data);
        const nb::gil_scoped_release release;
        return self.test(samples, {0, results, score_unit});
      },
      "samples"_a, "results"_a, "score_unit"_a, "The mean loss.");
  fit.def("file", [](const FitCore &self) { return to_bytes(self.file()); }, "The weights, for ``Evaluation``.");
  fit.def("state", [](const FitCore &self) { return to_bytes(self.state()); }, "All that it has learned.");
  fit.def(
      "restore", [](FitCore &self, const nb::bytes &state) { self.restore({state.c_str(), state.size()}); }, "state"_a,
      "Goes on from a state.");
  module.attr("CURVE_UNIT") = curve_unit;
}

}  // namespace damier::python
