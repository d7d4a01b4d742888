#include "board.hpp"

NB_MODULE(_kernel, module) {
  // Objects that an interpreter still holds when it ends are no concern of whoever ran it.
  nanobind::set_leak_warnings(false);
  module.doc() = "The kernel: rules and search at machine speed. Use it through ``damier``.";
  damier::python::bind_board(module);
  damier::python::bind_endgame(module);
  damier::python::bind_search(module);
  damier::python::bind_learning(module);
}
