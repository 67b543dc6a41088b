#include "file/transfer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "datatype/pack.hpp"
#include "file/failure.hpp"
#include "platform/file.hpp"

namespace baton::file {

namespace {

// Data in memory with gaps goes through a buffer of this size; guess.
constexpr std::int64_t bounce_bytes = 256 << 10;
// Runs of this many bytes in memory or more are handed to the kernel as they are; guess.
constexpr std::int64_t piece_bytes_min = 2 << 10;
// Reads of shorter runs go through a sieve. Measured on tmpfs and ext4, 2 ranks of 4 MiB, Xeon
// (model 167), 2026-11-28, ms, sieved and by calls: runs of 4 KiB .62 to 1.3 and .7, 16 KiB .7 to
// 1.3 and .44 to .56.
constexpr std::int64_t sieved_run_bytes_max = 4095;
// A sieve reads at most this many bytes for each byte that is wanted; guess.
constexpr std::int64_t sieve_waste_max = 8;

// Memory that is freed with the object; null where there is none.
struct Buffer {
  explicit Buffer(std::int64_t bytes)
      : data(static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes)))) {}
  ~Buffer() { std::free(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* data;
};

Error no_memory(std::int64_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a buffer of %lld bytes for file data",
              static_cast<long long>(bytes));
}

Error failed(const File& file, int error, bool writes, std::int64_t address, std::int64_t bytes) {
  char doing[80];
  std::snprintf(doing, sizeof doing, "%s %lld bytes at byte %lld", writes ? "writing" : "reading",
                static_cast<long long>(bytes), static_cast<long long>(address));
  return explain_errno(error, file.name, doing);
}

// Moves bytes that lie together in the file and in memory.
Error move_run(const File& file, bool writes, std::int64_t address, char* data, std::int64_t bytes,
               std::int64_t* moved) {
  const int error = writes ? platform::write_file(file.descriptor, address, data, bytes, moved)
                           : platform::read_file(file.descriptor, address, data, bytes, moved);
  return error ? failed(file, error, writes, address, bytes) : MPI_SUCCESS;
}

// ---- bytes that are together in memory, and have runs in the file

Error move_each_run(File& file, bool writes, std::int64_t position, char* data, std::int64_t bytes,
                    std::int64_t* moved) {
  constexpr int space = 256;
  ByteRun runs[space];
  *moved = 0;
  while (*moved < bytes) {
    std::int64_t listed;
    const int count = file.view.list(position + *moved, bytes - *moved, runs, space, &listed);
    for (int i = 0; i < count; ++i) {
      std::int64_t here = 0;
      const Error error =
          move_run(file, writes, runs[i].offset, data + *moved, runs[i].bytes, &here);
      *moved += here;
      if (error || here < runs[i].bytes) return error;
    }
  }
  return MPI_SUCCESS;
}

// Returns how many bytes from a position on lie within `space` addresses; at least 1.
std::int64_t bytes_within(const View& view, std::int64_t position, std::int64_t space) {
  return std::max<std::int64_t>(1, view.position_before(view.address(position) + space) - position);
}

Error read_sieved(File& file, std::int64_t position, char* data, std::int64_t bytes,
                  std::int64_t* moved) {
  const View& view = file.view;
  const std::int64_t space = file.hints.read_bytes;
  *moved = 0;
  Buffer sieve(space);
  if (!sieve.data) return move_each_run(file, false, position, data, bytes, moved);
  while (*moved < bytes) {
    const std::int64_t at = position + *moved, first = view.address(at);
    const std::int64_t here = std::min(bytes - *moved, bytes_within(view, at, space));
    const std::int64_t span = view.address(at + here - 1) + 1 - first;
    std::int64_t read = 0;
    const Error error = move_run(file, false, first, sieve.data, span, &read);
    const std::int64_t found =
        read == span ? here : std::max<std::int64_t>(0, view.position_before(first + read) - at);
    datatype::pack(*view.stored_filetype, view.origin(sieve.data, first), at, data + *moved, found);
    *moved += found;
    if (error || found < here) return error;
  }
  return MPI_SUCCESS;
}

