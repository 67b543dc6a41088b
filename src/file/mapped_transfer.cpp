#include "file/mapped_transfer.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"

namespace baton::file {

namespace {

// At most this much of the file is mapped at a time; guess.
constexpr std::int64_t mapped_bytes_max = 64 << 20;
// Shorter runs go through a mapping where the pages lie in the kernel's cache. Measured on ext4 and
// tmpfs, 2 ranks, Xeon (model 167), 2026-11-29, ms for 4 MiB a rank: reads of 32 KiB by calls .38
// and .49, mapped .32 and .31; writes of 64 KiB by calls .73 and 1.2, mapped .39 and .54. Longer
// reads gain where they are mapped already; what mapping them first costs was not measured.
constexpr std::int64_t read_run_bytes_max = 64 << 10;
constexpr std::int64_t written_run_bytes_max = 4 << 20;  // guess
// These are written through a mapping though pages have to be made for it: of 1 KiB by calls 7 to
// 11, mapped .5; 4 KiB 1.3 to 1.8 and .3.
constexpr std::int64_t always_written_run_bytes_max = 8 << 10;
// Fewer of them are not worth that; guess.
constexpr std::int64_t always_written_runs_min = 16;
// The bytes from the first to the last may be this many times those that are wanted; guess.
constexpr std::int64_t waste_max = 64;

// Part of an access whose bytes are mapped.
struct MappedPart {
  const View& view;
  char* origin;
  std::int64_t position;
  char* data;
  std::int64_t bytes;
};

void store_part(void* of) {
  const auto& part = *static_cast<const MappedPart*>(of);
  datatype::unpack(*part.view.stored_filetype, part.origin, part.position, part.data, part.bytes,
                   true);
}

void load_part(void* of) {
  const auto& part = *static_cast<const MappedPart*>(of);
  datatype::pack(*part.view.stored_filetype, part.origin, part.position, part.data, part.bytes,
                 true);
}

// The addresses of bytes at a position.
struct Span {
  Span(const View& view, std::int64_t position, std::int64_t count)
      : first(view.address(position)), bytes(view.address(position + count - 1) + 1 - first) {}
  std::int64_t first, bytes;
};

bool is_close(const Span& span, std::int64_t bytes) {
  return span.bytes / waste_max <= bytes;
}

// Returns whether most pages of a range have bytes of the access.
bool is_dense(const View& view, const Span& span, std::int64_t bytes) {
  constexpr std::int64_t page = 4096;
  return span.bytes / 4 <= bytes || span.bytes / page <= bytes / view.average_bytes;
}

bool is_always_mapped(const File& file, std::int64_t position, std::int64_t bytes) {
  const View& view = file.view;
  return file.maps_writes && view.ascends && view.average_bytes < always_written_run_bytes_max &&
         bytes >= always_written_runs_min * view.average_bytes &&
         is_close(Span(view, position, bytes), bytes);
}

}  // namespace

bool is_in_memory(File& file, bool writes, std::int64_t position, std::int64_t bytes) {
  const View& view = file.view;
  if (!(writes ? file.maps_writes : file.maps_reads) || !view.ascends || view.contiguous)
    return false;
  const Span span(view, position, bytes);
  if (span.bytes < settings.file_mapping_bytes_min || !is_close(span, bytes)) return false;
  std::lock_guard guard(file.mapping_lock);
  if (file.mapping.is_ready(file.descriptor, span.first, span.bytes)) return true;
  return view.average_bytes < (writes ? written_run_bytes_max : read_run_bytes_max) &&
         platform::is_in_memory(file.descriptor, span.first, span.bytes);
}

bool goes_through_mapping(File& file, bool writes, std::int64_t position, std::int64_t bytes) {
  if (!writes && file.hints.sieve_read == Use::enable) return false;
  return (writes && is_always_mapped(file, position, bytes)) ||
         is_in_memory(file, writes, position, bytes);
}

bool move_mapped(File& file, bool writes, std::int64_t position, char* data, std::int64_t bytes,
                 std::int64_t* moved) {
  const View& view = file.view;
  platform::FileMapping& mapping = file.mapping;
  while (*moved < bytes) {
    const std::int64_t at = position + *moved;
    const std::int64_t here = std::min(bytes - *moved, view.bytes_within(at, mapped_bytes_max));
    const Span span(view, at, here);
    std::lock_guard guard(file.mapping_lock);
    const int error =
        writes ? mapping.open_to_write(file.descriptor, span.first, span.bytes,
                                       is_dense(view, span, here))
               : mapping.open_to_read(file.descriptor, file.maps_writes, span.first, span.bytes);
    if (error) return false;
    MappedPart part{view, view.origin(mapping.at(span.first), span.first), at, data + *moved, here};
    if (!mapping.access(writes ? store_part : load_part, &part)) return false;
    *moved += here;
    file.counts.add_moved(FileWay::mapped, here, 0);
  }
  return true;
}

}  // namespace baton::file
