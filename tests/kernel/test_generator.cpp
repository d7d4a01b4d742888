// The generator against known figures, and what must hold of every position whatever it is.
#include <set>
#include <tuple>
#include <vector>

#include "branching_positions.hpp"
#include "paths.hpp"
#include "support.hpp"

namespace damier::test {
namespace {

template <class Rules>
void test_perft(std::string_view position, bool ways, const std::vector<std::uint64_t> &expected) {
  const auto start = setup(position).position<Rules>();
  for (int depth = 1; depth <= int(expected.size()); depth++) {
    const std::uint64_t leaves = ways ? perft_ways(start, depth) : perft(start, depth);
    check(leaves == expected[std::size_t(depth - 1)], [&] {
      return "perft " + std::to_string(depth) + " of " + std::string(position) + " is " + std::to_string(leaves);
    });
  }
}

// The figures of tests/vectors/perft.json, cut to what takes a moment with the sanitizers on.
void test_figures() {
  constexpr auto start = "W:W31-50:B1-20";
  constexpr auto woldouby = "W:W25,27,28,30,32-35,37,38:B12-14,16,18,19,21,23,24,26";
  constexpr auto all_kings =
      "W:WK31,K32,K33,K34,K35,K36,K37,K38,K39,K40,K41,K42,K43,K44,K45,K46,K47,K48,K49,K50"
      ":BK1,K2,K3,K4,K5,K6,K7,K8,K9,K10,K11,K12,K13,K14,K15,K16,K17,K18,K19,K20";
  test_perft<International>(start, false, {9, 81, 658, 4265, 27117, 167140, 1049442});
  test_perft<International>(start, true, {9, 81, 658, 4265, 27117, 167140});
  test_perft<CrownAndContinue>(start, false, {9, 81, 658, 4265, 27117, 167140});
  test_perft<International>(woldouby, false, {6, 12, 30, 73, 215, 590, 1944, 6269, 22369, 88050, 377436});
  test_perft<International>(all_kings, false, {17, 79, 352, 1399, 7062, 37589});
  test_perft<International>("W:W6-10:B41-45", false, {9, 81, 795, 7578, 86351});
  test_perft<International>("W:W31-35:B16-20", true, {9, 81, 534, 2538, 9052, 29999, 98971, 310315});
}

template <class Rules> void test_path(const Position<Rules> &position, const Move &move, const Path &path) {
  check(path.size() >= 2 && path.front() == move.from && path.back() == move.to,
        [&] { return std::string("a way leads from the move's first square to its last"); });
  check(!move.is_capture() || int(path.size()) == count(move.captured) + 1,
        [&] { return std::string("a way has a stop for each captured piece"); });
  Bits jumped = 0;
  for (std::size_t i = 1; i < path.size(); i++) {
    Bits between = 0;
    for (const auto &ray : International::Board::rays) {
      if ((ray[path[i - 1]] & bit(path[i])) != 0) {
        between = ray[path[i - 1]] & ~ray[path[i]] & ~bit(path[i]) & position.pieces().opponent;
      }
    }
    jumped |= between;
  }
  check(jumped == move.captured, [&] { return std::string("a way jumps exactly the captured pieces"); });
}

// What holds of every position; `with_paths` lists the ways of the captures too.
template <class Rules> void test_position(const Setup &made, bool with_paths) {
  const auto position = made.position<Rules>();
  MoveList moves;
  legal_moves(position, moves);
  const auto where = [&](std::string_view what) { return std::string(what) + " in " + fen(made); };
  check(position.hash() == Position<Rules>::compute_hash(position.pieces(), position.turn()),
        [&] { return where("hash"); });
  check(perft(position, 1) == moves.size(), [&] { return where("number of moves"); });
  check(can_move(position) == !moves.empty(), [&] { return where("can_move"); });
  check(must_capture(position) == (!moves.empty() && moves[0].is_capture()), [&] { return where("must_capture"); });
  std::set<std::tuple<int, int, Bits, bool>> seen;
  std::uint64_t replies = 0;
  for (const Move &move : moves) {
    check(seen.emplace(move.from, move.to, move.captured, move.crowned).second, [&] { return where("move twice"); });
    check(count(move.captured) == count(moves[0].captured), [&] { return where("unequal captures"); });
    check((move.captured & ~position.pieces().opponent) == 0, [&] { return where("captured squares"); });
    const auto after = position.after(move);
    check(after.hash() == Position<Rules>::compute_hash(after.pieces(), after.turn()),
          [&] { return where("hash after a move"); });
    check(count(after.pieces().occupied()) == count(position.pieces().occupied()) - count(move.captured),
          [&] { return where("number of pieces after a move"); });
    replies += perft(after, 1);
    if (!with_paths) continue;
    const auto ways = paths(position, move);
    check(!ways.empty(), [&] { return where("a move without a way"); });
    for (const Path &path : ways) test_path(position, move, path);
  }
  check(perft(position, 2) == replies, [&] { return where("perft of two plies"); });
}

void test_random_positions(Random &random, int positions) {
  for (int i = 0; i < positions; i++) {
    const Setup made = random_setup(random);
    test_position<International>(made, i % 4 == 0);
    test_position<CrownAndContinue>(made, i % 4 == 0);
  }
}

template <class Rules> void test_playouts(Random &random, int games) {
  for (int game = 0; game < games; game++) {
    auto position = Position<Rules>::start();
    MoveList moves;
    for (int ply = 0; ply < 200; ply++) {
      legal_moves(position, moves);
      if (moves.empty()) break;
      const Setup made{position.white(), position.black(), position.kings(), position.turn()};
      test_position<Rules>(made, ply % 10 == 0);
      position = position.after(moves[std::size_t(below(random, int(moves.size())))]);
    }
  }
}

// The most branching positions known: no list may overflow or be cut.
void test_branching() {
  for (const BranchingPosition &each : branching_positions) {
    const Setup made = setup(each.fen);
    MoveList moves;
    legal_moves(made.position<International>(), moves);
    check(moves.size() == each.moves, [&] { return std::string(each.fen) + " has " + std::to_string(moves.size()); });
    test_position<International>(made, true);
    test_position<CrownAndContinue>(made, true);
  }
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier::test;
  Random random(20'100'706);
  test_figures();
  test_random_positions(random, 20'000);
  test_playouts<damier::International>(random, 50);
  test_playouts<damier::CrownAndContinue>(random, 50);
  test_branching();
  return report("generator");
}
