#include "machine/draw_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "machine/draw_cells.hpp"

namespace baton::machine {

namespace {

// Sizes in pixels.
constexpr int cell_width = 62, cell_height = 44, gap = 6, title_height = 22;
constexpr int cells_in_row = 16;

std::string number(int value) {
  return std::to_string(value);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char letter : text) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else
      result += letter;
  }
  return result;
}

std::string text_at(int x, int y, const char* style, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + style + "\">" +
         escaped(text) + "</text>\n";
}

// A part of the drawing with its own origin.
struct Box {
  int width = 0;
  int height = 0;
  std::string content = {};
};

std::string moved(const Box& box, int x, int y) {
  return "<g transform=\"translate(" + number(x) + ' ' + number(y) + ")\">\n" + box.content +
         "</g>\n";
}

// Boxes side by side, in rows of at most `in_row`.
Box in_rows(const std::vector<Box>& boxes, int in_row) {
  Box all;
  int x = 0, y = 0, row_height = 0, in_this = 0;
  for (const Box& box : boxes) {
    if (in_this == in_row) {
      y += row_height + gap;
      x = row_height = in_this = 0;
    }
    all.content += moved(box, x, y);
    x += box.width + gap;
    row_height = std::max(row_height, box.height);
    all.width = std::max(all.width, x - gap);
    all.height = y + row_height;
    ++in_this;
  }
  return all;
}

Box framed(const std::string& title, const Box& inner, const char* style) {
  // About 7 pixels a letter: the title must not stick out.
  const int title_width = static_cast<int>(title.size()) * 7;
  Box box{std::max(inner.width, title_width) + 2 * gap, inner.height + title_height + gap};
  box.content = "<rect width=\"" + number(box.width) + "\" height=\"" + number(box.height) +
                "\" rx=\"5\" class=\"" + style + "\"/>\n" + text_at(gap, 15, "title", title) +
                moved(inner, gap, title_height);
  return box;
}

// Neighbouring ranks get colours far apart: the golden angle.
std::string colour_of(const std::string& ranks) {
  if (ranks.empty() || ranks == ".") return "#ececec";
  if (ranks.find_first_of(",-") != std::string::npos) return "#d5d9e6";
  return "hsl(" + number(static_cast<int>(std::stol(ranks) * 137 % 360)) + " 65% 78%)";
}

Box cell_of(const Core& core, const Placement* placement) {
  const std::string ranks = placement ? ranks_on(core, *placement) : "";
  Box box{cell_width, cell_height};
  box.content = "<rect width=\"" + number(cell_width) + "\" height=\"" + number(cell_height) +
                "\" rx=\"4\" fill=\"" + colour_of(ranks) + "\"/>\n" +
                text_at(gap, 13, "cpu", core_label(core));
  if (!ranks.empty() && ranks != ".") box.content += text_at(gap, 33, "rank", ranks);
  return box;
}

const MemoryNode* node_of(const Machine& machine, int os) {
  for (const MemoryNode& node : machine.memory)
    if (node.os == os) return &node;
  return nullptr;
}

std::string node_title(const Machine& machine, int os) {
  const MemoryNode* node = node_of(machine, os);
  return "memory node " + number(os) + (node ? ": " + bytes_text(node->bytes) : "");
}

// Caches of one memory node, nodes of one package, packages: what is not known has no frame.
Box packages_of(const Machine& machine, const Placement* placement) {
  std::map<int, std::map<int, std::vector<Box>>> nodes;
  for (const auto& [place, cores] : cores_by_place(machine)) {
    std::vector<Box> cells;
    for (const Core& core : cores) cells.push_back(cell_of(core, placement));
    const Box rows = in_rows(cells, cells_in_row);
    nodes[place.package][place.numa_node].push_back(
        place.l3 < 0 ? rows : framed("L3 " + number(place.l3), rows, "cache"));
  }
  std::vector<Box> packages;
  for (const auto& [package, inside] : nodes) {
    std::vector<Box> boxes;
    for (const auto& [node, caches] : inside) {
      const Box all = in_rows(caches, 2);
      boxes.push_back(node < 0 ? all : framed(node_title(machine, node), all, "node"));
    }
    const Box all = in_rows(boxes, 2);
    packages.push_back(package < 0 ? all : framed("package " + number(package), all, "package"));
  }
  return in_rows(packages, 1);
}

Box memory_without_cpus(const Machine& machine) {
  std::vector<Box> boxes;
  for (const MemoryNode& node : machine.memory)
    if (!node.has_cpus)
      boxes.push_back(framed(node_title(machine, node.os) + " (no CPUs)", {}, "node"));
  return in_rows(boxes, 4);
}

std::string drawing(const Machine& machine, const Placement* placement, const std::string& head) {
  const Box rows = in_rows({packages_of(machine, placement), memory_without_cpus(machine)}, 1);
  const int head_width = static_cast<int>(head.size()) * 7;
  const int width = std::max(rows.width, head_width) + 4 * gap;
  const int height = rows.height + 40 + 2 * gap;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + ' ' +
         number(height) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
         "\" role=\"img\">\n<title>" + escaped(head) +
         "</title>\n<style>text{font:12px sans-serif;fill:#222}.cpu{font-size:10px;fill:#555}"
         ".rank{font-size:15px;font-weight:bold}.head{font-size:14px}.package{fill:#f7f7f4;"
         "stroke:#777}.node{fill:#fff;stroke:#9aa}.cache{fill:#fafafa;stroke:#ccc}</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         text_at(2 * gap, 24, "head", head) + moved(rows, 2 * gap, 40) + "</svg>\n";
}

}  // namespace

std::string draw_machine_svg(const Machine& machine) {
  return drawing(machine, nullptr,
                 machine.model + (machine.model.empty() ? "" : ", ") +
                     number(static_cast<int>(machine.cpus.size())) + " usable CPUs, " +
                     number(core_count(machine)) + " cores");
}

std::string draw_placement_svg(const Machine& machine, const Placement& placement) {
  const bool bound = placement.bound_to != Level::machine;
  return drawing(machine, &placement,
                 placement.reason +
                     (bound ? std::string(", bound to ") + level_name(placement.bound_to) : ""));
}

}  // namespace baton::machine
