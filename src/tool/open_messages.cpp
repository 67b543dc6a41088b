#include "tool/open_messages.hpp"

#include <cstdlib>

#include "platform/lock.hpp"

namespace baton::tool {

namespace {

constexpr std::uint64_t removed = 1;  // no handle is so small

// The table has open addressing and is at most half full; removed entries count until it grows.
OpenMessage* table = nullptr;
std::uint64_t places = 0;
std::uint64_t used = 0;
platform::Lock lock;

OpenMessage& place_of(OpenMessage* among, std::uint64_t count, std::uint64_t key) {
  std::uint64_t place = (key * 0x9e3779b97f4a7c15ULL >> 32) & (count - 1);
  while (among[place].key != 0 && among[place].key != key) place = (place + 1) & (count - 1);
  return among[place];
}

bool make_space() {
  if (2 * (used + 1) <= places) return true;
  std::uint64_t live = 0;
  for (std::uint64_t i = 0; i < places; ++i) live += table[i].key > removed;
  std::uint64_t wanted = 64;
  while (wanted < 4 * (live + 1)) wanted *= 2;
  auto* made = static_cast<OpenMessage*>(std::calloc(wanted, sizeof(OpenMessage)));
  if (!made) return false;
  for (std::uint64_t i = 0; i < places; ++i)
    if (table[i].key > removed) place_of(made, wanted, table[i].key) = table[i];
  std::free(table);
  table = made;
  places = wanted;
  used = live;
  return true;
}

}  // namespace

void keep(const OpenMessage& message) {
  platform::Guard guard(lock);
  if (!make_space()) return;
  OpenMessage& place = place_of(table, places, message.key);
  used += place.key == 0;
  const bool is_new = place.key != message.key;
  place = message;
  if (is_new) retain(*message.comm);
}

bool look_up(std::uint64_t key, OpenMessage* message) {
  platform::Guard guard(lock);
  if (places == 0 || key <= removed) return false;
  const OpenMessage& place = place_of(table, places, key);
  if (place.key != key) return false;
  *message = place;
  return true;
}

void drop(std::uint64_t key) {
  platform::Guard guard(lock);
  if (places == 0 || key <= removed) return;
  OpenMessage& place = place_of(table, places, key);
  if (place.key != key) return;
  place.key = removed;
  release(*place.comm);
}

}  // namespace baton::tool
