// These are the bodies of the procedures about communicators.
#pragma once

#include "world/communicator.hpp"
#include "world/info.hpp"

namespace baton::api {

Error comm_size(Communicator& comm, int* size);
Error comm_rank(Communicator& comm, int* rank);
Error comm_remote_size(Communicator& comm, int* size);
Error comm_test_inter(Communicator& comm, int* flag);
Error comm_group(Communicator& comm, MPI_Group* group);
Error comm_remote_group(Communicator& comm, MPI_Group* group);
Error comm_compare(Communicator& first, Communicator& second, int* result);

Error comm_dup(Communicator& comm, MPI_Comm* made);
Error comm_dup_with_info(Communicator& comm, const Info* info, MPI_Comm* made);
Error comm_idup(Communicator& comm, MPI_Comm* made, MPI_Request* request);
Error comm_idup_with_info(Communicator& comm, const Info* info, MPI_Comm* made,
                          MPI_Request* request);
Error comm_split(Communicator& comm, int color, int key, MPI_Comm* made);
Error comm_split_type(Communicator& comm, int type, int key, Info* info, MPI_Comm* made);
Error comm_create(Communicator& comm, Group& group, MPI_Comm* made);
Error comm_create_group(Communicator& comm, Group& group, int tag, MPI_Comm* made);
Error comm_free(MPI_Comm* comm);
Error comm_disconnect(MPI_Comm* comm);

// These are in intercommunicator.cpp. `peer` and `remote` count at the local leader only, so they
// are unchecked handles.
Error intercomm_create(Communicator& local, int local_leader, MPI_Comm peer, int remote_leader,
                       int tag, MPI_Comm* made);
Error intercomm_create_from_groups(Group& local, int local_leader, MPI_Group remote,
                                   int remote_leader, const char* name, const Info* info,
                                   ErrorHandler& errors, MPI_Comm* made);
Error intercomm_merge(Communicator& comm, int high, MPI_Comm* made);

// Returns the hints of a communicator, defaults included.
Error comm_get_info(Communicator& comm, MPI_Info* info);
Error comm_set_info(Communicator& comm, const Info* info);

Error comm_set_name(Communicator& comm, const char* name);
// A null `comm` is MPI_COMM_NULL, which has a name, too.
Error comm_get_name(Communicator* comm, char* name, int* length);
Error abort(Communicator& comm, int code);

}  // namespace baton::api
