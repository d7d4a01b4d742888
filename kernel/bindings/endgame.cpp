#include "endgame.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <random>
#include <string>

#include "endgame/conversion.hpp"
#include "endgame/generate.hpp"

namespace damier::python {

using namespace nb::literals;
using endgame::Distance;
using endgame::Signature;
using endgame::Tables;

namespace {

template <class Rules> using Numbers = endgame::Index<typename Rules::Board>;
using AnyNumbers = endgame::Index<International::Board>;

Signature signature_of(const std::string &name) {
  const auto signature = Signature::named(name);
  if (!signature) throw nb::value_error(("no material of two sides is called " + name).c_str());
  return *signature;
}

// Calls use(tables) with the tables in their own type.
template <class AnyTables, class Use> decltype(auto) with_tables(AnyTables &self, Use &&use) {
  if (auto *international = std::get_if<Tables<International>>(&self.tables)) return use(*international);
  return use(*std::get_if<Tables<CrownAndContinue>>(&self.tables));
}

void construct(EndgameTables *self, bool in_passing) {
  new (self) EndgameTables();
  if (in_passing) self->tables.emplace<Tables<CrownAndContinue>>();
}

void add(EndgameTables &self, const std::string &name, nb::handle data, bool distances, bool complete) {
  const Signature signature = signature_of(name);
  auto bytes = std::make_unique<Bytes>(data);
  const std::uint64_t positions = AnyNumbers::size(signature);
  if (bytes->size() != (distances ? positions : endgame::packed_size(positions))) {
    throw nb::value_error(("a table of " + name + " has another size").c_str());
  }
  with_tables(self, [&](auto &tables) {
    if (distances) {
      tables.add_distances(signature, bytes->data(), complete);
    } else {
      tables.add(signature, bytes->data());
    }
  });
  self.memory.push_back(std::move(bytes));
}

// Calls use(tables, position) if the tables are made for the board's way to capture.
template <class Use> nb::object ask(const EndgameTables &self, const Board &board, Use &&use) {
  return with_history(board, [&]<class Rules>(const History<Rules> &history) -> nb::object {
    const Tables<Rules> *tables = self.of<Rules>();
    if (tables == nullptr) return nb::none();
    const auto found = use(*tables, history.position());
    return found ? nb::object(nb::int_(int(*found))) : nb::none();
  });
}

// The move, and whether the side that wins by the tables does so in time; None where that has not come out.
nb::object best_move(const EndgameTables &self, const Board &board, std::uint64_t nodes) {
  return with_history(board, [&]<class Rules>(const History<Rules> &history) -> nb::object {
    const Tables<Rules> *tables = self.of<Rules>();
    if (tables == nullptr || !tables->distance(history.position())) return nb::none();
    const auto choice = [&] {
      const nb::gil_scoped_release release;
      return endgame::Conversion<Rules>(history, *tables, nodes).best();
    }();
    if (!choice) return nb::none();
    const bool is_clear = choice->wins != endgame::Verdict::unknown;
    return nb::make_tuple(move_object(history.position(), choice->move),
                          is_clear ? nb::object(nb::bool_(choice->wins == endgame::Verdict::yes)) : nb::none());
  });
}

// Tells Python how far a long piece of work is, which runs without the interpreter's lock; what Python raises ends it.
class Steps {
public:
  explicit Steps(nb::handle tell) : tell_(tell) {}

