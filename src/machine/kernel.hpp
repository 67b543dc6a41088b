// What the kernel does with memory of its own accord: pages that it moves between nodes, huge pages
// that it hands out. Read by the launcher, which warns of what would undo a plan, and by `baton
// doctor`. Plain data, so that invented kernels can be tested.
#pragma once

#include <string>

namespace baton::machine {

struct KernelRules {
  // AutoNUMA moves pages to the node whose CPUs use them: of processes and ranges without a policy
  // of their own. Never pages of a memory file, nor those under a policy as we set them.
  bool balances = false;
  bool promotes = false;  // it brings what is used from slow memory to faster (Linux 5.18)
  bool demotes = false;   // under pressure pages go to slower memory, whatever their policy
  // The word that holds in /sys/kernel/mm/transparent_hugepage; empty: this kernel has none.
  std::string huge_private = {};
  std::string huge_shared = {};  // of memory files
  long huge_pool = 0;            // huge pages that are set aside (hugetlb)
};

// `root` is "" on a live system; tests pass a folder with proc and sys.
KernelRules read_kernel_rules(const std::string& root);

// Whether memory files get huge pages without anybody asking for them.
bool shares_huge_unasked(const KernelRules& rules);

}  // namespace baton::machine
