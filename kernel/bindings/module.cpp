#include "board.hpp"

NB_MODULE(_kernel, module) {
  module.doc() = "The kernel: rules and search at machine speed. Use it through ``damier``.";
  damier::python::bind_board(module);
  damier::python::bind_search(module);
}
