#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"

namespace baton::cli {

int print_topology(const std::string& captured_file) {
  auto machine = captured_file.empty() ? machine::read_machine()
                                       : machine::read_captured_machine(captured_file);
  if (!machine) {
    fmt::print(stderr, "baton topo: {}\n", machine.error());
    return 1;
  }
  fmt::print("{}", machine::draw_machine(*machine));
  auto placement = machine::place(*machine, {});
  if (!placement) {
    fmt::print(stderr, "baton topo: {}\n", placement.error());
    return 1;
  }
  fmt::print("mpiexec without -n: {} ranks\n", placement->ranks.size());
  return 0;
}

}  // namespace baton::cli
