#include "tool/interface/enumerations.hpp"

#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/distance.hpp"
#include "base/order.hpp"

namespace baton::tool {

namespace {

constexpr const char* flag_words[] = {"off", "on"};
constexpr const char* phase_words[] = {"before_init", "running", "finalized"};

template <const auto& words>
const char* word(const Enumeration&, int index) {
  return words[index];
}
const char* element_name(const Enumeration& self, int index) {
  return self.event->elements[index].name;
}

enum Place { flag, order, near_ranks, phase, first_of_events };

constexpr Enumeration enumerations[] = {
    {"flag", std::size(flag_words), word<flag_words>, nullptr},
    {"order", std::size(order_words), word<order_words>, nullptr},
    {"near_ranks", std::size(near_ranks_words), word<near_ranks_words>, nullptr},
    {"library_phase", std::size(phase_words), word<phase_words>, nullptr},
#define BATON_ENUMERATION(name, part, object, elements, words)                                 \
  {#name "_elements", event_rows[static_cast<int>(Event::name)].element_count(), element_name, \
   &event_rows[static_cast<int>(Event::name)]},
    BATON_EVENTS(BATON_ENUMERATION)
#undef BATON_ENUMERATION
};
static_assert(std::size(enumerations) == first_of_events + event_count);

MPI_T_enum handle_of(int place) {
  return reinterpret_cast<MPI_T_enum>(const_cast<Enumeration*>(&enumerations[place]));
}

}  // namespace

const Enumeration* find_enumeration(MPI_T_enum handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  const auto first = reinterpret_cast<std::uintptr_t>(enumerations);
  if (bits < first || bits >= first + sizeof enumerations) return nullptr;
  if ((bits - first) % sizeof(Enumeration) != 0) return nullptr;
  return &enumerations[(bits - first) / sizeof(Enumeration)];
}

MPI_T_enum enumeration_of(const SettingRow& row) {
  if (row.field == &Settings::order) return handle_of(order);
  if (row.field == &Settings::near_ranks) return handle_of(near_ranks);
  return std::strcmp(row.type, "flag") == 0 ? handle_of(flag) : MPI_T_ENUM_NULL;
}

MPI_T_enum enumeration_of_phases() {
  return handle_of(phase);
}

MPI_T_enum enumeration_of(Event event) {
  return handle_of(first_of_events + static_cast<int>(event));
}

}  // namespace baton::tool
