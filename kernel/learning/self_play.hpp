// Games of the engine against itself, to learn from: opened by chance, then played with a fixed number of nodes a move.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "sample.hpp"
#include "search/search.hpp"

namespace damier::learning {

struct SelfPlay {
  std::uint64_t nodes = 2000;  // a move
  int opening_plies = 8;       // at most so many moves by chance at the start, at least two
  int stray_moves = 100;       // one move in so many is by chance; 0 for none
  int longest = 240;           // plies; a game that is not over then is drawn
  Value balanced = 120;        // no game goes on from an opening that is worth more
  Value decided = 900;         // a game ends when both sides see this several times in a row
};

// Random numbers that are the same everywhere.
class Chance {
public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return zobrist::mix(state_); }
  std::size_t below(std::size_t end) { return std::size_t((next() >> 33U) % end); }

private:
  std::uint64_t state_;
};

template <class Rules> class SelfPlayer {
public:
  SelfPlayer(const SelfPlay &how, const DrawRules &draws, std::size_t hash_mb, const Knowledge<Rules> &knowledge)
      : how_(how), draws_(draws), table_(hash_mb), knowledge_(knowledge) {}

  // Plays one game and adds its quiet positions. The same seed gives the same game.
  void play(std::uint64_t seed, std::vector<Sample> &samples) {
    Chance chance(seed);
    table_.clear();
    std::optional<History<Rules>> opened;
    while (!opened) opened = open(chance);
    History<Rules> &game = *opened;
    const std::size_t first_sample = samples.size();
    const int result = play_out(game, chance, samples);
    for (std::size_t index = first_sample; index < samples.size(); index++) {
      samples[index].result = std::int8_t(result);
      samples[index].to_end = std::uint16_t(game.ply() - samples[index].ply);
    }
  }

private:
  // The result to White: of the rules, or of what both sides agree on.
  int play_out(History<Rules> &game, Chance &chance, std::vector<Sample> &samples) {
    constexpr int agreed = 4;  // plies in a row
    int leader = 0;
    int streak = 0;
    while (int(game.ply()) < how_.longest) {
      if (const auto ending = game.ending()) {
        if (*ending != Ending::no_moves) return 0;
        return game.position().turn() == Side::white ? -1 : 1;
      }
      if (const auto known = by_tables(game.position())) return *known;
      const Findings found = search(game);
      const Value white_score = game.position().turn() == Side::white ? found.best().value : -found.best().value;
      const int leads = white_score >= how_.decided ? 1 : white_score <= -how_.decided ? -1 : 0;
      streak = leads != 0 && leads == leader ? streak + 1 : int(leads != 0);
      leader = leads;
      if (streak >= agreed) return leader;
      if (leads == 0 && is_quiet(game.position())) samples.push_back(sample(game, white_score));
      if (how_.stray_moves != 0 && chance.below(std::size_t(how_.stray_moves)) == 0) {
        game.push(by_chance(game, chance));
      } else {
        game.push(found.best().moves.front());
      }
    }
    return 0;
  }

  // Nobody plays on what the endgame tables know: they say how the game would end.
  std::optional<int> by_tables(const Position<Rules> &position) const {
    if (knowledge_.tables == nullptr) return std::nullopt;
    const auto known = knowledge_.tables->probe(position);
    if (!known) return std::nullopt;
    return position.turn() == Side::white ? int(*known) : -int(*known);
  }

  // The opening, unless it is one-sided or the game is over already.
  std::optional<History<Rules>> open(Chance &chance) {
    History<Rules> game(Position<Rules>::start(), draws_);
    const std::size_t plies = 2 + chance.below(std::size_t(how_.opening_plies) - 1);
    for (std::size_t ply = 0; ply < plies; ply++) {
      if (game.ending()) return std::nullopt;
      game.push(by_chance(game, chance));
    }
    if (game.ending()) return std::nullopt;
    if (std::abs(search(game).best().value) > how_.balanced) return std::nullopt;
    return game;
  }

  Findings search(const History<Rules> &game) {
    table_.start_search();
    Control control;
    Watch watch({.nodes = how_.nodes}, control);
    return std::make_unique<Search<Rules>>(game, table_, watch, knowledge_)->run(nullptr);
  }

  static Move by_chance(const History<Rules> &game, Chance &chance) {
    MoveList moves;
    legal_moves(game.position(), moves);
    return moves[chance.below(moves.size())];
  }

  static bool is_quiet(const Position<Rules> &position) {
    return !must_capture(position) && !must_capture(position.passed());
  }

  static Sample sample(const History<Rules> &game, Value white_score) {
    const Position<Rules> &position = game.position();
    return {position.white(),
            position.black(),
            position.kings(),
            std::int16_t(white_score),
            0,
            std::uint8_t(position.turn() == Side::white ? 0 : 1),
            std::uint16_t(game.ply()),
            0};
  }

  SelfPlay how_;
  DrawRules draws_;
  TranspositionTable table_;
  Knowledge<Rules> knowledge_;
};

}  // namespace damier::learning
