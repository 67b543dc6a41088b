#include <algorithm>
#include <cstring>

#include "api/tool.hpp"
#include "platform/clock.hpp"
#include "tool/interface/enumerations.hpp"
#include "tool/interface/registrations.hpp"
#include "tool/interface/state.hpp"
#include "tool/interface/text.hpp"
#include "world/info.hpp"

namespace baton::api {

namespace {

constexpr int bind_of(EventObject object) {
  switch (object) {
    case EventObject::none:
      return MPI_T_BIND_NO_OBJECT;
    case EventObject::communicator:
      return MPI_T_BIND_MPI_COMM;
    case EventObject::window:
      return MPI_T_BIND_MPI_WIN;
    case EventObject::file:
      return MPI_T_BIND_MPI_FILE;
  }
  __builtin_unreachable();
}

// Gives an info without keys: there are no hints. Null: nobody wants it.
int give_no_hints(MPI_Info* info) {
  if (!info) return MPI_SUCCESS;
  Info* made = nullptr;
  if (create_info(&made) != MPI_SUCCESS) return MPI_T_ERR_MEMORY;
  *info = made->handle;
  return MPI_SUCCESS;
}

// Checks an info whose hints are all ignored.
int check_hints(MPI_Info info) {
  return info == MPI_INFO_NULL || infos.find(info) ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

int check_registration(MPI_T_event_registration registration) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return tool::is_registration(registration) ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

// Checks that a registration has a callback for a level.
int check_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety) {
  if (int error = check_registration(registration)) return error;
  const bool there = tool::place_of(safety) >= 0 && tool::has_callback(registration, safety);
  return there ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

int check_source(int index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return index >= 0 && index < tool::source_count ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

// ---- the data of an event, as it lies in a buffer

int bytes_of(const EventElement& element) {
  return element.wide ? sizeof(MPI_Count) : sizeof(int);
}

int displacement_of(const EventRow& row, int element) {
  int bytes = 0;
  for (int i = 0; i < element; ++i) bytes += bytes_of(row.elements[i]);
  return bytes;
}

void give_element(const tool::EventInstance& instance, int element, void* buffer) {
  const EventRow& row = event_rows[static_cast<int>(instance.event)];
  const std::int64_t value = instance.values[element];
  const int narrow = static_cast<int>(value);
  if (row.elements[element].wide)
    std::memcpy(buffer, &value, sizeof value);
  else
    std::memcpy(buffer, &narrow, sizeof narrow);
}

void give_elements(const EventRow& row, MPI_Datatype* datatypes, MPI_Aint* displacements,
                   int* count) {
  if (!count) return;
  const int given = std::min(row.element_count(), std::max(*count, 0));
  for (int i = 0; i < given; ++i) {
    if (datatypes) datatypes[i] = row.elements[i].wide ? MPI_COUNT : MPI_INT;
    if (displacements) displacements[i] = displacement_of(row, i);
  }
  *count = row.element_count();
}

}  // namespace

int t_source_get_num(int* num_sources) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!num_sources) return MPI_T_ERR_INVALID;
  *num_sources = tool::source_count;
  return MPI_SUCCESS;
}

int t_source_get_info(int source_index, char* name, int* name_len, char* desc, int* desc_len,
                      MPI_T_source_order* ordering, MPI_Count* ticks_per_second,
                      MPI_Count* max_ticks, MPI_Info* info) {
  if (int error = check_source(source_index)) return error;
  tool::give_text("rank", name, name_len);
  tool::give_text(
      "this rank. Times are those of the clock of MPI_Wtime, in nanoseconds. Below "
      "MPI_THREAD_MULTIPLE events come in the order of their times",
      desc, desc_len);
  if (ordering) *ordering = MPI_T_SOURCE_UNORDERED;
  if (ticks_per_second) *ticks_per_second = 1000000000;
  if (max_ticks) *max_ticks = INT64_MAX;
  return give_no_hints(info);
}

int t_source_get_timestamp(int source_index, MPI_Count* timestamp) {
  if (int error = check_source(source_index)) return error;
  if (!timestamp) return MPI_T_ERR_INVALID;
  *timestamp = platform::now_ns();
  return MPI_SUCCESS;
}

int t_event_get_num(int* num_events) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!num_events) return MPI_T_ERR_INVALID;
  *num_events = event_count;
  return MPI_SUCCESS;
}

