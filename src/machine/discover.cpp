#include "machine/discover.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/environment.hpp"
#include "machine/devices.hpp"
#include "machine/quota.hpp"
#include "platform/cpu.hpp"

namespace baton::machine {

namespace {

// For nodes to which no CPUs are local, the CPUs at the least distance count as local.
void settle_locality(Machine& machine) {
  for (NumaNode& node : machine.memory) {
    if (std::ranges::any_of(node.paths, &MemoryPath::local)) continue;
    int least = 0;
    for (const MemoryPath& path : node.paths)
      if (path.distance > 0 && (least == 0 || path.distance < least)) least = path.distance;
    for (MemoryPath& path : node.paths) path.local = path.distance == least;
  }
}

// This owns an hwloc topology and the set of CPUs to report.
class Topology {
 public:
  Topology() {
    // Plug-ins examine graphics servers and accelerators: they are slow to open, and some open
    // sockets.
    ::setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
    ready_ = hwloc_topology_init(&topology_) == 0;
    set_ = hwloc_bitmap_alloc();
  }
  ~Topology() {
    hwloc_bitmap_free(set_);
    if (ready_) hwloc_topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  bool load(const char* xml_file) {
    if (!ready_ || !set_) return false;
    if (xml_file && hwloc_topology_set_xml(topology_, xml_file) != 0) return false;
    // The topology includes what a control group forbids, since the machine's shape counts all of
    // it.
    hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_icache_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    // A live machine tells it in /sys (devices.hpp): to let hwloc look for devices takes long.
    hwloc_topology_set_io_types_filter(
        topology_, xml_file ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT : HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_L2CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    // Where the kernel refuses to tell affinity, hwloc would retry for ever, first in its x86
    // component.
    const bool bindable = !xml_file && platform::tells_affinity();
    if (!xml_file && !bindable)
      hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology_) != 0) return false;
    hwloc_bitmap_copy(set_, hwloc_topology_get_allowed_cpuset(topology_));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (bindable && bound && hwloc_get_cpubind(topology_, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(set_, bound))
      hwloc_bitmap_and(set_, set_, bound);
    hwloc_bitmap_free(bound);
    return true;
  }

  Machine plain() const {
    Machine machine;
    machine.model = model();
    machine.shape = shape();
    machine.cpus_present = hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_PU);
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, pu)) != nullptr;)
      if (hwloc_bitmap_isset(set_, pu->os_index)) machine.cpus.push_back(plain_cpu(pu));
    std::vector<int> from;
    for (const Cpu& cpu : machine.cpus)
      if (std::ranges::find(from, cpu.numa_node) == from.end()) from.push_back(cpu.numa_node);
    std::ranges::sort(from);
    for (hwloc_obj_t node = nullptr; (node = next_node(node)) != nullptr;)
      if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology_), node->os_index))
        machine.memory.push_back(plain_node(node, machine.cpus, from));
    std::ranges::sort(machine.memory, {}, &NumaNode::os);
    add_devices(machine);
    add_distances(machine);
    settle_locality(machine);
    judge_tiers(machine);
    return machine;
  }

 private:
  int ancestor(hwloc_obj_t pu, hwloc_obj_type_t type) const {
    hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology_, type, pu);
    return found ? static_cast<int>(found->logical_index) : -1;
  }
  // The CPU's maker gives the model of the package, or hwloc found it out for the whole machine.
  std::string model() const {
    hwloc_obj_t package = hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, 0);
    for (hwloc_obj_t object : {package, hwloc_get_root_obj(topology_)}) {
      const char* text = object ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr;
      if (text) return text;
    }
    return {};
  }
  std::string shape() const {
    struct Kind {
      hwloc_obj_type_t type;
      const char* name;
      bool is_cache;
    };
    constexpr Kind kinds[] = {
        {HWLOC_OBJ_PACKAGE, "packages", false}, {HWLOC_OBJ_NUMANODE, "NUMA nodes", false},
        {HWLOC_OBJ_L3CACHE, "L3", true},        {HWLOC_OBJ_L2CACHE, "L2", true},
        {HWLOC_OBJ_CORE, "cores", false},       {HWLOC_OBJ_PU, "CPUs", false}};
    std::string text;
    for (const Kind& kind : kinds) {
      int count = hwloc_get_nbobjs_by_type(topology_, kind.type);
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind.name;
      hwloc_obj_t first = hwloc_get_obj_by_type(topology_, kind.type, 0);
      if (kind.is_cache && first)
        text += " of " + std::to_string(first->attr->cache.size >> 10) + " KiB";
    }
    return text;
  }
  Cpu plain_cpu(hwloc_obj_t pu) const {
    Cpu cpu;
    cpu.os = static_cast<int>(pu->os_index);
    cpu.core = ancestor(pu, HWLOC_OBJ_CORE);
    if (cpu.core < 0) cpu.core = static_cast<int>(pu->logical_index);
    cpu.l2 = ancestor(pu, HWLOC_OBJ_L2CACHE);
    cpu.l3 = ancestor(pu, HWLOC_OBJ_L3CACHE);
    cpu.package = ancestor(pu, HWLOC_OBJ_PACKAGE);
    if (hwloc_obj_t node = own_node(pu)) cpu.numa_node = static_cast<int>(node->os_index);
    return cpu;
  }
  hwloc_obj_t next_node(hwloc_obj_t node) const {
    return hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node);
  }
  // Returns the kind of memory of a node, where the system says so.
  static std::string kind_of(hwloc_obj_t node) {
    const char* dax = hwloc_obj_get_info_by_name(node, "DAXType");
    if (node->subtype) return node->subtype;
    return dax && std::string_view(dax) == "NVM" ? dax : "";
  }
  // hwloc also shows nodes without CPUs as local to CPUs near them. The CPUs' own node is the one
  // that the fewest CPUs share; of several it is DRAM, then the one of the smallest number.
  static auto claim(hwloc_obj_t node) {
    std::string kind = kind_of(node);
    bool special = !kind.empty() && kind != "DRAM";
    return std::tuple(hwloc_bitmap_weight(node->cpuset), special, node->os_index);
  }
  hwloc_obj_t own_node(hwloc_obj_t pu) const {
    hwloc_obj_t best = nullptr;
    for (hwloc_obj_t node = nullptr; (node = next_node(node)) != nullptr;)
      if (hwloc_bitmap_isset(node->cpuset, pu->os_index) && (!best || claim(node) < claim(best)))
        best = node;
    return best;
  }
  std::uint64_t attribute(hwloc_memattr_id_e id, hwloc_obj_t node, const Cpu& seen_from) const {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    if (!cpus) return 0;
    hwloc_bitmap_only(cpus, static_cast<unsigned>(seen_from.os));
    hwloc_location initiator{};
    initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
    initiator.location.cpuset = cpus;
    hwloc_uint64_t value = 0;
    if (hwloc_memattr_get_value(topology_, id, node, &initiator, 0, &value) != 0) value = 0;
    hwloc_bitmap_free(cpus);
    return value;
  }
  NumaNode plain_node(hwloc_obj_t node, const std::vector<Cpu>& cpus,
                      const std::vector<int>& from) const {
    NumaNode plain;
    plain.os = static_cast<int>(node->os_index);
    plain.bytes = node->attr->numanode.local_memory;
    plain.kind = kind_of(node);
    for (int own : from) {
      auto cpu = std::ranges::find(cpus, own, &Cpu::numa_node);
      MemoryPath path;
      path.from = own;
      path.local = hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(cpu->os));
      path.mib_per_second = attribute(HWLOC_MEMATTR_ID_BANDWIDTH, node, *cpu);
      path.latency_nanoseconds = attribute(HWLOC_MEMATTR_ID_LATENCY, node, *cpu);
      plain.has_cpus = plain.has_cpus || own == plain.os;
      plain.paths.push_back(path);
    }
    return plain;
  }
  // Adds NVIDIA's devices that compute or draw, of a captured machine.
  void add_devices(Machine& machine) const {
    constexpr unsigned maker = 0x10de, displays = 0x03;
    for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology_, pci)) != nullptr;) {
      const auto& facts = pci->attr->pcidev;
      if (facts.vendor_id != maker || facts.class_id >> 8 != displays) continue;
      Device device;
      char bus[32];
      std::snprintf(bus, sizeof bus, "%04x:%02x:%02x.%x", static_cast<unsigned>(facts.domain),
                    facts.bus, facts.dev, facts.func);
      device.bus = bus;
      if (const char* name = hwloc_obj_get_info_by_name(pci, "PCIDevice")) device.name = name;
      hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology_, pci);
      for (const Cpu& cpu : machine.cpus)
        if (hwloc_bitmap_isset(place->cpuset, static_cast<unsigned>(cpu.os)))
          device.near.push_back(cpu.os);
      std::ranges::sort(device.near);
      if (hwloc_bitmap_weight(place->nodeset) >= 1 && place->depth != 0)
        device.numa_node = hwloc_bitmap_first(place->nodeset);
      machine.devices.push_back(device);
    }
    std::ranges::sort(machine.devices, {}, &Device::bus);
  }
  // Adds the firmware's table of distances between nodes, if there is one.
  void add_distances(Machine& machine) const {
    unsigned count = 1;
    hwloc_distances_s* table = nullptr;
    if (hwloc_distances_get_by_name(topology_, "NUMALatency", &count, &table, 0) != 0 || count == 0)
      return;
    for (NumaNode& node : machine.memory)
      for (MemoryPath& path : node.paths)
        for (unsigned i = 0; i < table->nbobjs; ++i)
          for (unsigned k = 0; k < table->nbobjs; ++k)
            if (static_cast<int>(table->objs[i]->os_index) == path.from &&
                static_cast<int>(table->objs[k]->os_index) == node.os)
              path.distance = static_cast<int>(table->values[i * table->nbobjs + k]);
    hwloc_distances_release(topology_, table);
  }

  hwloc_topology_t topology_ = nullptr;
  hwloc_bitmap_t set_ = nullptr;
  bool ready_ = false;
};

}  // namespace

std::expected<Machine, std::string> read_machine() {
  Topology topology;
  if (!topology.load(nullptr))
    return std::unexpected("hwloc cannot read this machine; try `lstopo` to see why");
  Machine machine = topology.plain();
  if (machine.cpus.empty()) return std::unexpected("hwloc reports no usable CPU");
  machine.quota_cpus = read_quota_cpus("");
  const char* root = environment_variable("BATON_DEVICES_ROOT");
  machine.devices = read_devices(root ? root : "");
  return machine;
}

void read_memory_rules(Machine& machine) {
  machine.memory_limit_bytes = read_memory_limit_bytes("");
  for (NumaNode& node : machine.memory) {
    std::ifstream file("/sys/kernel/mm/mempolicy/weighted_interleave/node" +
                       std::to_string(node.os));
    if (!(file >> node.weight)) node.weight = 0;
  }
}

std::expected<Machine, std::string> read_captured_machine(const std::string& xml_file) {
  Topology topology;
  if (!topology.load(xml_file.c_str()))
    return std::unexpected(xml_file + " is not a machine captured by `lstopo --of xml`");
  return topology.plain();
}

}  // namespace baton::machine
