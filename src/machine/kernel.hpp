// These rules say what the kernel does with memory of its own accord: pages that it moves between
// nodes, huge pages that it hands out. The launcher reads them to warn of rules that would undo a
// plan; `baton doctor` reads them, too. They are plain data, so that invented kernels can be
// tested.
#pragma once

#include <string>

namespace baton::machine {

struct KernelRules {
  // AutoNUMA moves pages of processes and ranges without a policy of their own to the node whose
  // CPUs use them. It never moves pages of a memory file, nor pages under a policy that Baton has
  // set.
  bool balances = false;
  bool promotes = false;  // pages in use move from slow memory to faster (Linux 5.18)
  bool demotes = false;   // under pressure pages move to slower memory, whatever their policy
  // This is the word that holds in /sys/kernel/mm/transparent_hugepage; empty: this kernel has
  // none.
  std::string huge_private = {};
  std::string huge_shared = {};  // for memory files
  long huge_pool = 0;            // huge pages that are set aside (hugetlb)
};

// `root` is "" on a live system; tests pass a folder with proc and sys.
KernelRules read_kernel_rules(const std::string& root);

// Returns whether memory files get huge pages without anybody asking for them.
bool shares_huge_unasked(const KernelRules& rules);

}  // namespace baton::machine