int t_event_get_info(int event_index, char* name, int* name_len, int* verbosity,
                     MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                     int* num_elements, MPI_T_enum* enumtype, MPI_Info* info, char* desc,
                     int* desc_len, int* bind) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_index < 0 || event_index >= event_count) return MPI_T_ERR_INVALID_INDEX;
  const EventRow& row = event_rows[event_index];
  tool::give_text(row.name, name, name_len);
  if (verbosity) *verbosity = MPI_T_VERBOSITY_USER_DETAIL;
  give_elements(row, array_of_datatypes, array_of_displacements, num_elements);
  if (enumtype) *enumtype = tool::enumeration_of(static_cast<Event>(event_index));
  tool::Description description;
  tool::give_text(description.add_words(row.words).text(), desc, desc_len);
  if (bind) *bind = bind_of(row.object);
  return give_no_hints(info);
}

int t_event_get_index(const char* name, int* event_index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!name || !event_index) return MPI_T_ERR_INVALID;
  for (int index = 0; index < event_count; ++index)
    if (std::strcmp(event_rows[index].name, name) == 0) {
      *event_index = index;
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

int t_event_handle_alloc(int event_index, void* obj_handle, MPI_Info info,
                         MPI_T_event_registration* event_registration) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_index < 0 || event_index >= event_count) return MPI_T_ERR_INVALID_INDEX;
  if (!event_registration) return MPI_T_ERR_INVALID;
  if (int error = check_hints(info)) return error;
  return tool::make_registration(static_cast<Event>(event_index), obj_handle, event_registration);
}

int t_event_handle_free(MPI_T_event_registration event_registration, void* user_data,
                        MPI_T_event_free_cb_function free_cb_function) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return tool::free_registration(event_registration, user_data, free_cb_function);
}

int t_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info) {
  if (int error = check_registration(event_registration)) return error;
  return check_hints(info);
}

int t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info* info_used) {
  if (int error = check_registration(event_registration)) return error;
  return info_used ? give_no_hints(info_used) : MPI_T_ERR_INVALID;
}

int t_event_register_callback(MPI_T_event_registration event_registration,
                              MPI_T_cb_safety cb_safety, MPI_Info info, void* user_data,
                              MPI_T_event_cb_function event_cb_function) {
  if (int error = check_registration(event_registration)) return error;
  if (tool::place_of(cb_safety) < 0) return MPI_T_ERR_INVALID;
  if (int error = check_hints(info)) return error;
  return tool::set_callback(event_registration, cb_safety, user_data, event_cb_function);
}

int t_event_callback_set_info(MPI_T_event_registration event_registration,
                              MPI_T_cb_safety cb_safety, MPI_Info info) {
  if (int error = check_callback(event_registration, cb_safety)) return error;
  return check_hints(info);
}

int t_event_callback_get_info(MPI_T_event_registration event_registration,
                              MPI_T_cb_safety cb_safety, MPI_Info* info_used) {
  if (int error = check_callback(event_registration, cb_safety)) return error;
  return info_used ? give_no_hints(info_used) : MPI_T_ERR_INVALID;
}

int t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                MPI_T_event_dropped_cb_function dropped_cb_function) {
  if (int error = check_registration(event_registration)) return error;
  return tool::set_dropped_handler(event_registration, dropped_cb_function);
}

int t_event_read(MPI_T_event_instance event_instance, int element_index, void* buffer) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::EventInstance* found = tool::find_instance(event_instance);
  if (!found) return MPI_T_ERR_INVALID_HANDLE;
  if (element_index < 0 ||
      element_index >= event_rows[static_cast<int>(found->event)].element_count())
    return MPI_T_ERR_INVALID_INDEX;
  if (!buffer) return MPI_T_ERR_INVALID;
  give_element(*found, element_index, buffer);
  return MPI_SUCCESS;
}

int t_event_copy(MPI_T_event_instance event_instance, void* buffer) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::EventInstance* found = tool::find_instance(event_instance);
  if (!found) return MPI_T_ERR_INVALID_HANDLE;
  if (!buffer) return MPI_T_ERR_INVALID;
  const EventRow& row = event_rows[static_cast<int>(found->event)];
  for (int i = 0; i < row.element_count(); ++i)
    give_element(*found, i, static_cast<char*>(buffer) + displacement_of(row, i));
  return MPI_SUCCESS;
}

int t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count* event_timestamp) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::EventInstance* found = tool::find_instance(event_instance);
  if (!found) return MPI_T_ERR_INVALID_HANDLE;
  if (!event_timestamp) return MPI_T_ERR_INVALID;
  *event_timestamp = found->time_ns;
  return MPI_SUCCESS;
}

int t_event_get_source(MPI_T_event_instance event_instance, int* source_index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!tool::find_instance(event_instance)) return MPI_T_ERR_INVALID_HANDLE;
  if (!source_index) return MPI_T_ERR_INVALID;
  *source_index = 0;
  return MPI_SUCCESS;
}

}  // namespace baton::api
