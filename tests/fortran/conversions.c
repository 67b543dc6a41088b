/* The C side of conversions.f90. */
#include <mpi.h>
#include <string.h>

/* Each kind there and back. */
int handles_are_the_same(MPI_Fint comm, MPI_Fint type, MPI_Fint group, MPI_Fint request, MPI_Fint op, MPI_Fint info,
                         MPI_Fint errhandler, MPI_Fint window, MPI_Fint message, MPI_Fint session, MPI_Fint file) {
  int size = 0;
  MPI_Comm_size(MPI_Comm_f2c(comm), &size);
  return size > 0 && MPI_Comm_c2f(MPI_Comm_f2c(comm)) == comm && MPI_Type_c2f(MPI_Type_f2c(type)) == type &&
         MPI_Group_c2f(MPI_Group_f2c(group)) == group && MPI_Request_c2f(MPI_Request_f2c(request)) == request &&
         MPI_Op_c2f(MPI_Op_f2c(op)) == op && MPI_Info_c2f(MPI_Info_f2c(info)) == info &&
         MPI_Errhandler_c2f(MPI_Errhandler_f2c(errhandler)) == errhandler &&
         MPI_Win_c2f(MPI_Win_f2c(window)) == window && MPI_Message_c2f(MPI_Message_f2c(message)) == message &&
         MPI_Session_c2f(MPI_Session_f2c(session)) == session && MPI_File_c2f(MPI_File_f2c(file)) == file &&
         MPI_File_f2c(file) == MPI_FILE_NULL && MPI_Message_f2c(message) == MPI_MESSAGE_NO_PROC;
}

/* A status of Fortran's 2008 form through all the others, and back. */
int status_is_the_same(const MPI_F08_status *status, int source, int tag) {
  MPI_Status c;
  MPI_Fint old[MPI_F_STATUS_SIZE];
  MPI_F08_status again;
  int ints = 0;
  if (MPI_Status_f082c(status, &c) != MPI_SUCCESS || c.MPI_SOURCE != source || c.MPI_TAG != tag) return 0;
  MPI_Get_count(&c, MPI_INT, &ints);
  if (ints != 3 || MPI_Status_c2f(&c, old) != MPI_SUCCESS) return 0;
  if (old[MPI_F_SOURCE] != source || old[MPI_F_TAG] != tag) return 0;
  memset(&c, 0, sizeof c);
  if (MPI_Status_f2c(old, &c) != MPI_SUCCESS || MPI_Status_c2f08(&c, &again) != MPI_SUCCESS) return 0;
  if (memcmp(&again, status, sizeof again) != 0) return 0;
  memset(old, 0, sizeof old);
  memset(&again, 0, sizeof again);
  return MPI_Status_f082f(status, old) == MPI_SUCCESS && MPI_Status_f2f08(old, &again) == MPI_SUCCESS &&
         memcmp(&again, status, sizeof again) == 0;
}

/* 1: MPI_STATUS_IGNORE, 2: MPI_STATUSES_IGNORE, 0: a status. */
int which_ignored_(const MPI_Fint *status) {
  return status == MPI_F_STATUS_IGNORE ? 1 : status == MPI_F_STATUSES_IGNORE ? 2 : 0;
}

int which_ignored_f08(const MPI_F08_status *status) {
  return status == MPI_F08_STATUS_IGNORE ? 1 : status == MPI_F08_STATUSES_IGNORE ? 2 : 0;
}
