#include "tool/interface/categories.hpp"

#include "base/event.hpp"
#include "tool/interface/control_variables.hpp"
#include "tool/interface/performance_variables.hpp"

namespace baton::tool {

namespace {

// Gives those of `count` numbers for which is_member(number) is true.
template <class IsMember>
int give_members(int count, int space, int* indices, IsMember&& is_member) {
  int members = 0;
  for (int index = 0; index < count; ++index) {
    if (!is_member(index)) continue;
    if (members < space) indices[members] = index;
    ++members;
  }
  return members;
}

}  // namespace

int control_variables_of(Part part, int space, int* indices) {
  const auto rows = setting_rows();
  return give_members(static_cast<int>(rows.size()), space, indices,
                      [part](int index) { return find_control_variable(index)->part == part; });
}

int performance_variables_of(Part part, int space, int* indices) {
  return give_members(performance_variable_count(), space, indices,
                      [part](int index) { return find_performance_variable(index)->part == part; });
}

int events_of(Part part, int space, int* indices) {
  return give_members(event_count, space, indices,
                      [part](int index) { return event_rows[index].part == part; });
}

int parts_of(Part part, int space, int* indices) {
  return give_members(part_count, space, indices,
                      [part](int index) { return index > 0 && part_rows[index].above == part; });
}

}  // namespace baton::tool
