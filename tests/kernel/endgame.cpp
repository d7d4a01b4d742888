// Endgame tables: numbers and positions are one to one, tables of two and three pieces are solved and hold in
// themselves, and what is asked of positions by chance is answered within the memory that there is.
#include <memory>
#include <vector>

#include "endgame/conversion.hpp"
#include "endgame/generate.hpp"
#include "support.hpp"

namespace damier::test {
namespace {

using namespace endgame;

using Memory = std::vector<std::unique_ptr<std::vector<std::uint8_t>>>;

std::vector<Signature> signatures(int pieces) {
  std::vector<Signature> found;
  for (int men = 0; men <= pieces; men++) {
    for (int own_men = 0; own_men <= men; own_men++) {
      for (int own_kings = 0; own_kings <= pieces - men; own_kings++) {
        const Signature each{std::uint8_t(own_men), std::uint8_t(own_kings), std::uint8_t(men - own_men),
                             std::uint8_t(pieces - men - own_kings)};
        if (each.own() != 0 && each.opponent() != 0) found.push_back(each);
      }
    }
  }
  return found;
}

constexpr auto silent = [](std::uint64_t, std::uint64_t) {};

template <class Rules> void solve(Tables<Rules> &tables, Memory &memory, int pieces) {
  for (const Signature &each : signatures(pieces)) {
    if (tables.values(each) != nullptr) continue;
    Solver<Rules> solver(tables, each, true);
    solver.run(silent);
    for (const bool mirrored : {false, true}) {
      const std::vector<Distance> &distances = solver.distances(mirrored);
      const Signature which = mirrored ? each.mirrored() : each;
      memory.push_back(std::make_unique<std::vector<std::uint8_t>>(pack(distances)));
      tables.add(which, memory.back()->data());
      memory.push_back(std::make_unique<std::vector<std::uint8_t>>(distances));
      tables.add_distances(which, memory.back()->data(), true);
    }
  }
}

void check_numbers() {
  using Numbers = Index<International::Board>;
  for (int pieces = 2; pieces <= 3; pieces++) {
    for (const Signature &each : signatures(pieces)) {
      check(Signature::named(each.name()) == each, [&] { return "the name " + each.name(); });
      for (std::uint64_t index = 0; index < Numbers::size(each); index += pieces == 3 ? 7 : 1) {
        const Pieces made = Numbers::pieces(each, index);
        if (Numbers::is_hole(made)) continue;
        check(Signature::of(made) == each && Numbers::of(each, made) == index,
              [&] { return each.name() + ", number " + std::to_string(index); });
      }
    }
  }
  for (const char *name : {"", "v", "Kv", "vK", "KvX", "MKvK", "KvKvK", "KKKvKKKK", "KvMK", "kvk"}) {
    check(!Signature::named(name), [&] { return "no material is called " + std::string(name); });
  }
}

void check_turning() {
  for (int number = 1; number <= 50; number++) {
    check(turned<International::Board>(bit(place(number))) == bit(place(51 - number)),
          [&] { return "square " + std::to_string(number) + " turned"; });
  }
}

template <class Rules> void check_tables(const Tables<Rules> &tables) {
  check(tables.pieces() == 3 && tables.pieces_with_distance() == 3, [] { return "tables of three pieces"; });
  for (int pieces = 2; pieces <= 3; pieces++) {
    for (const Signature &each : signatures(pieces)) {
      for (const bool exact : {false, true}) {
        check(!find_fault(tables, each, exact, silent), [&] { return each.name() + " does not hold"; });
      }
    }
  }
}

// Smoothed tables, packed and of distances, answer as the whole ones do.
template <class Rules> void check_smoothed(const Tables<Rules> &tables) {
  Tables<Rules> smooth;
  Memory memory;
  for (int pieces = 2; pieces <= 3; pieces++) {
    for (const Signature &each : signatures(pieces)) {
      for (const bool distances : {false, true}) {
        memory.push_back(std::make_unique<std::vector<std::uint8_t>>(smoothed<Rules>(tables, each, distances, silent)));
        if (distances) {
          smooth.add_distances(each, memory.back()->data(), false);
        } else {
          smooth.add(each, memory.back()->data());
        }
      }
    }
  }
  for (const Signature &each : signatures(3)) {
    for_each_position<Rules>(
        each,
        [&](std::uint64_t, const Pieces &pieces) {
          const bool same =
              tables.value(pieces) == smooth.value(pieces) && tables.distance(pieces) == smooth.distance(pieces);
          check(same, [&] { return each.name() + " smoothed"; });
        },
        silent);
  }
}

// Everything that can be asked, of all material.
template <class Rules> void ask(const Tables<Rules> &tables, std::uint64_t seed) {
  constexpr DrawRules official{.repetition = 3, .king_moves = 25, .three_pieces = 16, .two_pieces = 5};
  Random random(seed);
  for (int i = 0; i < 20000; i++) {
    Setup made = random_setup(random);
    while (count(made.white | made.black) > (i % 4 == 0 ? 40 : 3)) {
      made.white &= Bits(random());
      made.black &= Bits(random());
    }
    made.kings &= made.white | made.black;
    const auto position = made.position<Rules>();
    const auto value = tables.probe(position);
    const auto distance = tables.distance(position);
    check(value.has_value() == (count(made.white | made.black) <= 3), [&] { return "a probe of " + fen(made); });
    if (!value || !distance) continue;
    check(*value == wdl_of(*distance), [&] { return "value and distance of " + fen(made); });
    const auto choice = Conversion<Rules>(History<Rules>(position, official), tables, 100).best();
    check(choice.has_value() == (*value != Wdl::draw && can_move(position)), [&] { return "a move in " + fen(made); });
    if (choice) check(is_legal(position, choice->move), [&] { return "a legal move in " + fen(made); });
  }
}

template <class Rules> void run(std::uint64_t seed) {
  Tables<Rules> tables;
  Memory memory;
  for (int pieces = 2; pieces <= 3; pieces++) solve(tables, memory, pieces);
  check_tables(tables);
  check_smoothed(tables);
  ask(tables, seed);
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier;
  return test::run_all("endgame", [] {
    test::check_numbers();
    test::check_turning();
    test::run<International>(1);
    test::run<CrownAndContinue>(2);
  });
}
