#include "machine/quota.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

namespace baton::machine {

namespace {

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

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

bool lists_cpu_controller(std::string_view controllers) {
  if (controllers.empty()) return true;  // version 2
  while (!controllers.empty()) {
    std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "cpu") return true;
    if (comma == std::string_view::npos) break;
    controllers.remove_prefix(comma + 1);
  }
  return false;
}

double tightest_to_root(const std::string& mount, std::string group) {
  double quota = 0;
  while (true) {
    quota = tighter(quota, group_quota(mount + group));
    std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return quota;
    group.resize(slash);
  }
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

double read_quota_cpus(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  double quota = 0;
  for (std::string line; std::getline(groups, line);) {
    std::size_t first = line.find(':');
    std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (!lists_cpu_controller(controllers)) continue;
    std::string group = line.substr(second + 1);
    for (const char* mount : {"", "/unified", "/cpu", "/cpu,cpuacct"})
      quota = tighter(quota, tightest_to_root(root + "/sys/fs/cgroup" + mount, group));
  }
  return quota;
}

}  // namespace baton::machine
