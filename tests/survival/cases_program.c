/* One case after the other of what fails and what goes on when a rank dies.
   Usage: cases_program CASE [BYTES]; the last rank dies, in some cases another one. */
#include <sys/stat.h>

#include "survival.h"

/* Whether the job goes on when ranks die. */
static int is_fault_tolerant(void) {
  int found = 0, *value = NULL;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &found) == MPI_SUCCESS && found);
  return *value;
}

/* Messages with the dead fail, those with others do not. */
static void point_to_point(void) {
  const int dead = size - 1;
  MPI_Status status;
  if (rank == dead) die();
  CHECK(class_of(MPI_Recv(buffer, bytes, MPI_BYTE, dead, 0, MPI_COMM_WORLD, &status)) ==
        MPIX_ERR_PROC_FAILED);
  CHECK(class_of(MPI_Send(buffer, bytes, MPI_BYTE, dead, 0, MPI_COMM_WORLD)) == MPIX_ERR_PROC_FAILED);
  CHECK(class_of(MPI_Ssend(buffer, bytes, MPI_BYTE, dead, 0, MPI_COMM_WORLD)) ==
        MPIX_ERR_PROC_FAILED);
  MPI_Request requests[2];
  MPI_Isend(buffer, bytes, MPI_BYTE, dead, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(buffer, bytes, MPI_BYTE, dead, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Status statuses[2];
  CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
  for (int i = 0; i < 2; ++i) CHECK(class_of(statuses[i].MPI_ERROR) == MPIX_ERR_PROC_FAILED);
  CHECK(class_of(MPI_Probe(dead, 0, MPI_COMM_WORLD, &status)) == MPIX_ERR_PROC_FAILED);
  /* Around the ring of those that live. */
  const int left = (rank + dead - 1) % dead, right = (rank + 1) % dead;
  char *incoming = malloc((size_t)bytes);
  for (int round = 0; round < 10; ++round) {
    memset(buffer, rank + round, (size_t)bytes);
    CHECK(MPI_Sendrecv(buffer, bytes, MPI_BYTE, right, 1, incoming, bytes, MPI_BYTE, left, 1,
                       MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(incoming[0] == (char)(left + round) && incoming[bytes - 1] == (char)(left + round));
  }
  free(incoming);
}

static int handled_class, handled_count;
static void note_class(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  handled_class = class_of(*code);
  ++handled_count;
}

/* The handler of the communicator is called with the error of a request, however many have failed. */
static void handler(void) {
  const int dead = size - 1;
  MPI_Comm comm;
  MPI_Errhandler its;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_create_errhandler(note_class, &its);
  MPI_Comm_set_errhandler(comm, its);
  be_last(comm, dead);
  if (rank == dead) die();
  for (int failing = 1; failing <= 3; ++failing) {
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int done, indices[3];
    for (int i = 0; i < 3; ++i)
      MPI_Irecv(buffer, 0, MPI_BYTE, i < failing ? dead : rank, i, comm, &requests[i]);
    for (int i = failing; i < 3; ++i) MPI_Send(NULL, 0, MPI_BYTE, rank, i, comm);
    if (failing < 3) {
      CHECK(MPI_Waitall(3, requests, statuses) == MPI_ERR_IN_STATUS);
    } else {
      await_failures(comm, 1);
      CHECK(MPI_Waitsome(3, requests, &done, indices, statuses) == MPI_ERR_IN_STATUS);
      CHECK(done >= 1);
    }
    CHECK(handled_class == MPIX_ERR_PROC_FAILED && handled_count == failing);
    CHECK(statuses[0].MPI_ERROR == MPIX_ERR_PROC_FAILED);
    if (failing < 3) CHECK(statuses[2].MPI_ERROR == MPI_SUCCESS);
  }
}

/* What a rank has sent before it dies arrives, where it had left. */
static void last_words(void) {
  const int dead = size - 1;
  if (rank == dead) {
    for (int i = 0; i < 20; ++i) {
      memset(buffer, i, (size_t)bytes);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    die();
  }
  if (rank) return;
  usleep(100000);
  for (int i = 0; i < 20; ++i) {
    CHECK(MPI_Recv(buffer, bytes, MPI_BYTE, dead, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(buffer[0] == (char)i && buffer[bytes - 1] == (char)i);
  }
  CHECK(class_of(MPI_Recv(buffer, bytes, MPI_BYTE, dead, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
        MPIX_ERR_PROC_FAILED);
}

/* A receive from any source is interrupted until the failure is acknowledged. */
static void any_source(void) {
  const int dead = size - 1;
  if (rank == dead) die();
  MPI_Status status;
  if (rank == 0) {
    MPI_Request request;
    CHECK(MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request) ==
          MPI_SUCCESS);
    CHECK(class_of(MPI_Wait(&request, &status)) == MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(request != MPI_REQUEST_NULL);
    int flag = 1;
    CHECK(class_of(MPI_Test(&request, &flag, &status)) == MPIX_ERR_PROC_FAILED_PENDING && !flag);
    CHECK(class_of(MPI_Recv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status)) ==
          MPIX_ERR_PROC_FAILED);
    int acknowledged = 0;
    CHECK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, size, &acknowledged) == MPI_SUCCESS);
    CHECK(acknowledged == 1);
    MPI_Group group;
    int failed = 0, failed_rank = -1, zero = 0;
    CHECK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &group) == MPI_SUCCESS);
    MPI_Group_size(group, &failed);
    CHECK(failed == 1);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, 1, &zero, world, &failed_rank);
    CHECK(failed_rank == dead);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    for (int other = 1; other < dead; ++other)
      MPI_Send(NULL, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    CHECK(buffer[0] == (char)status.MPI_SOURCE);
    for (int other = 2; other < dead; ++other)
      CHECK(MPI_Recv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  } else {
    CHECK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    memset(buffer, rank, (size_t)bytes);
    CHECK(MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
}

static int collective(int kind, MPI_Comm comm, char *in, char *out) {
  int ranks, error;
  MPI_Comm_size(comm, &ranks);
  const int count = (int)(bytes / 8 ? bytes / 8 : 1);
  MPI_Request request;
  switch (kind) {
    case 0: return MPI_Barrier(comm);
    case 1: return MPI_Bcast(in, count, MPI_DOUBLE, 0, comm);
    case 2: return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    case 3: return MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    case 4: return MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
    case 5: return MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
    case 6: return MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, comm);
    case 7: return MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, comm);
    case 8: return MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    case 9: return MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    case 10:
      error = MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm, &request);
      return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 11:
      error = MPI_Ibarrier(comm, &request);
      return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 12: {
      MPI_Comm copy;
      error = MPI_Comm_dup(comm, &copy);
      if (!error) MPI_Comm_free(&copy);
      return error;
    }
    default: return -1;
  }
}

/* Each collective after a death: somebody gets an error, and all return once one of them revokes.
   The one who dies has taken part in some of the same before, so that all is set up. */
static void collectives(void) {
  char *in = calloc((size_t)size, (size_t)bytes + 8), *out = calloc((size_t)size, (size_t)bytes + 8);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int kind = 0; collective(kind, comm, in, out) >= 0 && kind < 13; ++kind) {
    int ranks, own;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &own);
    if (ranks < 2) break;
    for (int i = 0; i < 3; ++i) CHECK(collective(kind, comm, in, out) == MPI_SUCCESS);
    be_last(comm, ranks / 2);
    if (own == ranks / 2) die();
    int error = MPI_SUCCESS;
    /* Whoever sees nothing of the death in one call sees it in one of the next, or is told. */
    while (!error) error = collective(kind, comm, in, out);
    CHECK(class_of(error) == MPIX_ERR_PROC_FAILED || class_of(error) == MPIX_ERR_REVOKED);
    CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
    MPI_Comm next;
    CHECK(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
    int left;
    MPI_Comm_size(next, &left);
    CHECK(left == ranks - 1);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    comm = next;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    double sum = 0, one = 1;
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS && sum == left);
  }
  MPI_Comm_free(&comm);
  free(in);
  free(out);
}

/* Revoking ends what others wait for, though nobody has died. */
static void revoke_all(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int flag = 1;
  CHECK(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && !flag);
  if (rank == size - 1) {
    usleep(50000);
    CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
  } else if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 3, comm, &request);
    CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    CHECK(request == MPI_REQUEST_NULL);
  } else if (rank == 1) {
    /* Nobody receives this. */
    CHECK(class_of(MPI_Ssend(buffer, bytes, MPI_BYTE, 0, 4, comm)) == MPIX_ERR_REVOKED);
  } else {
    CHECK(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
  }
  while (!flag) MPIX_Comm_is_revoked(comm, &flag);
  CHECK(class_of(MPI_Send(buffer, bytes, MPI_BYTE, MPI_PROC_NULL, 0, comm)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_Iprobe(0, 0, comm, &flag, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  MPI_Comm next;
  CHECK(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
  int left;
  MPI_Comm_size(next, &left);
  CHECK(left == size);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS);
  MPI_Comm_free(&next);
  MPI_Comm_free(&comm);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

/* Spawned ranks go on without one of theirs, by an info key, in a family that does not; the parents
   do not run so. */
static void spawned(void) {
  MPI_Comm parent, both;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    char command[4096] = {0};
    char *words[] = {"spawned", NULL};
    int errors[3];
    MPI_Info info;
    CHECK(readlink("/proc/self/exe", command, sizeof command - 1) > 0);
    MPI_Info_create(&info);
    MPI_Info_set(info, "baton_continue_on_failure", "true");
    CHECK(is_fault_tolerant() == 0);
    CHECK(!MPI_Comm_spawn(command, words, 3, info, 0, MPI_COMM_WORLD, &both, errors));
    int left = 0;
    if (rank == 0) MPI_Recv(&left, 1, MPI_INT, 0, 0, both, MPI_STATUS_IGNORE);
    CHECK(rank || left == 2);
    MPI_Info_free(&info);
    return;
  }
  CHECK(is_fault_tolerant() == 1);
  be_last(MPI_COMM_WORLD, 2);
  if (rank == 2) die();
  MPI_Comm next;
  int left;
  await_failures(MPI_COMM_WORLD, 1);
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
  MPI_Comm_size(next, &left);
  if (rank == 0) MPI_Send(&left, 1, MPI_INT, 0, 0, parent);
  MPI_Comm_free(&next);
}

/* A communicator of some ranks can be made while others are dead, but not with a dead one. */
static void create_group(void) {
  const int dead = size - 1;
  if (rank == dead) die();
  MPI_Group world, left, pair;
  MPI_Comm next = MPI_COMM_NULL;
  await_failures(MPI_COMM_WORLD, 1);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &dead, &left);
  const int with_dead[] = {0, dead};
  MPI_Group_incl(world, 2, with_dead, &pair);
  for (int round = 0; round < 3; ++round) {
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, left, 3, &next) == MPI_SUCCESS);
    CHECK(MPI_Barrier(next) == MPI_SUCCESS);
    MPI_Comm_free(&next);
    CHECK(!MPI_Comm_create_from_group(left, "left", MPI_INFO_NULL, MPI_ERRORS_RETURN, &next));
    CHECK(MPI_Barrier(next) == MPI_SUCCESS);
    MPI_Comm_free(&next);
  }
  if (rank == 0) {
    CHECK(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, pair, 4, &next)) == MPIX_ERR_PROC_FAILED);
    CHECK(class_of(MPI_Comm_create_from_group(pair, "pair", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                              &next)) == MPIX_ERR_PROC_FAILED);
  }
  CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, left, 3, &next) == MPI_SUCCESS);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS);
  MPI_Comm_free(&next);
  /* Who waits for one that does not come is freed by a revocation. */
  if (rank == 0) {
    CHECK(MPIX_Comm_revoke(MPI_COMM_WORLD) == MPI_SUCCESS);
  } else {
    CHECK(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, left, 5, &next)) == MPIX_ERR_REVOKED);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&left);
  MPI_Group_free(&pair);
}

