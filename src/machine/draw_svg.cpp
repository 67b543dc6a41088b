#include "machine/draw_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "machine/draw_cells.hpp"

namespace baton::machine {

namespace {

// These are sizes in pixels.
constexpr int cell_width_least = 62, cell_height = 44, gap = 6, title_height = 22;
constexpr int row_width = 1088;                                     // of cores
constexpr int bar_height = 22, line_height = 16, letter_width = 7;  // about: titles must fit
constexpr int page_width = 1600;  // packages stand side by side within it

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

// This is a part of the drawing with its own origin.
struct Box {
  int width = 0;
  int height = 0;
  std::string content = {};
};

std::string moved(const Box& box, int x, int y) {
  return "<g transform=\"translate(" + number(x) + ' ' + number(y) + ")\">\n" + box.content +
         "</g>\n";
}

// Puts boxes side by side, in rows of at most `in_row`.
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
  const int title_width = static_cast<int>(title.size()) * letter_width;
  Box box{std::max(inner.width, title_width) + 2 * gap, inner.height + title_height + gap};
  box.content = "<rect width=\"" + number(box.width) + "\" height=\"" + number(box.height) +
                "\" rx=\"5\" class=\"" + style + "\"/>\n" + text_at(gap, 15, "title", title) +
                moved(inner, gap, title_height);
  return box;
}

// Neighboring ranks get colors far apart: the golden angle.
std::string color_of(const std::string& ranks) {
  if (ranks.empty() || ranks == ".") return "#ececec";
  if (ranks.find_first_of(",-") != std::string::npos) return "#d5d9e6";
  return "hsl(" + number(static_cast<int>(std::stol(ranks) * 137 % 360)) + " 65% 78%)";
}

// Returns the width of all cells: it is equal for all cores, so that they stand in columns.
int cell_width_of(const Machine& machine) {
  constexpr int small_letter_width = 6;
  std::size_t longest = 0;
  for (const auto& [place, cores] : cores_by_place(machine))
    for (const Core& core : cores) longest = std::max(longest, core_label(core).size());
  return std::max(cell_width_least, static_cast<int>(longest) * small_letter_width + 2 * gap);
}

Box cell_of(const Core& core, const Placement* placement, int cell_width) {
  const std::string ranks = placement ? ranks_on(core, *placement) : "";
  Box box{cell_width, cell_height};
  box.content = "<rect width=\"" + number(cell_width) + "\" height=\"" + number(cell_height) +
                "\" rx=\"4\" fill=\"" + color_of(ranks) + "\"/>\n" +
                text_at(gap, 13, "cpu", core_label(core));
  if (!ranks.empty() && ranks != ".") box.content += text_at(gap, 33, "rank", ranks);
  return box;
}

int text_width(const std::string& text) {
  return static_cast<int>(text.size()) * letter_width;
}

// Returns the speed that the CPUs see that see this node's memory best.
std::string best_speed(const NumaNode& node) {
  const MemoryPath* best = nullptr;
  for (const MemoryPath& path : node.paths)
    if (path.local && (!best || path.mib_per_second > best->mib_per_second)) best = &path;
  return best ? speed_label(*best) : "";
}

// Draws a NUMA node as a bar in its tier's color. A dashed bar means that the node has no CPUs.
Box bar_of(const NumaNode& node, int width) {
  const std::string title = "NUMA node " + number(node.os) + ": " + memory_label(node);
  const std::string speed = best_speed(node);
  Box box{std::max({width, text_width(title) + 2 * gap, text_width(speed) + 2 * gap}),
          speed.empty() ? bar_height : bar_height + line_height};
  box.content = "<rect width=\"" + number(box.width) + "\" height=\"" + number(box.height) +
                "\" rx=\"4\" class=\"memory " + tier_word(node.tier) +
                (node.has_cpus ? "" : " apart") + "\"/>\n" + text_at(gap, 15, "title", title);
  if (!speed.empty()) box.content += text_at(gap, 15 + line_height, "speed", speed);
  return box;
}

Box with_bars(const std::vector<const NumaNode*>& nodes, const Box& inner) {
  std::vector<Box> column;
  for (const NumaNode* node : nodes) column.push_back(bar_of(*node, inner.width));
  column.push_back(inner);
  return in_rows(column, 1);
}

// This says where each NUMA node is drawn: in the frame of its own CPUs, in that of the only CPUs
// near it, in that of the package all of whose nodes are near it, else below all packages.
struct Spots {
  std::map<int, std::vector<const NumaNode*>> at_node, at_package;
  std::vector<const NumaNode*> below;
};

Spots spots_of(const Machine& machine) {
  std::map<int, int> package_of;
  for (const Cpu& cpu : machine.cpus)
    if (cpu.numa_node >= 0) package_of[cpu.numa_node] = cpu.package;
  Spots spots;
  for (const NumaNode& node : machine.memory) {
    std::vector<int> near = near_nodes(node);
    if (node.has_cpus) near = {node.os};
    std::erase_if(near, [&](int home) { return !package_of.contains(home); });
    const bool one_package = std::ranges::all_of(
        near, [&](int home) { return package_of[home] == package_of[near.front()]; });
    if (near.size() == 1)
      spots.at_node[near.front()].push_back(&node);
    else if (!near.empty() && one_package && package_of[near.front()] >= 0)
      spots.at_package[package_of[near.front()]].push_back(&node);
    else
      spots.below.push_back(&node);
  }
  return spots;
}

Box plain_frame(const Box& inner, const char* style) {
  Box box{inner.width + 2 * gap, inner.height + 2 * gap};
  box.content = "<rect width=\"" + number(box.width) + "\" height=\"" + number(box.height) +
                "\" rx=\"5\" class=\"" + style + "\"/>\n" + moved(inner, gap, gap);
  return box;
}

// Draws caches of one NUMA node, nodes of one package, and packages. An unknown object has no
// frame.
Box packages_of(const Machine& machine, const Placement* placement, Spots& spots) {
  const int cell_width = cell_width_of(machine);
  std::map<int, std::map<int, std::vector<Box>>> nodes;
  for (const auto& [place, cores] : cores_by_place(machine)) {
    std::vector<Box> cells;
    for (const Core& core : cores) cells.push_back(cell_of(core, placement, cell_width));
    const Box rows = in_rows(cells, row_width / (cell_width + gap));
    nodes[place.package][place.numa_node].push_back(
        place.l3 < 0 ? rows : framed("L3 " + number(place.l3), rows, "cache"));
  }
  std::vector<Box> packages;
  int widest = 1;
  for (const auto& [package, inside] : nodes) {
    std::vector<Box> boxes;
    for (const auto& [node, caches] : inside) {
      const Box all = in_rows(caches, 2);
      boxes.push_back(node < 0 ? all : plain_frame(with_bars(spots.at_node[node], all), "node"));
    }
    const Box all = with_bars(spots.at_package[package], in_rows(boxes, 2));
    packages.push_back(package < 0 ? all : framed("package " + number(package), all, "package"));
    widest = std::max(widest, packages.back().width);
  }
  return in_rows(packages, std::max(1, page_width / widest));
}

// Explains the colors of the tiers that the machine has.
Box legend_of(const Machine& machine) {
  std::vector<Box> entries;
  for (Tier tier : {Tier::hbm, Tier::dram, Tier::slow}) {
    if (std::ranges::find(machine.memory, tier, &NumaNode::tier) == machine.memory.end()) continue;
    const std::string text = tier_name(tier);
    Box box{20 + text_width(text), line_height};
    box.content = std::string("<rect width=\"14\" height=\"14\" rx=\"3\" class=\"memory ") +
                  tier_word(tier) + "\"/>\n" + text_at(20, 12, "title", text);
    entries.push_back(box);
  }
  if (!machine.memory.empty() && !tells_speeds(machine))
    entries.push_back({text_width(no_speeds), line_height, text_at(gap, 12, "title", no_speeds)});
  return in_rows(entries, 4);
}

std::string drawing(const Machine& machine, const Placement* placement, const std::string& head) {
  Spots spots = spots_of(machine);
  std::vector<Box> parts{packages_of(machine, placement, spots)}, below;
  for (const NumaNode* node : spots.below) below.push_back(bar_of(*node, 0));
  parts.push_back(in_rows(below, 4));
  parts.push_back(legend_of(machine));
  const Box rows = in_rows(parts, 1);
  const int width = std::max(rows.width, text_width(head)) + 4 * gap;
  const int height = rows.height + 40 + 2 * gap;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + ' ' +
         number(height) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
         "\" role=\"img\">\n<title>" + escaped(head) +
         "</title>\n<style>text{font:12px sans-serif;fill:#222}.cpu{font-size:10px;fill:#555}"
         ".rank{font-size:15px;font-weight:bold}.head{font-size:14px}.package{fill:#f7f7f4;"
         "stroke:#777}.node{fill:#fff;stroke:#9aa}.cache{fill:#fafafa;stroke:#ccc}"
         ".memory{stroke:#888}.hbm{fill:#ffd08a}.dram{fill:#cfe3f7}.slow{fill:#ddd3e6}"
         ".apart{stroke-dasharray:5 3}</style>\n"
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
