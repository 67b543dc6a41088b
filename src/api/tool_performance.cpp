#include "api/tool.hpp"
#include "tool/interface/enumerations.hpp"
#include "tool/interface/measurements.hpp"
#include "tool/interface/state.hpp"

namespace baton::api {

namespace {

void give(int* out, int value) {
  if (out) *out = value;
}

}  // namespace

int t_pvar_get_num(int* num_pvar) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!num_pvar) return MPI_T_ERR_INVALID;
  *num_pvar = tool::performance_variable_count();
  return MPI_SUCCESS;
}

int t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* readonly, int* continuous, int* atomic) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::PerformanceVariable* found = tool::find_performance_variable(pvar_index);
  if (!found) return MPI_T_ERR_INVALID_INDEX;
  tool::give_text(found->name, name, name_len);
  give(verbosity, MPI_T_VERBOSITY_USER_DETAIL);
  give(var_class, found->var_class);
  if (datatype) *datatype = found->datatype();
  const bool is_state = found->var_class == MPI_T_PVAR_CLASS_STATE;
  if (enumtype) *enumtype = is_state ? tool::enumeration_of_phases() : MPI_T_ENUM_NULL;
  tool::Description description;
  tool::describe(*found, description);
  tool::give_text(description.text(), desc, desc_len);
  give(bind, found->bind);
  give(readonly, found->is_continuous());
  give(continuous, found->is_continuous());
  give(atomic, !found->is_continuous());
  return MPI_SUCCESS;
}

int t_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!name || !pvar_index) return MPI_T_ERR_INVALID;
  const int index = tool::index_of_performance_variable(name, var_class);
  if (index < 0) return MPI_T_ERR_INVALID_NAME;
  *pvar_index = index;
  return MPI_SUCCESS;
}

int t_pvar_session_create(MPI_T_pvar_session* pe_session) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return pe_session ? tool::make_session(pe_session) : MPI_T_ERR_INVALID;
}

int t_pvar_session_free(MPI_T_pvar_session* pe_session) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!pe_session) return MPI_T_ERR_INVALID;
  if (int error = tool::free_session(*pe_session)) return error;
  *pe_session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int t_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void* obj_handle,
                        MPI_T_pvar_handle* handle, int* count) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  const tool::PerformanceVariable* found = tool::find_performance_variable(pvar_index);
  if (!found) return MPI_T_ERR_INVALID_INDEX;
  if (!handle || !count) return MPI_T_ERR_INVALID;
  return tool::make_measurement(pe_session, *found, obj_handle, handle, count);
}

int t_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle* handle) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!handle) return MPI_T_ERR_INVALID;
  if (int error = tool::free_measurement(pe_session, *handle)) return error;
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return tool::start(pe_session, handle);
}

int t_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return tool::stop(pe_session, handle);
}

int t_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return buf ? tool::read(pe_session, handle, buf) : MPI_T_ERR_INVALID;
}

int t_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void* buf) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return buf ? tool::write(pe_session, handle, buf) : MPI_T_ERR_INVALID;
}

int t_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return tool::reset(pe_session, handle);
}

int t_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;
  return buf ? tool::read_and_reset(pe_session, handle, buf) : MPI_T_ERR_INVALID;
}

}  // namespace baton::api
