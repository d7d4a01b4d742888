// Looks for positions that branch as much as possible, by climbing from random ones: branching [SECONDS] [SEED].
// Every position on the way is a test of the generator under the sanitizers; the best ones found in long runs are kept
// in branching_positions.hpp.
#include <chrono>

#include "paths.hpp"
#include "support.hpp"

namespace damier::test {
namespace {

enum class Aim : std::uint8_t { moves, captures, ways };
constexpr std::array<std::string_view, 3> aim_names = {"moves", "captures", "ways of one capture"};

std::size_t branching(const Setup &made, Aim aim) {
  const auto position = made.position<International>();
  MoveList moves;
  legal_moves(position, moves);
  if (aim == Aim::moves) return moves.size();
  if (moves.empty() || !moves[0].is_capture()) return 0;
  if (aim == Aim::captures) return moves.size();
  std::size_t most = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(moves.size(), 8); i++) {
    most = std::max(most, paths(position, moves[i]).size());
  }
  return most;
}

// One piece put down, taken away, moved, or made a king or a man.
Setup neighbour(const Setup &made, Random &random) {
  Setup next = made;
  for (int changes = 1 + below(random, 3); changes > 0; changes--) {
    const Bits at = bit(place(1 + below(random, 50)));
    const bool white = below(random, 2) == 0;
    next.white &= ~at;
    next.black &= ~at;
    next.kings &= ~at;
    if (below(random, 3) == 0) continue;
    (white ? next.white : next.black) |= at;
    const Side side = white ? Side::white : Side::black;
    if ((at & International::Board::crown_row(side)) != 0 || below(random, 2) == 0) next.kings |= at;
  }
  const bool fits = count(next.white) <= 20 && count(next.black) <= 20 && next.white != 0 && next.black != 0;
  return fits ? next : made;
}

void climb(Aim aim, std::chrono::steady_clock::time_point until, Random &random) {
  std::size_t record = 0;
  Setup holder;
  while (std::chrono::steady_clock::now() < until) {
    Setup made = random_setup(random);
    made.turn = Side::white;
    std::size_t height = branching(made, aim);
    for (int idle = 0; idle < 20'000 && std::chrono::steady_clock::now() < until; idle++) {
      const Setup next = neighbour(made, random);
      const std::size_t reached = branching(next, aim);
      if (reached > height) idle = 0;
      if (reached >= height) {
        height = reached;
        made = next;
      }
    }
    if (height > record) {
      record = height;
      holder = made;
    }
  }
  std::cout << record << ' ' << aim_names[std::size_t(aim)] << ": " << fen(holder) << '\n' << std::flush;
  check(record > 0, [] { return std::string("a climb that found nothing"); });
}

}  // namespace
}  // namespace damier::test

int main(int argc, char **argv) {
  using namespace damier::test;
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3.0;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  std::cout << "seed " << seed << '\n' << std::flush;
  Random random(seed);
  for (const Aim aim : {Aim::moves, Aim::captures, Aim::ways}) {
    const auto share = std::chrono::duration<double>(seconds / 3);
    climb(aim, std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(share), random);
  }
  return report("branching");
}
