// Control variables are the settings (base/settings_table.hpp), with the same names and order.
// Those that are flags or words are MPI_INT with an enumeration, all others MPI_COUNT.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/settings.hpp"
#include "tool/interface/text.hpp"

namespace baton::tool {

// Returns the setting with a number; null: there is none.
const SettingRow* find_control_variable(int index);
// Returns the number of the setting of a name; -1: there is none.
int index_of_control_variable(const char* name);

MPI_Datatype datatype_of(const SettingRow& row);
int scope_of(const SettingRow& row);
int verbosity_of(const SettingRow& row);
// Describes a setting, also when it may be changed.
void describe(const SettingRow& row, Description& description);

// These make, find and free handles; null: memory is short, or there is no such handle.
MPI_T_cvar_handle make_control_handle(const SettingRow& row);
const SettingRow* find_control_handle(MPI_T_cvar_handle handle);
bool free_control_handle(MPI_T_cvar_handle handle);
void free_control_handles();

// Reads the present value into the caller's MPI_INT or MPI_COUNT.
void read_value(const SettingRow& row, void* value);
// Writes it, and makes it take effect. Returns MPI_SUCCESS, MPI_T_ERR_INVALID for a value out of
// range, MPI_T_ERR_CVAR_SET_NEVER, or MPI_T_ERR_NOT_ACCESSIBLE from within a callback of an event.
int write_value(const SettingRow& row, const void* value);

}  // namespace baton::tool
