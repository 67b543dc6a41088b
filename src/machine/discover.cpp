#include "machine/discover.hpp"

#include <hwloc.h>

#include <cstdlib>
#include <string>

#include "machine/quota.hpp"

namespace baton::machine {

namespace {

// Owns an hwloc topology and the set of CPUs to report.
class Topology {
 public:
  Topology() {
    // Plug-ins look at graphics servers and accelerators: slow to open, and some open sockets.
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
    // Also what a control group keeps from us: the machine's shape is that of all.
    hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_icache_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_L2CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology_) != 0) return false;
    hwloc_bitmap_copy(set_, hwloc_topology_get_allowed_cpuset(topology_));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (!xml_file && bound && hwloc_get_cpubind(topology_, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
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
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
      if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology_), node->os_index))
        machine.memory.push_back({static_cast<int>(node->os_index),
                                  node->attr->numanode.local_memory,
                                  !hwloc_bitmap_iszero(node->cpuset)});
    return machine;
  }

 private:
  int ancestor(hwloc_obj_t pu, hwloc_obj_type_t type) const {
    hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology_, type, pu);
    return found ? static_cast<int>(found->logical_index) : -1;
  }
  // The CPU's maker says it of the package, or hwloc found it out for the whole machine.
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
        {HWLOC_OBJ_PACKAGE, "packages", false}, {HWLOC_OBJ_NUMANODE, "memory nodes", false},
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
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
      if (hwloc_bitmap_isset(node->cpuset, pu->os_index)) {
        cpu.numa_node = static_cast<int>(node->os_index);
        break;
      }
    return cpu;
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
  return machine;
}

std::expected<Machine, std::string> read_captured_machine(const std::string& xml_file) {
  Topology topology;
  if (!topology.load(xml_file.c_str()))
    return std::unexpected(xml_file + " is not a machine captured by `lstopo --of xml`");
  return topology.plain();
}

}  // namespace baton::machine
