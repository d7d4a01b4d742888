// The Python side of endgame tables: their memory belongs to Python objects, which are kept.
#pragma once
#include <memory>
#include <vector>

#include "board.hpp"
#include "endgame/tables.hpp"

namespace damier::python {

// A view of a Python object's bytes, which holds on to the object.
class Bytes {
public:
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }

  const std::uint8_t *data() const { return static_cast<const std::uint8_t *>(view_.buf); }
  std::uint64_t size() const { return std::uint64_t(view_.len); }

private:
  Py_buffer view_{};
};

struct EndgameTables {
  EndgameTables() = default;
  EndgameTables(const EndgameTables &) = delete;
  EndgameTables &operator=(const EndgameTables &) = delete;

  std::variant<endgame::Tables<International>, endgame::Tables<CrownAndContinue>> tables;
  std::vector<std::unique_ptr<Bytes>> memory;

  // Those for this way to move, null if these are for the other.
  template <class Rules> const endgame::Tables<Rules> *of() const {
    return std::get_if<endgame::Tables<Rules>>(&tables);
  }
};

// The tables for this way to move; null if there are none, or those of the other way.
template <class Rules> const endgame::Tables<Rules> *tables_of(const EndgameTables *tables) {
  return tables == nullptr ? nullptr : tables->of<Rules>();
}

}  // namespace damier::python
