#include "tool/interface/control_variables.hpp"

#include <atomic>
#include <cstring>

#include "base/handle_table.hpp"
#include "message/core/wait.hpp"
#include "tool/interface/enumerations.hpp"
#include "tool/interface/registrations.hpp"
#include "transport/node.hpp"

namespace baton::tool {

namespace {

constinit HandleTable<const SettingRow, HandleTag::control_variable> handles;

bool is_int(const SettingRow& row) {
  return enumeration_of(row) != MPI_T_ENUM_NULL;
}

// Returns MPI_SUCCESS if a setting may be changed now. What is read at start only is fixed from the
// first MPI_Init on.
int check_change(const SettingRow& row) {
  switch (row.change) {
    case SettingChange::launch:
      return MPI_T_ERR_CVAR_SET_NEVER;
    case SettingChange::start:
    case SettingChange::start_alike:
      return transport::is_attached() ? MPI_T_ERR_CVAR_SET_NEVER : MPI_SUCCESS;
    case SettingChange::live:
      // Callbacks may run with locks of messages held.
      return is_in_callback() ? MPI_T_ERR_NOT_ACCESSIBLE : MPI_SUCCESS;
  }
  __builtin_unreachable();
}

}  // namespace

const SettingRow* find_control_variable(int index) {
  const auto rows = setting_rows();
  return index >= 0 && static_cast<std::size_t>(index) < rows.size()
             ? &rows[static_cast<std::size_t>(index)]
             : nullptr;
}

int index_of_control_variable(const char* name) {
  int index = 0;
  for (const SettingRow& row : setting_rows()) {
    if (std::strcmp(row.name, name) == 0) return index;
    ++index;
  }
  return -1;
}

MPI_Datatype datatype_of(const SettingRow& row) {
  return is_int(row) ? MPI_INT : MPI_COUNT;
}

int scope_of(const SettingRow& row) {
  if (row.change == SettingChange::launch) return MPI_T_SCOPE_CONSTANT;
  return row.change == SettingChange::start_alike ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

int verbosity_of(const SettingRow& row) {
  return row.for_users ? MPI_T_VERBOSITY_USER_BASIC : MPI_T_VERBOSITY_TUNER_DETAIL;
}

void describe(const SettingRow& row, Description& description) {
  constexpr const char* words[] = {
      ". It is fixed when the job starts",
      ". It can be changed until MPI is initialized for the first time",
      ". It can be changed until MPI is initialized for the first time, by all ranks alike",
      ". It can be changed at any time, for what is begun from then on"};
  description.add(row.why).add(words[static_cast<int>(row.change)]);
}

MPI_T_cvar_handle make_control_handle(const SettingRow& row) {
  return handles.add(&row);
}

const SettingRow* find_control_handle(MPI_T_cvar_handle handle) {
  return handles.find(handle);
}

bool free_control_handle(MPI_T_cvar_handle handle) {
  return handles.remove(handle) != nullptr;
}

void free_control_handles() {
  handles.for_each([](MPI_T_cvar_handle handle, const SettingRow*) { handles.remove(handle); });
}

void read_value(const SettingRow& row, void* value) {
  // relaxed: another thread may be writing it; either value will do.
  const std::int64_t now = std::atomic_ref(settings.*row.field).load(std::memory_order_relaxed);
  if (is_int(row))
    *static_cast<int*>(value) = static_cast<int>(now);
  else
    *static_cast<MPI_Count*>(value) = now;
}

int write_value(const SettingRow& row, const void* value) {
  if (int refused = check_change(row)) return refused;
  const std::int64_t wanted =
      is_int(row) ? *static_cast<const int*>(value) : *static_cast<const MPI_Count*>(value);
  if (!write_setting(row, wanted)) return MPI_T_ERR_INVALID;
  if (transport::is_attached()) message::settings_changed();
  return MPI_SUCCESS;
}

}  // namespace baton::tool
