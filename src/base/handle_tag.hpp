// The kinds of handles: each has a tag, its C type, and the ABI's predefined values.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace baton {

enum class HandleTag : std::uint32_t {
  comm = 1,
  datatype,
  group,
  request,
  op,
  info,
  errhandler,
  session,
  message,
  win,
  file,
  // These are of the tool interface, and there before MPI_Init.
  control_variable,
  performance_variable,
  performance_session,
  event_registration,
};

// Gives the handle's C type, and the ABI's predefined values: the first, and how many.
template <HandleTag tag>
struct HandleTraits;

#define BATON_HANDLE_TRAITS(tag, type, first, count)         \
  template <>                                                \
  struct HandleTraits<HandleTag::tag> {                      \
    using Handle = type;                                     \
    static constexpr std::uint64_t predefined_first = first; \
    static constexpr std::uint64_t predefined_count = count; \
  }
BATON_HANDLE_TRAITS(op, MPI_Op, 0x20, 0x20);
BATON_HANDLE_TRAITS(comm, MPI_Comm, 0x100, 8);
BATON_HANDLE_TRAITS(group, MPI_Group, 0x108, 8);
BATON_HANDLE_TRAITS(win, MPI_Win, 0x110, 8);
BATON_HANDLE_TRAITS(file, MPI_File, 0x118, 8);
BATON_HANDLE_TRAITS(session, MPI_Session, 0x120, 8);
BATON_HANDLE_TRAITS(message, MPI_Message, 0x128, 8);
BATON_HANDLE_TRAITS(info, MPI_Info, 0x130, 8);
BATON_HANDLE_TRAITS(errhandler, MPI_Errhandler, 0x140, 8);
BATON_HANDLE_TRAITS(request, MPI_Request, 0x180, 8);
BATON_HANDLE_TRAITS(datatype, MPI_Datatype, 0x200, 0x100);
BATON_HANDLE_TRAITS(control_variable, MPI_T_cvar_handle, 0, 1);
BATON_HANDLE_TRAITS(performance_variable, MPI_T_pvar_handle, 0, 1);
BATON_HANDLE_TRAITS(performance_session, MPI_T_pvar_session, 0, 1);
BATON_HANDLE_TRAITS(event_registration, MPI_T_event_registration, 0, 1);
#undef BATON_HANDLE_TRAITS

}  // namespace baton
