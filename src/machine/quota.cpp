#include "machine/quota.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <vector>

#include "platform/file_text.hpp"

namespace baton::machine {

namespace {

using platform::file_text;

double number(std::string_view text) {
  double value = 0;
  auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc{} ? value : 0;
}

double tighter(double a, double b) {
  if (a <= 0) return b;
  if (b <= 0) return a;
  return a < b ? a : b;
}

double group_quota(const std::string& folder) {
  double quota = 0;
  if (auto v2 = file_text(folder + "/cpu.max")) quota = quota_from_cpu_max(*v2);
  auto quota_us = file_text(folder + "/cpu.cfs_quota_us");
  auto period_us = file_text(folder + "/cpu.cfs_period_us");
  if (quota_us && period_us) quota = tighter(quota, quota_from_cfs(*quota_us, *period_us));
  return quota;
}

double group_memory_limit(const std::string& folder) {
  double limit = 0;
  for (const char* file : {"/memory.max", "/memory.limit_in_bytes"})
    if (auto text = file_text(folder + file)) limit = tighter(limit, memory_limit_from(*text));
  return limit;
}

bool lists_controller(std::string_view controllers, std::string_view wanted) {
  if (controllers.empty()) return true;  // version 2
  while (!controllers.empty()) {
    std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) break;
    controllers.remove_prefix(comma + 1);
  }
  return false;
}

using GroupLimit = double (*)(const std::string& folder);

double tightest_to_root(const std::string& mount, std::string group, GroupLimit limit_of) {
  double limit = 0;
  while (true) {
    limit = tighter(limit, limit_of(mount + group));
    std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return limit;
    group.resize(slash);
  }
}

// Returns this process's group in each hierarchy that has the controller.
std::vector<std::string> own_groups(const std::string& root, std::string_view controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::vector<std::string> groups;
  for (std::string line; std::getline(file, line);) {
    std::size_t first = line.find(':');
    std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    if (lists_controller(line.substr(first + 1, second - first - 1), controller))
      groups.push_back(line.substr(second + 1));
  }
  return groups;
}

// Returns the tightest limit over all hierarchies that have the controller.
double tightest(const std::string& root, std::string_view controller,
                std::initializer_list<const char*> mounts, GroupLimit limit_of) {
  double limit = 0;
  for (const std::string& group : own_groups(root, controller))
    for (const char* mount : mounts)
      limit = tighter(limit, tightest_to_root(root + "/sys/fs/cgroup" + mount, group, limit_of));
  return limit;
}

// Returns the number behind a word at the beginning of a line; 0 without it.
std::uint64_t field(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ')
      return static_cast<std::uint64_t>(number(std::string_view(line).substr(name.size() + 1)));
  return 0;
}

}  // namespace

double quota_from_cpu_max(std::string_view text) {
  std::size_t space = text.find(' ');
  if (text.starts_with("max") || space == std::string_view::npos) return 0;
  double period = number(text.substr(space + 1));
  return period > 0 ? number(text.substr(0, space)) / period : 0;
}

double quota_from_cfs(std::string_view quota_us, std::string_view period_us) {
  double quota = number(quota_us);
  double period = number(period_us);
  return quota > 0 && period > 0 ? quota / period : 0;
}

double memory_limit_from(std::string_view text) {
  double bytes = number(text);
  // Version 1 expresses "no limit" by a number that exceeds any machine's memory.
  return bytes >= 1e18 ? 0 : bytes;
}

double read_quota_cpus(const std::string& root) {
  return tightest(root, "cpu", {"", "/unified", "/cpu", "/cpu,cpuacct"}, group_quota);
}

MemoryKills read_memory_kills(const std::string& root) {
  MemoryKills kills;
  for (const std::string& group : own_groups(root, "memory"))
    for (const char* place : {"", "/unified", "/memory"})
      for (const char* file : {"/memory.events", "/memory.oom_control"}) {
        const std::string folder = root + "/sys/fs/cgroup" + place + group;
        kills.in_group = std::max(kills.in_group, field(folder + file, "oom_kill"));
      }
  kills.on_machine = field(root + "/proc/vmstat", "oom_kill");
  return kills;
}

std::uint64_t read_memory_limit_bytes(const std::string& root) {
  return static_cast<std::uint64_t>(
      tightest(root, "memory", {"", "/unified", "/memory"}, group_memory_limit));
}

}  // namespace baton::machine
