// These functions say what this machine's CPU can do.
#pragma once

namespace baton::platform {

// Returns the highest level of x86-64 (its psABI's numbers: 1, 2, 3 with AVX2, 4 with AVX-512) that
// this CPU and its operating system support. On other architectures it is 1, the baseline.
int cpu_level();

// Returns the level to use: the CPU's, limited by the setting vector_level_max.
int vector_level();

// Returns whether this CPU carries out instructions of 512 bits as two halves, as Zen 4 does. It is
// true of Zen 3, too, which has no such instructions. Sums then take 1.2 times as long as with 256
// bits: 8 KiB of doubles 87 instead of 72 ns, 2026-11-26.
bool halves_512_bits();

// Returns whether a hypervisor runs this machine, as it tells its guests. Its CPUs may move from
// one core to another at any time.
bool is_virtual_machine();

// Returns whether the kernel says on which CPUs a process may run; a container's filter may refuse
// that.
bool tells_affinity();

}  // namespace baton::platform
