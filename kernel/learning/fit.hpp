// Fits the weights of the learned evaluation to samples by logistic regression.
//
// What is predicted is the share of the points that White gets, from the value by a logistic curve; what is aimed at
// lies between the game's result and the share that the search's score stands for. Every weight has a step of its own
// (AdaGrad: Duchi, Hazan and Singer, 2011).
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluation/learned.hpp"
#include "sample.hpp"

namespace damier::learning {

struct Step {
  double rate = 0.03;       // how far a weight goes at first, in units of the curve
  double results = 0.7;     // how much of the aim is the game's result; the rest is the score's
  double score_unit = 130;  // the score at which White gets 73 % of the points
};

// The value at which White gets 73 % of the points.
inline constexpr double curve_unit = 130;

inline double share(double value, double unit) { return 1 / (1 + std::exp(-value / unit)); }

template <class Rules> class Fit {
public:
  using Numbers = evaluation::Numbers;
  static constexpr std::size_t patterns = evaluation::tables * std::size_t(evaluation::patterns_of_region);

  Fit() : weights_(evaluation::terms + patterns) {
    weights_[evaluation::term_man] = {100, 100, 0, 0};
    weights_[evaluation::term_king] = {300, 300, 0, 0};
  }

  // Goes through the samples in their order and returns the mean of the cross-entropy before each step.
  double learn(std::span<const Sample> samples, const Step &step) {
    double loss = 0;
    for (const Sample &sample : samples) loss += visit<true>(sample, step);
    return samples.empty() ? 0 : loss / double(samples.size());
  }

  // The mean of the cross-entropy.
  double test(std::span<const Sample> samples, const Step &step) {
    double loss = 0;
    for (const Sample &sample : samples) loss += visit<false>(sample, step);
    return samples.empty() ? 0 : loss / double(samples.size());
  }

  // As a file for evaluation::LearnedWeights.
  std::string file() const {
    std::string made(evaluation::LearnedWeights::layout);
    const auto word = [&](double value) {
      const auto rounded = std::int16_t(std::clamp(std::lround(value * evaluation::weight_unit), -32767L, 32767L));
      made.push_back(char(std::uint16_t(rounded) & 0xFFU));
      made.push_back(char(std::uint16_t(rounded) >> 8U));
    };
    for (const Weight &weight : weights_) {
      word(weight.full);
      word(weight.empty);
    }
    return made;
  }

  // All that it has learned, to go on with later; restore() throws std::invalid_argument if this is something else.
  std::string state() const {
    return {reinterpret_cast<const char *>(weights_.data()), weights_.size() * sizeof(Weight)};
  }
  void restore(std::string_view state) {
    if (state.size() != weights_.size() * sizeof(Weight)) {
      throw std::invalid_argument("this is not the state of a fit of these weights");
    }
    std::memcpy(weights_.data(), state.data(), state.size());
  }

private:
  struct Weight {
    float full = 0;
    float empty = 0;
    float full_steps = 0;  // the sum of the squares of its gradients
    float empty_steps = 0;
  };

  static constexpr float calm = 1.0F;  // keeps the first steps of rare patterns small

  template <bool Learning> double visit(const Sample &sample, const Step &step) {
    const Position<Rules> position = sample.position<Rules>();
    const Numbers numbers = evaluation::Patterns<Rules>::of(position);
    struct Use {
      std::size_t weight;
      int times;
    };
    std::array<Use, 80> uses;
    std::size_t used = 0;
    evaluation::visit_terms<Rules>(position, [&](int term, int times) {
      if (times != 0) uses[used++] = {std::size_t(term), times};
    });
    for (std::size_t lane = 0; lane < evaluation::lanes; lane++) {
      uses[used++] = {evaluation::terms + std::size_t(numbers.of[lane]), lane < evaluation::tables ? 1 : -1};
    }
    const double part =
        double(evaluation::Fullness::of(count(position.pieces().occupied()))) / evaluation::Fullness::unit;
    double full = 0;
    double empty = 0;
    for (std::size_t index = 0; index < used; index++) {
      full += double(weights_[uses[index].weight].full) * uses[index].times;
      empty += double(weights_[uses[index].weight].empty) * uses[index].times;
    }
    const double linear = full * part + empty * (1 - part);
    const double remains = evaluation::remaining(position, linear > 0) / 16.0;
    const double predicted = share(linear * remains, curve_unit);
    const double aim =
        step.results * (sample.result + 1) / 2 + (1 - step.results) * share(sample.score, step.score_unit);
    const double loss = -aim * std::log(predicted + 1e-12) - (1 - aim) * std::log(1 - predicted + 1e-12);
    if constexpr (Learning) {
      const double slope = (predicted - aim) * remains;
      for (std::size_t index = 0; index < used; index++) {
        Weight &weight = weights_[uses[index].weight];
        adjust(weight.full, weight.full_steps, slope * part * uses[index].times, step);
        adjust(weight.empty, weight.empty_steps, slope * (1 - part) * uses[index].times, step);
      }
    }
    return loss;
  }

  static void adjust(float &value, float &steps, double gradient, const Step &step) {
    if (gradient == 0) return;
    const auto slope = float(gradient);
    steps += slope * slope;
    value -= float(step.rate * curve_unit) * slope / std::sqrt(steps + calm);
  }

  std::vector<Weight> weights_;
};

}  // namespace damier::learning