// Reads what lies between the runs, too, and writes it again, under a lock.
Error write_sieved(File& file, std::int64_t position, char* data, std::int64_t bytes,
                   std::int64_t* moved) {
  const View& view = file.view;
  const std::int64_t space = file.hints.write_bytes;
  *moved = 0;
  Buffer sieve(space);
  if (!sieve.data) return move_each_run(file, true, position, data, bytes, moved);
  while (*moved < bytes) {
    const std::int64_t at = position + *moved, first = view.address(at);
    const std::int64_t here = std::min(bytes - *moved, bytes_within(view, at, space));
    const std::int64_t span = view.address(at + here - 1) + 1 - first;
    std::int64_t read = 0, written = 0;
    // In atomic mode the whole access is locked already.
    if (!file.atomic &&
        platform::lock_file(file.descriptor, platform::FileLock::exclusive, first, span) != 0) {
      const Error error = move_each_run(file, true, at, data + *moved, bytes - *moved, &written);
      *moved += written;
      return error;
    }
    Error error = move_run(file, false, first, sieve.data, span, &read);
    if (!error) {
      std::fill(sieve.data + read, sieve.data + span, '\0');
      datatype::unpack(*view.stored_filetype, view.origin(sieve.data, first), at, data + *moved,
                       here);
      error = move_run(file, true, first, sieve.data, span, &written);
    }
    if (!file.atomic) platform::unlock_file(file.descriptor, first, span);
    if (error) {
      if (written > 0)
        *moved += std::max<std::int64_t>(0, view.position_before(first + written) - at);
      return error;
    }
    *moved += here;
  }
  return MPI_SUCCESS;
}

// ---- through a mapping of the file

// A write is mapped so many bytes of the file at a time; guess.
constexpr std::int64_t mapped_bytes_max = 64 << 20;
// Shorter runs are written through a mapping. Measured on tmpfs and ext4, 2 ranks, Xeon (model
// 167), 2026-11-28: runs of 1 KiB by calls 7 to 11 ms, mapped .5; 4 KiB 1.3 to 1.8 and .3.
constexpr std::int64_t mapped_run_bytes_max = 8 << 10;
// Fewer runs are not worth a mapping; guess.
constexpr std::int64_t mapped_runs_min = 16;

bool is_mapped(const File& file, std::int64_t position, std::int64_t bytes) {
  const View& view = file.view;
  if (!file.is_mappable || !view.ascends || view.average_bytes >= mapped_run_bytes_max ||
      bytes < mapped_runs_min * view.average_bytes || file.hints.sieve_write == Use::disable)
    return false;
  const std::int64_t span = view.address(position + bytes - 1) + 1 - view.address(position);
  constexpr std::int64_t waste_max = 64;  // guess
  return span / waste_max <= bytes;
}

// Returns whether most pages of a range get bytes.
bool is_dense(const View& view, std::int64_t span, std::int64_t bytes) {
  constexpr std::int64_t page = 4096;
  return span / page <= bytes / view.average_bytes;
}

// Part of a write: bytes at a position, from `data`.
struct MappedPart {
  const View& view;
  char* origin;
  std::int64_t position;
  const char* data;
  std::int64_t bytes;
};

void store_part(void* of) {
  const auto& part = *static_cast<const MappedPart*>(of);
  datatype::unpack(*part.view.stored_filetype, part.origin, part.position, part.data, part.bytes);
}

