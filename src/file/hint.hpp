// The hints of a file: what programs and their users wish for it, in an info (MPI 5.0, "File Info",
// and the keys that users of ROMIO know). docs/files.md says which matter. A key that is not here
// is ignored, and MPI_File_get_info does not return it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "world/info.hpp"

namespace baton::file {

// Says whether a way may be taken.
enum class Use : std::uint8_t { automatic, enable, disable };

// By default the memory of exchanges has at least so much for each rank: whoever has its bytes in
// every piece has to run for each. Measured with ranks of 1 MiB in 64 B blocks on two CPUs, Xeon
// (model 167), 2026-11-29, s for a job that writes and reads: 160 ranks with 4 MiB 3.5, 64 KiB
// each 2.5, 128 KiB 2.2, 256 KiB 1.9; 500 ranks 63, 22, 15, 10.
inline constexpr std::int64_t collective_bytes_a_rank = 128 << 10;
// The memory of exchanges has at least this many bytes: one piece of one page.
inline constexpr std::int64_t collective_bytes_min = 4096;

struct Hints {
  Use collective_read = Use::automatic;     // romio_cb_read
  Use collective_write = Use::automatic;    // romio_cb_write
  Use sieve_read = Use::automatic;          // romio_ds_read
  int aggregators = 0;                      // cb_nodes; 0: all ranks
  std::int64_t collective_bytes = 4 << 20;  // cb_buffer_size: of a node
  std::int64_t read_bytes = 512 << 10;      // ind_rd_buffer_size
  const char* asserted_kinds = nullptr;     // of memory; null: nothing is promised
};

// Takes over the hints in `info` (null: none); hints that it does not mention stay. `opened`: the
// file is open, and the size of its buffers no longer changes.
void update_hints(Hints& hints, const Info* info, bool opened);
// Writes each hint with its value into `info`, and the memory kinds that are supported. Error:
// MPI_ERR_NO_MEM, explained.
[[nodiscard]] Error describe_hints(const Hints& hints, int ranks, const char* memory_kinds,
                                   Info& info);

}  // namespace baton::file
