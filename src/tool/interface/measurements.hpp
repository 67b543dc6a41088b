// Performance variables as tools measure them: sessions, and in each the handles of variables. A
// handle has values of its own: what has been counted since it was started, between its starts and
// stops (MPI 5.0, "Performance Experiment Sessions"). The library's counters are never changed.
// Errors: the codes that the standard lists for the procedures of these names.
#pragma once

#include <mpi.h>

#include "tool/interface/performance_variables.hpp"

namespace baton::tool {

int make_session(MPI_T_pvar_session* session);
int free_session(MPI_T_pvar_session session);
void free_sessions();

// `object` points to the handle of the object that the variable is bound to.
int make_measurement(MPI_T_pvar_session session, const PerformanceVariable& variable,
                     const void* object, MPI_T_pvar_handle* handle, int* count);
int free_measurement(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
// In these, MPI_T_PVAR_ALL_HANDLES stands for all that can be started, stopped, or reset.
int start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* values);
int read_and_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* values);
int write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* values);

}  // namespace baton::tool