  void operator()(std::uint64_t done, std::uint64_t of) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell_.is_none()) tell_(double(done) / double(of));
  }

private:
  nb::handle tell_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

template <class Values> nb::bytes to_bytes(const Values &values) { return nb::bytes(values.data(), values.size()); }

// The materials that moves lead to must be there.
template <class Rules> void expect(const Tables<Rules> &tables, const Signature &signature, bool exact, bool itself) {
  const auto known = [&](const Signature &other) {
    return exact ? tables.distances(other) != nullptr : tables.values(other) != nullptr;
  };
  const auto need = [&](bool holds) {
    if (!holds) throw nb::value_error(("the tables that " + signature.name() + " leads to are missing").c_str());
  };
  const auto crowned = [](Signature promoted) {
    promoted.own_men--;
    promoted.own_kings++;
    return promoted;
  };
  need((exact ? tables.pieces_with_distance() : tables.pieces()) >= signature.pieces() - 1);
  for (const Signature &each : {signature, signature.mirrored()}) {
    if (itself) need(known(each));
    if (each.own_men != 0) need(known(crowned(each).mirrored()) && known(crowned(each)));
  }
}

nb::list solve(const EndgameTables &self, const std::string &name, bool exact, nb::handle tell) {
  const Signature signature = signature_of(name);
  return with_tables(self, [&]<class Rules>(const Tables<Rules> &tables) {
    expect(tables, signature, exact, false);
    endgame::Solver<Rules> solver(tables, signature, exact);
    std::array<std::vector<std::uint8_t>, 2> values;
    const bool is_own_mirror = signature == signature.mirrored();
    {
      const nb::gil_scoped_release release;
      solver.run(Steps(tell));
      for (std::size_t which = 0; which < (is_own_mirror ? 1U : 2U); which++) {
        values[which] = endgame::pack(solver.distances(which == 1));
      }
    }
    nb::list made;
    for (std::size_t which = 0; which < (is_own_mirror ? 1U : 2U); which++) {
      const Signature each = which == 0 ? signature : signature.mirrored();
      made.append(nb::make_tuple(each.name(), to_bytes(values[which]),
                                 exact ? nb::object(to_bytes(solver.distances(which == 1))) : nb::none()));
    }
    return made;
  });
}

nb::bytes smoothed(const EndgameTables &self, const std::string &name, bool distances, nb::handle tell) {
  const Signature signature = signature_of(name);
  return with_tables(self, [&]<class Rules>(const Tables<Rules> &tables) {
    expect(tables, signature, false, true);
    if (distances) expect(tables, signature, true, true);
    const std::vector<std::uint8_t> smooth = [&] {
      const nb::gil_scoped_release release;
      return endgame::smoothed<Rules>(tables, signature, distances, Steps(tell));
    }();
    return to_bytes(smooth);
  });
}

// A position with White to move: its white pieces, black pieces and kings, as masks.
nb::tuple position_at(const Signature &signature, std::uint64_t index) {
  const Pieces pieces = AnyNumbers::pieces(signature, index);
  return nb::make_tuple(to_mask(pieces.own), to_mask(pieces.opponent), to_mask(pieces.kings));
}

nb::object find_fault(const EndgameTables &self, const std::string &name, bool exact, nb::handle tell) {
  const Signature signature = signature_of(name);
  return with_tables(self, [&]<class Rules>(const Tables<Rules> &tables) -> nb::object {
    expect(tables, signature, exact, true);
    const auto fault = [&] {
      const nb::gil_scoped_release release;
      return endgame::find_fault(tables, signature, exact, Steps(tell));
    }();
    return fault ? nb::object(position_at(signature, *fault)) : nb::none();
  });
}

nb::tuple census(const EndgameTables &self, const std::string &name, bool exact, nb::handle tell) {
  const Signature signature = signature_of(name);
  return with_tables(self, [&]<class Rules>(const Tables<Rules> &tables) {
    expect(tables, signature, exact, true);
    const auto found = [&] {
      const nb::gil_scoped_release release;
      return endgame::take_census(tables, signature, exact, Steps(tell));
    }();
    const auto longest = [&](const std::optional<Distance> &most, std::uint64_t count, std::uint64_t index) {
      return most ? nb::object(nb::make_tuple(int(*most), count, position_at(signature, index))) : nb::none();
    };
    return nb::make_tuple(found.positions, found.wins, found.draws, found.losses,
                          longest(found.longest_win, found.longest_wins, found.longest_win_index),
                          longest(found.longest_loss, found.longest_losses, found.longest_loss_index));
  });
}

// Positions by chance, of all materials with so many pieces alike, either side to move.
template <class Rules> std::vector<Position<Rules>> scattered(int pieces, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Position<Rules>> positions;
  positions.reserve(count);
  while (positions.size() < count) {
    Pieces made;
    const auto own = 1 + int(random() % std::uint64_t(pieces - 1));
    for (int each = 0; each < pieces; each++) {
      Bits &side = each < own ? made.own : made.opponent;
      const Bits at = bit(place_of(1 + int(random() % std::uint64_t(Rules::Board::squares))));
      if ((made.occupied() & at) != 0) continue;
      side |= at;
      const Side color = each < own ? Side::white : Side::black;
      if ((at & Rules::Board::crown_row(color)) != 0 || random() % 2 == 0) made.kings |= at;
    }
    if (damier::count(made.occupied()) != pieces) continue;
    if (random() % 2 == 0) {
      positions.emplace_back(made, Side::white);
    } else {
      positions.emplace_back(endgame::turned<typename Rules::Board>(made), Side::black);
    }
  }
  return positions;
}

double seconds_to_probe(const EndgameTables &self, int pieces, std::size_t count, std::uint64_t seed) {
  if (pieces < 2 || pieces > endgame::most_pieces) throw nb::value_error("a probe is of 2 to 6 pieces");
  return with_tables(self, [&]<class Rules>(const Tables<Rules> &tables) {
    const nb::gil_scoped_release release;
    const auto positions = scattered<Rules>(pieces, count, seed);
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t known = 0;
    for (const auto &position : positions) known += tables.probe(position).has_value();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (known != (tables.pieces() >= pieces ? count : 0)) throw std::logic_error("a probe has found nothing");
    return taken.count();
  });
}

}  // namespace

