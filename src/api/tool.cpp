#include "api/tool.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "file/file.hpp"
#include "tool/interface/categories.hpp"
#include "tool/interface/control_variables.hpp"
#include "tool/interface/enumerations.hpp"
#include "tool/interface/lifetime.hpp"
#include "tool/interface/performance_variables.hpp"
#include "tool/interface/state.hpp"
#include "window/count.hpp"
#include "world/library_state.hpp"

namespace baton::api {

namespace {

using tool::give_text;

// ---- objects of the layer that tool/ is on

const WindowCounts* window_counts(MPI_Win win) {
  const Window* window = window::windows.find(win);
  return window && library_is_usable() ? window->counts : nullptr;
}

bool watch_window(MPI_Win win, bool watches) {
  Window* window = library_is_usable() ? window::windows.find(win) : nullptr;
  if (!window) return false;
  if (watches) return window::watch(*window) != nullptr;
  window::unwatch(*window);
  return true;
}

bool is_window(MPI_Win win) {
  return library_is_usable() && window::windows.find(win) != nullptr;
}

const FileCounts* file_counts(MPI_File file) {
  const File* found = file::files.find(file);
  return found && library_is_usable() ? &found->counts : nullptr;
}

constexpr tool::ObjectFinder objects{window_counts, watch_window, is_window, file_counts};

// Returns the error of a part's number, or MPI_SUCCESS.
int check_part(int index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return index >= 0 && index < part_count ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

// Gives the members of a part that `members_of` finds.
int give_members(int (*members_of)(Part part, int space, int* indices), int index, int len,
                 int* indices) {
  if (int error = check_part(index)) return error;
  if (len < 0 || (len > 0 && !indices)) return MPI_T_ERR_INVALID;
  (void)members_of(static_cast<Part>(index), len, indices);
  return MPI_SUCCESS;
}

void give(int* out, int value) {
  if (out) *out = value;
}

}  // namespace

int t_init_thread(int required, int* provided) {
  constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                            MPI_THREAD_MULTIPLE};
  if (!provided || std::ranges::find(levels, required) == std::end(levels))
    return MPI_T_ERR_INVALID;
  tool::initialize(objects);
  *provided = required;  // all procedures are safe at every level
  return MPI_SUCCESS;
}

int t_finalize() {
  return tool::finalize();
}

int t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::Enumeration* found = tool::find_enumeration(enumtype);
  if (!found) return MPI_T_ERR_INVALID_HANDLE;
  give(num, found->count);
  give_text(found->name, name, name_len);
  return MPI_SUCCESS;
}

int t_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::Enumeration* found = tool::find_enumeration(enumtype);
  if (!found) return MPI_T_ERR_INVALID_HANDLE;
  if (index < 0 || index >= found->count) return MPI_T_ERR_INVALID_INDEX;
  give(value, index);
  give_text(found->item(*found, index), name, name_len);
  return MPI_SUCCESS;
}

int t_cvar_get_num(int* num_cvar) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!num_cvar) return MPI_T_ERR_INVALID;
  *num_cvar = static_cast<int>(setting_rows().size());
  return MPI_SUCCESS;
}

int t_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* scope) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const SettingRow* row = tool::find_control_variable(cvar_index);
  if (!row) return MPI_T_ERR_INVALID_INDEX;
  give_text(row->name, name, name_len);
  give(verbosity, tool::verbosity_of(*row));
  if (datatype) *datatype = tool::datatype_of(*row);
  if (enumtype) *enumtype = tool::enumeration_of(*row);
  tool::Description description;
  tool::describe(*row, description);
  give_text(description.text(), desc, desc_len);
  give(bind, MPI_T_BIND_NO_OBJECT);
  give(scope, tool::scope_of(*row));
  return MPI_SUCCESS;
}

int t_cvar_get_index(const char* name, int* cvar_index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!name || !cvar_index) return MPI_T_ERR_INVALID;
  const int index = tool::index_of_control_variable(name);
  if (index < 0) return MPI_T_ERR_INVALID_NAME;
  *cvar_index = index;
  return MPI_SUCCESS;
}

int t_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const SettingRow* row = tool::find_control_variable(cvar_index);
  if (!row) return MPI_T_ERR_INVALID_INDEX;
  if (!handle || !count) return MPI_T_ERR_INVALID;
  const MPI_T_cvar_handle made = tool::make_control_handle(*row);
  if (!made) return MPI_T_ERR_OUT_OF_HANDLES;
  *handle = made;
  *count = 1;
  return MPI_SUCCESS;
}

int t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!handle) return MPI_T_ERR_INVALID;
  if (!tool::free_control_handle(*handle)) return MPI_T_ERR_INVALID_HANDLE;
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const SettingRow* row = tool::find_control_handle(handle);
  if (!row) return MPI_T_ERR_INVALID_HANDLE;
  if (!buf) return MPI_T_ERR_INVALID;
  tool::read_value(*row, buf);
  return MPI_SUCCESS;
}

int t_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const SettingRow* row = tool::find_control_handle(handle);
  if (!row) return MPI_T_ERR_INVALID_HANDLE;
  return buf ? tool::write_value(*row, buf) : MPI_T_ERR_INVALID;
}

// The categories do not change while the process runs.
int t_category_changed(int* update_number) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!update_number) return MPI_T_ERR_INVALID;
  *update_number = 0;
  return MPI_SUCCESS;
}

int t_category_get_num(int* num_cat) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!num_cat) return MPI_T_ERR_INVALID;
  *num_cat = part_count;
  return MPI_SUCCESS;
}

int t_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                        int* num_cvars, int* num_pvars, int* num_categories) {
  if (int error = check_part(cat_index)) return error;
  const auto part = static_cast<Part>(cat_index);
  give_text(part_rows[cat_index].name, name, name_len);
  give_text(part_rows[cat_index].words, desc, desc_len);
  give(num_cvars, tool::control_variables_of(part, 0, nullptr));
  give(num_pvars, tool::performance_variables_of(part, 0, nullptr));
  give(num_categories, tool::parts_of(part, 0, nullptr));
  return MPI_SUCCESS;
}

int t_category_get_num_events(int cat_index, int* num_events) {
  if (int error = check_part(cat_index)) return error;
  if (!num_events) return MPI_T_ERR_INVALID;
  *num_events = tool::events_of(static_cast<Part>(cat_index), 0, nullptr);
  return MPI_SUCCESS;
}

int t_category_get_index(const char* name, int* cat_index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!name || !cat_index) return MPI_T_ERR_INVALID;
  for (int index = 0; index < part_count; ++index)
    if (std::strcmp(part_rows[index].name, name) == 0) {
      *cat_index = index;
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

int t_category_get_cvars(int cat_index, int len, int indices[]) {
  return give_members(tool::control_variables_of, cat_index, len, indices);
}

int t_category_get_pvars(int cat_index, int len, int indices[]) {
  return give_members(tool::performance_variables_of, cat_index, len, indices);
}

int t_category_get_events(int cat_index, int len, int indices[]) {
  return give_members(tool::events_of, cat_index, len, indices);
}

int t_category_get_categories(int cat_index, int len, int indices[]) {
  return give_members(tool::parts_of, cat_index, len, indices);
}

}  // namespace baton::api
