// What `baton topo` says of the memory of each captured machine, against pages that were written by
// hand, and that its pictures have every node in its tier's color.
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/draw_svg.hpp"

using namespace baton::machine;

namespace {

constexpr const char* untold = "bandwidths and latencies: nothing on this machine tells them\n";

const std::string matrix_head =
    "distance from CPUs of a node (row) to the memory of a node (column)\n";

struct Page {
  const char* machine;
  std::string text;
};

const Page pages[] = {
    {"laptop", std::string("NUMA node 0: 16 GiB DRAM\n") + untold},
    {"virtual-machine", std::string("NUMA node 0: 24 GiB DRAM\n") + untold},
    {"knl-cache", std::string("NUMA node 0: 96 GiB DRAM\n") + untold},
    {"knl-flat", std::string("NUMA node 0: 96 GiB DRAM\n"
                             "NUMA node 1: 16 GiB HBM (MCDRAM, no CPUs), near node 0\n") +
                     untold + matrix_head + "         0    1\n    0   10   31\n"},
    {"xeon-max-flat",
     "NUMA node 0: 128 GiB DRAM; 307 GB/s and 110 ns from its own CPUs\n"
     "NUMA node 1: 128 GiB DRAM; 307 GB/s and 110 ns from its own CPUs\n"
     "NUMA node 2: 64 GiB HBM (no CPUs), near node 0; 1638 GB/s and 130 ns from CPUs of node 0\n"
     "NUMA node 3: 64 GiB HBM (no CPUs), near node 1; 1638 GB/s and 130 ns from CPUs of node "
     "1\n" +
         matrix_head +
         "         0    1    2    3\n"
         "    0   10   21   13   24\n"
         "    1   21   10   24   13\n"},
    {"cxl",
     "NUMA node 0: 128 GiB DRAM; 307 GB/s and 100 ns from its own CPUs\n"
     "NUMA node 1: 128 GiB DRAM; 307 GB/s and 100 ns from its own CPUs\n"
     "NUMA node 2: 256 GiB slow memory (no CPUs), near node 0; 32 GB/s and 250 ns from CPUs of "
     "node "
     "0\n" +
         matrix_head +
         "         0    1    2\n"
         "    0   10   21   14\n"
         "    1   21   10   24\n"},
    {"guest",
     "NUMA node 0: 512 MiB DRAM; 137 GB/s and 110 ns from its own CPUs\n"
     "NUMA node 1: 512 MiB DRAM; 137 GB/s and 110 ns from its own CPUs\n"
     "NUMA node 2: 256 MiB HBM (no CPUs), near node 0; 412 GB/s and 130 ns from CPUs of node 0\n"
     "NUMA node 3: 256 MiB HBM (no CPUs), near node 1; 412 GB/s and 130 ns from CPUs of node "
     "1\n" +
         matrix_head +
         "         0    1    2    3\n"
         "    0   10   21   13   23\n"
         "    1   21   10   23   13\n"},
};

Machine captured(const std::string& name) {
  auto read = read_captured_machine(MACHINES_FOLDER "/" + name + ".xml");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
  return read.value_or(Machine{});
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

struct Drawn {
  const char* machine;
  int hbm, dram, slow, apart;  // bars
};

const Drawn pictures[] = {{"xeon-max-flat", 2, 2, 0, 2}, {"xeon-max-snc4", 8, 8, 0, 8},
                          {"knl-snc4", 4, 4, 0, 4},      {"eight-sockets", 0, 8, 0, 0},
                          {"cxl", 0, 2, 1, 1},           {"laptop", 0, 1, 0, 0}};

}  // namespace

TEST(topo, the_memory_of_each_machine_is_told_in_full) {
  for (const Page& page : pages)
    EXPECT_EQ(draw_memory(captured(page.machine)), page.text) << page.machine;
}

TEST(topo, the_page_of_a_machine_begins_with_its_cores_and_ends_with_its_memory) {
  const Machine machine = captured("eight-sockets");
  const std::string text = draw_machine(machine);
  EXPECT_TRUE(text.starts_with("80 usable of 80 CPUs, 80 cores\n")) << text;
  EXPECT_TRUE(text.ends_with(draw_memory(machine)));
  EXPECT_NE(text.find("\n    5   31   21   31   31   21   10   21   21\n"), std::string::npos)
      << text;
}

TEST(topo, pictures_have_each_numa_node_once_in_the_color_of_its_tier) {
  for (const Drawn& drawn : pictures) {
    const Machine machine = captured(drawn.machine);
    const std::string picture = draw_machine_svg(machine);
    auto bars = [&](const std::string& style) {
      return count(picture, "class=\"memory " + style + "\"");
    };
    auto both = [&](const std::string& tier) {  // the legend shows a tier once more
      const int all = bars(tier) + bars(tier + " apart");
      return all > 0 ? all - 1 : 0;
    };
    EXPECT_EQ(both("hbm"), drawn.hbm) << drawn.machine;
    EXPECT_EQ(both("dram"), drawn.dram) << drawn.machine;
    EXPECT_EQ(both("slow"), drawn.slow) << drawn.machine;
    EXPECT_EQ(count(picture, " apart\""), drawn.apart) << drawn.machine;
    for (const NumaNode& node : machine.memory)
      EXPECT_EQ(count(picture, ">NUMA node " + std::to_string(node.os) + ": "), 1) << drawn.machine;
  }
}
