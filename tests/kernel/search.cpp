// Searches of positions by chance, of all material and both capture rules: nothing out of bounds, every line legal.
#include "search/search.hpp"

#include "support.hpp"

namespace damier::test {
namespace {

constexpr DrawRules official{.repetition = 3, .king_moves = 25, .three_pieces = 16, .two_pieces = 5};
constexpr DrawRules all_draws{
    .repetition = 3, .king_moves = 10, .three_pieces = 16, .two_pieces = 5, .same_move = 3, .move_limit = 40};

constexpr std::uint64_t node_limit = 4000;

template <class Rules> void check_line(const Setup &setup, const DrawRules &draws, const Findings &findings) {
  History<Rules> game(setup.position<Rules>(), draws);
  check(!findings.line.empty(), [&] { return "no move in " + fen(setup); });
  for (const Move &move : findings.line) {
    MoveList moves;
    legal_moves(game.position(), moves);
    check(moves.contains(move), [&] { return "an illegal move in the line of " + fen(setup); });
    game.push(move);
  }
  // A search that is stopped in mid-iteration may know of a win without having its line.
  if (findings.value > longest_win && findings.nodes < node_limit) {
    check(std::size_t(win_value - findings.value) == findings.line.size() && game.ending() == Ending::no_moves,
          [&] { return "a win that the line does not show in " + fen(setup); });
  }
}

template <class Rules> Findings find(const History<Rules> &game, TranspositionTable &table, std::uint64_t nodes) {
  const std::atomic<bool> stop = false;
  Watch watch({.nodes = nodes, .depth = 12}, stop, nullptr);
  Search<Rules> search(game, table, watch);
  return search.run(nullptr);
}

template <class Rules> void search_scattered(std::uint64_t seed, const DrawRules &draws) {
  Random random(seed);
  TranspositionTable table(1);
  for (int i = 0; i < 150; i++) {
    const Setup setup = random_setup(random);
    const History<Rules> game(setup.position<Rules>(), draws);
    if (game.ending()) continue;
    check_line<Rules>(setup, draws, find(game, table, node_limit));
  }
}

// A game from the start, so that the history of repetitions and counts comes into play.
template <class Rules> void play_on(const Setup &setup, const DrawRules &draws) {
  TranspositionTable table(1);
  History<Rules> game(setup.position<Rules>(), draws);
  while (!game.ending() && game.ply() < 120) game.push(find(game, table, 500).line.front());
  check(game.ply() > 0, [&] { return "no game from " + fen(setup); });
}

void rate_all() {
  const Setup start = setup("W:W31-50:B1-20");
  TranspositionTable table(1);
  const std::atomic<bool> stop = false;
  Watch watch({.depth = 5}, stop, nullptr);
  Search<International> search(History<International>(start.position<International>(), official), table, watch);
  check(search.rate().size() == 9, [] { return "not every move is rated"; });
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier;
  using namespace damier::test;
  search_scattered<International>(1, official);
  search_scattered<International>(2, all_draws);
  search_scattered<CrownAndContinue>(3, {.king_moves = 50});
  for (const DrawRules &draws : {official, all_draws}) {
    play_on<International>(setup("W:W31-50:B1-20"), draws);
    play_on<International>(setup("W:WK46,K41,K7:BK5"), draws);
  }
  play_on<CrownAndContinue>(setup("W:WK46,22,33:BK5,18"), {.king_moves = 50});
  rate_all();
  return report("search");
}
