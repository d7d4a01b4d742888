// Searches of positions by chance, of all material and both capture rules: nothing out of bounds, every line legal.
#include "random_weights.hpp"
#include "search/parallel.hpp"

namespace damier::test {
namespace {

constexpr DrawRules official{.repetition = 3, .king_moves = 25, .three_pieces = 16, .two_pieces = 5};
constexpr DrawRules all_draws{
    .repetition = 3, .king_moves = 10, .three_pieces = 16, .two_pieces = 5, .same_move = 3, .move_limit = 40};

constexpr std::uint64_t node_limit = 4000;

template <class Rules> void check_line(const Setup &setup, const DrawRules &draws, const Line &line, bool whole) {
  History<Rules> game(setup.position<Rules>(), draws);
  check(!line.moves.empty(), [&] { return "no move in " + fen(setup); });
  for (const Move &move : line.moves) {
    MoveList moves;
    legal_moves(game.position(), moves);
    check(moves.contains(move), [&] { return "an illegal move in the line of " + fen(setup); });
    game.push(move);
  }
  // A search that is stopped in mid-iteration may know of a win without having its line.
  if (line.value > longest_win && whole) {
    check(std::size_t(win_value - line.value) == line.moves.size() && game.ending() == Ending::no_moves,
          [&] { return "a win that the line does not show in " + fen(setup); });
  }
}

template <class Rules>
Findings find(const History<Rules> &game, TranspositionTable &table, std::uint64_t nodes, std::size_t threads = 1,
              std::size_t lines = 1, const Knowledge<Rules> &knowledge = {}) {
  Control control;
  return search_together<Rules>(game, table, {.nodes = nodes, .depth = 12}, control, knowledge, threads, lines, nullptr,
                                nullptr);
}

template <class Rules> void search_scattered(std::uint64_t seed, const DrawRules &draws) {
  Random random(seed);
  TranspositionTable table(1);
  const evaluation::LearnedWeights weights = random_weights(random);
  for (int i = 0; i < 150; i++) {
    const Setup setup = random_setup(random);
    const History<Rules> game(setup.position<Rules>(), draws);
    if (game.ending()) continue;
    const std::size_t threads = i % 10 == 0 ? 3 : 1;
    const Knowledge<Rules> knowledge{i % 2 == 0 ? &weights : nullptr, nullptr};
    const Findings found = find(game, table, node_limit, threads, 1 + std::size_t(i % 3), knowledge);
    for (const Line &line : found.lines) {
      check_line<Rules>(setup, draws, line, found.nodes < node_limit && threads == 1 && found.lines.size() == 1);
    }
    check(std::ranges::is_sorted(found.lines, std::greater(), &Line::value),
          [&] { return "lines out of order in " + fen(setup); });
    for (std::size_t index = 1; index < found.lines.size(); index++) {
      check(found.lines[index].moves.front() != found.lines[0].moves.front(),
            [&] { return "the same move twice in " + fen(setup); });
    }
  }
}

// The clock of a search that ponders stands still until it is told; a single move is not thought about.
void keep_time() {
  TranspositionTable table(1);
  const auto spent = [&](const char *position, const Limits &limits, bool pondering) {
    const Setup start = setup(position);
    const History<International> game(start.position<International>(), official);
    Control control(pondering);
    const auto begin = SearchClock::now();
    std::jthread waiting([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      control.start_clock();
    });
    search_together<International>(game, table, limits, control, {}, 1, 1, nullptr, nullptr);
    return SearchClock::now() - begin;
  };
  const Limits brief{.time = std::chrono::milliseconds(50)};
  check(spent("W:W31-50:B1-20", brief, true) >= std::chrono::milliseconds(200),
        [] { return "a search that ponders has watched the clock"; });
  const Limits aimed{.aim = std::chrono::seconds(60)};
  check(spent("W:W33,39:B28,1", aimed, false) < std::chrono::seconds(5),
        [] { return "the only move was thought about"; });
}

// A game from the start, so that the history of repetitions and counts comes into play.
template <class Rules> void play_on(const Setup &setup, const DrawRules &draws) {
  TranspositionTable table(1);
  History<Rules> game(setup.position<Rules>(), draws);
  while (!game.ending() && game.ply() < 120) game.push(find(game, table, 500).best().moves.front());
  check(game.ply() > 0, [&] { return "no game from " + fen(setup); });
}

void rate_all() {
  const Setup start = setup("W:W31-50:B1-20");
  TranspositionTable table(1);
  Control control;
  Watch watch({.depth = 5}, control);
  Search<International> search(History<International>(start.position<International>(), official), table, watch);
  check(search.rate().size() == 9, [] { return "not every move is rated"; });
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier;
  using namespace damier::test;
  return run_all("search", [] {
    search_scattered<International>(1, official);
    search_scattered<International>(2, all_draws);
    search_scattered<CrownAndContinue>(3, {.king_moves = 50});
    for (const DrawRules &draws : {official, all_draws}) {
      play_on<International>(setup("W:W31-50:B1-20"), draws);
      play_on<International>(setup("W:WK46,K41,K7:BK5"), draws);
    }
    play_on<CrownAndContinue>(setup("W:WK46,22,33:BK5,18"), {.king_moves = 50});
    rate_all();
    keep_time();
  });
}
