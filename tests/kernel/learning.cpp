// The learned evaluation and what it is learned from: the numbers of patterns move by move, fairness to both sides,
// games against itself and the fit to them.
#include "learning/fit.hpp"
#include "learning/self_play.hpp"
#include "random_weights.hpp"

namespace damier::test {
namespace {

using evaluation::LearnedWeights;
using evaluation::Patterns;
using learning::Sample;

constexpr DrawRules official{.repetition = 3, .king_moves = 25, .three_pieces = 16, .two_pieces = 5};

// The board turned half round and the sides exchanged: the same position to the side to move.
template <class Rules> Position<Rules> turned(const Position<Rules> &position) {
  const auto turn = [](Bits bits) {
    Bits made = 0;
    for_each(bits, [&](int at) { made |= bit(place(51 - square(at))); });
    return made;
  };
  const Pieces &pieces = position.pieces();
  return Position<Rules>({turn(pieces.own), turn(pieces.opponent), turn(pieces.kings)}, !position.turn());
}

template <class Rules> void follow_numbers(Random &random, const LearnedWeights &weights) {
  for (int game = 0; game < 40; game++) {
    const Setup start = game % 2 == 0 ? setup("W:W31-50:B1-20") : random_setup(random);
    Position<Rules> position = start.position<Rules>();
    evaluation::Numbers numbers = Patterns<Rules>::of(position);
    for (int ply = 0; ply < 80; ply++) {
      check(numbers.of == Patterns<Rules>::of(position).of, [&] { return "wrong numbers after " + fen(start); });
      const Value value = evaluation::evaluate(position, numbers, weights);
      const Position<Rules> other = turned(position);
      check(value == evaluation::evaluate(other, Patterns<Rules>::of(other), weights),
            [&] { return "not the same to both sides after " + fen(start); });
      MoveList moves;
      legal_moves(position, moves);
      if (moves.empty()) break;
      const Move move = moves[random() % moves.size()];
      evaluation::Numbers next;
      Patterns<Rules>::after(position, move, numbers, next);
      numbers = next;
      position = position.after(move);
    }
  }
}

std::vector<Sample> play(std::uint64_t seed) {
  learning::SelfPlayer<International> player({.nodes = 200}, official, 1, {});
  std::vector<Sample> samples;
  player.play(seed, samples);
  return samples;
}

bool same(const std::vector<Sample> &one, const std::vector<Sample> &other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(Sample)) == 0;
}

void play_and_fit() {
  std::vector<Sample> samples;
  int decided = 0;
  for (std::uint64_t seed = 1; seed <= 6; seed++) {
    const std::vector<Sample> game = play(seed);
    check(same(game, play(seed)), [] { return "the same seed has played another game"; });
    check(!game.empty() && !same(game, play(seed + 100)), [] { return "another seed has played the same game"; });
    for (const Sample &sample : game) {
      const auto position = sample.position<International>();
      check(!must_capture(position) && !must_capture(position.passed()), [] { return "a sample is not quiet"; });
      check(sample.result == game.front().result, [] { return "two results of one game"; });
    }
    decided += int(game.front().result != 0);
    samples.insert(samples.end(), game.begin(), game.end());
  }
  check(decided > 0, [] { return "no game was won"; });
  const learning::Step step;
  learning::Fit<International> fit;
  const double before = fit.test(samples, step);
  for (int epoch = 0; epoch < 3; epoch++) fit.learn(samples, step);
  const double after = fit.test(samples, step);
  check(after < before * 0.95, [] { return "nothing was learned"; });
  learning::Fit<International> resumed;
  resumed.restore(fit.state());
  check(resumed.file() == fit.file(), [] { return "a state that was restored differs"; });
  const LearnedWeights weights(fit.file());
  double error = 0;
  for (const Sample &sample : samples) {
    const auto position = sample.position<International>();
    const Value value = evaluation::evaluate(position, Patterns<International>::of(position), weights);
    const double white = position.turn() == Side::white ? value : -value;
    const double aim =
        step.results * (sample.result + 1) / 2 + (1 - step.results) * learning::share(sample.score, step.score_unit);
    error += std::pow(learning::share(white, learning::curve_unit) - aim, 2);
  }
  check(error / double(samples.size()) < 0.15, [] { return "the exported weights are not the fitted ones"; });
}

void refuse_other_files() {
  for (const std::string &file : {std::string(), std::string("damier patterns 1\n"), std::string(100, 'x')}) {
    bool refused = false;
    try {
      const LearnedWeights weights(file);
    } catch (const std::invalid_argument &) {
      refused = true;
    }
    check(refused, [] { return "a file that holds no weights was taken"; });
  }
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier;
  using namespace damier::test;
  return run_all("learning", [] {
    Random random(7);
    const auto weights = random_weights(random);
    follow_numbers<International>(random, weights);
    follow_numbers<CrownAndContinue>(random, weights);
    play_and_fit();
    refuse_other_files();
  });
}