// Writes through a mapping. What cannot go that way goes by calls.
Error write_mapped(File& file, std::int64_t position, char* data, std::int64_t bytes,
                   std::int64_t* moved) {
  const View& view = file.view;
  *moved = 0;
  while (*moved < bytes) {
    const std::int64_t at = position + *moved, first = view.address(at);
    const std::int64_t here = std::min(bytes - *moved, bytes_within(view, at, mapped_bytes_max));
    const std::int64_t span = view.address(at + here - 1) + 1 - first;
    bool done = false;
    {
      platform::Guard guard(file.mapping_lock);
      if (file.mapping.open(file.descriptor, first, span, is_dense(view, span, here)) == 0) {
        MappedPart part{view, view.origin(file.mapping.at(first), first), at, data + *moved, here};
        done = file.mapping.write(store_part, &part);
      }
    }
    if (!done) {
      std::int64_t written = 0;
      const Error error = move_each_run(file, true, at, data + *moved, bytes - *moved, &written);
      *moved += written;
      return error;
    }
    *moved += here;
  }
  return MPI_SUCCESS;
}

bool is_sieved(const File& file, bool writes, std::int64_t position, std::int64_t bytes) {
  const View& view = file.view;
  if (!view.ascends || view.average_bytes > sieved_run_bytes_max || bytes <= view.average_bytes)
    return false;
  if (writes) return file.hints.sieve_write == Use::enable && file.readable;
  if (file.hints.sieve_read != Use::automatic) return file.hints.sieve_read == Use::enable;
  const std::int64_t span = view.address(position + bytes - 1) + 1 - view.address(position);
  return span / sieve_waste_max <= bytes;
}

Error move_together(File& file, bool writes, std::int64_t position, char* data, std::int64_t bytes,
                    std::int64_t* moved) {
  const View& view = file.view;
  const bool is_together = view.contiguous;
  const bool goes_mapped = !is_together && writes && is_mapped(file, position, bytes);
  if (!is_together && !goes_mapped && is_sieved(file, writes, position, bytes))
    return writes ? write_sieved(file, position, data, bytes, moved)
                  : read_sieved(file, position, data, bytes, moved);
  const BesideSieves beside(file, writes, position, bytes);
  if (is_together) return move_run(file, writes, view.address(position), data, bytes, moved);
  if (goes_mapped) return write_mapped(file, position, data, bytes, moved);
  return move_each_run(file, writes, position, data, bytes, moved);
}

// ---- bytes with gaps in memory

// Moves runs in memory to or from one run of the file, without another copy.
Error move_pieces(File& file, bool writes, std::int64_t position, const Memory& memory,
                  std::int64_t bytes, std::int64_t* moved) {
  constexpr int space = 256;
  ByteRun runs[space];
  iovec pieces[space];
  const Datatype& type = memory.type();
  const std::int64_t address = file.view.address(position);
  const BesideSieves beside(file, writes, position, bytes);
  *moved = 0;
  while (*moved < bytes) {
    std::int64_t listed, here = 0;
    const int count =
        datatype::list_runs(type.shape, type.extent, *moved, bytes - *moved, runs, space, &listed);
    for (int i = 0; i < count; ++i)
      pieces[i] = {static_cast<char*>(memory.buffer()) + runs[i].offset,
                   static_cast<std::size_t>(runs[i].bytes)};
    const std::int64_t at = address + *moved;
    const int error = writes ? platform::write_file(file.descriptor, at, pieces, count, &here)
                             : platform::read_file(file.descriptor, at, pieces, count, &here);
    *moved += here;
    if (error) return failed(file, error, writes, at, listed);
    if (here < listed) return MPI_SUCCESS;
  }
  return MPI_SUCCESS;
}

Error move_through_buffer(File& file, bool writes, std::int64_t position, const Memory& memory,
                          std::int64_t bytes, std::int64_t* moved) {
  Buffer buffer(std::min(bytes, bounce_bytes));
  *moved = 0;
  if (!buffer.data) return no_memory(bounce_bytes);
  while (*moved < bytes) {
    const std::int64_t here = std::min(bytes - *moved, bounce_bytes);
    std::int64_t now = 0;
    if (writes) memory.pack(*moved, buffer.data, here);
    const Error error = move_together(file, writes, position + *moved, buffer.data, here, &now);
    if (!writes) memory.unpack(*moved, buffer.data, now);
    *moved += now;
    if (error || now < here) return error;
  }
  return MPI_SUCCESS;
}

