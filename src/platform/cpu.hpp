// What the CPU at hand can do.
#pragma once

namespace baton::platform {

// The highest level of x86-64 (its psABI's numbers: 1, 2, 3 with AVX2, 4 with AVX-512) that this
// CPU and its operating system support. 1 on other architectures: the baseline.
int cpu_level();

// The level to use: the CPU's, or what the setting vector_level_max leaves of it.
int vector_level();

// Whether this CPU carries out instructions of 512 bits as two halves (Zen 4; of Zen 3, which has
// none, too). Sums then take 1.2 times as long as with 256 bits: 8 KiB of doubles 87 instead of 72
// ns, 2026-11-26.
bool halves_512_bits();

// Whether the kernel says on which CPUs a process may run; a container's filter may refuse that.
bool tells_affinity();

}  // namespace baton::platform
