// These are the bodies of the procedures about sessions, and of what is made from them.
#pragma once

#include <cstdint>

#include "world/group.hpp"
#include "world/info.hpp"
#include "world/session.hpp"

namespace baton::api {

Error session_init(Info* info, ErrorHandler& errhandler, MPI_Session* session);
Error session_finalize(MPI_Session* session);
Error session_get_info(Session& session, MPI_Info* info_used);
Error session_get_num_psets(Session& session, Info* info, int* npset_names);
Error session_get_nth_pset(Session& session, Info* info, int n, int* pset_len, char* pset_name);
Error session_get_pset_info(Session& session, const char* pset_name, MPI_Info* info);
Error group_from_session_pset(Session& session, const char* pset_name, MPI_Group* group);
Error comm_create_from_group(Group& group, const char* stringtag, Info* info,
                             ErrorHandler& errhandler, MPI_Comm* comm);

Error session_create_errhandler(MPI_Session_errhandler_function* function,
                                MPI_Errhandler* errhandler);
Error session_set_errhandler(Session& session, ErrorHandler& errhandler);
Error session_get_errhandler(Session& session, MPI_Errhandler* errhandler);
Error session_call_errhandler(Session& session, int errorcode);

inline Error session_attach_buffer(Session& session, void* memory, std::int64_t bytes) {
  return session.buffer.attach(memory, bytes);
}
Error session_detach_buffer(Session& session, void* address, std::int64_t* bytes);
inline Error session_flush_buffer(Session& session) {
  return session.buffer.flush();
}
inline Error session_iflush_buffer(Session& session, MPI_Request* request) {
  return session.buffer.start_flush(nullptr, request);
}

}  // namespace baton::api