// Returns whether the data has runs of host memory that are worth a piece of a call each.
bool has_long_runs(const Memory& memory) {
  const Datatype& type = memory.type();
  if (datatype::kind_of(type, memory.buffer()) != nullptr) return false;
  ByteRun runs[16];
  std::int64_t listed;
  const int count = datatype::list_runs(type.shape, type.extent, 0, type.size, runs, 16, &listed);
  return count > 0 && listed / count >= piece_bytes_min;
}

}  // namespace

Memory::Memory(void* buffer, const Datatype& type)
    : buffer_(buffer),
      type_(&type),
      run_(datatype::is_run(type, buffer) ? static_cast<char*>(buffer) : nullptr) {}

void Memory::pack(std::int64_t position, char* packed, std::int64_t bytes) const {
  datatype::pack(*type_, buffer_, position, packed, bytes);
}

void Memory::unpack(std::int64_t position, const char* packed, std::int64_t bytes) const {
  datatype::unpack(*type_, buffer_, position, packed, bytes);
}

Error transfer(File& file, bool writes, std::int64_t position, const Memory& memory,
               std::int64_t bytes, std::int64_t* moved) {
  *moved = 0;
  if (bytes == 0) return MPI_SUCCESS;
  if (char* data = memory.piece(0))
    return move_together(file, writes, position, data, bytes, moved);
  if (file.view.contiguous && has_long_runs(memory))
    return move_pieces(file, writes, position, memory, bytes, moved);
  return move_through_buffer(file, writes, position, memory, bytes, moved);
}

namespace {

// In atomic mode the whole access is locked already.
bool may_meet_sieves(const File& file) {
  return BATON_UNLIKELY(file.hints.sieve_write == Use::enable) && !file.atomic;
}

}  // namespace

BesideSieves::BesideSieves(File& file, bool writes, std::int64_t position, std::int64_t bytes)
    : file_(file) {
  if (writes && may_meet_sieves(file))
    lock(file.view.address(position), file.view.address(position + bytes - 1) + 1);
}

BesideSieves::BesideSieves(File& file, std::int64_t first, std::int64_t end) : file_(file) {
  if (may_meet_sieves(file)) lock(first, end);
}

void BesideSieves::lock(std::int64_t first, std::int64_t end) {
  first_ = first;
  bytes_ = end - first;
  const auto kind = file_.readable ? platform::FileLock::shared : platform::FileLock::exclusive;
  is_locked_ = platform::lock_file(file_.descriptor, kind, first_, bytes_) == 0;
}

BesideSieves::~BesideSieves() {
  if (BATON_UNLIKELY(is_locked_)) platform::unlock_file(file_.descriptor, first_, bytes_);
}

AtomicRange::AtomicRange(File& file, bool writes, std::int64_t position, std::int64_t bytes)
    : file_(file) {
  if (BATON_LIKELY(!file.atomic) || bytes == 0) return;
  if (file.view.ascends) {
    first_ = file.view.address(position);
    bytes_ = file.view.address(position + bytes - 1) + 1 - first_;
  }
  const auto kind = writes ? platform::FileLock::exclusive : platform::FileLock::shared;
  if (const int error = platform::lock_file(file.descriptor, kind, first_, bytes_)) {
    error_ = explain_errno(error, file.name, "locking a range for atomic mode");
    return;
  }
  is_locked_ = true;
}

AtomicRange::~AtomicRange() {
  if (BATON_UNLIKELY(is_locked_)) platform::unlock_file(file_.descriptor, first_, bytes_);
}

}  // namespace baton::file
