#include "platform/memory_policy.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

namespace baton::platform {

namespace {

// The headers of older systems do not have these constants.
constexpr int preferred_many = 5;        // Linux 5.15
constexpr int weighted_interleave = 6;   // Linux 6.9
constexpr unsigned long mask_bits = 65;  // the kernel reads one bit less than this
constexpr unsigned long mask_words = 16;

struct KernelPolicy {
  int mode;
  NodeMask nodes;
  int instead;  // the mode where the kernel does not know `mode`
};

KernelPolicy kernel_policy(const MemoryBinding& binding) {
  switch (binding.mode) {
    case MemoryMode::standard:
      return {MPOL_DEFAULT, 0, MPOL_DEFAULT};
    case MemoryMode::local:
      return {MPOL_LOCAL, 0, MPOL_DEFAULT};
    case MemoryMode::prefer: {
      bool one = std::has_single_bit(binding.nodes);
      return {one ? MPOL_PREFERRED : preferred_many, binding.nodes, MPOL_PREFERRED};
    }
    case MemoryMode::bind:
      return {MPOL_BIND, binding.nodes, MPOL_BIND};
    case MemoryMode::interleave:
      return {MPOL_INTERLEAVE, binding.nodes, MPOL_INTERLEAVE};
    case MemoryMode::weighted:
      return {weighted_interleave, binding.nodes, MPOL_INTERLEAVE};
  }
  return {MPOL_DEFAULT, 0, MPOL_DEFAULT};
}

// Calls `call` with the mode and the mask's address and length; a mode without nodes takes no mask.
template <class Call>
bool apply(const MemoryBinding& binding, Call call) {
  KernelPolicy policy = kernel_policy(binding);
  auto once = [&](int mode) {
    bool listed = policy.nodes != 0;
    return call(mode, listed ? &policy.nodes : nullptr, listed ? mask_bits : 0) == 0;
  };
  return once(policy.mode) ||
         (errno == EINVAL && policy.instead != policy.mode && once(policy.instead));
}

NodeMask asked_nodes(const void* address, unsigned long flags) {
  NodeMask nodes[mask_words] = {};
  long done = ::syscall(SYS_get_mempolicy, nullptr, nodes, mask_words * 64, address, flags);
  return done == 0 ? nodes[0] : 0;
}

}  // namespace

bool bind_memory(void* address, std::uint64_t bytes, const MemoryBinding& binding) {
  return apply(binding, [&](int mode, const NodeMask* nodes, unsigned long bits) {
    return ::syscall(SYS_mbind, address, bytes, mode, nodes, bits, 0UL);
  });
}

void gather_pages(void* address, std::uint64_t bytes, NodeMask nodes) {
  // Older kernels do not know this mode; there pages stay where they are.
  (void)::syscall(SYS_mbind, address, bytes, preferred_many, &nodes, mask_bits, MPOL_MF_MOVE);
}

bool bind_process(const MemoryBinding& binding) {
  return apply(binding, [&](int mode, const NodeMask* nodes, unsigned long bits) {
    return ::syscall(SYS_set_mempolicy, mode, nodes, bits);
  });
}

NodeMask policy_nodes(const void* address) {
  return asked_nodes(address, MPOL_F_ADDR);
}

NodeMask allowed_nodes() {
  return asked_nodes(nullptr, MPOL_F_MEMS_ALLOWED);
}

}  // namespace baton::platform
