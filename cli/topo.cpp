#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/draw_svg.hpp"

namespace baton::cli {

int print_topology(const std::string& captured_file, const std::string& svg_file) {
  auto machine = captured_file.empty() ? machine::read_machine()
                                       : machine::read_captured_machine(captured_file);
  if (!machine) {
    write_error("baton topo: {}\n", machine.error());
    return 1;
  }
  if (captured_file.empty()) machine::read_memory_rules(*machine);
  write_out("{}", machine::draw_machine(*machine));
  auto placement = machine::place(*machine, {});
  if (!placement) {
    write_error("baton topo: {}\n", placement.error());
    return 1;
  }
  write_out("mpiexec without -n: {} ranks\n", placement->ranks.size());
  if (svg_file.empty()) return 0;
  std::ofstream file(svg_file);
  file << machine::draw_machine_svg(*machine);
  file.close();
  if (file) return 0;
  write_error("baton topo: --svg {}: {}\n", svg_file, std::strerror(errno));
  return 1;
}

}  // namespace baton::cli
