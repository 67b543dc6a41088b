#include "datatype/pack.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "datatype/foreign.hpp"
#include "datatype/walk.hpp"
#include "platform/copy.hpp"

namespace baton::datatype {

namespace {

Walks find_walks(int level) {
#ifdef __x86_64__
  if (level >= 4) return x86_64_v4::find_walks();
  if (level == 3) return x86_64_v3::find_walks();
#endif
  return baseline::find_walks();
}

Walks walks = baseline::find_walks();

}  // namespace

void choose_walks(int level) {
  walks = find_walks(level);
}

void pack(const Datatype& type, const void* buffer, std::int64_t position, void* packed,
          std::int64_t bytes, bool is_host) {
  auto* place = static_cast<char*>(const_cast<void*>(buffer));
  auto* to = static_cast<char*>(packed);
  if (bytes == 0) return;
  if (BATON_UNLIKELY(platform::memory_kinds.any()) && !is_host &&
      move_foreign(type, place, position, to, bytes, /*packs=*/true))
    return;
  if (type.contiguous)
    platform::copy_run(to, place + position, static_cast<std::size_t>(bytes));
  else
    walks.pack(type.shape, type.extent, place, position, to, bytes);
}

void unpack(const Datatype& type, void* buffer, std::int64_t position, const void* packed,
            std::int64_t bytes, bool is_host) {
  auto* place = static_cast<char*>(buffer);
  auto* from = static_cast<char*>(const_cast<void*>(packed));
  if (bytes == 0) return;
  if (BATON_UNLIKELY(platform::memory_kinds.any()) && !is_host &&
      move_foreign(type, place, position, from, bytes, /*packs=*/false))
    return;
  if (type.contiguous)
    platform::copy_run(place + position, from, static_cast<std::size_t>(bytes));
  else
    walks.unpack(type.shape, type.extent, place, position, from, bytes);
}

namespace {

// Copies between two buffers with gaps of which one lies in foreign memory: in long steps, since
// each is waited for. Returns false, with nothing done, where none does, or without memory.
bool copy_foreign_gaps(const Datatype& from_type, const void* from, const Datatype& to_type,
                       void* to, std::int64_t bytes) {
  constexpr std::int64_t bounce_bytes = 1 << 20;  // guess
  if (!kind_of(from_type, from) && !kind_of(to_type, to)) return false;
  void* bounce = std::malloc(static_cast<std::size_t>(std::min(bytes, bounce_bytes)));
  if (!bounce) return false;
  for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
    const std::int64_t step = std::min(bounce_bytes, bytes - done);
    pack(from_type, from, done, bounce, step);
    unpack(to_type, to, done, bounce, step);
  }
  std::free(bounce);
  return true;
}

}  // namespace

void copy(const Datatype& from_type, const void* from, const Datatype& to_type, void* to,
          std::int64_t bytes, bool is_host) {
  if (from_type.contiguous) return unpack(to_type, to, 0, from, bytes, is_host);
  if (to_type.contiguous) return pack(from_type, from, 0, to, bytes, is_host);
  if (BATON_UNLIKELY(platform::memory_kinds.any()) && !is_host &&
      copy_foreign_gaps(from_type, from, to_type, to, bytes))
    return;
  // Neither buffer is one run, so data goes through a bounce buffer that stays in cache.
  constexpr std::int64_t bounce_bytes = 4096;
  char bounce[bounce_bytes];
  for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
    std::int64_t step = std::min(bounce_bytes, bytes - done);
    pack(from_type, from, done, bounce, step, is_host);
    unpack(to_type, to, done, bounce, step, is_host);
  }
}

void pack_shape(const Shape* shape, const char* origin, std::int64_t position, char* packed,
                std::int64_t bytes) {
  if (bytes) walks.pack(shape, 0, const_cast<char*>(origin), position, packed, bytes);
}

void unpack_shape(const Shape* shape, char* origin, std::int64_t position, const char* packed,
                  std::int64_t bytes) {
  if (bytes) walks.unpack(shape, 0, origin, position, const_cast<char*>(packed), bytes);
}

}  // namespace baton::datatype
