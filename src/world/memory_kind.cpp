#include "world/memory_kind.hpp"

#include <mpi.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "platform/device/device_memory.hpp"

namespace baton::world {

namespace {

// Lists that are kept for ever. Programs use few different lists, so each is kept once.
class KeptLists {
 public:
  const char* keep(const char* text) {
    std::lock_guard guard(lock_);
    for (Kept* kept = first_; kept; kept = kept->next)
      if (std::strcmp(kept->text, text) == 0) return kept->text;
    auto* made = static_cast<Kept*>(std::malloc(sizeof(Kept) + std::strlen(text)));
    if (!made) return nullptr;
    made->next = first_;
    std::strcpy(made->text, text);
    first_ = made;
    return made->text;
  }

 private:
  struct Kept {
    Kept* next;
    char text[1];
  };
  Kept* first_ = nullptr;
  std::mutex lock_;
};
constinit KeptLists kept_lists;

// Cuts off the text before the next separator.
std::string_view cut(std::string_view& rest, char separator) {
  std::size_t length = rest.find(separator);
  std::string_view first = rest.substr(0, length);
  rest = length == rest.npos ? std::string_view() : rest.substr(length + 1);
  return first;
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool has(std::string_view list, std::string_view kind) {
  while (!list.empty())
    if (same(cut(list, ','), kind)) return true;
  return false;
}

// Returns whether a kind, such as "mpi" or "cuda", may be restricted by a word.
bool may_be_restricted(std::string_view kind, std::string_view by) {
  if (same(kind, "cuda")) return same(by, "device") || same(by, "managed") || same(by, "host");
  return same(by, "alloc_mem") || same(by, "win_allocate") || same(by, "win_allocate_shared");
}

// Returns whether a kind with its restrictors, such as "mpi:alloc_mem", is supported.
bool is_supported(std::string_view kind) {
  std::string_view rest = kind, name = cut(rest, ':');
  if (same(name, "system")) return name.size() == kind.size();
  const bool is_known =
      same(name, "mpi") || (same(name, "cuda") && platform::device_memory.may_be_used());
  if (!is_known || kind.ends_with(':')) return false;
  while (!rest.empty()) {
    std::string_view part = cut(rest, ':');
    if (!may_be_restricted(name, part)) return false;
    for (std::string_view later = rest; !later.empty();)
      if (same(cut(later, ':'), part)) return false;
  }
  return true;
}

}  // namespace

const char* memory_kinds_with(const char* requested) {
  char list[MPI_MAX_INFO_VAL];
  std::size_t length = sizeof all_memory_kinds - 1;
  std::memcpy(list, all_memory_kinds, sizeof all_memory_kinds);
  std::string_view rest = requested;
  while (!rest.empty()) {
    std::string_view kind = cut(rest, ',');
    if (!is_supported(kind) || has({list, length}, kind)) continue;
    if (length + 1 + kind.size() >= sizeof list) break;
    list[length] = ',';
    std::memcpy(list + length + 1, kind.data(), kind.size());
    length += 1 + kind.size();
    list[length] = 0;
  }
  const char* kept = kept_lists.keep(list);
  return kept ? kept : all_memory_kinds;
}

const char* keep_asserted_kinds(const char* asserted) {
  std::string_view rest = asserted;
  if (rest.ends_with(',')) return nullptr;
  while (!rest.empty()) {
    std::string_view kind = cut(rest, ',');
    if (!is_supported(kind) || has(rest, kind)) return nullptr;
  }
  return kept_lists.keep(asserted);
}

bool are_host_kinds(const char* kinds) {
  for (std::string_view rest = kinds; !rest.empty();) {
    std::string_view restrictors = cut(rest, ',');
    if (!same(cut(restrictors, ':'), "cuda")) continue;
    if (!same(restrictors, "host")) return false;
  }
  return true;
}

}  // namespace baton::world