/* Who has failed to make a communicator with the dead makes one without them, by the same tag: what
   was on its way for the first is none of the second's. */
static void create_group_again(void) {
  const int dead = size - 1;
  if (rank == dead) die();
  MPI_Group world, left;
  MPI_Comm own, next = MPI_COMM_NULL;
  await_failures(MPI_COMM_WORLD, 1);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &dead, &left);
  for (int round = 0; round < 8; ++round) {
    CHECK(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &next)) == MPIX_ERR_PROC_FAILED);
    /* One of them has another number free by now than the others. */
    if (rank == round % dead) MPI_Comm_dup(MPI_COMM_SELF, &own);
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, left, 3, &next) == MPI_SUCCESS);
    int sum = 0;
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, next) == MPI_SUCCESS);
    CHECK(sum == dead * (dead - 1) / 2);
    MPI_Comm_free(&next);
    if (rank == round % dead) MPI_Comm_free(&own);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&left);
}

/* Revoking a window or a file ends what waits for it, also where nobody has died. */
static void revoke_objects(void) {
  char name[64];
  int ranks;
  void *memory;
  MPI_Win win;
  MPI_File file;
  MPI_Group failed;
  snprintf(name, sizeof name, "/tmp/revoked_file_%d", (int)getppid());
  CHECK(!MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  CHECK(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &file));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPIX_Win_get_failed(win, &failed) == MPI_SUCCESS);
  MPI_Group_size(failed, &ranks);
  CHECK(ranks == 0);
  MPI_Group_free(&failed);
  if (rank == 0) {
    usleep(20000);
    CHECK(MPIX_Win_revoke(win) == MPI_SUCCESS && MPIX_File_revoke(file) == MPI_SUCCESS);
  } else {
    CHECK(class_of(MPI_Win_fence(0, win)) == MPIX_ERR_REVOKED);
    CHECK(class_of(MPI_File_write_all(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  }
  CHECK(class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_Win_lock_all(0, win)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_File_write_at(file, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_File_read_at(file, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS); /* which has other messages */
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  CHECK(class_of(MPI_File_close(&file)) == MPIX_ERR_REVOKED && file == MPI_FILE_NULL);
  unlink(name);
}

/* The memory in which a rank has met others for collectives comes back when it has died. */
static void rooms(void) {
  enum { count = 200 };
  MPI_Comm comms[count], next;
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int round = 0; round < 8; ++round) {
      CHECK(MPI_Barrier(comms[i]) == MPI_SUCCESS);
      CHECK(MPI_Bcast(buffer, (int)bytes, MPI_BYTE, 0, comms[i]) == MPI_SUCCESS);
    }
  }
  if (rank == size - 1) die();
  await_failures(MPI_COMM_WORLD, 1);
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
  const long before = job_bytes();
  for (int i = 0; i < count; ++i) CHECK(MPI_Comm_free(&comms[i]) == MPI_SUCCESS);
  CHECK(MPI_Sendrecv(NULL, 0, MPI_BYTE, !rank, 9, NULL, 0, MPI_BYTE, !rank, 9, next,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS); /* in a room, before which the memory is looked at */
  CHECK(job_bytes() < before / 2);
  MPI_Comm_free(&next);
}

/* Agreement: the flags of those that contribute; an error until all have acknowledged. */
static void agree_all(void) {
  int flag = rank ? 0xff : 0xfe;
  CHECK(is_fault_tolerant() == 1);
  CHECK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 0xfe);
  MPI_Request request;
  flag = rank == size - 1 ? 3 : 7;
  CHECK(MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 3);
  if (rank == size - 1) die();
  flag = rank == 0 ? 6 : 5;
  const int lone = size == 2;
  CHECK(class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)) == MPIX_ERR_PROC_FAILED);
  CHECK(flag == (lone ? 6 : 4));
  /* All know of the failure by now, but only one acknowledges. */
  if (rank == 0) CHECK(MPIX_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS);
  flag = 1;
  CHECK(class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)) == (lone ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED));
  CHECK(MPIX_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS);
  flag = 1;
  CHECK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 1);
  MPI_Comm next;
  CHECK(MPIX_Comm_ishrink(MPI_COMM_WORLD, &next, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int left;
  MPI_Comm_size(next, &left);
  CHECK(left == size - 1);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS);
  MPI_Comm_free(&next);
}

/* Who ends the job ends it: nobody takes that for a death, and goes on. */
static void abort_job(void) {
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  CHECK(class_of(MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
        MPIX_ERR_PROC_FAILED);
  sleep(10);
  fprintf(stderr, "abort held\n");
}

/* The upper half of the ranks, which are on another host, waits until that is lost. */
static void lost_host(void) {
  MPI_Comm next;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "ready\n");
  if (rank >= size / 2)
    for (;;) pause();
  CHECK(class_of(MPI_Recv(buffer, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
        MPIX_ERR_PROC_FAILED);
  int left;
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
  MPI_Comm_size(next, &left);
  CHECK(left == size / 2);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS);
  MPI_Comm_free(&next);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"point_to_point", point_to_point},
                        {"last_words", last_words},
                        {"any_source", any_source},
                        {"collectives", collectives},
                        {"revoke", revoke_all},
                        {"agree", agree_all},
                        {"spawned", spawned},
                        {"create_group", create_group},
                        {"create_group_again", create_group_again},
                        {"revoke_objects", revoke_objects},
                        {"rooms", rooms},
                        {"handler", handler},
                        {"abort", abort_job},
                        {"lost_host", lost_host}};
  return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