void bind_endgame(nb::module_ &module) {
  nb::class_<EndgameTables>(module, "EndgameTables", "What the kernel does for ``damier.engine.Tables``.")
      .def("__init__", &construct, "in_passing"_a)
      .def("add", &add, "name"_a, "data"_a, "distances"_a = false, "complete"_a = true,
           nb::sig("def add(self, name: str, data: bytes | memoryview, distances: bool = False, complete: bool = True) "
                   "-> None"),
           "Takes a table in, whose memory is kept as it is: packed values, or distances, of a material. Distances "
           "that\n"
           "are not ``complete`` are those of lost positions without a capture, the others follow from them.\n\n"
           "Not while other threads probe.")
      .def_prop_ro(
          "pieces",
          [](const EndgameTables &self) { return with_tables(self, [](auto &each) { return each.pieces(); }); })
      .def_prop_ro("pieces_with_distance",
                   [](const EndgameTables &self) {
                     return with_tables(self, [](auto &each) { return each.pieces_with_distance(); });
                   })
      .def(
          "probe",
          [](const EndgameTables &self, const Board &board) {
            return ask(self, board, [](const auto &tables, const auto &position) { return tables.probe(position); });
          },
          "board"_a, nb::sig("def probe(self, board: BoardBase) -> int | None"),
          "1 if the side to move wins, 0 for a draw, -1 if it loses, None if the tables do not know.")
      .def(
          "distance",
          [](const EndgameTables &self, const Board &board) {
            return ask(self, board, [](const auto &tables, const auto &position) { return tables.distance(position); });
          },
          "board"_a, nb::sig("def distance(self, board: BoardBase) -> int | None"),
          "Single moves until a side has none, 255 for a draw, None if the tables do not know.")
      .def("best_move", &best_move, "board"_a, "nodes"_a,
           nb::sig("def best_move(self, board: BoardBase, nodes: int) -> tuple[Move, bool | None] | None"),
           "The best move of a decided position within the draws of the board's game, and whether the side that wins "
           "by\n"
           "the tables does so in time; None for a draw, without a move, or if the distances are not known.")
      .def("solve", &solve, "name"_a, "exact"_a, "tell"_a.none() = nb::none(),
           nb::sig("def solve(self, name: str, exact: bool, tell: Callable[[float], object] | None = None) "
                   "-> list[tuple[str, bytes, bytes | None]]"),
           "A material and its mirror image solved: name, packed values and, with ``exact``, distances of each.\n\n"
           "Raises ValueError if tables that it leads to are missing. ``tell`` is told which share is done, about ten\n"
           "times a second, and may raise.")
      .def("smoothed", &smoothed, "name"_a, "distances"_a, "tell"_a.none() = nb::none(),
           nb::sig("def smoothed(self, name: str, distances: bool, tell: Callable[[float], object] | None = None) "
                   "-> bytes"),
           "The packed values or distances of a material with all that probing never looks at made to compress well.")
      .def("find_fault", &find_fault, "name"_a, "exact"_a, "tell"_a.none() = nb::none(),
           nb::sig("def find_fault(self, name: str, exact: bool, tell: Callable[[float], object] | None = None) "
                   "-> tuple[int, int, int] | None"),
           "A position, White to move, whose value or distance does not follow from those after its moves, as masks.")
      .def("census", &census, "name"_a, "exact"_a, "tell"_a.none() = nb::none(),
           nb::sig("def census(self, name: str, exact: bool, tell: Callable[[float], object] | None = None) "
                   "-> tuple[int, int, int, int, tuple[int, int, tuple[int, int, int]] | None, "
                   "tuple[int, int, tuple[int, int, int]] | None]"),
           "Positions, wins, draws, losses of a material; the longest win and loss, how many and one, with ``exact``.")
      .def("seconds_to_probe", &seconds_to_probe, "pieces"_a, "count"_a, "seed"_a,
           "How long so many probes of positions by chance take.");
  module.def(
      "table_positions", [](const std::string &name) { return AnyNumbers::size(signature_of(name)); }, "name"_a,
      "How many entries the table of a material has. Raises ValueError if there is no such material.");
}

}  // namespace damier::python
