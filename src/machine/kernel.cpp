#include "machine/kernel.hpp"

#include <fstream>

#include "platform/file_text.hpp"

namespace baton::machine {

namespace {

std::string file_text(const std::string& path) {
  return platform::file_text(path).value_or("");
}

long number_in(const std::string& path) {
  long value = 0;
  std::ifstream file(path);
  return file >> value ? value : 0;
}

// Returns the word in brackets: "madvise" of "always [madvise] never".
std::string chosen_word(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

}  // namespace

KernelRules read_kernel_rules(const std::string& root) {
  constexpr long normal = 1, tiering = 2;  // bits of numa_balancing
  const std::string huge = root + "/sys/kernel/mm/transparent_hugepage/";
  KernelRules rules;
  const long balancing = number_in(root + "/proc/sys/kernel/numa_balancing");
  rules.balances = balancing & normal;
  rules.promotes = balancing & tiering;
  const std::string demotion = file_text(root + "/sys/kernel/mm/numa/demotion_enabled");
  rules.demotes = demotion.starts_with("true") || demotion.starts_with("1");
  rules.huge_private = chosen_word(file_text(huge + "enabled"));
  rules.huge_shared = chosen_word(file_text(huge + "shmem_enabled"));
  rules.huge_pool = number_in(root + "/proc/sys/vm/nr_hugepages");
  return rules;
}

bool shares_huge_unasked(const KernelRules& rules) {
  return rules.huge_shared == "always" || rules.huge_shared == "within_size" ||
         rules.huge_shared == "force";
}

}  // namespace baton::machine
